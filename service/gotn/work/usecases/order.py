"""Keep the stored order of hard edges true, and refuse what would close a cycle."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gotn.database.connection import Tx
from gotn.errors import CycleRefused
from gotn.journal import Ledger
from gotn.work.rules import ranks
from gotn.work.store import edges, graph
from gotn.work.store.keys import key

Row = dict[str, Any]


async def insert(tx: Tx, project_id: str, src: str, dst: str) -> bool:
    """Make room in the order for one hard edge, before it is created; CycleRefused with the path.

    In order already: nothing to do. Else the smaller side moves into a free gap. False
    where there is none: then `settle` computes a new order once the edge is created.
    """
    here, there = key(project_id, src), key(project_id, dst)
    at = await graph.edge_ranks(tx, project_id, src, dst)
    if at is None or at[0] < at[1]:
        return True
    rank_src, rank_dst = at
    region = await tx.row(
        "work/region",
        src=here,
        dst=there,
        rank_src=rank_src,
        rank_dst=rank_dst,
        limit=ranks.REGION,
    )
    if region["closes"] or len(region["after"]) >= ranks.REGION:
        await refuse_cycle(tx, src, here, there, rank_src)
    after = _side(region, "after")
    before = _side(region, "before")
    moved = ranks.fit(after, before, rank_src, rank_dst)
    if moved:
        await graph.set_ranks(tx, [id_ for id_, _ in moved], [rank for _, rank in moved])
    return bool(moved)


def _side(region: Mapping[str, Any], name: str) -> ranks.Side:
    """One side; cut short by the limit it is unknown, and so not to be moved."""
    ids = region[name]
    if len(ids) >= ranks.REGION:
        return ranks.Side([], [], None)
    return ranks.Side(ids, region[f"{name}_ranks"], region[f"{name}_limit"])


async def refuse_cycle(tx: Tx, src: str, here: str, there: str, rank_src: int) -> None:
    """Raise CycleRefused, naming the path, if dst already comes before src."""
    found = await tx.one("work/closing_path", src=here, dst=there, rank_src=rank_src)
    if found:
        raise refused([src, *found["path"]], [[], *found["tags"]])


def refused(path: list[str], tags: list[list[str]]) -> CycleRefused:
    """The error for a closed path, the first node standing again at its end."""
    hops = [", ".join(names) if names else "explicit" for names in tags]
    way = path[0] + "".join(f" → {node} ({hop})" for node, hop in zip(path[1:], hops, strict=False))
    return CycleRefused(f"This would close a cycle: {way}", path=path, tags=hops)


async def touches_flags(tx: Tx, project_id: str, pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether any of these hard edges goes round with others, so that flags must be looked at.

    Only flagged edges can be among those others: a cycle without them was refused.
    """
    if not pairs or not await graph.has_flags(tx, project_id):
        return False
    ends = [[key(project_id, src), key(project_id, dst)] for src, dst in pairs]
    return bool(await tx.value("work/goes_round", pairs=ends))


async def settle(
    tx: Tx,
    ledger: Ledger,
    *,
    flag_explicit: Iterable[tuple[str, str]] = (),
    said: Iterable[tuple[str, str]] | None = None,
) -> dict[tuple[str, str], bool]:
    """Compute flags and order for the whole project; returns the flags that changed.

    Explicit edges are flagged only if they are among `flag_explicit` or were before; a
    cycle of the others alone is CycleRefused. So is, where edges were `said` now, any cycle
    of those and the unflagged: flags give way to tags, not to a call.
    """
    found = await graph.hard_graph(tx, ledger.project_id)
    if said is not None:
        await _refuse_said(tx, found, await graph.positions(tx, ledger.project_id, found, said))
    loose_pairs = await graph.positions(tx, ledger.project_id, found, flag_explicit)
    fixed, loose = found.split(loose_pairs)
    names = await graph.names(tx, found, fixed, loose)
    settled = ranks.settle(len(found.ids), fixed, loose, lambda some: {i: names[i] for i in some})
    if settled.refused:
        raise await _refusal(tx, found, settled.refused)
    await _write_order(tx, found, fixed + loose, settled)
    return await _write_flags(tx, ledger.project_id, found, settled)


async def _refuse_said(tx: Tx, found: graph.HardGraph, said: set[ranks.Pair]) -> None:
    """Raise CycleRefused where these edges and the unflagged ones go round."""
    flagged = np.array(sorted(said & found.flagged()), dtype=np.int64).reshape(-1, 2)
    firm = found.explicit + found.derived + ranks.Edges(flagged[:, 0], flagged[:, 1])
    if path := ranks.round_in(len(found.ids), firm):
        raise await _refusal(tx, found, path)


async def _refusal(tx: Tx, found: graph.HardGraph, path: list[int]) -> CycleRefused:
    names = await graph.names_at(tx, found, path)
    return refused(names, await _tags(tx, found.project_id, names))


async def _tags(tx: Tx, project_id: str, path: list[str]) -> list[list[str]]:
    rows = [{"type": "hard_requires", "src": a, "dst": b} for a, b in pairwise(path)]
    stored = await edges.get(tx, project_id, rows)
    by_pair = {(row["src"], row["dst"]): row.get("tags", []) for row in stored.values()}
    return [list(by_pair.get((row["src"], row["dst"]), [])) for row in rows]


async def _write_order(
    tx: Tx, found: graph.HardGraph, every: ranks.Edges, settled: ranks.Settled
) -> None:
    """Write a new order unless the stored one still holds."""
    flagged = settled.flagged
    keep = np.array([pair not in flagged for pair in every.pairs()], dtype=bool)
    firm = ranks.Edges(every.src[keep], every.dst[keep])
    if firm.in_order(found.ranks) or settled.order is None:
        return
    ids = found.ids[np.array(settled.order, dtype=np.int64)].tolist()
    await graph.set_ranks(tx, ids, [(i + 1) * ranks.GAP for i in range(len(ids))])
    await graph.set_next_rank(tx, found.project_id, (len(ids) + 1) * ranks.GAP)


async def _write_flags(
    tx: Tx, project_id: str, found: graph.HardGraph, settled: ranks.Settled
) -> dict[tuple[str, str], bool]:
    """Set and clear flags where they differ from what is stored."""
    before = found.flagged()
    pairs = sorted(settled.flagged ^ before)
    if not pairs:
        return {}
    flat = await graph.names_at(tx, found, [i for pair in pairs for i in pair])
    changed = {
        (flat[2 * n], flat[2 * n + 1]): pair in settled.flagged for n, pair in enumerate(pairs)
    }
    await edges.update(
        tx,
        project_id,
        [
            {
                "type": "hard_requires",
                "src": src,
                "dst": dst,
                "closes_cycle": True if flag else None,
            }
            for (src, dst), flag in changed.items()
        ],
    )
    return changed


def flag_items(changed: Mapping[tuple[str, str], bool]) -> list[Row]:
    """Journal items for flags that changed on edges stored before."""
    return [
        {
            "edge": {
                "type": "hard_requires",
                "src": src,
                "dst": dst,
                "closes_cycle": True if flag else None,
            }
        }
        for (src, dst), flag in sorted(changed.items())
    ]
