"""Where open work goes round: one shortest closed path for each component."""

import numpy as np
import rustworkx as rx

from gotn.work.rules import plans
from gotn.work.rules.nets import Mask, Net, generations
from gotn.work.rules.ranks import graph


def cycles(found: plans.Open, inside: Mask) -> list[list[int]]:
    """One shortest closed path for each component of the scope that goes round."""
    edges = plans.among(found.hard, inside)
    if generations(Net(len(found.ids), edges), inside).found == np.count_nonzero(inside):
        return []
    net = graph(len(found.ids), edges)
    parts = [part for part in rx.strongly_connected_components(net) if len(part) > 1]
    ways = [_shortest_round(net, sorted(part, key=found.ids.__getitem__)) for part in parts]
    return sorted(ways, key=lambda way: found.ids[way[0]])


def _shortest_round(net: "rx.PyDiGraph[int | None, None]", part: list[int]) -> list[int]:
    """A shortest closed path among these, starting from the first of them that has one.

    A node that was looked at goes away, with all that goes round only through it, so that
    one large ring costs no more than its length.
    """
    member = set(part)
    after = {i: set(net.successor_indices(i)) & member for i in part}
    before = {i: set(net.predecessor_indices(i)) & member for i in part}
    best: list[int] = []
    for start in part:
        if start in after:
            best = _round(after, start, len(best) or len(part) + 2) or best
            _peel(after, before, start)
        if len(best) == 3:
            break
    return best


def _peel(after: dict[int, set[int]], before: dict[int, set[int]], start: int) -> None:
    """Take a node away, and every node that then has none before it or none after it."""
    todo = [start]
    while todo:
        gone = todo.pop()
        for to, back in ((after, before), (before, after)):
            for near in to.pop(gone, ()):
                back[near].discard(gone)
                if not back[near]:
                    todo.append(near)


def _round(after: dict[int, set[int]], start: int, below: int) -> list[int]:
    """Breadth first from a node back to itself, in fewer than `below` nodes; it counts twice."""
    came: dict[int, int] = {}
    edge = [start]
    for _ in range(below - 2):
        following: list[int] = []
        for at in edge:
            for then in sorted(after[at]):
                if then == start:
                    return _traced(came, at, start)
                if then not in came:
                    came[then] = at
                    following.append(then)
        edge = following
    return []


def _traced(came: dict[int, int], last: int, start: int) -> list[int]:
    path = [start]
    while last != start:
        path.append(last)
        last = came[last]
    return [*path[:1], *reversed(path[1:]), start]
