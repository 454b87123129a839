"""What may start now, and execute_node's claim (004, Agent protocol; decisions, Merging)."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from gotn import checks, shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Conflict, Invalid
from gotn.journal import Ledger
from gotn.trees.records import Claimed, Queue, QueuedTask
from gotn.trees.rules import contexts, moves, turns
from gotn.trees.store import queues, trees, walking
from gotn.trees.store.queues import Around, Opened
from gotn.trees.usecases import spawning, turning
from gotn.trees.usecases.changing import change, ended, ms, told
from gotn.writing import Asked, check_project, write

Row = dict[str, Any]
#: How long a claim holds in milliseconds, at least and at most.
SHORTEST, LONGEST = 1_000, 3_600_000
#: Tasks of a tree whose leases are looked at.
TASKS = 10_000
_READY = turns.COUNTS[turns.READY]
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
        tree = await turning.opened(tx, ledger, tree_id)
        due = await queues.due(tx, ledger.project_id, tree_id, ms(ledger), TASKS)
        await _expire(tx, ledger, tree_id, due.lost)
        id_ = task or await _first(tx, ledger, tree, due.paused)
        if id_ is None:
            return Claimed(tree_id=tree_id)
        at = await turning.around(tx, ledger.project_id, tree_id, id_)
        if task is not None:
            await _check(tx, ledger, at)
        spawning.check_seed(tree.tree, at.row.get("execution_config"), id_)
        until = ms(ledger) + (lease_ms or _usual(tree.tree, at.row))
        return await _claim(tx, ledger, at, worker, until)

    given = {"tree": tree_id, "worker": worker, "task": task, "lease_ms": lease_ms}
    first = queues.opening(request.project_id, tree_id)
    return await write(database, request, "claimTask", given, Claimed, work, first=first)


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
        held = _later(at.until)
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
        tree = await turning.read(tx, project_id, tree_id)
        ends = await trees.leases(tx, project_id, tree_id, TASKS)
        now = int(datetime.now(UTC).timestamp() * 1000)
        if not tree.walkable:
            tasks = await turning.whole(tx, project_id, tree_id)
            return _queue(tree_id, tasks, moves.waiting(tasks), (ends, now), first)
        tasks, held = await _open(tx, project_id, tree, first + len(ends))
        found = _queue(tree_id, tasks, held, (ends, now), first)
        found.total = sum(map(tree.count, turns.TURNS))
        return found

    return await database.read(read)


async def _open(
    tx: Tx, project_id: str, tree: Opened, most: int
) -> tuple[list[Row], dict[str, str]]:
    """The first tasks of each turn, all in the tree's order, and why those that wait do."""
    tree_id = tree.tree["id"]
    top = await turning.around(tx, project_id, tree_id, tree.root)
    found: list[walking.Seen] = []
    for turn in turns.TURNS:
        if tree.count(turn):
            walked = await walking.walk(tx, project_id, tree_id, top, most, (turns.COUNTS[turn],))
            found += [one for one in walked if one.kept.get("turn") == turn]
    found.sort(key=lambda one: one.path)
    above = {
        one.row["parent"]: None
        for one in found
        if one.kept.get("turn") == turns.WAITING and "parent" in one.row
    }
    families = await queues.families(tx, project_id, tree_id, above)
    held = {id_: why for one in families for id_, why in moves.waiting(one).items()}
    return [one.row for one in found], held


def _queue(
    tree_id: str,
    tasks: list[Row],
    held: dict[str, str],
    clock: tuple[dict[str, int], int],
    first: int,
) -> Queue:
    """Who is where, by the ends of leases and the time now."""
    ends, now = clock
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
