"""One task's row changed, with its journal entry and the totals above it."""

from typing import Any

from gotn import shapes
from gotn.database.connection import Tx
from gotn.errors import LimitExceeded
from gotn.journal import Ledger
from gotn.trees.rules import adding, money, totals
from gotn.trees.store import costs, trees

Row = dict[str, Any]


def ms(ledger: Ledger) -> int:
    """The transaction's time in milliseconds since 1970."""
    return int(ledger.now.timestamp() * 1000)


async def change(
    tx: Tx, ledger: Ledger, row: Row, new: Row, lease: Row | None = None
) -> totals.Total:
    """Store changed members of a task and note them; its row is changed too.

    A lease stays where none is given, and ends where an empty one is. Returns the task's
    total with all below it. LimitExceeded where its tree comes to more than a tree may.
    """
    before = dict(row)
    row |= new
    difference = costs.difference(totals.own(row), totals.own(before))
    found = await trees.change(tx, ledger.project_id, before, row, difference, lease)
    _check(found["most"])
    ledger.record("update_task", [{"task": {"tree": row["tree"], "id": row["id"]} | new}])
    if found["touched"]:
        _note(ledger, row["tree"])
    return costs.total(found["inclusive"])


def _check(most: list[int | None]) -> None:
    """LimitExceeded where one of the greatest kept totals above a task is more than allowed."""
    tokens, hits, cost, saved = (one or 0 for one in most)
    whole = totals.Total(
        total_tokens=tokens,
        cache_hits=hits,
        cost=money.Sum(cost).pico,
        savings=money.Sum(saved).pico,
    )
    for reason, limit in adding.beyond_tree(whole):
        raise LimitExceeded(f"{reason}.", limit=limit)


async def touch(tx: Tx, ledger: Ledger, tree_id: str) -> None:
    """Note once that a tree is not what its document says any more."""
    if await trees.touch(tx, ledger.project_id, tree_id):
        _note(ledger, tree_id)


def _note(ledger: Ledger, tree_id: str) -> None:
    ledger.record("update_tree", [{"tree": {"id": tree_id, "touched": True}}])


def ended(row: Row, ledger: Ledger) -> Row:
    """The timestamps of a task that ends now; how long is told of what was started."""
    times = (row.get("timestamps") or {}) | {"completed_at": ledger.time}
    if row["status"] == "running" and times.get("started_at") is not None:
        begun = shapes.moment(times["started_at"])
        times["duration_ms"] = max(0, round((ledger.now - begun).total_seconds() * 1000))
    return times


def told(row: Row, status: str, reason: str) -> Row:
    """The result of a task that ends without one: why, beside what an earlier try left."""
    before = row.get("result") or {}
    errors = [*(before.get("errors") or ()), {"message": reason}]
    return before | {"status": status, "errors": errors}


async def cancel(tx: Tx, ledger: Ledger, row: Row, reason: str) -> None:
    """Cancel one task."""
    result = told(row, "cancelled", reason)
    new = {"status": "cancelled", "result": result, "timestamps": ended(row, ledger)}
    await change(tx, ledger, row, new, {})
