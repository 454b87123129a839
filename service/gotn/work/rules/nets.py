"""Edges as arrays: generations and longest ways, whatever the graph's shape.

A wide graph is walked a generation at a time with numpy, a deep one a node at a time in
plain lists: an array operation costs as much as some fifty nodes (performance of a plan).
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from gotn.work.rules.ranks import Edges, Ints

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
#: Nodes in a generation, on average, below which a walk in plain lists is faster.
WIDE = 50
#: Generations looked at before that is decided.
TRIED = 16


class Net:
    """Edges among positions 0 … count - 1, by their source."""

    def __init__(self, count: int, edges: Edges) -> None:
        self.count = count
        src, dst = edges.src, edges.dst
        if len(src) and not bool(np.all(src[1:] >= src[:-1])):
            order = np.argsort(src, kind="stable")
            src, dst = src[order], dst[order]
        self.src, self.dst = src, dst
        self.starts = np.zeros(count + 1, dtype=np.int64)
        np.cumsum(np.bincount(src, minlength=count), out=self.starts[1:])

    @cached_property
    def lists(self) -> tuple[list[int], list[int]]:
        """Where each node's edges start, and what they lead to, as plain lists."""
        return self.starts.tolist(), self.dst.tolist()

    def after(self, node: int) -> list[int]:
        """What a node leads to."""
        starts, ends = self.lists
        return ends[starts[node] : starts[node + 1]]

    def out(self, nodes: Ints) -> tuple[Ints, Ints]:
        """Places of all edges out of these nodes, in their order, and how many each has."""
        first = self.starts[nodes]
        many = self.starts[nodes + 1] - first
        skipped = np.repeat(first - np.cumsum(many) + many, many)
        return skipped + np.arange(len(skipped), dtype=np.int64), many

    def reached(self, nodes: list[int]) -> Mask:
        """These nodes and everything that can be reached from them."""
        starts, ends = self.lists
        seen = bytearray(self.count)
        todo = list(nodes)
        for node in todo:
            seen[node] = 1
        while todo:
            node = todo.pop()
            for then in ends[starts[node] : starts[node + 1]]:
                if not seen[then]:
                    seen[then] = 1
                    todo.append(then)
        return np.frombuffer(seen, dtype=np.bool_)


@dataclass
class _Step:
    """One generation of a wide graph: its nodes, the places of their edges, how many each has."""

    nodes: Ints
    edges: Ints
    many: Ints


@dataclass
class Generations:
    """The topological generations of some of a net's nodes."""

    net: Net
    #: Each node's generation; -1 for others, and for what a cycle keeps from having one.
    level: Ints
    #: How many nodes have one, and how many generations there are.
    found: int = 0
    count: int = 0
    #: The generations, of a wide graph only.
    steps: list[_Step] = field(default_factory=list)
    #: The nodes in a topological order, of a deep graph only.
    order: list[int] | None = None

    def ends(self, weights: Floats) -> Floats:
        """When each node is done at the earliest, where it takes `weights`."""
        begin = np.zeros(self.net.count)
        if self.order is not None:
            return self._ends_listed(weights)
        for step in self.steps:
            done = begin[step.nodes] + weights[step.nodes]
            np.maximum.at(begin, self.net.dst[step.edges], np.repeat(done, step.many))
        return begin + weights

    def _ends_listed(self, weights: Floats) -> Floats:
        starts, after = self.net.lists
        weight, begin = weights.tolist(), [0.0] * self.net.count
        for node in self.order or ():
            done = begin[node] + weight[node]
            for then in after[starts[node] : starts[node + 1]]:
                begin[then] = max(begin[then], done)
        return np.array(begin) + weights

    def latest(self, weights: Floats, length: float) -> Floats:
        """When each node must be done at the latest, where all of it takes `length`."""
        if self.order is not None:
            return self._latest_listed(weights, length)
        found = np.full(self.net.count, length)
        for step in reversed(self.steps):
            inner = step.many > 0
            if not inner.any():
                continue
            then = self.net.dst[step.edges]
            first = (np.cumsum(step.many) - step.many)[inner]
            found[step.nodes[inner]] = np.minimum.reduceat(found[then] - weights[then], first)
        return found

    def _latest_listed(self, weights: Floats, length: float) -> Floats:
        starts, after = self.net.lists
        weight = weights.tolist()
        found, begin = [length] * self.net.count, [length] * self.net.count
        for node in reversed(self.order or ()):
            latest = length
            for then in after[starts[node] : starts[node + 1]]:
                latest = min(latest, begin[then])
            found[node] = latest
            begin[node] = latest - weight[node]
        return np.array(found)


def generations(net: Net, among: Mask) -> Generations:
    """The generations of the nodes `among`; no edge of the net may leave them."""
    result = Generations(net, np.full(net.count, -1, dtype=np.int64))
    waits = np.bincount(net.dst, minlength=net.count)
    nodes = np.flatnonzero(among & (waits == 0))
    while len(nodes):
        if result.count >= TRIED and result.found < WIDE * result.count:
            return _listed(net, among)
        edges, many = net.out(nodes)
        result.level[nodes] = result.count
        result.steps.append(_Step(nodes, edges, many))
        result.found += len(nodes)
        result.count += 1
        then = net.dst[edges]
        np.subtract.at(waits, then, 1)
        nodes = np.unique(then[waits[then] == 0])
    return result


def _listed(net: Net, among: Mask) -> Generations:
    """The same in plain lists, for deep graphs."""
    starts, after = net.lists
    waits = np.bincount(net.dst, minlength=net.count)
    nodes = np.flatnonzero(among & (waits == 0)).tolist()
    left = waits.tolist()
    order: list[int] = []
    sizes: list[int] = []
    while nodes:
        order += nodes
        sizes.append(len(nodes))
        following = []
        for node in nodes:
            for then in after[starts[node] : starts[node + 1]]:
                left[then] = waiting = left[then] - 1
                if not waiting:
                    following.append(then)
        nodes = following
    level = np.full(net.count, -1, dtype=np.int64)
    level[np.array(order, dtype=np.int64)] = np.repeat(np.arange(len(sizes)), sizes)
    return Generations(net, level, len(order), len(sizes), order=order)
