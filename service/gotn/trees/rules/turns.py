"""Whose turn it is: what is kept of every open task, and how many of each stand below one.

A task's turn follows from statuses alone, not from the clock: one that waits for its next try
is ready, one whose lease ended is running, until somebody claims.
"""

from collections.abc import Sequence
from typing import Any

from gotn.trees.rules import moves

Row = dict[str, Any]
READY, WAITING, RUNNING = "ready", "waiting", "running"
TURNS = (READY, WAITING, RUNNING)
#: How many of each there are in a task's subtree: kept on it, where there was ever one.
COUNTS = {turn: f"sub_{turn}" for turn in TURNS}
#: What else is kept: a task's turn, and on the way to a ready one the parent's key and the place.
OF_TASK = frozenset(("turn", "ready_under", "place", *COUNTS.values()))
OF_TREE = frozenset(("queue", "kept_completed", "kept_failed", "kept_depth"))


def of(status: str, *, held: bool) -> str | None:
    """A task's turn; None where it ended."""
    if status == "running":
        return RUNNING
    if status != "pending":
        return None
    return WAITING if held else READY


def every(tasks: Sequence[Row]) -> dict[str, str | None]:
    """The turn of each task; parents stand before their children, children in their order."""
    held = moves.waiting(tasks)
    return {row["id"]: of(row["status"], held=row["id"] in held) for row in tasks}


def kept(tasks: Sequence[Row]) -> dict[str, Row]:
    """What is kept on each task of a whole tree that has an open one in its subtree."""
    if all(row["status"] in moves.ENDED for row in tasks):
        return {}
    found: dict[str, Row] = {}
    turn_of = every(tasks)
    for row in reversed(tasks):
        id_, turn = row["id"], turn_of[row["id"]]
        if turn is not None:
            own = found.setdefault(id_, {})
            own["turn"] = turn
            own[COUNTS[turn]] = own.get(COUNTS[turn], 0) + 1
        if id_ not in found:
            continue
        found[id_]["place"] = row["position"]
        if row.get("parent") is not None:
            above = found.setdefault(row["parent"], {})
            for name in COUNTS.values():
                if name in found[id_]:
                    above[name] = above.get(name, 0) + found[id_][name]
    return found


def of_tree(tasks: Sequence[Row]) -> Row:
    """What is kept on a tree of how its tasks stand.

    `queue` is false where a document leaves tasks without a turn, which the first claim gives
    up; it is missing where nothing is kept yet, on trees that older versions stored.
    """
    return {
        "queue": not moves.given_up(tasks),
        "kept_completed": sum(row["status"] == "completed" for row in tasks),
        "kept_failed": sum(row["status"] == "failed" for row in tasks),
        "kept_depth": max(row["depth"] for row in tasks),
    }
