from itertools import pairwise
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from graphs import Pair, dags
from hypothesis import given

from gotn.work.rules import ranks

NODES = 7
PAIRS = st.lists(
    st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)).filter(lambda p: p[0] != p[1]),
    max_size=16,
    unique=True,
)


def _edges(pairs: list[Pair]) -> ranks.Edges:
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return ranks.Edges(both[:, 0], both[:, 1])


def _settle(fixed: list[Pair], loose: list[Pair], names: str = "abcdefg") -> ranks.Settled:
    return ranks.settle(
        NODES, _edges(fixed), _edges(loose), lambda some: {i: names[i] for i in some}
    )


def _reaches(pairs: set[Pair], src: int, dst: int) -> bool:
    seen, todo = set(), [src]
    while todo:
        at = todo.pop()
        if at == dst:
            return True
        if at not in seen:
            seen.add(at)
            todo += [b for a, b in pairs if a == at]
    return False


@given(dags(NODES), PAIRS)
def test_settled_edges_are_in_order_and_flagged_ones_close_a_cycle(
    dag: tuple[int, list[Pair]], loose: list[Pair]
) -> None:
    """The unflagged edges follow the order; each flagged one goes back along unflagged ones."""
    fixed = dag[1]
    loose = [pair for pair in loose if pair not in fixed]
    settled = _settle(fixed, loose)
    assert settled.flagged <= set(loose)
    assert settled.order is not None
    place = {node: at for at, node in enumerate(settled.order)}
    kept = {*fixed, *loose} - settled.flagged
    assert all(place[a] < place[b] for a, b in kept)
    assert all(_reaches(kept, b, a) for a, b in settled.flagged)


@given(PAIRS, st.randoms(use_true_random=False))
def test_flags_depend_on_the_graph_alone(loose: list[Pair], rng: Any) -> None:
    """Neither the order of the edges nor the nodes' positions change which names are flagged."""
    expected = {("abcdefg"[a], "abcdefg"[b]) for a, b in _settle([], loose).flagged}
    place = list(range(NODES))
    rng.shuffle(place)
    names = "".join("abcdefg"[place.index(i)] for i in range(NODES))
    moved = [(place[a], place[b]) for a, b in loose]
    rng.shuffle(moved)
    assert expected == {(names[a], names[b]) for a, b in _settle([], moved, names).flagged}


def test_a_cycle_of_fixed_edges_is_refused_with_its_path() -> None:
    """What may not be flagged comes back as a closed path."""
    settled = _settle([(0, 1), (1, 2), (2, 0), (3, 4)], [(4, 3)])
    assert settled.refused is not None
    assert settled.refused[0] == settled.refused[-1]
    assert {0, 1, 2} == set(settled.refused)


@given(PAIRS)
def test_round_in_finds_a_closed_path_or_none(pairs: list[Pair]) -> None:
    """A path along these edges back to its start, exactly where one is."""
    path = ranks.round_in(NODES, _edges(pairs))
    assert any(_reaches(set(pairs), b, a) for a, b in pairs) == (path is not None)
    if path:
        assert path[0] == path[-1]
        assert set(pairwise(path)) <= set(pairs)


SIDES = st.lists(st.integers(1, 1000), min_size=1, max_size=6, unique=True)


@given(SIDES, SIDES, st.one_of(st.none(), st.integers(1, 5000)))
def test_fit_moves_the_smaller_side_and_keeps_its_order(
    after: list[int], before: list[int], room: int | None
) -> None:
    """The moved nodes keep their order, pass the edge's other end and stay within the limit."""
    src, dst = 2000, 0
    up = ranks.Side(list(range(len(after))), after, None if room is None else src + room)
    down = ranks.Side(list(range(len(before))), before, None if room is None else dst - room)
    placed = ranks.fit(up, down, src, dst)
    if placed is None:
        assert room is not None
        assert room <= max(len(after), len(before))
        return
    new = dict(placed)
    assert len(new) == len(placed)
    side, old = (up, after) if min(new.values()) > src else (down, before)
    by_old = sorted(side.ids, key=old.__getitem__)
    assert by_old == sorted(side.ids, key=new.__getitem__)
    assert len(set(new.values())) == len(new)
    low, high = (src, up.limit) if side is up else (down.limit, dst)
    assert low is None or low < min(new.values())
    assert high is None or max(new.values()) < high


@pytest.mark.parametrize("limit", [ranks.HIGHEST + 1, 5])
def test_fit_refuses_where_there_is_no_room(limit: int) -> None:
    """No gap, or ranks beyond what 64 bits hold: a whole new order is due."""
    rank = limit - 1
    assert ranks.fit(ranks.Side([1], [0], limit), ranks.Side([], [], None), rank, 0) is None


@given(dags())
def test_first_to_last_suits_the_pairs(dag: tuple[int, list[Pair]]) -> None:
    """Every id once, each pair in order."""
    count, pairs = dag
    ids = [str(i) for i in range(count)]
    found = ranks.first_to_last(ids, [(str(a), str(b)) for a, b in pairs])
    assert sorted(ids) == sorted(found)
    assert all(found.index(str(a)) < found.index(str(b)) for a, b in pairs)


def test_first_to_last_keeps_what_goes_round_as_it_came() -> None:
    """An order that cannot be is not made up; unknown ids are left out."""
    assert ["b", "a"] == ranks.first_to_last(["b", "a"], [("a", "b"), ("b", "a"), ("a", "x")])


def test_edges_unpack_to_positions() -> None:
    """Two internal ids in one integer become places in the sorted list."""
    ids = np.array([3, 7, 2**31 - 1], dtype=np.int64)
    packed = [(7 << 32) + 3, (3 << 32) + 2**31 - 1]
    assert [(1, 0), (0, 2)] == ranks.Edges.unpacked(packed, ids).pairs()
