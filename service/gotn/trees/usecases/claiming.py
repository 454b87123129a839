"""What may start now, and execute_node's claim (004, Agent protocol; decisions, Merging)."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from gotn import checks, shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Conflict, Invalid
from gotn.journal import Ledger
from gotn.trees.records import Claimed, Queue, QueuedTask
from gotn.trees.rules import contexts, moves
from gotn.trees.store import trees
from gotn.trees.usecases import spawning
from gotn.trees.usecases.changing import change, ended, give_up, ms, named, told
from gotn.writing import Asked, check_project, write

Row = dict[str, Any]
#: How long a claim holds in milliseconds, at least and at most.
SHORTEST, LONGEST = 1_000, 3_600_000
#: Tasks of a tree whose leases are looked at.
TASKS = 10_000
#: How the reason begins for which a task waits that is tried again by itself.
_AGAIN = "it is tried again at "


async def claim(
    database: Database,
    request: Asked,
    tree_id: str,
    worker: str,
    *,
    task: str | None = None,
    lease_ms: int | None = None,
) -> Claimed:
    """Hand out a task, the first that may start, or the one that is named, under a lease.

    The answer holds the prepared prompt with its context, and the token that finishing
    needs; without a task nothing can start now. The lease is the task's timeout where
    none is given, else what the tree allows a task. A task whose lease ended is tried again
    as its policy says. Conflict for a named task that another worker holds or that must
    wait; Invalid for one without the seed that its tree's mode demands.
    """
    checks.identifier(worker, "worker")
    if lease_ms is not None and not SHORTEST <= lease_ms <= LONGEST:
        raise Invalid(f"lease_ms: expected {SHORTEST} to {LONGEST}, found {lease_ms}")

    async def work(tx: Tx, ledger: Ledger) -> Claimed:
        tasks = await spawning.whole(tx, ledger.project_id, tree_id)
        tree = await trees.get(tx, ledger.project_id, tree_id) or {}
        held = await _expire(tx, ledger, tree_id, tasks)
        row = _chosen(tasks, task, held)
        if row is None:
            return Claimed(tree_id=tree_id)
        spawning.check_seed(tree, row.get("execution_config"), row["id"])
        until = ms(ledger) + (lease_ms or _usual(tree, row))
        return await _claim(tx, ledger, tasks, row, worker, until)

    given = {"tree": tree_id, "worker": worker, "task": task, "lease_ms": lease_ms}
    return await write(database, request, "claimTask", given, Claimed, work, create=False)


def _usual(tree: Row, row: Row) -> int:
    """How long a claim holds where nobody says: as long as the task may take."""
    own = (row.get("execution_config") or {}).get("timeout_ms")
    found = own if own is not None else spawning.limits_of(tree).timeout_per_node_ms
    return max(SHORTEST, min(int(found), LONGEST))


def _chosen(tasks: list[Row], wanted: str | None, held: dict[str, str]) -> Row | None:
    """The task to hand out; Conflict or NotFound where the wanted one cannot be."""
    held = moves.waiting(tasks) | held
    if wanted is None:
        ready = (r for r in tasks if r["status"] == "pending" and r["id"] not in held)
        return next(ready, None)
    row = named(tasks, wanted)
    if row["status"] == "running":
        raise Conflict(f"Task {wanted!r} is held by {row.get('worker')!r}.", id=wanted)
    moves.check(wanted, row["status"], "running")
    if wanted in held:
        raise Conflict(f"Task {wanted!r} cannot start: {held[wanted]}.", id=wanted)
    return row


async def _claim(
    tx: Tx, ledger: Ledger, tasks: list[Row], row: Row, worker: str, until: int
) -> Claimed:
    token = uuid4().hex
    new = {"status": "running", "worker": worker, "attempt": row.get("attempt", 0) + 1}
    new["timestamps"] = (row.get("timestamps") or {}) | {"started_at": ledger.time}
    await change(tx, ledger, row, new, {"lease_until": until, "lease_token": token})
    known = await trees.variables(tx, ledger.project_id, row["tree"])
    parts, missing = contexts.resolved(row, contexts.around(row, tasks), known)
    return Claimed(
        tree_id=row["tree"],
        task_id=row["id"],
        prompt=contexts.prompt(row, parts),
        context=parts,
        execution_config=row.get("execution_config"),
        attempt=new["attempt"],
        token=token,
        lease_until=_moment(until),
        warnings=tuple(missing),
    )


async def _expire(tx: Tx, ledger: Ledger, tree_id: str, tasks: list[Row]) -> dict[str, str]:
    """Running tasks whose lease ended are pending again, or failed after their last try.

    Returns the pending ones that wait for their next try, with the reason.
    """
    now, waiting = ms(ledger), {}
    ends = await trees.leases(tx, ledger.project_id, tree_id, TASKS)
    for row in tasks:
        if row["status"] == "pending" and ends.get(row["id"], now) > now:
            waiting[row["id"]] = _later(ends[row["id"]])
        if not _is_lost(row, ends.get(row["id"]), now):
            continue
        failed = moves.is_last(row)
        new: Row = {"status": "failed" if failed else "pending", "worker": None}
        if failed:
            new["result"] = told(row, "failed", "its lease ended")
            new["timestamps"] = ended(row, ledger)
        await change(tx, ledger, row, new, {})
    await give_up(tx, ledger, tasks)
    return waiting


def _is_lost(row: Row, end: int | None, now: int) -> bool:
    """Whether a task's worker let its lease end; what was imported as running is nobody's."""
    if row["status"] != "running" or row.get("worker") is None:
        return False
    return end is None or end <= now


def _later(until: int) -> str:
    return f"{_AGAIN}{shapes.iso(_moment(until))}"


async def queue(database: Database, project_id: str, tree_id: str, *, first: int) -> Queue:
    """What may start now, what runs, and what waits for what, in the tree's order.

    A running task whose lease ended counts as ready: the next claim hands it out again.
    """
    check_project(project_id)

    async def read(tx: Tx) -> Queue:
        tasks = await spawning.whole(tx, project_id, tree_id)
        ends = await trees.leases(tx, project_id, tree_id, TASKS)
        now = int(datetime.now(UTC).timestamp() * 1000)
        return _queue(tree_id, tasks, ends, now, first)

    return await database.read(read)


def _queue(tree_id: str, tasks: list[Row], ends: dict[str, int], now: int, first: int) -> Queue:
    held = moves.waiting(tasks)
    found: dict[str, list[QueuedTask]] = {"ready": [], "running": [], "waiting": []}
    for row in tasks:
        id_, end = row["id"], ends.get(row["id"])
        place, reason = row["status"], held.get(id_)
        if _is_lost(row, end, now):
            tried = moves.is_last(row)
            reason = "its lease ended" + (", and this was its last try" if tried else "")
            place = "running" if tried else "ready"
        elif row["status"] == "pending":
            if reason is None and end is not None and end > now:
                reason = _later(end)
            place = "waiting" if reason else "ready"
        if place in found:
            until = _moment(end) if row["status"] == "running" and end is not None else None
            one = QueuedTask(task_id=id_, prompt=row["prompt"], reason=reason, lease_until=until)
            one.worker = row.get("worker")
            found[place].append(one)
    shown = {name: tuple(rows[:first]) for name, rows in found.items()}
    total = sum(map(len, found.values()))
    return Queue(tree_id=tree_id, total=total, stuck=_stuck(found), **shown)


def _stuck(found: dict[str, list[QueuedTask]]) -> str | None:
    """Why nothing can happen any more, where that is so."""
    orphans = [one.task_id for one in found["running"] if one.worker is None]
    reasons = [one.reason or "" for one in found["waiting"]]
    paused = any(why.startswith(_AGAIN) for why in reasons)
    if found["ready"] or paused or len(orphans) < len(found["running"]):
        return None
    return moves.stuck(reasons, orphans) if reasons or orphans else None


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)
