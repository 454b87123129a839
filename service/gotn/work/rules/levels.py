"""How many steps the longest way to each node has, in arrays: the layers of a plan."""

import numpy as np
import rustworkx as rx

from gotn.work.rules.ranks import Edges, Ints, graph

#: Rounds of the array method; a graph of more layers is narrow, and rustworkx is faster there.
ROUNDS = 300


def levels(count: int, src: Ints, dst: Ints) -> Ints | None:
    """The level of each of `count` nodes, 0 where nothing comes before; None if edges go round."""
    after = Neighbours(count, src, dst)
    waiting = np.bincount(dst, minlength=count)
    level = np.full(count, -1, dtype=np.int64)
    edge = np.flatnonzero(waiting == 0)
    for number in range(ROUNDS):
        if not edge.size:
            return None if (level < 0).any() else level
        level[edge] = number
        reached, times = np.unique(after.of(edge), return_counts=True)
        waiting[reached] -= times
        edge = reached[waiting[reached] == 0]
    return _narrow(count, src, dst)


def _narrow(count: int, src: Ints, dst: Ints) -> Ints | None:
    level = np.zeros(count, dtype=np.int64)
    try:
        for number, nodes in enumerate(rx.topological_generations(graph(count, Edges(src, dst)))):
            level[list(nodes)] = number
    except rx.DAGHasCycle:
        return None
    return level


class Neighbours:
    """The nodes at the other end of each node's edges."""

    def __init__(self, count: int, src: Ints, dst: Ints) -> None:
        order = np.argsort(src, kind="stable")
        self._ends = dst[order]
        self._starts = np.searchsorted(src[order], np.arange(count + 1))

    def of(self, nodes: Ints) -> Ints:
        """The neighbours of these nodes, one after the other; a shared one stands repeatedly."""
        first = self._starts[nodes]
        many = self._starts[nodes + 1] - first
        total = int(many.sum())
        before = np.cumsum(many) - many
        found: Ints = self._ends[np.repeat(first - before, many) + np.arange(total)]
        return found

    def at(self, node: int) -> list[int]:
        """The neighbours of one node."""
        found: list[int] = self._ends[self._starts[node] : self._starts[node + 1]].tolist()
        return found
