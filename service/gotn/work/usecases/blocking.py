"""Nodes held by a failed one: blocked while it is failed, ready again by themselves.

`blocked_by` names the failed node and marks what this module blocked: a node that an import
or a person blocked lacks it and stays as it is (decisions, Status).
"""

from typing import Any

from gotn.database.connection import Tx
from gotn.journal import Ledger
from gotn.work.records import NodeStatus
from gotn.work.rules import holding
from gotn.work.store import nodes, planning

Row = dict[str, Any]
#: What makes a held node ready.
FREE: Row = {"status": "ready", "status_reason": None, "blocked_by": None}


async def review(tx: Tx, ledger: Ledger) -> list[Row]:
    """Block what a failed node holds over open hard edges, free what none holds any more.

    Returns the changes: `blocked_by` is the failed node, or None of what is free. Call it
    after whatever changes a status or a hard edge. Without failed and held nodes it costs
    one indexed look. updated_at stays: nobody changed these nodes.
    """
    found = await planning.held(tx, ledger.project_id)
    if found is None:
        return []
    held = {found.ids[i]: cause for i, cause in holding.holders(*found.columns()).items()}
    marked = {id_: mark for id_, mark in zip(found.ids, found.marks, strict=True) if mark}
    ready = {
        id_
        for id_, status in zip(found.ids, found.statuses, strict=True)
        if status == NodeStatus.READY.value
    }
    changes: list[Row] = [
        {
            "id": id_,
            "status": "blocked",
            "status_reason": f"needs {cause}, which failed",
            "blocked_by": cause,
        }
        for id_, cause in sorted(held.items())
        if (id_ in ready or id_ in marked) and cause != marked.get(id_)
    ]
    changes += [{"id": id_, **FREE} for id_ in sorted(marked.keys() - held.keys())]
    await nodes.update(tx, ledger.project_id, changes)
    ledger.record("update_node", [{"node": change} for change in changes])
    return changes


def restated(known: Row, row: Row, changed: Row) -> Row:
    """A change of a node that `row` asks for, less what belonged to its old status."""
    if "status" not in changed:
        return changed
    old = known.keys() & {"status_reason", "blocked_by"} - row.keys()
    return dict.fromkeys(sorted(old)) | changed
