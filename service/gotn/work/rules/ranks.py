"""The stored order of hard edges: where a moved node fits, and which edges close cycles.

Every node has an integer rank with rank(src) < rank(dst) on every unflagged hard edge
(graph-model, Invariants, 2). Gaps of 2^32 let an edge out of order move a few nodes; a
whole order is computed only for bulk work. Flags depend on the graph alone, not on the
order in which it was built.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import rustworkx as rx

#: Distance between two ranks where there is room.
GAP = 1 << 32
#: Nodes looked at on either side of an edge before a whole new order is computed instead.
REGION = 2000
#: Ranks stay below this, so that Neo4j's 64-bit integers never overflow.
HIGHEST = 1 << 62

Ints = npt.NDArray[np.int64]
Pair = tuple[int, int]


@dataclass
class Side:
    """The nodes on one side of a misplaced edge: internal ids, ranks, and the room beyond."""

    ids: list[int]
    ranks: list[int]
    #: The nearest rank beyond them that must stay beyond; None where there is none.
    limit: int | None


def fit(after: Side, before: Side, rank_src: int, rank_dst: int) -> list[Pair] | None:
    """New (id, rank) for the smaller side, so that the edge src -> dst is in order.

    `after` is what must stand after dst (dst included), `before` what must stand before
    src. None where neither fits: then the whole order is computed again.
    """
    sides: list[tuple[int, Callable[[], list[Pair] | None]]] = [
        (len(after.ids), lambda: _up(after, rank_src)),
        (len(before.ids), lambda: _down(before, rank_dst)),
    ]
    for size, place in sorted(sides, key=lambda side: side[0]):
        if size and (placed := place()) is not None:
            return placed
    return None


def _up(side: Side, above: int) -> list[Pair] | None:
    count = len(side.ids)
    limit = side.limit if side.limit is not None else above + GAP * (count + 1)
    step = min(GAP, (limit - above) // (count + 1))
    if step < 1 or limit > HIGHEST:
        return None
    return [(id_, above + step * (i + 1)) for i, id_ in enumerate(_ordered(side))]


def _down(side: Side, below: int) -> list[Pair] | None:
    count = len(side.ids)
    limit = side.limit if side.limit is not None else below - GAP * (count + 1)
    step = min(GAP, (below - limit) // (count + 1))
    if step < 1 or limit < -HIGHEST:
        return None
    return [(id_, below - step * (count - i)) for i, id_ in enumerate(_ordered(side))]


def _ordered(side: Side) -> list[int]:
    return [id_ for _, id_ in sorted(zip(side.ranks, side.ids, strict=True))]


@dataclass
class Edges:
    """Hard edges as pairs of positions in a list of nodes."""

    src: Ints
    dst: Ints

    @classmethod
    def of(cls, pairs: Iterable[Pair]) -> "Edges":
        """From pairs of positions."""
        both = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
        return cls(both[:, 0].copy(), both[:, 1].copy())

    @classmethod
    def unpacked(cls, packed: Sequence[int], ids: Ints) -> "Edges":
        """From `id(a) * 2^32 + id(b)` and the sorted internal ids."""
        both = np.asarray(packed, dtype=np.int64)
        return cls(np.searchsorted(ids, both >> 32), np.searchsorted(ids, both & 0xFFFFFFFF))

    def pairs(self) -> list[Pair]:
        """As pairs of plain integers."""
        return list(zip(self.src.tolist(), self.dst.tolist(), strict=True))

    def __add__(self, other: "Edges") -> "Edges":
        return Edges(np.concatenate([self.src, other.src]), np.concatenate([self.dst, other.dst]))

    def in_order(self, ranks: Ints) -> bool:
        """Whether every edge goes from a lower to a higher rank."""
        return bool(np.all(ranks[self.src] < ranks[self.dst]))


def graph(count: int, edges: Edges) -> "rx.PyDiGraph[int | None, None]":
    """A rustworkx graph of `count` nodes."""
    found: rx.PyDiGraph[int | None, None] = rx.PyDiGraph()
    found.add_nodes_from(range(count))
    found.extend_from_edge_list(edges.pairs())
    return found


def first_to_last(ids: Sequence[str], pairs: Iterable[tuple[str, str]]) -> list[str]:
    """The ids in an order that suits the pairs among them; as they came where those go round."""
    place = {id_: at for at, id_ in enumerate(ids)}
    found: rx.PyDiGraph[int | None, None] = rx.PyDiGraph()
    found.add_nodes_from(range(len(ids)))
    found.extend_from_edge_list(
        [(place[a], place[b]) for a, b in pairs if a in place and b in place]
    )
    try:
        return [ids[at] for at in rx.topological_sort(found)]
    except rx.DAGHasCycle:
        return list(ids)


def knotted(count: int, edges: Edges) -> list[int]:
    """The positions of all nodes that stand in a cycle."""
    parts = rx.strongly_connected_components(graph(count, edges))
    return sorted(i for part in parts if len(part) > 1 for i in part)


@dataclass
class Settled:
    """The flags that a graph must have, and an order of the rest."""

    #: Positions of the flagged edges, as pairs.
    flagged: set[Pair] = field(default_factory=set)
    #: Every node's position, in a topological order of the unflagged edges; None if not asked.
    order: list[int] | None = None
    #: A closed path of edges that may not be flagged: the whole must be refused.
    refused: list[int] | None = None


def settle(
    count: int, fixed: Edges, loose: Edges, names: Callable[[Iterable[int]], dict[int, str]]
) -> Settled:
    """Flag as few `loose` edges as needed, in the order of their ends' names.

    `fixed` edges are never flagged; a cycle of fixed edges alone comes back as `refused`.
    `names` gives the ids of nodes in cycles, so that the choice depends on the graph only.
    """
    whole = graph(count, fixed + loose)
    knots = [part for part in rx.strongly_connected_components(whole) if len(part) > 1]
    if not knots:
        return Settled(order=list(rx.topological_sort(whole)))
    member = np.full(count, -1, dtype=np.int64)
    for i, part in enumerate(knots):
        member[list(part)] = i
    firm = graph(count, fixed)
    if not rx.is_directed_acyclic_graph(firm):
        return Settled(refused=_closed_path(firm))
    name = names(int(i) for i in np.flatnonzero(member >= 0))

    def inside(pair: Pair) -> bool:
        return bool(member[pair[0]] >= 0 and member[pair[0]] == member[pair[1]])

    tried = {pair for pair in loose.pairs() if inside(pair)}
    firm.extend_from_edge_list([pair for pair in loose.pairs() if pair not in tried])
    order = _order_by_name(filter(inside, fixed.pairs()), count, name)
    flagged = _flag(firm, sorted(tried, key=lambda p: (name[p[0]], name[p[1]])), order)
    return Settled(flagged=flagged, order=list(rx.topological_sort(firm)))


def _order_by_name(fixed: Iterable[Pair], count: int, name: dict[int, str]) -> dict[int, int]:
    """Each position's place in the topological order of `fixed` that is smallest by name."""
    found: rx.PyDiGraph[int | None, None] = rx.PyDiGraph()
    found.add_nodes_from(range(count))
    found.extend_from_edge_list(list(fixed))
    order = rx.lexicographical_topological_sort(found, key=lambda i: name.get(i or 0, ""))
    return {i: at for at, i in enumerate(order) if i is not None}


def _flag(
    firm: "rx.PyDiGraph[int | None, None]", loose: list[Pair], place: dict[int, int]
) -> set[Pair]:
    """Add to `firm` every loose edge that closes no cycle; return the others.

    Edges along one order are safe together; only those against it are tried one by one.
    """
    firm.extend_from_edge_list([(a, b) for a, b in loose if place[a] < place[b]])
    flagged: set[Pair] = set()
    for a, b in loose:
        if place[a] < place[b]:
            continue
        if a == b or rx.has_path(firm, b, a):
            flagged.add((a, b))
        else:
            firm.add_edge(a, b, None)
    return flagged


def round_in(count: int, edges: Edges) -> list[int] | None:
    """A closed path of these edges, the first node standing again at its end; None without one."""
    found = graph(count, edges)
    return None if rx.is_directed_acyclic_graph(found) else _closed_path(found)


def _closed_path(found: "rx.PyDiGraph[int | None, None]") -> list[int]:
    """One closed path, the shortest through one of its edges."""
    src, dst = next(iter(rx.digraph_find_cycle(found)))
    back = rx.dijkstra_shortest_paths(found, dst, target=src, default_weight=1.0)
    return [src, *back[src]]
