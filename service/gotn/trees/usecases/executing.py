"""The rest of execute_node, and merge_results (004, Agent protocol): finish, cancel, merge."""

from typing import Any

from gotn import checks
from gotn.database.connection import Database, Tx
from gotn.errors import Conflict, Invalid
from gotn.journal import Ledger
from gotn.trees.records import Ended, TaskResult
from gotn.trees.rules import adding, given, merging, moves, shaped, turns
from gotn.trees.store import queues, walking
from gotn.trees.store.queues import Around
from gotn.trees.usecases import changing, planting, spawning, turning
from gotn.writing import Asked, check_project, write

Row = dict[str, Any]


#: What a result cannot say of a task that ended so.
_AGAINST = {"completed": ("failed", "cancelled"), "failed": ("success",)}


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

    A failed one with a try left is pending again once its policy's pause is over; what its
    tries cost adds up. Pending children whose turn cannot come are cancelled with the reason.
    Invalid for a result that says otherwise than the status; Conflict for a token that does not
    hold the task any more; LimitExceeded for what a task or tree may not come to.
    """
    wrong: list[str] = []
    if status not in _AGAINST:
        raise Invalid(f"status: expected completed or failed, found {status!r}", field="status")
    made = shaped.shape(TaskResult, result or {}, "result", wrong.append, beside=frozenset())
    spent = given.cost(cost, wrong.append)
    if made.get("status") in _AGAINST[status]:
        wrong.append(f"result.status: the task is {status}, its result says {made['status']}")
    if wrong:
        raise Invalid("; ".join(wrong), violations=wrong)

    async def work(tx: Tx, ledger: Ledger) -> Ended:
        tree = await turning.opened(tx, ledger, tree_id)
        at = await turning.around(tx, ledger.project_id, tree_id, task_id)
        row = at.row
        moves.check(task_id, row["status"], status)
        _check_token(ledger, at, token)
        _check_seed(row, made)
        new = await spawning.put(tx, ledger, tree, at, children) if children else []
        at.below += len(new)
        await _end(tx, ledger, row, status, made, spent)
        gone = await turning.moved(tx, ledger, at, "running")
        ids = tuple(one["id"] for one in new)
        return Ended(
            tree_id=tree_id, task_id=task_id, status=row["status"], spawned=ids, cancelled=gone
        )

    asked = {"tree": tree_id, "task": task_id, "status": status, "result": made, "cost": spent}
    asked |= {"children": shaped.plain(list(children)), "token": token}
    first = queues.opening(request.project_id, tree_id)
    return await write(database, request, "finishTask", asked, Ended, work, first=first)


def _check_token(ledger: Ledger, at: Around, token: str) -> None:
    if at.token != token or (at.until or 0) < changing.ms(ledger):
        raise Conflict(
            f"The lease of task {at.row['id']!r} ended or is another worker's; claim it again.",
            id=at.row["id"],
        )


def _check_seed(row: Row, result: Row) -> None:
    """Invalid where a result was made with another seed than its task has."""
    used = (result.get("metadata") or {}).get("seed")
    asked = (row.get("execution_config") or {}).get("seed")
    if used is not None and asked is not None and used != asked:
        raise Invalid(
            f"result.metadata.seed: expected the task's {asked}, found {used}", field="seed"
        )


async def _end(tx: Tx, ledger: Ledger, row: Row, status: str, result: Row, cost: Row) -> None:
    again = status == "failed" and not moves.is_last(row)
    new: Row = {"status": "pending" if again else status}
    lease: Row = {}
    if again:
        new["worker"] = None
        lease["lease_until"] = changing.ms(ledger) + moves.pause(row)
    else:
        new["timestamps"] = changing.ended(row, ledger)
    if result:
        new["result"] = result
    if cost:
        new["cost"] = adding.added(row.get("cost"), cost)
    await changing.change(tx, ledger, row, new, lease)


async def cancel(
    database: Database, request: Asked, tree_id: str, task_id: str, reason: str
) -> Ended:
    """Cancel a task and everything below it that has not ended; what ended stays."""
    checks.text(reason, "reason")

    async def work(tx: Tx, ledger: Ledger) -> Ended:
        await turning.opened(tx, ledger, tree_id)
        top = await turning.around(tx, ledger.project_id, tree_id, task_id)
        before = top.row["status"]
        below = await walking.walk(
            tx, ledger.project_id, tree_id, top, planting.TASKS, tuple(turns.COUNTS.values())
        )
        gone = [one.row for one in below if one.row["status"] not in moves.ENDED]
        for row in gone:
            await changing.cancel(tx, ledger, row, reason)
        ids = [row["id"] for row in gone]
        await queues.settle(tx, ledger.project_id, tree_id, [(id_, None) for id_ in ids])
        if before not in moves.ENDED:
            top.below, top.turn = 0, None
            ids += await turning.moved(tx, ledger, top, before)
        status = top.row["status"]
        return Ended(tree_id=tree_id, task_id=task_id, status=status, cancelled=tuple(ids))

    asked = {"tree": tree_id, "task": task_id, "reason": reason}
    first = queues.opening(request.project_id, tree_id)
    return await write(database, request, "cancelTask", asked, Ended, work, first=first)


async def merge(
    database: Database, project_id: str, tree_id: str, task_id: str, strategy: str | None = None
) -> merging.MergedResults:
    """The results of a task's children put together; changes nothing."""
    check_project(project_id)

    async def read(tx: Tx) -> merging.MergedResults:
        await turning.read(tx, project_id, tree_id)
        row = (await turning.around(tx, project_id, tree_id, task_id)).row
        way = strategy or row.get("merge_strategy") or "concatenate"
        return merging.merge(way, row, await queues.children(tx, project_id, tree_id, task_id))

    return await database.read(read)
