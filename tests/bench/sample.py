"""The graphs that are measured: so many nodes with three edges each, random or in deep layers."""

import random
from dataclasses import dataclass
from functools import cached_property

import rustworkx

from bench.goals import DEEP
from gotn.work.records import WorkEdgeDraft, WorkNodeDraft

#: Edges of one node to nodes before it.
EDGES = 3
#: How far before a node of a random graph its prerequisites stand.
_WINDOW = 2000
#: Nodes in a layer of a deep graph.
_WIDTH = 10
#: The part of a random graph's nodes that need nothing.
_ROOTS = 0.1
#: Ids are numbers below the first, spread by the second, which has no factor in common with it.
_IDS, _SPREAD = 10_000_000, 7_368_787
Pair = tuple[int, int]


@dataclass
class Graph:
    """Nodes 0 … count - 1 and pairs (before, after); the same numbers each time."""

    kind: str
    count: int

    @cached_property
    def pairs(self) -> list[Pair]:
        """The edges, each from a lower number to a higher one."""
        dice = random.Random(f"{self.kind} {self.count}")
        found: set[Pair] = set()
        first = _WIDTH if self.kind == DEEP else max(EDGES, int(self.count * _ROOTS))
        for node in range(first, self.count):
            layer = node // _WIDTH * _WIDTH
            before = (
                range(layer - _WIDTH, layer)
                if self.kind == DEEP
                else range(max(0, node - _WINDOW), node)
            )
            found.update((other, node) for other in dice.sample(before, EDGES))
        return sorted(found)

    @cached_property
    def order(self) -> list[int]:
        """The order in which a document has the nodes: any."""
        found = list(range(self.count))
        random.Random(self.count).shuffle(found)
        return found

    def nodes(self, *, tagged: bool = False) -> list[WorkNodeDraft]:
        """The nodes; tagged ones get their edges by linking."""
        requires: dict[int, list[str]] = {}
        if tagged:
            for before, after in self.pairs:
                requires.setdefault(after, []).append(tag(before))
        return [
            WorkNodeDraft(
                id=name(i),
                kind="micro_prompt",
                summary=f"Do the piece of work number {i}, which is one of many",
                prompt_text=f"Please do number {i} and say what came of it.",
                exec_target=f"part/{i % 100}/file.py",
                requires=tuple(requires.get(i, ())) or None,
                produces=(tag(i),) if tagged else None,
            )
            for i in self.order
        ]

    def edges(self) -> list[WorkEdgeDraft]:
        """The edges, said by somebody."""
        return [WorkEdgeDraft(src=name(a), dst=name(b)) for a, b in self.pairs]

    def memory(self) -> "rustworkx.PyDiGraph[int | None, None]":
        """The graph in memory."""
        found: rustworkx.PyDiGraph[int | None, None] = rustworkx.PyDiGraph()
        found.add_nodes_from(range(self.count))
        found.extend_from_edge_list(self.pairs)
        return found


def name(number: int) -> str:
    """A node's id; the order of ids says nothing about the order of the work."""
    return f"n{number * _SPREAD % _IDS:07d}"


def number(id_: str) -> int:
    """A node's number."""
    return int(id_[1:]) * pow(_SPREAD, -1, _IDS) % _IDS


def tag(number: int) -> str:
    """The tag that a node produces."""
    return f"t{number:07d}"


def short(count: int) -> str:
    """10k for 10,000."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if count >= size and count % size == 0:
            return f"{count // size}{letter}"
    return f"{count:,}"
