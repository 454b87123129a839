from graphlib import TopologicalSorter
from itertools import pairwise, permutations
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from graphs import Pair, closes, dags, make_open
from hypothesis import given, settings

from gotn.work.records import BlockedNode
from gotn.work.rules import levels, plans, rounds

EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20, unique=True)
SOFT = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from([0.8, 0.9, 1.0])), max_size=12
)


def _layers(found: plans.Open) -> list[list[int]]:
    return plans.arrange(found, range(len(found.ids))).layers


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
    assert expected == [sorted(layer) for layer in _layers(make_open(count, hard))]


@given(SOFT, st.randoms(use_true_random=False))
def test_together_does_not_depend_on_the_order_of_its_input(soft: list[Any], rng: Any) -> None:
    """Shuffled nodes and links, and links the other way round, give the same order and groups."""
    layer = list(range(8))
    expected = plans.together(make_open(8, soft=soft), layer)
    other = [(b, a, score) for a, b, score in soft]
    rng.shuffle(other)
    rng.shuffle(layer)
    assert expected == plans.together(make_open(8, soft=other), layer)
    assert list(range(8)) == sorted(expected[0])


def test_together_puts_the_strongest_first() -> None:
    """Groups by their strongest link, then single nodes by id."""
    found = make_open(5, soft=[(1, 3, 0.8), (4, 2, 0.95)])
    ordered, groups = plans.together(found, range(5))
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
    found = make_open(count, hard, estimates=[float(m) for m in minutes[:count]])
    steps, path = plans.timed(found, plans.arrange(found, range(count)))
    assert _longest(count, hard, [float(m) for m in minutes]) == path.length
    assert path.length == sum(minutes[int(id_[1:])] for id_ in path.node_ids)
    assert set(pairwise(path.node_ids)) <= {(f"n{a}", f"n{b}") for a, b in hard}
    slack = {step.id: step.slack for step in steps}
    assert 0 <= min(slack.values())
    assert {0.0} == {slack[id_] for id_ in path.node_ids}
    assert "minutes" == path.unit


def test_weights_are_steps_then_minutes_then_the_kinds_median() -> None:
    """No estimate: one step each; some: a kind's history, else the median of the known."""
    assert ({0: 1.0, 1: 1.0}, "steps") == plans.weights(make_open(2), [0, 1])
    found = make_open(
        4,
        kinds=["a", "b", "c", "c"],
        estimates=[10.0, None, None, 30.0],
        kind_minutes={"b": 4.0},
    )
    assert ({0: 10.0, 1: 4.0, 2: 20.0, 3: 30.0}, "minutes") == plans.weights(found, range(4))


@given(EDGES)
def test_cycles_are_shortest_and_one_a_component(hard: list[Pair]) -> None:
    """Each way closes along real edges, and no power of its component's matrix closes sooner."""
    hard = [(a, b) for a, b in hard if a != b]
    ways = rounds.cycles(make_open(8, hard), range(8))
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
    assert [count + 1] == [len(way) for way in rounds.cycles(make_open(count, ring), range(count))]


def test_scope_of_targets_is_what_they_need() -> None:
    """Targets with all their ancestors; leaves leaves out what has children."""
    found = make_open(5, [(0, 1), (1, 2), (3, 4)], has_children=[False, True, False, False, False])
    assert [0, 1, 2] == plans.scope(found, [2], leaves=False)
    assert [0, 2, 3, 4] == plans.scope(found, None, leaves=True)
    assert [] == plans.scope(found, [], leaves=False)


def test_what_a_failed_node_holds_is_blocked_with_the_path() -> None:
    """A node it blocked is no cause of its own; one blocked by a person is."""
    found = make_open(
        6,
        [(0, 1), (1, 2), (3, 4)],
        statuses=["failed", "blocked", "ready", "blocked", "ready", "ready"],
    )
    layout = plans.arrange(found, range(6))
    assert [
        BlockedNode(id="n1", path=("n0", "n1")),
        BlockedNode(id="n2", path=("n0", "n1", "n2")),
        BlockedNode(id="n3", path=("n3",)),
        BlockedNode(id="n4", path=("n3", "n4")),
    ] == layout.blocked
    assert [[5]] == layout.layers


def test_running_nodes_are_waited_for() -> None:
    """They are no steps; what needs them directly is not ready, though it stands in layer 0."""
    found = make_open(4, [(0, 1), (1, 2)], statuses=["running", "ready", "ready", "running"])
    layout = plans.arrange(found, range(4))
    assert [0] == layout.waiting_on
    assert [[1], [2]] == layout.layers
    steps, _ = plans.timed(found, layout)
    assert [False, False] == [step.ready for step in steps]


def test_the_reason_is_for_people() -> None:
    """Counts with their nouns, groups by name, what was left out and held back."""
    found = make_open(3, [(0, 1)], soft=[(1, 2, 0.9)], statuses=["ready", "ready", "ready"])
    layout = plans.arrange(found, range(3))
    text = plans.reason(found, layout, satisfied=1, derived=1, explicit=0)
    assert "3 steps in 2 layers" in text
    assert "Left out: 1 node completed or skipped." in text
    nothing = plans.Layout()
    assert plans.reason(found, nothing, 0, 0, 0).startswith("Nothing is left to do")


def test_a_node_passed_through_keeps_the_order() -> None:
    """What a left-out parent needs still comes before what needs the parent, and it waits."""
    found = make_open(4, [(0, 1), (1, 2), (3, 1)])
    found.statuses[3] = "running"
    layout = plans.arrange(found, [0, 2, 3], through=[1])
    assert [[0], [2]] == layout.layers
    assert ({2}, [3]) == (layout.waiting, layout.waiting_on)
    steps, path = plans.timed(found, layout)
    assert [(0, True), (1, False)] == [(step.layer, step.ready) for step in steps]
    assert (2.0, (found.ids[0], found.ids[2])) == (path.length, path.node_ids)


@settings(deadline=None)
@given(graph=dags(14), soft=st.lists(st.tuples(st.integers(0, 13), st.integers(0, 13))))
def test_arrays_give_what_single_steps_give(
    graph: tuple[int, list[Pair]], soft: list[tuple[int, int]]
) -> None:
    """Layers, groups, slack and the critical path of ready work, by either way."""
    count, hard = graph
    links = [(a, b, 0.8 + a / 100) for a, b in soft if a != b and max(a, b) < count]
    found = make_open(count, hard, soft=links)
    inside = list(range(count))
    for rounds_ in (1, 300):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(levels, "ROUNDS", rounds_)
            fast = plans.arrange(found, inside)
            timed = plans.timed(found, fast)
        plain = plans._arrange_mixed(found, inside, set())
        assert (plain.layers, plain.groups, plain.weights) == (
            fast.layers,
            fast.groups,
            fast.weights,
        )
        assert plans._timed_by_weight(found, plain) == timed
        assert fast.level is not None


def test_levels_tell_what_goes_round() -> None:
    """Neither way gives levels to edges that go round."""
    around = np.array([0, 1, 2]), np.array([1, 2, 0])
    assert None is levels.levels(3, *around)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levels, "ROUNDS", 0)
        assert None is levels.levels(3, *around)
        found = levels.levels(3, around[0][:2], around[1][:2])
        assert found is not None
        assert [0, 1, 2] == found.tolist()
