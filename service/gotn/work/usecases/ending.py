"""How a step ends: completed, failed for good or to be tried again, skipped, or given back."""

from collections.abc import Sequence
from typing import Any

from gotn import checks, shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Invalid, LimitExceeded
from gotn.journal import Ledger
from gotn.work.records import NodeStatus, RunStatus, StepOfRun, StepStatus
from gotn.work.rules import forms, retries, running
from gotn.work.store import nodes
from gotn.work.store.touches import Touches
from gotn.work.usecases import blocking, following, leasing, reconciling
from gotn.work.usecases.claiming import start, step_of
from gotn.work.usecases.turns import FREE, Turn, begun, expect, finish
from gotn.work.usecases.writing import Request, write

Row = dict[str, Any]
#: Bytes of JSON that a step's outputs may have.
OUTPUT_BYTES = 64 * 1024


def result(outputs: Any, artifacts: Sequence[str], duration_ms: int | None) -> Row:
    """What an attempt brought, checked; absent members are left out."""
    found: Row = {}
    if outputs is not None:
        size = len(shapes.dumps(forms.leaf(outputs, "outputs")).encode())
        if size > OUTPUT_BYTES:
            raise LimitExceeded(
                f"outputs: expected at most {OUTPUT_BYTES} bytes of JSON, found {size}",
                limit=OUTPUT_BYTES,
            )
        found["outputs"] = outputs
    if artifacts:
        found["artifacts"] = forms.identifiers(artifacts, "artifacts")
    if duration_ms is not None:
        if not 0 <= duration_ms <= shapes.LARGEST_INTEGER:
            raise Invalid(f"durationMs: expected 0 or more, found {duration_ms}")
        found["duration_ms"] = duration_ms
    return found


async def complete(
    database: Database,
    request: Request,
    run_id: str,
    node_id: str,
    token: str,
    *,
    outputs: Any = None,
    artifacts: Sequence[str] = (),
    duration_ms: int | None = None,
    expected_revision: int | None = None,
) -> StepOfRun:
    """End a step well, and its node with it. Whose lease is over gets LeaseLost, nothing changes.

    The same token again, after its step was completed, gives the step as it is.
    """
    brought = result(outputs, artifacts, duration_ms)

    async def work(turn: Turn) -> Row:
        known = leasing.ended_by(turn, node_id, token)
        if known is not None and running.step_status(known) is StepStatus.COMPLETED:
            return known
        step = leasing.mine(turn, node_id, token)
        _end(turn, step, StepStatus.COMPLETED, brought)
        await following.ended(turn, node_id, NodeStatus.COMPLETED, "execute_step", None)
        return step

    given = {"run": run_id, "node": node_id, "token": token, **brought}
    return await _ending(
        database, request, "completeStep", given, run_id, node_id, work, expected_revision
    )


async def fail(
    database: Database,
    request: Request,
    run_id: str,
    node_id: str,
    token: str,
    reason: str,
    *,
    outputs: Any = None,
    artifacts: Sequence[str] = (),
    duration_ms: int | None = None,
    final: bool = False,
    expected_revision: int | None = None,
) -> StepOfRun:
    """End an attempt badly: the step waits to be tried again where its node's policy says so.

    Failed for good, or `final`, its node is failed and what needs it is blocked.
    """
    checks.reason(reason)
    brought = result(outputs, artifacts, duration_ms)

    async def work(turn: Turn) -> Row:
        known = leasing.ended_by(turn, node_id, token)
        if known is not None and running.step_status(known) is StepStatus.FAILED:
            return known
        step = leasing.mine(turn, node_id, token)
        node = (await nodes.get(turn.tx, turn.ledger.project_id, [node_id])).get(node_id, {})
        policy = retries.read(node.get("extra"))
        failures = retries.failures(step.get("attempts")) + 1
        if final or failures >= policy.attempts:
            _end(turn, step, StepStatus.FAILED, brought, reason)
            await following.ended(turn, node_id, NodeStatus.FAILED, "execute_step", reason)
        else:
            await _retry(turn, step, brought, reason, policy.delay_ms(failures))
        return step

    given: Row = {"run": run_id, "node": node_id, "token": token, "reason": reason, "final": final}
    given |= brought
    return await _ending(
        database, request, "failStep", given, run_id, node_id, work, expected_revision
    )


async def skip(
    database: Database,
    request: Request,
    run_id: str,
    node_id: str,
    reason: str,
    *,
    token: str | None = None,
    expected_revision: int | None = None,
) -> StepOfRun:
    """Leave a step out, and its node with it; a running one only with its token."""
    checks.reason(reason)

    async def work(turn: Turn) -> Row:
        step = step_of(turn, node_id)
        if token is None and running.run_status(turn.board.run) in running.OVER:
            raise running.over(turn.board.run, "skipped")
        if running.step_status(step) is StepStatus.RUNNING:
            step = leasing.mine(turn, node_id, token or "")
        elif token is not None:
            known = leasing.ended_by(turn, node_id, token)
            if known is None:
                leasing.mine(turn, node_id, token)
            elif running.step_status(known) is StepStatus.SKIPPED:
                return known
        running.check_step(step, StepStatus.SKIPPED)
        _end(turn, step, StepStatus.SKIPPED, {}, reason)
        await following.ended(turn, node_id, NodeStatus.SKIPPED, "execute_step", reason)
        return step

    given = {"run": run_id, "node": node_id, "token": token, "reason": reason}
    return await _ending(
        database, request, "skipStep", given, run_id, node_id, work, expected_revision
    )


async def release(
    database: Database,
    request: Request,
    run_id: str,
    node_id: str,
    token: str,
    reason: str,
    *,
    expected_revision: int | None = None,
) -> StepOfRun:
    """Give a step back that its worker cannot go on with: ready at once, and no failure of it."""
    checks.reason(reason)

    async def work(turn: Turn) -> Row:
        step = leasing.mine(turn, node_id, token)
        await leasing.put_back(turn, step, "released", reason)
        turn.write_down()
        await following.follow(turn, await blocking.review(turn.tx, turn.ledger))
        return step

    given = {"run": run_id, "node": node_id, "token": token, "reason": reason}
    return await _ending(
        database, request, "releaseStep", given, run_id, node_id, work, expected_revision
    )


async def _ending(
    database: Database,
    request: Request,
    operation: str,
    given: Row,
    run_id: str,
    node_id: str,
    end: Any,
    expected_revision: int | None,
) -> StepOfRun:
    """The frame of every end: a run that is current, and its own end where this was the last."""

    async def work(tx: Tx, ledger: Ledger) -> StepOfRun:
        turn = await begun(tx, ledger, run_id, nodes=[node_id], ends=True)
        expect(turn, expected_revision)
        status = running.run_status(turn.board.run)
        if status is RunStatus.PLANNED:
            start(turn)
        if status not in running.OVER:
            turn = await reconciling.settled(turn, node=node_id, ends=True)
        step = await end(turn)
        turn.write_down()
        finish(turn)
        turn.write_down()
        return turn.shown(step)

    given = given | {"expected_revision": expected_revision}
    touches = Touches(nodes=(node_id,), run=run_id, steps=(node_id,), ends=(node_id,))
    return await write(
        database, request, operation, given, StepOfRun, work, create=False, touches=touches
    )


def _end(
    turn: Turn, step: Row, status: StepStatus, brought: Row, reason: str | None = None
) -> None:
    """The step's row at its end; its attempt is noted where somebody had it."""
    said: Row = {"status": status.value, "finished_at": turn.ledger.time, "reason": reason}
    said |= brought
    if running.step_status(step) is StepStatus.RUNNING:
        facts = brought | {"reason": reason}
        said["attempts"] = retries.noted(step, status.value, turn.ledger.time, **facts)
    turn.step(step, said, "execute_step", retry_at=None, **FREE)


async def _retry(turn: Turn, step: Row, brought: Row, reason: str, delay_ms: int) -> None:
    """The step is ready again, after a while; its node too."""
    said: Row = {
        "status": StepStatus.READY.value,
        "reason": reason,
        "started_at": None,
        "not_before": turn.moment(delay_ms) if delay_ms else None,
        "attempts": retries.noted(step, "failed", turn.ledger.time, **brought, reason=reason),
    }
    retry_at = turn.clock + delay_ms if delay_ms else None
    turn.step(step, said, retry_at=retry_at, **FREE)
    await turn.node(step["node"], NodeStatus.READY, "update_run")
    turn.write_down()
    await following.follow(turn, await blocking.review(turn.tx, turn.ledger))
