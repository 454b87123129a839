"""execute_node and merge_results (004, Agent protocol): claim, finish, cancel, merge."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from gotn import checks
from gotn.database.connection import Database, Tx
from gotn.errors import Conflict, Invalid, NotFound
from gotn.journal import Ledger
from gotn.keys import key
from gotn.trees.records import Claimed, CostTracking, Ended, TaskResult
from gotn.trees.rules import contexts, merging, moves, shaped, totals
from gotn.trees.store import costs, trees
from gotn.trees.usecases import spawning
from gotn.writing import Asked, check_project, write

Row = dict[str, Any]
#: How long a claim holds in milliseconds: usually, at least and at most.
LEASE, SHORTEST, LONGEST = 60_000, 1_000, 3_600_000
#: Tries after the first where no policy says otherwise (004, retry_policy).
RETRIES = 3
#: Tasks of a tree whose leases are looked at.
TASKS = 10_000


async def claim(
    database: Database,
    request: Asked,
    tree_id: str,
    worker: str,
    *,
    task: str | None = None,
    lease_ms: int = LEASE,
) -> Claimed:
    """Hand out a task, the first that may start, or the one that is named, under a lease.

    The answer holds the prepared prompt with its context, and the token that finishing
    needs; without a task nothing can start now. A task whose lease ended is tried again as
    its policy says. Conflict for a named task that another worker holds or that must wait.
    """
    checks.identifier(worker, "worker")
    if not SHORTEST <= lease_ms <= LONGEST:
        raise Invalid(f"lease_ms: expected {SHORTEST} to {LONGEST}, found {lease_ms}")

    async def work(tx: Tx, ledger: Ledger) -> Claimed:
        tasks = await spawning.whole(tx, ledger.project_id, tree_id)
        await _expire(tx, ledger, tree_id, tasks)
        row = _chosen(tasks, task)
        if row is None:
            return Claimed(tree_id=tree_id)
        return await _claim(tx, ledger, tasks, row, worker, lease_ms)

    given = {"tree": tree_id, "worker": worker, "task": task, "lease_ms": lease_ms}
    return await write(database, request, "claimTask", given, Claimed, work, create=False)


def _chosen(tasks: list[Row], wanted: str | None) -> Row | None:
    """The task to hand out; Conflict or NotFound where the wanted one cannot be."""
    held = moves.waiting(tasks)
    if wanted is None:
        ready = (r for r in tasks if r["status"] == "pending" and r["id"] not in held)
        return next(ready, None)
    row = _named(tasks, wanted)
    if row["status"] == "running":
        raise Conflict(f"Task {wanted!r} is held by {row.get('worker')!r}.", id=wanted)
    moves.check(wanted, row["status"], "running")
    if wanted in held:
        raise Conflict(f"Task {wanted!r} cannot start: {held[wanted]}.", id=wanted)
    return row


def _named(tasks: list[Row], id_: str) -> Row:
    row = next((row for row in tasks if row["id"] == id_), None)
    if row is None:
        raise NotFound(f"There is no task {id_!r} in tree {tasks[0]['tree']!r}.", id=id_)
    return row


async def _claim(
    tx: Tx, ledger: Ledger, tasks: list[Row], row: Row, worker: str, lease_ms: int
) -> Claimed:
    token, until = uuid4().hex, _ms(ledger) + lease_ms
    change = {"status": "running", "worker": worker, "attempt": row.get("attempt", 0) + 1}
    change["timestamps"] = (row.get("timestamps") or {}) | {"started_at": ledger.time}
    await _change(tx, ledger, row, change, lease_until=until, lease_token=token)
    parent = next((one for one in tasks if one["id"] == row.get("parent")), None)
    known = await trees.variables(tx, ledger.project_id, row["tree"])
    parts, missing = contexts.resolved(row, parent, known)
    return Claimed(
        tree_id=row["tree"],
        task_id=row["id"],
        prompt=contexts.prompt(row, parts),
        context=parts,
        execution_config=row.get("execution_config"),
        attempt=change["attempt"],
        token=token,
        lease_until=datetime.fromtimestamp(until / 1000, UTC),
        warnings=tuple(missing),
    )


def _ms(ledger: Ledger) -> int:
    return int(ledger.now.timestamp() * 1000)


async def _change(tx: Tx, ledger: Ledger, row: Row, change: Row, **lease: Any) -> None:
    """Store changed members of a task and note them; its row is changed too."""
    before = totals.own(row)
    row |= change
    await trees.replace(tx, ledger.project_id, row, **lease)
    difference = costs.difference(totals.own(row), before)
    if any(vars(difference).values()):
        await costs.add(tx, key(ledger.project_id, row["tree"], row["id"]), difference)
    ledger.record("update_task", [{"task": {"tree": row["tree"], "id": row["id"]} | change}])
    await spawning.touch(tx, ledger, row["tree"])


async def _expire(tx: Tx, ledger: Ledger, tree_id: str, tasks: list[Row]) -> None:
    """Running tasks whose lease ended are pending again, or failed after their last try."""
    ends = await trees.leases(tx, ledger.project_id, tree_id, TASKS)
    for row in tasks:
        if row["status"] != "running" or ends.get(row["id"], _ms(ledger)) > _ms(ledger):
            continue
        if row["id"] not in ends and row.get("worker") is None:
            continue  # imported as running: somebody else's
        tried = row.get("attempt", 1) > _retries(row)
        change: Row = {"status": "failed" if tried else "pending", "worker": None}
        if tried:
            change["result"] = {"status": "failed", "errors": [{"message": "its lease ended"}]}
        await _change(tx, ledger, row, change)


def _retries(row: Row) -> int:
    policy = (row.get("execution_config") or {}).get("retry_policy") or {}
    found = policy.get("max_retries")
    return RETRIES if found is None else int(found)


async def finish(
    database: Database,
    request: Asked,
    tree_id: str,
    task_id: str,
    token: str,
    *,
    status: str = "completed",
    result: Row | None = None,
    cost: Row | None = None,
    children: tuple[Row, ...] = (),
) -> Ended:
    """End a claimed task with its result and usage, and spawn its children before, all at once.

    A failed one with a try left is pending again. Conflict for a token that does not hold
    the task any more. Pending children whose turn cannot come are cancelled with the reason.
    """
    wrong: list[str] = []
    if status not in ("completed", "failed"):
        raise Invalid(f"status: expected completed or failed, found {status!r}", field="status")
    made = shaped.shape(TaskResult, result or {}, "result", wrong.append, beside=frozenset())
    spent = shaped.shape(CostTracking, cost or {}, "cost", wrong.append, beside=frozenset())
    if wrong:
        raise Invalid("; ".join(wrong), violations=wrong)

    async def work(tx: Tx, ledger: Ledger) -> Ended:
        tasks = await spawning.whole(tx, ledger.project_id, tree_id)
        row = _named(tasks, task_id)
        moves.check(task_id, row["status"], status)
        await _check_token(tx, ledger, row, token)
        new = await spawning.put(tx, ledger, tree_id, tasks, task_id, children) if children else []
        await _end(tx, ledger, row, status, made, spent)
        gone = await _give_up(tx, ledger, tasks)
        ids = tuple(one["id"] for one in new)
        return Ended(
            tree_id=tree_id, task_id=task_id, status=row["status"], spawned=ids, cancelled=gone
        )

    given = {"tree": tree_id, "task": task_id, "status": status, "result": made, "cost": spent}
    given |= {"children": shaped.plain(list(children)), "token": token}
    return await write(database, request, "finishTask", given, Ended, work, create=False)


async def _check_token(tx: Tx, ledger: Ledger, row: Row, token: str) -> None:
    lease = await trees.lease(tx, ledger.project_id, row["tree"], row["id"])
    if lease.get("lease_token") != token or lease["lease_until"] < _ms(ledger):
        raise Conflict(
            f"The lease of task {row['id']!r} ended or is another worker's; claim it again.",
            id=row["id"],
        )


async def _end(tx: Tx, ledger: Ledger, row: Row, status: str, result: Row, cost: Row) -> None:
    again = status == "failed" and row.get("attempt", 1) <= _retries(row)
    times = row.get("timestamps") or {}
    change: Row = {"status": "pending" if again else status}
    if again:
        change["worker"] = None
    else:
        change["timestamps"] = times | {"completed_at": ledger.time}
    if result:
        change["result"] = result
    if cost:
        change["cost"] = cost
    await _change(tx, ledger, row, change)


async def _give_up(tx: Tx, ledger: Ledger, tasks: list[Row]) -> tuple[str, ...]:
    """Cancel what a conditional order leaves no turn for, one after the other."""
    gone: list[str] = []
    while found := moves.given_up(tasks):
        for row in tasks:
            if row["id"] in found:
                await _cancel(tx, ledger, row, found[row["id"]])
                gone.append(row["id"])
    return tuple(gone)


async def _cancel(tx: Tx, ledger: Ledger, row: Row, reason: str) -> None:
    result = {"status": "cancelled", "errors": [{"message": reason}]}
    await _change(tx, ledger, row, {"status": "cancelled", "result": result})


async def cancel(
    database: Database, request: Asked, tree_id: str, task_id: str, reason: str
) -> Ended:
    """Cancel a task and everything below it that has not ended; what ended stays."""
    checks.text(reason, "reason")

    async def work(tx: Tx, ledger: Ledger) -> Ended:
        tasks = await spawning.whole(tx, ledger.project_id, tree_id)
        _named(tasks, task_id)
        below, gone = {task_id}, []
        for row in tasks:
            if row["id"] != task_id and row.get("parent") not in below:
                continue
            below.add(row["id"])
            if row["status"] not in moves.ENDED:
                await _cancel(tx, ledger, row, reason)
                gone.append(row["id"])
        return Ended(tree_id=tree_id, task_id=task_id, status="cancelled", cancelled=tuple(gone))

    given = {"tree": tree_id, "task": task_id, "reason": reason}
    return await write(database, request, "cancelTask", given, Ended, work, create=False)


async def merge(
    database: Database, project_id: str, tree_id: str, task_id: str, strategy: str | None = None
) -> merging.Merged:
    """The results of a task's children put together; changes nothing."""
    check_project(project_id)

    async def read(tx: Tx) -> merging.Merged:
        tasks = await spawning.whole(tx, project_id, tree_id)
        row = _named(tasks, task_id)
        way = strategy or row.get("merge_strategy") or "concatenate"
        return merging.merge(way, row, [one for one in tasks if one.get("parent") == task_id])

    return await database.read(read)
