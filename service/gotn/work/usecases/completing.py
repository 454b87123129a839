"""What a document leaves out of a new node or edge."""

from typing import Any

from gotn.work.records import EdgeOrigin
from gotn.work.store import edges

Row = dict[str, Any]


def node(row: Row, time: str) -> Row:
    """A new node's row with its defaults."""
    created = row.get("created_at", time)
    return {
        **row,
        "status": row.get("status", "ready"),
        "version": row.get("version", 1),
        "created_at": created,
        "updated_at": row.get("updated_at", created),
    }


def edge(row: Row, time: str, *, pending: bool = False) -> Row:
    """A new edge's row with its defaults; a hard one says why it stands."""
    new = {**row, "version": row.get("version", 1), "created_at": row.get("created_at", time)}
    if edges.is_hard(row):
        new["origin"] = row.get("origin", EdgeOrigin.EXPLICIT.value)
    if pending:
        new["pending"] = True
    return new
