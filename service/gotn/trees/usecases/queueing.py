"""What of a tree may start now, what runs, and what waits for what (decisions, Merging)."""

from datetime import UTC, datetime
from typing import Any

from gotn import shapes
from gotn.database.connection import Database, Tx
from gotn.trees.records import Queue, QueuedTask
from gotn.trees.rules import moves, turns
from gotn.trees.store import queues, trees, walking
from gotn.trees.store.queues import Opened
from gotn.trees.usecases import turning
from gotn.writing import check_project

Row = dict[str, Any]
#: Tasks of a tree whose leases are looked at.
TASKS = 10_000
#: How the reason begins for which a task waits that is tried again by itself.
_AGAIN = "it is tried again at "


async def queue(database: Database, project_id: str, tree_id: str, *, first: int) -> Queue:
    """What may start now, what runs, and what waits for what, in the tree's order.

    A running task whose lease ended counts as ready: the next claim hands it out again.
    """
    check_project(project_id)
    now = int(datetime.now(UTC).timestamp() * 1000)
    return await database.read(lambda tx: seen(tx, project_id, tree_id, now, first))


async def seen(tx: Tx, project_id: str, tree_id: str, now: int, first: int) -> Queue:
    """The same as of a time in milliseconds since 1970, as a transaction sees the tree."""
    tree = await turning.read(tx, project_id, tree_id)
    ends = await trees.leases(tx, project_id, tree_id, TASKS)
    if not tree.walkable:
        tasks = await turning.whole(tx, project_id, tree_id)
        return _queue(tree_id, tasks, moves.waiting(tasks), (ends, now), first)
    tasks, held = await _open(tx, project_id, tree, first + len(ends))
    found = _queue(tree_id, tasks, held, (ends, now), first)
    found.total = sum(map(tree.count, turns.TURNS))
    return found


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
                reason = later(end)
            place = "waiting" if reason else "ready"
        if place in found:
            until = moment(end) if row["status"] == "running" and end is not None else None
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


def _is_lost(row: Row, end: int | None, now: int) -> bool:
    """Whether a task's worker let its lease end; what was imported as running is nobody's."""
    if row["status"] != "running" or row.get("worker") is None:
        return False
    return end is None or end <= now


def later(until: int) -> str:
    """Why a task waits for its next try."""
    return f"{_AGAIN}{shapes.iso(moment(until))}"


def moment(ms: int) -> datetime:
    """A time in milliseconds since 1970."""
    return datetime.fromtimestamp(ms / 1000, UTC)
