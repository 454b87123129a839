"""Add, read, change and remove single edges."""

from typing import Any

from gotn import shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Invalid, NotFound
from gotn.journal import Ledger
from gotn.work.records import EdgeOrigin, EdgeType, Removed, WorkEdge, WorkEdgeDraft
from gotn.work.rules import fold, forms, tags
from gotn.work.store import edges as store
from gotn.work.store.touches import Touches
from gotn.work.usecases import bulk, comparing
from gotn.work.usecases.drafting import drafted
from gotn.work.usecases.grouping import Write
from gotn.work.usecases.nodes import resettle
from gotn.work.usecases.writing import Request, check_project, perform, write, writing

Row = dict[str, Any]
#: What can be changed on an edge; its names, its time and what tags give cannot.
FIELDS: dict[str, forms.Check] = {
    "score": forms.score,
    "evidence": forms.text,
    "provenance": forms.mapping,
    "extra": forms.mapping,
}


async def add(database: Database, request: Request, draft: WorkEdgeDraft) -> WorkEdge:
    """Join two nodes; CycleRefused, with the path, for a hard edge that would close a cycle."""
    return await perform(database, request, adding(request, draft))


def adding(request: Request, draft: WorkEdgeDraft, *, wait: bool = False) -> Write[WorkEdge]:
    """`add`, to be performed alone or with other writes.

    With `wait` an edge whose node is not there is kept until it comes, as in an import.
    """
    rows = drafted(edges=[draft])

    async def work(tx: Tx, ledger: Ledger) -> WorkEdge:
        await bulk.take(tx, ledger, rows, strict=not wait)
        stored = await store.get(tx, ledger.project_id, rows.edges)
        return store.record(stored[fold.edge_key(rows.edges[0])], ledger.project_id)

    given = shapes.plain(draft) | ({"wait": True} if wait else {})
    return writing(request, "addEdge", given, WorkEdge, work, touches=_touches(rows.edges[0]))


def _touches(row: Row) -> Touches:
    return Touches((row["src"], row["dst"]), (row,))


async def show(database: Database, project_id: str, draft: WorkEdgeDraft) -> WorkEdge | None:
    """The edge of these names, or None; a soft edge is found either way round."""
    check_project(project_id)
    row = forms.edge_row(shapes.plain(draft))
    stored = await database.read(lambda tx: store.get(tx, project_id, [row]))
    known = stored.get(fold.edge_key(row))
    return None if known is None else store.record(known, project_id)


async def update(
    database: Database, request: Request, draft: WorkEdgeDraft, changes: dict[str, Any]
) -> WorkEdge:
    """Set score, evidence, provenance or extra of the edge that `draft` names; None clears one.

    An edge that tags alone give cannot be changed (Invalid): what it says follows from them.
    Edges have no revision; of two changes the last one holds.
    """
    row = forms.edge_row(shapes.plain(draft))
    given = _checked(row, changes)

    async def work(tx: Tx, ledger: Ledger) -> WorkEdge:
        known = await _known(tx, ledger.project_id, row)
        if known.get("origin") == EdgeOrigin.DERIVED.value:
            raise _follows(known)
        changed = comparing.difference(given, known)
        if changed:
            if "layout" in known:
                changed["touched"] = sorted({*known.get("touched", ()), *changed})
            await _change(tx, ledger, known, changed)
        return store.record(await _known(tx, ledger.project_id, row), ledger.project_id)

    asked = {"edge": _names(row), "changes": given}
    return await write(
        database,
        request,
        "updateEdge",
        asked,
        WorkEdge,
        work,
        create=False,
        touches=_touches(row),
    )


def _checked(row: Row, changes: dict[str, Any]) -> Row:
    """The fields to set and, None, to clear; Invalid names one that cannot be."""
    given: Row = {}
    for name, value in changes.items():
        if name not in FIELDS:
            raise Invalid(f"{name}: expected one of {', '.join(FIELDS)}", field=name)
        if name == "score" and value is not None and row["type"] != EdgeType.SOFT_SEMANTIC.value:
            raise Invalid("score: only a soft_semantic edge has one", field=name)
        given[name] = None if value is None else FIELDS[name](value, name)
    return given


async def _change(tx: Tx, ledger: Ledger, known: Row, changed: Row) -> None:
    """Store and note what changed; an edge that waits for a node is kept whole."""
    whole = {k: v for k, v in (known | changed).items() if v is not None}
    change = _names(known) | changed
    await store.update(tx, ledger.project_id, [whole if known.get("pending") else change])
    ledger.record("update_edge", [{"edge": change}])


async def _known(tx: Tx, project_id: str, row: Row) -> Row:
    """The stored edge of these names; NotFound where there is none."""
    known = (await store.get(tx, project_id, [row])).get(fold.edge_key(row))
    if known is None:
        raise NotFound(
            f"There is no {row['type']} edge {row['src']!r} → {row['dst']!r} "
            f"in project {project_id!r}.",
            src=row["src"],
            dst=row["dst"],
        )
    return known


def _names(row: Row) -> Row:
    return {name: row[name] for name in ("type", "src", "dst", "kind") if name in row}


def _follows(known: Row) -> Invalid:
    return Invalid(
        f"{known['src']!r} → {known['dst']!r} follows from the tags "
        f"{', '.join(known.get('tags', []))}: change the tags and link again."
    )


async def remove(database: Database, request: Request, draft: WorkEdgeDraft) -> Removed:
    """Take an edge away. Of one that is also derived from tags only the explicit part goes.

    An edge that tags alone give cannot be removed (Invalid): change the tags and link.
    """
    return await perform(database, request, removing(request, draft))


def removing(request: Request, draft: WorkEdgeDraft) -> Write[Removed]:
    """`remove`, to be performed alone or with other writes."""
    row = forms.edge_row(shapes.plain(draft))

    async def work(tx: Tx, ledger: Ledger) -> Removed:
        await _take_away(tx, ledger, await _known(tx, ledger.project_id, row))
        await resettle(tx, ledger)
        return Removed(edges=1)

    given = shapes.plain(draft)
    return writing(request, "removeEdge", given, Removed, work, create=False, touches=_touches(row))


async def _take_away(tx: Tx, ledger: Ledger, known: Row) -> None:
    names = _names(known)
    origin = known.get("origin")
    if origin == EdgeOrigin.DERIVED.value:
        raise _follows(known)
    if origin == EdgeOrigin.BOTH.value:
        kept = tags.derived(known["src"], known["dst"], known.get("tags", []), ledger.time)
        own = dict.fromkeys(known.keys() - kept.keys() - {"kind", "closes_cycle"})
        change = names | own | {n: kept[n] for n in ("origin", "evidence", "provenance")}
        await store.update(tx, ledger.project_id, [change])
        ledger.record("update_edge", [{"edge": change}])
        return
    await store.delete(tx, ledger.project_id, [known])
    ledger.record("remove_edge", [{"edge": names}])
