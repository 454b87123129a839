"""A task that failed for good, tried once more: the way on where others wait for it."""

from typing import Any

from gotn.database.connection import Database, Tx
from gotn.errors import IllegalMove
from gotn.journal import Ledger
from gotn.trees.records import Ended
from gotn.trees.store import queues
from gotn.trees.usecases import changing, turning
from gotn.writing import Asked, write

Row = dict[str, Any]
#: Timestamps of the end that is taken back.
_END = ("completed_at", "duration_ms")


async def retry(database: Database, request: Asked, tree_id: str, task_id: str) -> Ended:
    """Make a failed task pending again, with all the tries that its policy gives.

    Its attempts go on counting, its output and cost stay. So it is with a task that a document
    says is running, which nobody holds. What was cancelled because of it stays cancelled.
    NotFound for a tree or task that is not there; IllegalMove for any other status.
    """

    async def work(tx: Tx, ledger: Ledger) -> Ended:
        await turning.opened(tx, ledger, tree_id)
        at = await turning.around(tx, ledger.project_id, tree_id, task_id)
        row, before = at.row, at.row["status"]
        check(row)
        await changing.change(tx, ledger, row, again(row), {})
        await turning.moved(tx, ledger, at, before)
        return Ended(tree_id=tree_id, task_id=task_id, status=row["status"])

    asked = {"tree": tree_id, "task": task_id}
    first = queues.opening(request.project_id, tree_id)
    return await write(database, request, "retryTask", asked, Ended, work, first=first)


def check(row: Row) -> None:
    """IllegalMove for a task that did not fail, and that is not one that nobody holds."""
    nobodys = row["status"] == "running" and row.get("worker") is None
    if row["status"] != "failed" and not nobodys:
        raise IllegalMove(
            f"Task {row['id']!r} is {row['status']}; only a failed one can be retried.",
            id=row["id"],
            before=row["status"],
            after="pending",
        )


def again(row: Row) -> Row:
    """What changes in a task that is to be tried again."""
    times = {k: v for k, v in (row.get("timestamps") or {}).items() if k not in _END}
    begun: Row = {"status": "pending", "worker": None, "timestamps": times}
    return begun | {"tries_before": row.get("attempt", 0)}
