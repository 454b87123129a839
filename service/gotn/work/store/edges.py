"""Edges between work nodes, and those that wait for a node."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gotn import shapes
from gotn.database.connection import Tx
from gotn.work.records import EdgeType, WorkEdge
from gotn.work.rules import fold, forms
from gotn.work.store.keys import batches, key

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


async def create(tx: Tx, project_id: str, numbered: Sequence[tuple[Row, int]]) -> None:
    """Store new edges, each with its place in the order of arrival; pending ones as nodes."""
    for some in batches([pair for pair in numbered if not pair[0].get("pending")]):
        await tx.rows("work/create_edges", edges=stored(project_id, some))
    waiting = [
        (fold.edge_key(row), fold.pending_properties(row) | {"ordinal": ordinal})
        for row, ordinal in numbered
        if row.get("pending")
    ]
    await put_pending(tx, project_id, waiting)


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
    for some in batches(waiting):
        rows = [
            {"key": key(project_id, *names), "properties": stored | {"project_id": project_id}}
            for names, stored in some
        ]
        await tx.rows("work/put_pending", pending=rows)


async def pending_for(tx: Tx, project_id: str, ids: Iterable[str]) -> list[Row]:
    """Rows of the edges and steps that wait for any of these nodes, each with its type."""
    found: dict[str, Row] = {}
    for some in batches(list(dict.fromkeys(ids)), 20_000):
        for row in await tx.value("work/pending_for", project=project_id, ids=some):
            found[row["key"]] = shapes.loads(row["data"]) | (
                {"type": "step"} if row["type"] == "step" else {}
            )
    return [found[name] for name in sorted(found)]


async def forget_pending(tx: Tx, project_id: str, names: Iterable[fold.EdgeKey]) -> None:
    """Take away what waited."""
    for some in batches([key(project_id, *n) for n in names]):
        await tx.rows("work/delete_pending", keys=some)


async def update(tx: Tx, project_id: str, changes: Sequence[Row]) -> None:
    """Change edges: each row has its names and the fields to set; None takes one away.

    A pending edge comes whole, and is kept anew.
    """
    waiting = [row for row in changes if row.get("pending")]
    await put_pending(
        tx, project_id, [(fold.edge_key(row), fold.pending_properties(row)) for row in waiting]
    )
    for some in batches([row for row in changes if not row.get("pending")]):
        rows = [
            pair(project_id, row)
            | {"properties": fold.edge_properties(row) | {n: None for n in row if row[n] is None}}
            for row in some
        ]
        await tx.rows("work/update_edges", changes=rows)


async def delete(tx: Tx, project_id: str, rows: Sequence[Row]) -> None:
    """Remove edges, pending or not."""
    for some in batches(rows):
        await tx.rows("work/delete_edges", pairs=[pair(project_id, row) for row in some])
    await forget_pending(tx, project_id, (fold.edge_key(row) for row in rows if row.get("pending")))


async def of_nodes(tx: Tx, project_id: str, ids: Iterable[str], limit: int) -> list[Row]:
    """Edges that touch any of these nodes, at most `limit`, sorted."""
    keys = [key(project_id, id_) for id_ in ids]
    stored = await tx.value("work/edges_of_nodes", keys=keys, limit=limit)
    rows = [plain(*edge) for edge in stored]
    return sorted(rows, key=fold.edge_key)


def is_hard(row: Row) -> bool:
    """Whether this is a hard dependency."""
    return bool(row["type"] == EdgeType.HARD_REQUIRES.value)
