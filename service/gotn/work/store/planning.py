"""The open part of a graph, as a plan needs it: one row of columns and packed edges."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gotn.database.connection import Tx
from gotn.work.records import NodeStatus
from gotn.work.rules import plans, ranks
from gotn.work.rules.nets import Mask
from gotn.work.store.window import Window

#: A table of positions is used where internal ids spread over at most so many places each.
_SPREAD = 64


@dataclass
class OpenWork(plans.Open):
    """Open nodes, with what only the database knows."""

    #: Internal ids, by position.
    internal: ranks.Ints = field(default_factory=lambda: plans.NONE)
    #: Which of `hard` come from tags alone.
    derived: Mask = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    #: How many nodes are completed or skipped.
    satisfied: int = 0
    #: Whether there is a required tag that nobody produces.
    unmet: bool = False
    #: What was figured from this; for whoever keeps it in memory.
    kept: dict[bool, Any] = field(default_factory=dict)


async def open_work(tx: Tx, project_id: str) -> OpenWork:
    """Everything that every plan is made of."""
    row = await tx.row("work/plan_graph", project=project_id)
    ids, internal, statuses = _sorted(row["open"])
    place = _Places(internal)
    hard, kept = place.edges(row["hard"])
    soft, alike = place.edges(row["soft"])
    found = OpenWork(
        ids=ids,
        hard=hard,
        soft=soft,
        scores=np.asarray(row["scores"], dtype=np.float64)[alike].tolist(),
        running=place.of(statuses.get(NodeStatus.RUNNING.value, ())),
        failed=place.of(statuses.get(NodeStatus.FAILED.value, ())),
        blocked=place.of(statuses.get(NodeStatus.BLOCKED.value, ())),
        internal=internal,
        derived=np.full(len(hard.src), row["derived"], dtype=np.bool_),
        satisfied=row["satisfied"],
        unmet=row["unmet"],
    )
    if row["derived"] and row["explicit"]:
        tags = await tx.value("work/plan_origins", project=project_id)
        packed = np.asarray(row["hard"], dtype=np.int64)[kept]
        found.derived = np.isin(packed, np.asarray(tags, dtype=np.int64))
    if row["estimated"]:
        await _estimated(tx, project_id, found, place)
    return found


async def _estimated(tx: Tx, project_id: str, found: OpenWork, place: "_Places") -> None:
    """Estimates, and where an open node has one the kinds and their history."""
    row = await tx.row("work/plan_estimates", project=project_id)
    at = place.of(row["internal"], missing=True).tolist()
    found.estimates = {i: minutes for i, minutes in zip(at, row["minutes"], strict=True) if i >= 0}
    if not found.estimates:
        return
    row = await tx.row("work/plan_kinds", project=project_id)
    kinds = [""] * len(found.ids)
    for i, kind in zip(place.of(row["internal"], missing=True).tolist(), row["kinds"], strict=True):
        if i >= 0:
            kinds[i] = kind
    found.kinds = kinds
    found.kind_minutes = dict(await tx.value("work/kind_minutes", project=project_id))


async def parents(tx: Tx, project_id: str, found: OpenWork) -> ranks.Ints:
    """The positions of open nodes that have children."""
    internal = await tx.value("work/plan_parents", project=project_id)
    at = _Places(found.internal).of(internal, missing=True)
    return at[at >= 0]


async def summaries(tx: Tx, found: OpenWork, order: ranks.Ints) -> list[str]:
    """What the nodes at these positions are, in that order; "" of one that is gone."""
    internal = found.internal[order].tolist()
    row = await tx.row("work/plan_summaries", internal=internal)
    known = dict(zip(row["internal"], row["summaries"], strict=True))
    return [known.get(i, "") for i in internal]


def _sorted(groups: Sequence[Any]) -> tuple[list[str], ranks.Ints, dict[str, list[int]]]:
    """All ids in order, their internal ids likewise, and the internal ids of each status."""
    ids: list[str] = []
    internal: list[int] = []
    for _, some, names in groups:
        internal += some
        ids += names
    inner = np.asarray(internal, dtype=np.int64)
    if ids != sorted(ids):  # the index keeps each status in order, not all of them together
        order = sorted(range(len(ids)), key=ids.__getitem__)
        ids = [ids[i] for i in order]
        inner = inner[order]
    return ids, inner, {status: some for status, some, _ in groups}


class _Places:
    """Where each node stands, by its internal id."""

    def __init__(self, internal: ranks.Ints) -> None:
        count = len(internal)
        self._low = int(internal.min()) if count else 0
        self._size = int(internal.max()) - self._low + 1 if count else 0
        self._table: ranks.Ints | None = None
        if self._size <= _SPREAD * count:
            self._table = np.full(self._size + 1, -1, dtype=np.int64)
            self._table[internal - self._low] = np.arange(count, dtype=np.int64)
        else:
            self._order = np.argsort(internal)
            self._internal = internal[self._order]

    def of(self, internal: Sequence[int] | ranks.Ints, *, missing: bool = False) -> ranks.Ints:
        """Positions of internal ids; unknown ones are left out, or -1 where `missing` says so."""
        wanted = np.asarray(internal, dtype=np.int64)
        if self._table is not None:
            at = wanted - self._low
            at[(at < 0) | (at >= self._size)] = self._size
            found = self._table[at]
        else:
            at = np.minimum(np.searchsorted(self._internal, wanted), len(self._internal) - 1)
            found = np.where(self._internal[at] == wanted, self._order[at], -1)
        return found if missing else found[found >= 0]

    def edges(self, packed: Sequence[int]) -> tuple[ranks.Edges, Mask]:
        """Packed pairs as edges between nodes that are known, and which pairs those are."""
        both = np.asarray(packed, dtype=np.int64)
        src = self.of(both >> 32, missing=True)
        dst = self.of(both & 0xFFFFFFFF, missing=True)
        kept = (src >= 0) & (dst >= 0)
        if kept.all():
            return ranks.Edges(src, dst), kept
        return ranks.Edges(src[kept], dst[kept]), kept


@dataclass
class OpenGraph:
    """The open nodes as columns, and the hard edges between them as positions."""

    ids: list[str]
    statuses: list[str]
    #: For each node the failed one that it was marked with, or "".
    marks: list[str]
    edges: list[tuple[int, int]]

    def columns(self) -> tuple[list[str], list[str], list[tuple[int, int]]]:
        """What `rules.holding` needs."""
        return self.ids, self.statuses, self.edges


async def held(tx: Tx, project_id: str) -> OpenGraph | None:
    """The open graph of a project that has failed or held nodes; None for any other."""
    if isinstance(tx, Window):
        await tx.standing()
        if not tx.concerned:
            return None
    row = await tx.one("work/held", project=project_id)
    if row is None:
        return None
    pairs = _positions(np.asarray(row["internal"], dtype=np.int64), row["edges"])
    return OpenGraph(row["ids"], row["statuses"], row["marks"], pairs)


def _positions(internal: ranks.Ints, packed: list[int]) -> list[tuple[int, int]]:
    """Packed pairs of internal ids as positions in the order of `internal`."""
    return [(a, b) for a, b in _pairs(internal, packed).tolist()]


def _pairs(internal: ranks.Ints, packed: list[int]) -> ranks.Ints:
    """The same as an array of N rows."""
    order = np.argsort(internal)
    found = ranks.Edges.unpacked(packed, internal[order])
    return np.stack([order[found.src], order[found.dst]], axis=1)
