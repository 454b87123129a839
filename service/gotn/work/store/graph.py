"""The hard edges of a whole project as integers: one row out of Neo4j, arrays in Python."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gotn.database.connection import Tx
from gotn.work.rules import ranks as rules
from gotn.work.store.keys import batches, key
from gotn.work.store.window import Window


@dataclass
class HardGraph:
    """Internal ids (sorted), their ranks, and hard edges as positions among them."""

    project_id: str
    ids: rules.Ints
    ranks: rules.Ints
    explicit: rules.Edges
    derived: rules.Edges
    explicit_flagged: rules.Edges
    derived_flagged: rules.Edges

    def flagged(self) -> set[rules.Pair]:
        """The edges flagged now."""
        return set(self.explicit_flagged.pairs()) | set(self.derived_flagged.pairs())

    def split(self, loose: set[rules.Pair]) -> tuple[rules.Edges, rules.Edges]:
        """Edges that may not be flagged, and those that may: derived, flagged, or in `loose`."""
        free = self.explicit_flagged + self.derived + self.derived_flagged
        if not loose:
            return self.explicit, free
        may = np.array([pair in loose for pair in self.explicit.pairs()], dtype=bool)
        chosen = rules.Edges(self.explicit.src[may], self.explicit.dst[may])
        return rules.Edges(self.explicit.src[~may], self.explicit.dst[~may]), free + chosen


async def hard_graph(tx: Tx, project_id: str) -> HardGraph:
    """All hard edges of a project."""
    row = await tx.row("work/hard_graph", project=project_id)
    ids = np.asarray(row["ids"], dtype=np.int64)
    order = np.argsort(ids)
    ids = ids[order]
    return HardGraph(
        project_id=project_id,
        ids=ids,
        ranks=np.asarray(row["ranks"], dtype=np.int64)[order],
        explicit=rules.Edges.unpacked(row["explicit"], ids),
        derived=rules.Edges.unpacked(row["derived"], ids),
        explicit_flagged=rules.Edges.unpacked(row["explicit_flagged"], ids),
        derived_flagged=rules.Edges.unpacked(row["derived_flagged"], ids),
    )


async def positions(
    tx: Tx, project_id: str, found: HardGraph, pairs: Iterable[tuple[str, str]]
) -> set[rules.Pair]:
    """Pairs of ids as pairs of positions."""
    wanted = list(pairs)
    place: dict[str, int] = {}
    ids = list(dict.fromkeys(id_ for pair in wanted for id_ in pair))
    for some in batches(ids, 20_000):
        internal = await tx.value("work/internal_of", keys=[key(project_id, i) for i in some])
        place |= {id_: int(np.searchsorted(found.ids, at)) for id_, at in internal}
    return {(place[a], place[b]) for a, b in wanted}


async def names(tx: Tx, found: HardGraph, fixed: rules.Edges, loose: rules.Edges) -> dict[int, str]:
    """The id of every node that stands in a cycle, by position."""
    return dict(
        zip(
            (knotted := rules.knotted(len(found.ids), fixed + loose)),
            await names_at(tx, found, knotted),
            strict=True,
        )
    )


async def names_at(tx: Tx, found: HardGraph, at: Sequence[int]) -> list[str]:
    """The ids of the nodes at these positions, in that order."""
    internal = [int(found.ids[i]) for i in at]
    known: dict[int, str] = {}
    for some in batches(list(dict.fromkeys(internal)), 20_000):
        known |= dict(await tx.value("work/names_of", internal=some))
    return [known[i] for i in internal]


async def edge_ranks(tx: Tx, project_id: str, src: str, dst: str) -> tuple[int, int] | None:
    """Where the two ends of an edge stand in the stored order; None where one is missing."""
    if isinstance(tx, Window) and tx.ranked:
        here, there = tx.nodes.get(src), tx.nodes.get(dst)
        if here is not None and there is not None:
            return here["rank"], there["rank"]
    at = await tx.one("work/edge_ranks", src=key(project_id, src), dst=key(project_id, dst))
    return None if at is None else (at["rank_src"], at["rank_dst"])


async def set_ranks(tx: Tx, ids: Sequence[int], values: Sequence[int]) -> None:
    """Write ranks by internal id."""
    if isinstance(tx, Window):
        await tx.flush()
        tx.touched, tx.ranked = True, False
        await set_ranks(tx.plain, ids, values)
        return
    for some in batches(list(zip(ids, values, strict=True)), 20_000):
        await tx.rows("work/set_ranks", ids=[i for i, _ in some], ranks=[r for _, r in some])


async def set_next_rank(tx: Tx, project_id: str, rank: int) -> None:
    """Where new nodes go from now on."""
    await tx.rows("project/set_next_rank", project=project_id, rank=rank)


async def has_flags(tx: Tx, project_id: str) -> bool:
    """Whether any edge closes a cycle."""
    if isinstance(tx, Window):
        await tx.standing()
        return bool(tx.flagged)
    return bool(await tx.value("work/has_flags", project=project_id))
