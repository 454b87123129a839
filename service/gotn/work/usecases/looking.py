"""What can be claimed in a run, and why the rest cannot; reads only."""

from typing import Any

from gotn.database.connection import Database, Tx
from gotn.errors import NotFound
from gotn.work.records import NextStep, NodeStatus, RunStatus, StepOfRun
from gotn.work.rules import running
from gotn.work.store import running as store
from gotn.work.store import steps
from gotn.work.store.keys import key
from gotn.work.usecases.turns import shown
from gotn.work.usecases.writing import check_project

Row = dict[str, Any]


async def ready(database: Database, project_id: str, run_id: str, first: int) -> list[StepOfRun]:
    """The steps that a claim would give out now, in its order; none of a run that is over."""
    check_project(project_id)

    async def read(tx: Tx) -> list[StepOfRun]:
        row = await _run(tx, project_id, run_id, first)
        if row["current"] and row["status"] == RunStatus.RUNNING.value:
            found = [store.plain(run_id, *step) for step in row["steps"]] if _gives(row) else []
            return [shown(project_id, step) for step in found]
        # Nobody has counted since the graph moved, or ever.
        every = await _every(tx, project_id, run_id, row)
        return [one.step for one in every if one.ready][:first]

    return await database.read(read)


async def upcoming(database: Database, project_id: str, run_id: str, first: int) -> list[NextStep]:
    """The steps that are not begun: first those that are ready, each other with the reason."""
    check_project(project_id)

    async def read(tx: Tx) -> list[NextStep]:
        row = await _run(tx, project_id, run_id, 1)
        every = await _every(tx, project_id, run_id, row)
        return sorted(every, key=lambda one: not one.ready)[:first]

    return await database.read(read)


async def _run(tx: Tx, project_id: str, run_id: str, first: int) -> Row:
    run = key(project_id, run_id)
    row = await tx.one("run/ready_steps", project=project_id, run=run, first=first)
    if row is None:
        raise NotFound(f"There is no run {run_id!r}.", id=run_id)
    return row


def _gives(row: Row) -> bool:
    """Whether the run gives out steps at all."""
    over = RunStatus(row["status"]) in running.OVER
    return not over and running.hands_out(row, {"failed": row["failed"]})


async def _every(tx: Tx, project_id: str, run_id: str, row: Row) -> list[NextStep]:
    """Every step that is not begun, in the order of claims, looked at anew."""
    found = await steps.open_steps(tx, project_id, run_id)
    stored = dict(_placed(await steps.standing(tx, project_id, run_id, ("ready", "blocked"))))
    ordered = sorted(found.rows, key=lambda one: (-(one.priority or 0), one.position))
    made = []
    for one in ordered:
        reason = _reason(one, stored[one.position], row)
        whole = shown(project_id, store.plain(run_id, one.node, stored[one.position]))
        made.append(NextStep(step=whole, ready=reason is None, reason=reason))
    return made


def _placed(rows: list[tuple[str, Row]]) -> list[tuple[int, Row]]:
    return [(stored["position"], stored) for _, stored in rows]


def _reason(step: steps.OpenStep, stored: Row, row: Row) -> str | None:
    """What stands against claiming a step; None: nothing."""
    status = NodeStatus(step.node_status)
    if not _gives(row):
        return f"the run is {row['status']} and gives out no more steps"
    if step.cause or status is NodeStatus.FAILED:
        return f"failed: {step.cause or step.node}"
    if step.waits:
        return f"waits for {step.waits} of the nodes that it needs"
    if (stored.get("retry_at") or 0) > row["clock"]:
        return f"is tried again at {stored.get('not_before')}"
    return None if status is NodeStatus.READY else f"its node is {status.value}"
