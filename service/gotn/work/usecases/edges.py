"""Add and remove single edges."""

from typing import Any

from gotn import shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Invalid, NotFound
from gotn.journal import Ledger
from gotn.work.records import EdgeOrigin, Removed, WorkEdge, WorkEdgeDraft
from gotn.work.rules import fold, forms, tags
from gotn.work.store import edges as store
from gotn.work.usecases import bulk
from gotn.work.usecases.drafting import drafted
from gotn.work.usecases.nodes import resettle
from gotn.work.usecases.writing import Request, write

Row = dict[str, Any]


async def add(database: Database, request: Request, draft: WorkEdgeDraft) -> WorkEdge:
    """Join two nodes; CycleRefused, with the path, for a hard edge that would close a cycle."""
    rows = drafted(edges=[draft])

    async def work(tx: Tx, ledger: Ledger) -> WorkEdge:
        await bulk.take(tx, ledger, rows, strict=True)
        stored = await store.get(tx, ledger.project_id, rows.edges)
        return store.record(stored[fold.edge_key(rows.edges[0])], ledger.project_id)

    return await write(database, request, "addEdge", shapes.plain(draft), WorkEdge, work)


async def remove(database: Database, request: Request, draft: WorkEdgeDraft) -> Removed:
    """Take an edge away. Of one that is also derived from tags only the explicit part goes.

    An edge that tags alone give cannot be removed (Invalid): change the tags and link.
    """
    row = forms.edge_row(shapes.plain(draft))

    async def work(tx: Tx, ledger: Ledger) -> Removed:
        stored = await store.get(tx, ledger.project_id, [row])
        known = stored.get(fold.edge_key(row))
        if known is None:
            raise NotFound(
                f"There is no {row['type']} edge {row['src']!r} → {row['dst']!r} "
                f"in project {ledger.project_id!r}.",
                src=row["src"],
                dst=row["dst"],
            )
        await _take_away(tx, ledger, known)
        await resettle(tx, ledger)
        return Removed(edges=1)

    return await write(
        database, request, "removeEdge", shapes.plain(draft), Removed, work, create=False
    )


async def _take_away(tx: Tx, ledger: Ledger, known: Row) -> None:
    names = {k: known[k] for k in ("type", "src", "dst", "kind") if k in known}
    origin = known.get("origin")
    if origin == EdgeOrigin.DERIVED.value:
        raise Invalid(
            f"{known['src']!r} → {known['dst']!r} follows from the tags "
            f"{', '.join(known.get('tags', []))}: change the tags and link again."
        )
    if origin == EdgeOrigin.BOTH.value:
        kept = tags.derived(known["src"], known["dst"], known.get("tags", []), ledger.time)
        own = dict.fromkeys(known.keys() - kept.keys() - {"kind", "closes_cycle"})
        change = names | own | {n: kept[n] for n in ("origin", "evidence", "provenance")}
        await store.update(tx, ledger.project_id, [change])
        ledger.record("update_edge", [{"edge": change}])
        return
    await store.delete(tx, ledger.project_id, [known])
    ledger.record("remove_edge", [{"edge": names}])
