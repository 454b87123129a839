"""A run as a whole: start, cancel, resume."""

from typing import Any

from gotn import checks
from gotn.database.connection import Database, Tx
from gotn.journal import Ledger
from gotn.work.records import NodeStatus, OnFailure, Run, RunStatus, StepStatus
from gotn.work.rules import retries, running
from gotn.work.store import nodes
from gotn.work.store.touches import Touches
from gotn.work.usecases import blocking, claiming, following, reconciling
from gotn.work.usecases.turns import FREE, Turn, begun, expect, finish
from gotn.work.usecases.writing import Request, write

Row = dict[str, Any]


async def start(
    database: Database,
    request: Request,
    run_id: str,
    on_failure: OnFailure = OnFailure.GO_ON,
    expected_revision: int | None = None,
) -> Run:
    """Let a planned run begin; IllegalMove for any other. Claims are refused only after its end."""

    async def work(tx: Tx, ledger: Ledger) -> Run:
        turn = await begun(tx, ledger, run_id)
        expect(turn, expected_revision)
        if running.run_status(turn.board.run) is not RunStatus.PLANNED:
            raise running.illegal_start(turn.board.run)
        claiming.start(turn, on_failure)
        turn = await reconciling.settled(turn)
        turn.write_down()
        return turn.told()

    given = {"run": run_id, "on_failure": on_failure.value, "expected_revision": expected_revision}
    touches = Touches(run=run_id)
    return await write(
        database, request, "startRun", given, Run, work, create=False, touches=touches
    )


async def cancel(
    database: Database,
    request: Request,
    run_id: str,
    reason: str,
    expected_revision: int | None = None,
) -> Run:
    """Give a run up: what is open in it is skipped with the reason, what is running too.

    Its nodes stay open, for another run; whoever works on one of its steps gets LeaseLost.
    """
    checks.reason(reason)

    async def work(tx: Tx, ledger: Ledger) -> Run:
        turn = await begun(tx, ledger, run_id)
        expect(turn, expected_revision)
        running.check_run(turn.board.run, RunStatus.CANCELLED)
        said = {"status": RunStatus.CANCELLED.value, "finished_at": ledger.time}
        turn.run(said | {"reason": reason, "cancelled_by": ledger.actor})
        was_running = await _skip_open(turn, f"cancelled: {reason}")
        turn.write_down()
        if was_running:
            await following.follow(turn, await blocking.review(turn.tx, ledger))
        return turn.told()

    given = {"run": run_id, "reason": reason, "expected_revision": expected_revision}
    touches = Touches(run=run_id)
    return await write(
        database, request, "cancelRun", given, Run, work, create=False, touches=touches
    )


async def _skip_open(turn: Turn, reason: str) -> bool:
    """Skip every open step; whether any was running."""
    open_ = ("ready", "blocked", "running")
    found = await turn.steps(open_)
    was_running = [step for step in found if running.step_status(step) is StepStatus.RUNNING]
    await nodes.get(turn.tx, turn.ledger.project_id, [step["node"] for step in was_running])
    for step in found:
        said: Row = {
            "status": StepStatus.SKIPPED.value,
            "finished_at": turn.ledger.time,
            "reason": reason,
            "cancelled": True,
        }
        if step in was_running:
            noted = retries.noted(step, "cancelled", turn.ledger.time, reason=reason)
            said["attempts"] = noted
            await turn.node(step["node"], NodeStatus.READY, "update_run")
        turn.step(step, said, retry_at=None, **FREE)
    return bool(was_running)


async def resume(
    database: Database, request: Request, run_id: str, expected_revision: int | None = None
) -> Run:
    """Go on with a run that failed or was cancelled: what failed is tried anew, from the start.

    Steps that the cancelling skipped are ready again; those that somebody skipped stay.
    """

    async def work(tx: Tx, ledger: Ledger) -> Run:
        turn = await begun(tx, ledger, run_id)
        expect(turn, expected_revision)
        if running.run_status(turn.board.run) not in running.RESUMED:
            raise running.over(turn.board.run, "resumed")
        cleared = dict.fromkeys(("finished_at", "reason", "cancelled_by"))
        turn.run({"status": RunStatus.RUNNING.value, **cleared, "started_at": _since(turn)})
        await _reopen(turn)
        turn.write_down()
        await blocking.review(turn.tx, ledger)
        await turn.tx.flush()
        turn.tx.running = None
        turn = await begun(turn.tx, ledger, run_id)
        await reconciling.whole(turn)
        turn = await begun(turn.tx, ledger, run_id)
        finish(turn)
        turn.write_down()
        return turn.told()

    given = {"run": run_id, "expected_revision": expected_revision}
    touches = Touches(run=run_id)
    return await write(
        database, request, "resumeRun", given, Run, work, create=False, touches=touches
    )


def _since(turn: Turn) -> str:
    """When it was first started."""
    found: str = turn.board.run.get("started_at") or turn.ledger.time
    return found


async def _reopen(turn: Turn) -> None:
    """Failed and cancelled steps are ready, with their attempts behind them; failed nodes too."""
    found = await turn.steps(("failed",), cancelled=True)
    failed = [step for step in found if running.step_status(step) is StepStatus.FAILED]
    await nodes.get(turn.tx, turn.ledger.project_id, [step["node"] for step in failed])
    for step in found:
        said: Row = dict.fromkeys(("reason", "cancelled", "started_at", "finished_at"))
        said["status"] = StepStatus.READY.value
        said |= retries.cleared(step)
        if step.get("attempts"):
            *before, last = step["attempts"]
            said["attempts"] = [*before, last | {"resumed": True}]
        turn.step(step, said, retry_at=None, waits=None, token=None)
        if step in failed:
            await turn.reopen(step["node"])
