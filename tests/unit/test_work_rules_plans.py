from graphlib import TopologicalSorter
from itertools import pairwise, permutations
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from graphs import Pair, closes, dags, make_open
from hypothesis import given, settings
from plain_plans import planned

from gotn.work.records import BlockedNode
from gotn.work.rules import nets, plans, rounds, steps

EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20, unique=True)
SOFT = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from([0.8, 0.9, 1.0])), max_size=12
)


def _arranged(found: plans.Open) -> plans.Layout:
    layout = plans.arrange(found, plans.scope(found, None))
    assert layout is not None
    return layout


def _steps(found: plans.Open, layout: plans.Layout | None) -> steps.Steps:
    assert layout is not None
    ids = [found.ids[i] for i in layout.order.tolist()]
    return steps.Steps(ids, (), layout, plans.timed(found, layout))


def _every(count: int) -> nets.Mask:
    return np.ones(count, dtype=np.bool_)


@given(dags())
def test_layers_are_the_generations_of_graphlib(dag: tuple[int, list[Pair]]) -> None:
    """Another implementation of topological generations gives the same layers."""
    count, hard = dag
    sorter = TopologicalSorter({i: [a for a, b in hard if b == i] for i in range(count)})
    sorter.prepare()
    expected = []
    while sorter.is_active():
        expected.append(sorted(layer := sorter.get_ready()))
        sorter.done(*layer)
    assert expected == [sorted(layer) for layer in _arranged(make_open(count, hard)).layers]


@given(SOFT, st.randoms(use_true_random=False))
def test_together_does_not_depend_on_the_order_of_its_input(soft: list[Any], rng: Any) -> None:
    """Shuffled nodes and links, and links the other way round, give the same order and groups."""
    layer = list(range(8))
    expected = plans.together(layer, soft)
    other = [(b, a, score) for a, b, score in soft]
    rng.shuffle(other)
    rng.shuffle(layer)
    assert expected == plans.together(layer, other)
    assert list(range(8)) == sorted(expected[0])


def test_together_puts_the_strongest_first() -> None:
    """Groups by their strongest link, then single nodes by id."""
    ordered, groups = plans.together(range(5), [(1, 3, 0.8), (4, 2, 0.95)])
    assert [2, 4, 1, 3, 0] == ordered
    assert [([2, 4], 0.95), ([1, 3], 0.8)] == groups


def _longest(count: int, hard: list[Pair], weights: list[float]) -> float:
    """Every order of nodes that is a chain, summed: slow and plain."""
    known = set(hard)
    chains = (
        chain
        for size in range(1, count + 1)
        for chain in permutations(range(count), size)
        if all(pair in known for pair in pairwise(chain))
    )
    return max(sum(weights[i] for i in chain) for chain in chains)


@given(dags(6), st.lists(st.integers(1, 9), min_size=6, max_size=6))
def test_the_critical_path_is_the_longest_chain(
    dag: tuple[int, list[Pair]], minutes: list[int]
) -> None:
    """As long as the brute force finds; slack is never negative and 0 along the path."""
    count, hard = dag
    estimates = {i: float(m) for i, m in enumerate(minutes[:count])}
    found = make_open(count, hard, estimates=estimates, kinds=[""] * count)
    layout = _arranged(found)
    path = plans.timed(found, layout).critical
    assert _longest(count, hard, [float(m) for m in minutes]) == path.length
    assert path.length == sum(minutes[int(id_[1:])] for id_ in path.node_ids)
    assert set(pairwise(path.node_ids)) <= {(f"n{a}", f"n{b}") for a, b in hard}
    slack = {step.id: step.slack for step in _steps(found, layout)}
    assert 0 <= min(slack.values())
    assert {0.0} == {slack[id_] for id_ in path.node_ids}
    assert "minutes" == path.unit


def test_weights_are_steps_then_minutes_then_the_kinds_median() -> None:
    """No estimate: one step each; some: a kind's history, else the median of the known."""
    assert plans.minutes(make_open(2), _every(2)) is None
    assert [1.0, 0.0] == _arranged(make_open(2, statuses={1: "failed"})).weights.tolist()
    found = make_open(
        4,
        kinds=["a", "b", "c", "c"],
        estimates={0: 10.0, 3: 30.0},
        kind_minutes={"b": 4.0},
    )
    layout = _arranged(found)
    assert ([10.0, 4.0, 20.0, 30.0], "minutes") == (layout.weights.tolist(), layout.unit)


@given(EDGES)
def test_cycles_are_shortest_and_one_a_component(hard: list[Pair]) -> None:
    """Each way closes along real edges, and no power of its component's matrix closes sooner."""
    hard = [(a, b) for a, b in hard if a != b]
    ways = rounds.cycles(make_open(8, hard), _every(8))
    joined = np.zeros((8, 8), dtype=bool)
    joined[[a for a, _ in hard], [b for _, b in hard]] = True
    powers = [joined]
    for _ in range(7):
        powers.append(powers[-1] @ joined)
    reach = np.logical_or.reduce(powers)
    parts = {tuple(np.flatnonzero(reach[i] & reach[:, i])) for i in range(8) if reach[i, i]}
    assert len(parts) == len(ways)
    for way in ways:
        assert closes(list(map(str, way)), {(str(a), str(b)) for a, b in hard})
        part = next(part for part in parts if way[0] in part)
        shortest = next(n for n, p in enumerate(powers, 1) if p[part, part].any())
        assert shortest == len(way) - 1


def test_a_large_ring_is_found_at_once() -> None:
    """A component of many nodes takes no quadratic search."""
    count = 20_000
    ring = [(i, (i + 1) % count) for i in range(count)]
    ways = rounds.cycles(make_open(count, ring), _every(count))
    assert [count + 1] == [len(way) for way in ways]


def test_scope_of_targets_is_what_they_need() -> None:
    """Targets with all their ancestors; all without targets."""
    found = make_open(5, [(0, 1), (1, 2), (3, 4)])
    assert [0, 1, 2] == np.flatnonzero(plans.scope(found, [2])).tolist()
    assert [0, 1, 2, 3, 4] == np.flatnonzero(plans.scope(found, None)).tolist()
    assert [] == np.flatnonzero(plans.scope(found, [])).tolist()


def test_what_a_failed_node_holds_is_blocked_with_the_path() -> None:
    """A node it blocked is no cause of its own; one blocked by a person is."""
    found = make_open(
        6,
        [(0, 1), (1, 2), (3, 4)],
        statuses={0: "failed", 1: "blocked", 3: "blocked"},
    )
    layout = _arranged(found)
    assert [
        BlockedNode(id="n1", path=("n0", "n1")),
        BlockedNode(id="n2", path=("n0", "n1", "n2")),
        BlockedNode(id="n3", path=("n3",)),
        BlockedNode(id="n4", path=("n3", "n4")),
    ] == layout.blocked
    assert [[5]] == layout.layers


def test_running_nodes_are_waited_for() -> None:
    """They are no steps; what needs them directly is not ready, though it stands in layer 0."""
    found = make_open(4, [(0, 1), (1, 2)], statuses={0: "running", 3: "running"})
    layout = _arranged(found)
    assert [0] == layout.waiting_on
    assert [[1], [2]] == layout.layers
    assert [False, False] == [step.ready for step in _steps(found, layout)]


def test_the_reason_is_for_people() -> None:
    """Counts with their nouns, groups by name, what was left out and held back."""
    found = make_open(3, [(0, 1)], soft=[(1, 2, 0.9)])
    layout = _arranged(found)
    text = plans.reason(found, layout, satisfied=1, derived=1, explicit=0)
    assert "3 steps in 2 layers" in text
    assert "Left out: 1 node completed or skipped." in text
    nothing = _arranged(make_open(1, statuses={0: "running"}))
    assert plans.reason(found, nothing, 0, 0, 0).startswith("Nothing is left to do")


def test_a_node_passed_through_keeps_the_order() -> None:
    """What a left-out parent needs still comes before what needs the parent, and it waits."""
    found = make_open(4, [(0, 1), (1, 2), (3, 1)], statuses={3: "running"})
    left_out = np.arange(4) == 1
    layout = plans.arrange(found, ~left_out, left_out)
    assert layout is not None
    assert [[0], [2]] == layout.layers
    assert ({2}, [3]) == (layout.waiting, layout.waiting_on)
    path = plans.timed(found, layout).critical
    said = [(step.layer, step.ready) for step in _steps(found, layout)]
    assert [(0, True), (1, False)] == said
    assert (2.0, (found.ids[0], found.ids[2])) == (path.length, path.node_ids)


STATUSES = st.dictionaries(
    st.integers(0, 13), st.sampled_from(["running", "failed", "blocked"]), max_size=4
)


@settings(deadline=None)
@given(
    dag=dags(14),
    statuses=STATUSES,
    minutes=st.lists(st.integers(0, 9), min_size=14, max_size=14),
    passed=st.sets(st.integers(0, 13), max_size=4),
)
@pytest.mark.parametrize(("wide", "tried"), [(50, 16), (0, 0), (1000, 0), (3, 2)])
def test_arrays_give_what_the_plain_way_gives(
    wide: int,
    tried: int,
    dag: tuple[int, list[Pair]],
    statuses: dict[int, str],
    minutes: list[int],
    passed: set[int],
) -> None:
    """Layers, what is held, what waits and all slack, whether the graph is walked wide or deep."""
    count, hard = dag
    some = {i: status for i, status in statuses.items() if i < count}
    through = {i for i in passed if i < count}
    found = make_open(count, hard, statuses=some, kinds=[""] * count)
    found.estimates = {i: float(minutes[i]) for i in range(count) if sum(minutes) % 2}
    weights = found.estimates or dict.fromkeys(range(count), 1.0)
    plain = planned(count, hard, some, weights, through)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nets, "WIDE", wide)
        patch.setattr(nets, "TRIED", tried)
        at = found.mask(np.array(sorted(through), dtype=np.int64))
        layout = plans.arrange(found, ~at, at)
        assert layout is not None
        timing = plans.timed(found, layout)
    assert plain.layers == [set(layer) for layer in layout.layers]
    assert [sorted(layer) for layer in layout.layers] == layout.layers
    failed = {i for i, status in some.items() if status == "failed"}
    assert sorted(plain.held - failed - through) == [int(b.id[1:]) for b in layout.blocked]
    assert plain.waiting == layout.waiting
    assert plain.slack == dict(zip(layout.order.tolist(), timing.slack, strict=True))
    assert plain.length == timing.critical.length


@given(dags(14), st.integers(0, 13))
def test_what_goes_round_has_no_layers(dag: tuple[int, list[Pair]], at: int) -> None:
    """However it is walked; what stands outside of the scope does not matter."""
    count, hard = dag
    first = at % count
    around = [*hard, (first, count), (count, first)]
    found = make_open(count + 1, around)
    for wide in (0, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(nets, "WIDE", wide)
            patch.setattr(nets, "TRIED", 0)
            assert plans.arrange(found, plans.scope(found, None)) is None
            inside = np.arange(count + 1) < count
            assert plans.arrange(found, inside) is not None


def test_steps_are_made_when_they_are_asked_for() -> None:
    """By place, from the end, in part, one after the other; beyond the last there is none."""
    found = make_open(4, [(0, 1), (1, 2)])
    made = _steps(found, _arranged(found))
    assert ["n0", "n3", "n1", "n2"] == [step.id for step in made]
    assert (4, made[3]) == (len(made), made[-1])
    assert tuple(made)[1:3] == made[1:3]
    assert tuple(made) == made
    assert made != tuple(made)[:3]
    with pytest.raises(IndexError):
        made[4]


def test_reason_of_a_chain_and_of_many() -> None:
    """Of more than two the score is the nearest pair's, and only some are named."""
    found = make_open(11, [], soft=[(i, i + 1, 0.9 - i / 100) for i in range(10)])
    said = plans.reason(found, _arranged(found), 0, 0, 0)
    assert " and 3 more (up to 0.90, layer 1)." in said
