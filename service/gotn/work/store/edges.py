"""Edges between work nodes, and those that wait for a node."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gotn import shapes
from gotn.database.connection import Tx
from gotn.work.records import EdgeType, WorkEdge
from gotn.work.rules import fold, forms
from gotn.work.store.keys import batches, key
from gotn.work.store.window import Window

Row = dict[str, Any]
TYPES = {label: type_ for type_, label in fold.LABELS.items()}


def pair(project_id: str, row: Row) -> Row:
    """How the database finds an edge's relationship."""
    start, end = fold.ends(row)
    return {
        "label": fold.LABELS[row["type"]],
        "start": key(project_id, start),
        "end": key(project_id, end),
        "kind": row.get("kind", ""),
    }


def plain(label: str, start: str, end: str, stored: Mapping[str, Any]) -> Row:
    """A relationship as the database has it, as an edge row with the document's src and dst."""
    row = shapes.row(stored, leaves=forms.LEAVES, moments=forms.MOMENTS)
    for name in ("project_id", "ordinal"):
        row.pop(name, None)
    turned = row.pop("turned", False) or label == "DERIVED_FROM"
    src, dst = (end, start) if turned else (start, end)
    return {"type": TYPES[label], "src": src, "dst": dst, **row}


def record(row: Row, project_id: str) -> WorkEdge:
    """The record of an edge row."""
    return shapes.build(WorkEdge, row | {"project_id": project_id})


async def get(tx: Tx, project_id: str, rows: Iterable[Row]) -> dict[fold.EdgeKey, Row]:
    """Which of these edges are stored, pending ones included, by key."""
    wanted = {fold.edge_key(row): row for row in rows}
    if isinstance(tx, Window):
        return await _remembered(tx, project_id, wanted)
    found: dict[fold.EdgeKey, Row] = {}
    for some in batches(list(wanted.values())):
        pairs = [pair(project_id, row) for row in some]
        stored = [plain(*edge) for edge in await tx.value("work/get_edges", pairs=pairs)]
        keys = [key(project_id, *fold.edge_key(row)) for row in some]
        stored += [
            shapes.loads(row["data"]) for row in await tx.value("work/get_pending", keys=keys)
        ]
        found |= {fold.edge_key(row): row for row in stored}
    return found


async def _remembered(
    tx: Window, project_id: str, wanted: Mapping[fold.EdgeKey, Row]
) -> dict[fold.EdgeKey, Row]:
    """The same out of a window, which reads what it does not know."""
    if missing := [row for name, row in wanted.items() if name not in tx.edges]:
        await tx.flush()
        found = await get(tx.plain, project_id, missing)
        tx.edges |= {fold.edge_key(row): found.get(fold.edge_key(row)) for row in missing}
    return {name: dict(row) for name in wanted if (row := tx.edges[name]) is not None}


async def create(tx: Tx, project_id: str, numbered: Sequence[tuple[Row, int]]) -> None:
    """Store new edges, each with its place in the order of arrival; pending ones as nodes."""
    if isinstance(tx, Window):
        await _create_later(tx, project_id, [one for one in numbered if not one[0].get("pending")])
        numbered = [one for one in numbered if one[0].get("pending")]
    for some in batches([pair for pair in numbered if not pair[0].get("pending")]):
        await tx.rows("work/create_edges", edges=stored(project_id, some))
    waiting = [
        (fold.edge_key(row), fold.pending_properties(row) | {"ordinal": ordinal})
        for row, ordinal in numbered
        if row.get("pending")
    ]
    await put_pending(tx, project_id, waiting)


async def _create_later(tx: Window, project_id: str, numbered: Sequence[tuple[Row, int]]) -> None:
    """Put new relationships off, and know them as `get` will read them."""
    if tx.deferred.names(row for row, _ in numbered):
        await tx.flush()
    for row, ordinal in numbered:
        tx.touched = True
        tx.deferred.edges.append((row, ordinal))
        start, end = fold.ends(row)
        found = plain(fold.LABELS[row["type"]], start, end, properties(project_id, row))
        tx.edges[fold.edge_key(row)] = found
        tx.flagged = tx.flagged or bool(row.get("closes_cycle"))
        _disown(tx, row)


def _disown(tx: Window, row: Row) -> None:
    """Forget the nodes whose parent or children an edge changes."""
    if row["type"] == EdgeType.DERIVED_FROM.value:
        tx.drop(row["src"], row["dst"])


def stored(project_id: str, numbered: Iterable[tuple[Row, int]]) -> list[Row]:
    """What new relationships are made of: their ends, and what they carry."""
    return [
        pair(project_id, row) | {"properties": properties(project_id, row) | {"ordinal": ordinal}}
        for row, ordinal in numbered
    ]


def properties(project_id: str, row: Row) -> Row:
    """What a relationship carries."""
    return fold.edge_properties(row) | {"project_id": project_id}


async def put_pending(tx: Tx, project_id: str, waiting: Sequence[tuple[fold.EdgeKey, Row]]) -> None:
    """Keep edges or steps until their node arrives."""
    if isinstance(tx, Window):
        if waiting:
            await tx.flush()
            tx.touched = True
            await put_pending(tx.plain, project_id, waiting)
            _await(tx, project_id, waiting)
        return
    for some in batches(waiting):
        rows = [
            {"key": key(project_id, *names), "properties": stored | {"project_id": project_id}}
            for names, stored in some
        ]
        await tx.rows("work/put_pending", pending=rows)


def _await(tx: Window, project_id: str, waiting: Iterable[tuple[fold.EdgeKey, Row]]) -> None:
    """Know what waits from now on."""
    for names, stored in waiting:
        row = awaited(stored["type"], stored["data"])
        if stored["type"] != "step":
            tx.edges[fold.edge_key(row)] = row
        ends = (stored["dst"],) if stored["type"] == "step" else (stored["src"], stored["dst"])
        for id_ in ends:
            if id_ in tx.waiting:
                tx.waiting[id_][key(project_id, *names)] = row


def awaited(type_: str, data: str) -> Row:
    """The row of an edge or step that waits, from what is stored of it."""
    row: Row = shapes.loads(data)
    return row | {"type": "step"} if type_ == "step" else row


async def pending_for(tx: Tx, project_id: str, ids: Iterable[str]) -> list[Row]:
    """Rows of the edges and steps that wait for any of these nodes, each with its type."""
    found: dict[str, Row] = {}
    wanted = list(dict.fromkeys(ids))
    if isinstance(tx, Window) and tx.waiting.keys() >= set(wanted):
        for id_ in wanted:
            found |= tx.waiting[id_]
        wanted = []
    for some in batches(wanted, 20_000):
        for row in await tx.value("work/pending_for", project=project_id, ids=some):
            found[row["key"]] = awaited(row["type"], row["data"])
    return [found[name] for name in sorted(found)]


async def forget_pending(tx: Tx, project_id: str, names: Iterable[fold.EdgeKey]) -> None:
    """Take away what waited."""
    known = list(names)
    if isinstance(tx, Window):
        if known:
            await tx.flush()
            tx.touched = True
            await forget_pending(tx.plain, project_id, known)
        for name in known:
            tx.edges.pop(name, None)
            for waiting in tx.waiting.values():
                waiting.pop(key(project_id, *name), None)
        return
    for some in batches([key(project_id, *n) for n in known]):
        await tx.rows("work/delete_pending", keys=some)


async def update(tx: Tx, project_id: str, changes: Sequence[Row]) -> None:
    """Change edges: each row has its names and the fields to set; None takes one away.

    A pending edge comes whole, and is kept anew.
    """
    waiting = [row for row in changes if row.get("pending")]
    await put_pending(
        tx, project_id, [(fold.edge_key(row), fold.pending_properties(row)) for row in waiting]
    )
    joined = [row for row in changes if not row.get("pending")]
    if isinstance(tx, Window):
        await _update_later(tx, joined)
        return
    for some in batches(joined):
        rows = [
            pair(project_id, row)
            | {"properties": fold.edge_properties(row) | {n: None for n in row if row[n] is None}}
            for row in some
        ]
        await tx.rows("work/update_edges", changes=rows)


async def _update_later(tx: Window, changes: Sequence[Row]) -> None:
    """Put changes off, and know the edges as they will be."""
    if changes and tx.deferred.names(changes):
        await tx.flush()
    for row in changes:
        tx.touched = True
        tx.deferred.edge_changes.append(row)
        name = fold.edge_key(row)
        known = tx.edges.pop(name, None)
        if known is not None and row["type"] != EdgeType.SOFT_SEMANTIC.value:
            after = known | row | {end: known[end] for end in ("src", "dst")}
            tx.edges[name] = {k: v for k, v in after.items() if v is not None}
        if "closes_cycle" in row:
            tx.flagged = True if row["closes_cycle"] else None
        _disown(tx, row)


async def delete(tx: Tx, project_id: str, rows: Sequence[Row]) -> None:
    """Remove edges, pending or not."""
    if isinstance(tx, Window):
        await _delete_later(tx, [row for row in rows if not row.get("pending")])
        await forget_pending(
            tx, project_id, [fold.edge_key(row) for row in rows if row.get("pending")]
        )
        return
    for some in batches(rows):
        await tx.rows("work/delete_edges", pairs=[pair(project_id, row) for row in some])
    await forget_pending(tx, project_id, (fold.edge_key(row) for row in rows if row.get("pending")))


async def _delete_later(tx: Window, rows: Sequence[Row]) -> None:
    """Put deletions off, and know the edges as gone."""
    if tx.deferred.names(rows):
        await tx.flush()
    for row in rows:
        tx.touched = True
        tx.deferred.gone.append(row)
        tx.edges[fold.edge_key(row)] = None
        tx.flagged = None if row.get("closes_cycle") else tx.flagged
        _disown(tx, row)


async def of_nodes(tx: Tx, project_id: str, ids: Iterable[str], limit: int) -> list[Row]:
    """Edges that touch any of these nodes, at most `limit`, sorted."""
    keys = [key(project_id, id_) for id_ in ids]
    stored = await tx.value("work/edges_of_nodes", keys=keys, limit=limit)
    rows = [plain(*edge) for edge in stored]
    return sorted(rows, key=fold.edge_key)


def is_hard(row: Row) -> bool:
    """Whether this is a hard dependency."""
    return bool(row["type"] == EdgeType.HARD_REQUIRES.value)
