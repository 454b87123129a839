"""Hand out the steps of a run: each to one worker, for as long as its lease lasts.

All of it happens under the project's lock, by the database's clock. Leases go by a clock of
their own (`store.running.Running`) that never goes back: what a lease promised holds, and a
step is not handed out twice, whatever happens to the server's.
"""

import secrets
from collections.abc import Sequence
from typing import Any

from gotn import shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Conflict, Invalid, NotFound
from gotn.journal import Ledger
from gotn.work.records import (
    Claim,
    ClaimStatus,
    NodeStatus,
    OnFailure,
    RunStatus,
    StepStatus,
)
from gotn.work.rules import forms, retries, running
from gotn.work.store import nodes
from gotn.work.store import running as store
from gotn.work.store.touches import Touches
from gotn.work.usecases import leasing, queueing, reconciling
from gotn.work.usecases.turns import Turn, begun, expect, finish
from gotn.work.usecases.writing import Request, write

Row = dict[str, Any]
#: Milliseconds that a lease lasts: at least, at most, and where nobody says.
SHORTEST, LONGEST, USUAL = 1000, 3_600_000, 60_000
#: Kinds or tags that one claim may ask for.
CHOICES = 100


async def claim(
    database: Database,
    request: Request,
    run_id: str,
    worker: str,
    *,
    node_id: str | None = None,
    kinds: Sequence[str] = (),
    tags: Sequence[str] = (),
    lease_ms: int = USUAL,
    expected_revision: int | None = None,
) -> Claim:
    """Give a worker the next ready step, or the one that is named, for `lease_ms`.

    The first is the one with the longest chain behind it, then the first as planned. That
    nothing is ready, or that the run has ended, is an answer; for a named step it is a
    Conflict or IllegalMove that says who has it. A planned run is started.
    """
    forms.identifier(worker, "worker")
    check_lease(lease_ms)
    wanted = queueing.Wanted(
        tuple(forms.identifiers(kinds, "kinds", CHOICES)),
        tuple(forms.identifiers(tags, "tags", CHOICES)),
    )

    async def work(tx: Tx, ledger: Ledger) -> Claim:
        named = [node_id] if node_id is not None else []
        turn = await begun(tx, ledger, run_id, nodes=named)
        expect(turn, expected_revision)
        if running.run_status(turn.board.run) in running.OVER:
            return _ended(turn, node_id)
        start(turn)
        turn = await reconciling.settled(turn, node=node_id)
        await leasing.give_back(turn)
        if node_id is not None:
            return await _named(turn, node_id, worker, lease_ms)
        step = await queueing.next_step(turn, wanted)
        if step is None:
            return await _nothing(turn)
        return await _give(turn, step, worker, lease_ms)

    given: Row = {"run": run_id, "worker": worker, "node": node_id, "lease_ms": lease_ms}
    given |= {"kinds": list(wanted.kinds), "tags": list(wanted.tags)}
    given["expected_revision"] = expected_revision
    steps = (node_id,) if node_id is not None else ()
    touches = Touches(nodes=steps, run=run_id, steps=steps)
    return await write(
        database, request, "claimStep", given, Claim, work, create=False, touches=touches
    )


def check_lease(lease_ms: int) -> int:
    """The length of a lease, if it can have it."""
    if not SHORTEST <= lease_ms <= LONGEST:
        raise Invalid(
            f"leaseMs: expected {SHORTEST} to {LONGEST}, found {lease_ms}", field="leaseMs"
        )
    return lease_ms


def start(turn: Turn, on_failure: OnFailure = OnFailure.GO_ON) -> None:
    """Let a planned run begin; one that is under way stays as it is."""
    if running.run_status(turn.board.run) is RunStatus.RUNNING:
        return
    running.check_run(turn.board.run, RunStatus.RUNNING)
    turn.run(
        {
            "status": RunStatus.RUNNING.value,
            "on_failure": on_failure.value,
            "started_at": turn.ledger.time,
        }
    )


def _ended(turn: Turn, node_id: str | None) -> Claim:
    if node_id is not None:
        raise running.over(turn.board.run, "claimed")
    return Claim(status=ClaimStatus.RUN_ENDED, run=turn.told())


async def _nothing(turn: Turn) -> Claim:
    """Why there is no step: the run ended just now, or something must come first."""
    finish(turn)
    turn.write_down()
    if running.run_status(turn.board.run) in running.OVER:
        return Claim(status=ClaimStatus.RUN_ENDED, run=turn.told())
    wait = await queueing.wait_ms(turn)
    return Claim(status=ClaimStatus.NOTHING_READY, run=turn.told(), retry_after_ms=wait)


async def _named(turn: Turn, node_id: str, worker: str, lease_ms: int) -> Claim:
    """The step of this node, or what stands against it."""
    step = step_of(turn, node_id)
    if running.step_status(step) is StepStatus.RUNNING:
        raise held(step)
    running.check_step(step, StepStatus.RUNNING)
    if not running.hands_out(turn.board.run, turn.board.counts()):
        raise Conflict(f"Run {turn.board.id} gives out no more steps: one failed.", id=node_id)
    known = (await nodes.get(turn.tx, turn.ledger.project_id, [node_id]))[node_id]
    status = NodeStatus(known["status"])
    if status is not NodeStatus.READY:
        raise Conflict(f"{node_id} is {status.value}, so it cannot be claimed.", id=node_id)
    if step.get("waits"):
        raise Conflict(
            f"{node_id} waits for {step['waits']} of the nodes that it needs.",
            id=node_id,
            waits=step["waits"],
        )
    if (step.get("retry_at") or 0) > turn.clock:
        raise Conflict(
            f"{node_id} is tried again at {step.get('not_before')}, not before.",
            id=node_id,
            not_before=step.get("not_before"),
        )
    return await _give(turn, step, worker, lease_ms)


def step_of(turn: Turn, node_id: str) -> Row:
    """A node's step in the run: an open one rather than one that ended; NotFound for none."""
    steps = turn.board.of_node(node_id)
    if not steps:
        raise NotFound(f"{node_id!r} is no step of run {turn.board.id}.", id=node_id)
    live = [s for s in steps if running.step_status(s) not in running.ENDED]
    return (live or steps)[0]


def held(step: Row) -> Conflict:
    """The error for a step that somebody has."""
    return Conflict(
        f"{step['node']} is {step.get('worker')}'s until {step.get('lease_until')}, "
        f"attempt {step.get('attempt')}.",
        id=step["node"],
        holder=step.get("worker"),
        lease_until=step.get("lease_until"),
        attempt=step.get("attempt"),
    )


async def _give(turn: Turn, step: Row, worker: str, lease_ms: int) -> Claim:
    """The step is the worker's now."""
    node_id = step["node"]
    attempt = int(step.get("attempt") or 0) + 1
    said: Row = {
        "status": StepStatus.RUNNING.value,
        "worker": worker,
        "attempt": attempt,
        "started_at": turn.ledger.time,
        "finished_at": None,
        "reason": None,
        "not_before": None,
    }
    said |= retries.cleared(step)
    token = secrets.token_hex(16)
    until = turn.moment(lease_ms)
    kept: Row = {"token": token, "lease_until": until, "lease_end": turn.clock + lease_ms}
    turn.step(step, said, retry_at=None, heartbeat_at=None, **kept)
    await turn.node(node_id, NodeStatus.RUNNING, "update_run")
    turn.write_down()
    found = (await nodes.get(turn.tx, turn.ledger.project_id, [node_id]))[node_id]
    node = nodes.record(found | {"project_id": turn.ledger.project_id})
    policy = retries.read(node.extra)
    return Claim(
        status=ClaimStatus.CLAIMED,
        run=turn.told(),
        step=turn.shown(step),
        node=node,
        attempt=attempt,
        lease_until=shapes.moment(until),
        token=token,
        time_limit_ms=policy.time_limit_ms,
        warnings=policy.warnings,
    )


async def renew(
    database: Database,
    request: Request,
    run_id: str,
    node_id: str,
    token: str,
    *,
    lease_ms: int = USUAL,
    expected_revision: int | None = None,
) -> Claim:
    """Let a lease last `lease_ms` from now; never shorter than it was. LeaseLost where it is over.

    Not journalled (decisions, Journal).
    """
    check_lease(lease_ms)

    async def work(tx: Tx, ledger: Ledger) -> Claim:
        turn = await begun(tx, ledger, run_id, nodes=[node_id])
        expect(turn, expected_revision)
        step = leasing.mine(turn, node_id, token)
        end = turn.clock + lease_ms
        until = step.get("lease_until")
        kept: Row = {"heartbeat_at": turn.moment(0)}
        if end > (step.get("lease_end") or 0):
            until = turn.moment(lease_ms)
            kept |= {"lease_end": end, "lease_until": until}
        store.put(turn.tx, step, kept)
        return Claim(
            status=ClaimStatus.CLAIMED,
            run=turn.told(),
            step=turn.shown(step),
            attempt=step.get("attempt"),
            lease_until=shapes.moment(until),
            token=token,
        )

    given = {"run": run_id, "node": node_id, "token": token, "lease_ms": lease_ms}
    given["expected_revision"] = expected_revision
    touches = Touches(run=run_id, steps=(node_id,))
    return await write(
        database, request, "heartbeatStep", given, Claim, work, create=False, touches=touches
    )
