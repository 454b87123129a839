"""Which status of a run and of a step may follow which, and when a run has ended.

Staying where it is, is no move. `completed` is final for both (decisions, Status).
"""

from collections.abc import Mapping
from typing import Any

from gotn.errors import IllegalMove
from gotn.work.records import OnFailure, RunStatus, StepStatus

R, S = RunStatus, StepStatus
Row = Mapping[str, Any]

RUN_MOVES: dict[RunStatus, frozenset[RunStatus]] = {
    R.PLANNED: frozenset({R.RUNNING, R.CANCELLED}),
    R.RUNNING: frozenset({R.COMPLETED, R.FAILED, R.CANCELLED}),
    R.COMPLETED: frozenset(),
    R.FAILED: frozenset({R.RUNNING}),  # resume
    R.CANCELLED: frozenset({R.RUNNING}),  # resume
}
STEP_MOVES: dict[StepStatus, frozenset[StepStatus]] = {
    S.READY: frozenset({S.RUNNING, S.SKIPPED, S.BLOCKED}),
    S.RUNNING: frozenset({S.COMPLETED, S.FAILED, S.SKIPPED, S.READY}),
    S.BLOCKED: frozenset({S.READY, S.SKIPPED}),
    S.COMPLETED: frozenset(),
    S.FAILED: frozenset({S.READY}),  # resume
    S.SKIPPED: frozenset({S.READY}),  # resume of a cancelled run
}
#: Steps that have ended; those that have not are open.
ENDED = frozenset({S.COMPLETED, S.FAILED, S.SKIPPED})
#: Runs in which nothing happens any more.
OVER = frozenset({R.COMPLETED, R.FAILED, R.CANCELLED})
#: Runs that can be resumed.
RESUMED = frozenset({R.FAILED, R.CANCELLED})


def run_status(row: Row) -> RunStatus:
    """Where a run stands; one that an import brought without a status was only planned."""
    return RunStatus(row.get("status") or RunStatus.PLANNED)


def step_status(row: Row) -> StepStatus:
    """Where a step stands; one without a status was not started."""
    return StepStatus(row.get("status") or StepStatus.READY)


def check_run(row: Row, after: RunStatus) -> None:
    """Raise IllegalMove where a run may not go there."""
    before = run_status(row)
    if after not in RUN_MOVES[before]:
        raise _illegal(f"Run {row['id']}", "run", before.value, after.value, RUN_MOVES[before])


def check_step(row: Row, after: StepStatus) -> None:
    """Raise IllegalMove where a step may not go there."""
    before = step_status(row)
    if after not in STEP_MOVES[before]:
        what = f"{row['node']} in {row['run']}"
        raise _illegal(what, "step", before.value, after.value, STEP_MOVES[before])


def over(row: Row, what: str) -> IllegalMove:
    """The error for what a run that has ended does not allow: its steps cannot be … any more."""
    status = run_status(row).value
    legal = sorted(one.value for one in RUN_MOVES[run_status(row)])
    return IllegalMove(
        f"Run {row['id']} is {status}: its steps cannot be {what}.",
        before=status,
        after=R.RUNNING.value,
        legal=legal,
    )


def illegal_start(row: Row) -> IllegalMove:
    """The error for starting a run that was started before."""
    status = run_status(row)
    instead = "; it can be resumed" if status in RESUMED else ""
    return IllegalMove(
        f"Run {row['id']}: a {status.value} run cannot be started{instead}.",
        before=status.value,
        after=R.RUNNING.value,
        legal=sorted(one.value for one in RUN_MOVES[status]),
    )


def _illegal(what: str, kind: str, before: str, after: str, legal: frozenset[Any]) -> IllegalMove:
    allowed = sorted(one.value for one in legal)
    said = f", only {', '.join(allowed)}" if allowed else ": it is final"
    return IllegalMove(
        f"{what}: a {before} {kind} cannot become {after}{said}.",
        before=before,
        after=after,
        legal=allowed,
    )


def outcome(run: Row, count: Mapping[str, int]) -> RunStatus | None:
    """What a running run has become, from how many of its steps stand where; None: it goes on.

    `waiting` are steps whose node is not stored. Who fails fast ends when the running steps
    have; otherwise a run ends when none is ready or running.
    """
    if count["running"]:
        return None
    if count["failed"] and run.get("on_failure") == OnFailure.FAIL_FAST.value:
        return R.FAILED
    if count["ready"] or count["waiting"]:
        return None
    return R.FAILED if count["failed"] or count["blocked"] else R.COMPLETED


def hands_out(run: Row, count: Mapping[str, int]) -> bool:
    """Whether a running run still gives out steps: one that fails fast does not after a failure."""
    fast = run.get("on_failure") == OnFailure.FAIL_FAST.value
    return not (fast and count["failed"])
