"""The open part of a graph, as a plan needs it: one row of columns and packed edges."""

from dataclasses import dataclass

import numpy as np

from gotn.database.connection import Tx
from gotn.work.rules import plans, ranks
from gotn.work.store.window import Window


@dataclass
class OpenWork(plans.Open):
    """Open nodes, with counts that only the database knows."""

    #: How many of `hard`, the first ones, somebody said; the others come from tags.
    explicit: int = 0
    #: How many nodes are completed or skipped.
    satisfied: int = 0


async def open_work(tx: Tx, project_id: str) -> OpenWork:
    """Everything a plan is made of."""
    row = await tx.row("work/plan_graph", project=project_id)
    internal = np.asarray(row["internal"], dtype=np.int64)
    explicit = _pairs(internal, row["explicit"])
    derived = _pairs(internal, row["derived"])
    soft = _positions(internal, row["soft"])
    minutes: dict[str, float] = {}
    estimates = [e if e >= 0 else None for e in row["estimates"]]
    if any(e is not None for e in estimates):
        minutes = dict(await tx.value("work/kind_minutes", project=project_id))
    return OpenWork(
        ids=row["ids"],
        statuses=row["statuses"],
        kinds=row["kinds"],
        summaries=row["summaries"],
        estimates=estimates,
        has_children=row["has_children"],
        hard=np.concatenate([explicit, derived]),
        soft=[(a, b, s) for (a, b), s in zip(soft, row["scores"], strict=True)],
        kind_minutes=minutes,
        explicit=len(explicit),
        satisfied=row["satisfied"],
    )


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
