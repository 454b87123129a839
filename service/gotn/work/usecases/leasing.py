"""Leases: whose a step is, and how it comes back from a worker that is gone."""

import secrets
from typing import Any

from gotn.errors import LeaseLost, NotFound
from gotn.work.records import NodeStatus, StepStatus
from gotn.work.rules import retries, running
from gotn.work.usecases import blocking, following
from gotn.work.usecases.turns import FREE, Turn

Row = dict[str, Any]


def mine(turn: Turn, node_id: str, token: str) -> Row:
    """The running step that this token claimed and whose lease lasts; LeaseLost otherwise."""
    steps = turn.board.of_node(node_id)
    if not steps:
        raise NotFound(f"{node_id!r} is no step of run {turn.board.id}.", id=node_id)
    for step in steps:
        if running.step_status(step) is StepStatus.RUNNING and _same(step, token):
            if (step.get("lease_end") or 0) > turn.clock:
                return step
            raise lost(step, f"its lease ended at {step.get('lease_until')}")
    raise lost(steps[-1], _whose(turn, steps[-1]))


def ended_by(turn: Turn, node_id: str, token: str) -> Row | None:
    """The step that this token has ended already: whoever ended it did not hear the answer."""
    for step in turn.board.of_node(node_id):
        status = running.step_status(step)
        if status in running.ENDED and _same(step, token) and not step.get("cancelled"):
            return step
    return None


def _same(step: Row, token: str) -> bool:
    return secrets.compare_digest(str(step.get("token") or "").encode(), token.encode())


def lost(step: Row, why: str) -> LeaseLost:
    """The error for who has lost a step: who has it now, and since when it is not theirs."""
    open_ = running.step_status(step) is StepStatus.RUNNING
    return LeaseLost(
        f"{step['node']} in {step['run']} is not yours any more: {why}. Nothing was changed.",
        id=step["node"],
        status=running.step_status(step).value,
        holder=step.get("worker") if open_ else None,
        lease_until=step.get("lease_until"),
        attempt=step.get("attempt"),
    )


def _whose(turn: Turn, step: Row) -> str:
    """What became of a step, for somebody who thought that they had it."""
    status = running.step_status(step)
    if status is StepStatus.RUNNING:
        return (
            f"{step.get('worker')} has it until {step.get('lease_until')}, "
            f"attempt {step.get('attempt')}"
        )
    if status is StepStatus.READY:
        return "your lease ended, and it waits for a worker"
    why = step.get("reason") or turn.board.run.get("reason")
    return f"it is {status.value}" + (f" ({why})" if why else "")


async def give_back(turn: Turn) -> None:
    """Make steps ready again whose lease is over."""
    expired, turn.board.expired = turn.board.expired, []
    freed = False
    for position in expired:
        step = turn.board.steps[position]
        status = running.step_status(step)
        if status is StepStatus.RUNNING and (step.get("lease_end") or 0) <= turn.clock:
            await _expire(turn, step)
            freed = True
    if freed:
        turn.write_down()
        await following.follow(turn, await blocking.review(turn.tx, turn.ledger))


async def _expire(turn: Turn, step: Row) -> None:
    await put_back(turn, step, "expired", f"the lease of {step.get('worker')} ended")


async def put_back(turn: Turn, step: Row, outcome: str, why: str) -> None:
    """Let a running step be ready again at once; no failure of it."""
    said: Row = {
        "status": StepStatus.READY.value,
        "reason": why,
        "started_at": None,
        "attempts": retries.noted(step, outcome, turn.ledger.time, reason=why),
    }
    turn.step(step, said, token=None, **FREE)
    await turn.node(step["node"], NodeStatus.READY, "update_run")
