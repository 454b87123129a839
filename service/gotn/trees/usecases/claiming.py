"""execute_node's claim: a task under a lease, with its prompt (004, Agent protocol)."""

from typing import Any
from uuid import uuid4

from gotn import checks
from gotn.database.connection import Database, Tx
from gotn.errors import Conflict, Invalid
from gotn.journal import Ledger
from gotn.trees.records import Claimed, TaskClaimStatus
from gotn.trees.rules import contexts, moves, turns
from gotn.trees.store import queues, trees, walking
from gotn.trees.store.queues import Around, Opened
from gotn.trees.usecases import queueing, spawning, turning
from gotn.trees.usecases.changing import change, ended, ms, told
from gotn.writing import Asked, write

Row = dict[str, Any]
#: How long a claim holds in milliseconds, at least and at most.
SHORTEST, LONGEST = 1_000, 3_600_000
#: Tasks of each turn that are looked at where none can be handed out.
SEEN = 1000
ENDED = "Nothing is left: every task has ended."
_READY = turns.COUNTS[turns.READY]


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
    needs; without a task, its status says whether to ask again. The lease is the task's
    timeout where none is given, else what the tree allows a task. A task whose lease ended
    is tried again as its policy says. Conflict for a named task that another worker holds or
    that must wait; Invalid for one without the seed that its tree's mode demands.
    """
    checks.identifier(worker, "worker")
    if lease_ms is not None and not SHORTEST <= lease_ms <= LONGEST:
        raise Invalid(f"lease_ms: expected {SHORTEST} to {LONGEST}, found {lease_ms}")

    async def work(tx: Tx, ledger: Ledger) -> Claimed:
        tree = await turning.opened(tx, ledger, tree_id)
        due = await queues.due(tx, ledger.project_id, tree_id, ms(ledger), queueing.TASKS)
        await _expire(tx, ledger, tree_id, due.lost)
        id_ = task or await _first(tx, ledger, tree, due.paused)
        if id_ is None:
            return await _nothing(tx, ledger, tree_id)
        at = await turning.around(tx, ledger.project_id, tree_id, id_)
        if task is not None:
            await _check(tx, ledger, at)
        spawning.check_seed(tree.tree, at.row.get("execution_config"), id_)
        until = ms(ledger) + (lease_ms or _usual(tree.tree, at.row))
        return await _claim(tx, ledger, at, worker, until)

    given = {"tree": tree_id, "worker": worker, "task": task, "lease_ms": lease_ms}
    first = queues.opening(request.project_id, tree_id)
    return await write(database, request, "claimTask", given, Claimed, work, first=first)


async def _nothing(tx: Tx, ledger: Ledger, tree_id: str) -> Claimed:
    """No task, and why."""
    seen = await queueing.seen(tx, ledger.project_id, tree_id, ms(ledger), SEEN)
    if not seen.total:
        return Claimed(status=TaskClaimStatus.TREE_ENDED, tree_id=tree_id, nothing=ENDED)
    if seen.stuck:
        return Claimed(status=TaskClaimStatus.STUCK, tree_id=tree_id, nothing=seen.stuck)
    running, waiting = len(seen.running), len(seen.waiting)
    said = f"Nothing can start now: {running} running, {waiting} waiting."
    return Claimed(status=TaskClaimStatus.NOTHING_READY, tree_id=tree_id, nothing=said)


def _usual(tree: Row, row: Row) -> int:
    """How long a claim holds where nobody says: as long as the task may take."""
    own = (row.get("execution_config") or {}).get("timeout_ms")
    found = own if own is not None else spawning.limits_of(tree).timeout_per_node_ms
    return max(SHORTEST, min(int(found), LONGEST))


async def _first(tx: Tx, ledger: Ledger, tree: Opened, paused: int) -> str | None:
    """The first task that may start now; those that wait for their next try are passed over."""
    project_id, tree_id = ledger.project_id, tree.tree["id"]
    if not paused:
        return await queues.first_ready(tx, project_id, tree_id)
    top = await turning.around(tx, project_id, tree_id, tree.root)
    ready = await walking.walk(tx, project_id, tree_id, top, paused + 1, (_READY,))
    for one in ready:
        until = one.kept.get("lease_until")
        if one.kept.get("turn") == turns.READY and (until is None or until <= ms(ledger)):
            return str(one.row["id"])
    return None


async def _check(tx: Tx, ledger: Ledger, at: Around) -> None:
    """Conflict or IllegalMove where a task that was asked for cannot be handed out."""
    id_, status = at.row["id"], at.row["status"]
    if status == "running":
        raise Conflict(f"Task {id_!r} is held by {at.row.get('worker')!r}.", id=id_)
    moves.check(id_, status, "running")
    held = await turning.reason(tx, ledger.project_id, at)
    if at.until is not None and at.until > ms(ledger):
        held = queueing.later(at.until)
    if held:
        raise Conflict(f"Task {id_!r} cannot start: {held}.", id=id_)


async def _claim(tx: Tx, ledger: Ledger, at: Around, worker: str, until: int) -> Claimed:
    row = at.row
    token = uuid4().hex
    new = {"status": "running", "worker": worker, "attempt": row.get("attempt", 0) + 1}
    new["timestamps"] = (row.get("timestamps") or {}) | {"started_at": ledger.time}
    await change(tx, ledger, row, new, {"lease_until": until, "lease_token": token})
    await turning.moved(tx, ledger, at, "pending")
    parts, missing = await _context(tx, ledger.project_id, at)
    return Claimed(
        status=TaskClaimStatus.CLAIMED,
        tree_id=row["tree"],
        task_id=row["id"],
        prompt=contexts.prompt(row, parts),
        context=parts,
        execution_config=row.get("execution_config"),
        quality_gate=row.get("quality_gate"),
        attempt=new["attempt"],
        token=token,
        lease_until=queueing.moment(until),
        warnings=tuple(missing),
    )


async def _context(tx: Tx, project_id: str, at: Around) -> tuple[list[Row], list[str]]:
    """The parts of a task's context, and what is missing of it."""
    row, parent = at.row, at.parent
    places = contexts.works_on(parent, row["position"], at.beside)
    results: list[Row] = []
    if parent is not None:
        results = await queues.children(tx, project_id, row["tree"], parent["id"], places)
    source = (row.get("context") or {}).get("source")
    known: Row = {}
    if isinstance(source, str) and source.startswith(contexts.VARIABLE):
        known = await trees.variables(tx, project_id, row["tree"])
    return contexts.resolved(row, contexts.Around(parent, tuple(results)), known)


async def _expire(tx: Tx, ledger: Ledger, tree_id: str, lost: list[str]) -> None:
    """Running tasks whose lease ended are pending again, or failed after their last try."""
    for id_ in lost:
        at = await turning.around(tx, ledger.project_id, tree_id, id_)
        row = at.row
        failed = moves.is_last(row)
        new: Row = {"status": "failed" if failed else "pending", "worker": None}
        if failed:
            new["result"] = told(row, "failed", "its lease ended")
            new["timestamps"] = ended(row, ledger)
        await change(tx, ledger, row, new, {})
        await turning.moved(tx, ledger, at, "running")
