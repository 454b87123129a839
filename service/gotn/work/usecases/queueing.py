"""The order in which the steps of a run are given out."""

from dataclasses import dataclass
from typing import Any

from gotn.work.records import NodeStatus, StepStatus
from gotn.work.rules import moves, running
from gotn.work.store import nodes, steps
from gotn.work.store import running as store
from gotn.work.usecases.turns import Turn

Row = dict[str, Any]


@dataclass(frozen=True)
class Wanted:
    """Which steps a worker takes: of these kinds, with any of these tags; empty: of all."""

    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.kinds or self.tags)


async def next_step(turn: Turn, wanted: Wanted) -> Row | None:
    """The first step that can be given out; those whose node is done already are skipped."""
    board = turn.board
    while running.hands_out(board.run, board.counts()):
        step = await _first(turn, wanted)
        if step is None:
            return None
        known = await nodes.get(turn.tx, turn.ledger.project_id, [step["node"]])
        status = NodeStatus(known[step["node"]]["status"])
        if status is NodeStatus.READY:
            return step
        if status in moves.SATISFIED:
            await _skip(turn, step, status)
    return None


async def _first(turn: Turn, wanted: Wanted) -> Row | None:
    if wanted:
        await turn.tx.flush()
        found = await steps.ready_of(
            turn.tx.plain,
            turn.ledger.project_id,
            turn.board.id,
            turn.clock,
            wanted.kinds,
            wanted.tags,
        )
        return None if found is None else turn.tx.running.known(turn.board.id, *found)
    while True:
        while turn.board.ready:
            queue, position = turn.board.ready.pop(0)
            step = turn.board.steps[position]
            if step.get("queue") == queue and (step.get("retry_at") or 0) <= turn.clock:
                return step
        if not turn.board.more:
            return None
        await store.reload(turn.tx, turn.board.id)


async def _skip(turn: Turn, step: Row, status: NodeStatus) -> None:
    """A step whose node was done elsewhere is skipped when its turn comes (decisions, Status)."""
    reason = f"{step['node']} is {status.value} already"
    said = {"reason": reason, "finished_at": turn.ledger.time}
    turn.step(step, {"status": StepStatus.SKIPPED.value, **said}, "execute_step")
    turn.write_down()


async def wait_ms(turn: Turn) -> int | None:
    """Milliseconds until time alone makes a step ready: a retry, or the end of a lease."""
    await turn.tx.flush()
    at = await steps.next_moment(turn.tx.plain, turn.ledger.project_id, turn.board.id, turn.clock)
    return None if at is None else max(1, at - turn.clock)
