"""Which way a task's status may move (decisions, Status and result), and what may start when."""

from collections.abc import Sequence
from typing import Any

from gotn.errors import IllegalMove

Row = dict[str, Any]
#: From -> to. A completed task is never run again; a running one whose lease expired goes back.
LEGAL: dict[str, tuple[str, ...]] = {
    "pending": ("running", "cancelled"),
    "running": ("completed", "failed", "cancelled", "pending"),
    "failed": ("pending", "cancelled"),
    "completed": (),
    "cancelled": (),
}
#: Tries after the first, and the pause before each in milliseconds, where no policy says (004).
RETRIES, PAUSE = 3, 1_000
#: How the reason ends for which a task waits that comes after a failed one.
FAILED = " failed"
#: Statuses that nothing follows by itself.
ENDED = frozenset(("completed", "failed", "cancelled"))
#: Strategies by which the tasks below one have to do with each other.
ORDERED = frozenset(("sequential", "conditional", "map-reduce"))


def check(id_: str, before: str, after: str) -> None:
    """Raise IllegalMove unless a task may go from one status to the other."""
    if after not in LEGAL[before]:
        legal = ", ".join(LEGAL[before]) or "nothing"
        raise IllegalMove(
            f"Task {id_!r} is {before} and cannot become {after}; from {before} it can become "
            f"{legal}.",
            id=id_,
            before=before,
            after=after,
        )


def is_last(row: Row) -> bool:
    """Whether the policy gives a task no try after this one; retrying it began to count anew."""
    tries: int = row.get("attempt", 1) - row.get("tries_before", 0)
    return tries > retries(row)


def stuck(reasons: Sequence[str], orphans: Sequence[str]) -> str:
    """Why nothing can happen any more, by the reasons for which tasks wait, and how to go on.

    Orphans are tasks that a document says are running, and that nobody holds.
    """
    failed = list(dict.fromkeys(w.removesuffix(FAILED) for w in reasons if w.endswith(FAILED)))
    why = [f"{', '.join(failed[:5])} failed for good"] if failed else []
    why += [f"{', '.join(orphans[:5])} running, held by nobody"] if orphans else []
    said = f" ({'; '.join(why)})" if why else ""
    return f"Nothing more can happen by itself{said}: retry a task, or cancel what waits."


def retries(row: Row) -> int:
    """How often a task is tried again after it failed (004, retry_policy)."""
    return _policy(row, "max_retries", RETRIES)


def pause(row: Row) -> int:
    """How long a failed task waits for its next try, in milliseconds (004, retry_policy)."""
    return _policy(row, "backoff_ms", PAUSE)


def _policy(row: Row, name: str, usual: int) -> int:
    found = ((row.get("execution_config") or {}).get("retry_policy") or {}).get(name)
    return usual if found is None else int(found)


def waiting(tasks: Sequence[Row]) -> dict[str, str]:
    """Each pending task that may not start yet, and why; parents stand before children."""
    by_id = {row["id"]: row for row in tasks}
    beside: dict[str, list[Row]] = {}
    for row in tasks:
        if row.get("parent") is not None:
            beside.setdefault(row["parent"], []).append(row)
    found: dict[str, str] = {}
    for parent, children in beside.items():
        strategy = by_id[parent].get("decomposition_strategy")
        for place, row in enumerate(children):
            if row["status"] != "pending":
                continue
            if reason := _held(by_id[parent], strategy, children, place):
                found[row["id"]] = reason
    return found


def _held(parent: Row, strategy: str | None, children: list[Row], place: int) -> str:
    """Why a child may not start, or nothing."""
    if parent["status"] == "cancelled":
        return f"{parent['id']} was cancelled"
    source = (children[place].get("context") or {}).get("source")
    if source == "parent_result" and parent["status"] == "pending":
        return f"it waits for the result of {parent['id']}"
    if strategy == "map-reduce" and place == len(children) - 1:
        open_ = [row["id"] for row in children[:-1] if row["status"] not in ENDED]
        return f"it waits for {', '.join(open_[:5])}" if open_ else ""
    if strategy not in ("sequential", "conditional") or place == 0:
        return ""
    before = children[place - 1]
    if before["status"] not in ENDED:
        return f"it waits for {before['id']}"
    if strategy == "sequential":
        return f"{before['id']}{FAILED}" if before["status"] == "failed" else ""
    return "" if succeeded(before) else f"{before['id']} did not succeed"


def succeeded(row: Row) -> bool:
    """Whether a task completed, and its result says success where it says anything."""
    result = (row.get("result") or {}).get("status")
    return row["status"] == "completed" and result in (None, "success")


def given_up(tasks: Sequence[Row]) -> dict[str, str]:
    """Pending children of a conditional task whose turn cannot come any more, and why."""
    conditional = {row["id"] for row in tasks if row.get("decomposition_strategy") == "conditional"}
    if not conditional:
        return {}
    parents = {row["id"]: row.get("parent") for row in tasks}
    return {
        id_: reason
        for id_, reason in waiting(tasks).items()
        if parents[id_] in conditional and "did not succeed" in reason
    }
