"""What the end of a step brings about: others can start, are held, or are free again."""

from typing import Any

from gotn.work.records import NodeStatus
from gotn.work.rules import moves, running
from gotn.work.store import nodes, steps
from gotn.work.store import running as store
from gotn.work.usecases import blocking
from gotn.work.usecases.turns import Turn

Row = dict[str, Any]


async def satisfied(turn: Turn, node_id: str, status: NodeStatus) -> None:
    """A node is done now: one prerequisite less for what needs it, in every running run."""
    held = False
    for after in turn.tx.running.after.get(node_id, ()):
        held = held or after.held
        if after.satisfied_by == "SUCCESS" and status is not NodeStatus.COMPLETED:
            continue
        for step in after.steps:
            if step.get("waits"):
                store.put(turn.tx, step, {"waits": step["waits"] - 1})
    if held:  # a failed node may have held them through this one alone
        await follow(turn, await blocking.review(turn.tx, turn.ledger))


async def ended(turn: Turn, node_id: str, status: NodeStatus, event: str, reason: Any) -> None:
    """Write a step's end on its node, and on what comes after it."""
    known = (await nodes.get(turn.tx, turn.ledger.project_id, [node_id])).get(node_id)
    before = NodeStatus(known["status"]) if known else status
    moved = await turn.node(node_id, status, event, reason)
    turn.write_down()
    if moved and status in moves.SATISFIED and before not in moves.SATISFIED:
        await satisfied(turn, node_id, status)
    if moved and NodeStatus.FAILED in (before, status):
        await follow(turn, await blocking.review(turn.tx, turn.ledger), node_id)


async def follow(turn: Turn, changes: list[Row], *failed: str) -> None:
    """Block and free the steps of nodes that were blocked and freed, in every running run."""
    causes: dict[str, str | None] = {row["id"]: row.get("blocked_by") for row in changes}
    causes |= {id_: id_ for id_ in failed}
    if not causes:
        return
    await turn.tx.flush()
    found = await steps.of_nodes(turn.tx.plain, turn.ledger.project_id, list(causes))
    for run_id, node_id, stored in found:
        step = turn.tx.running.known(run_id, node_id, stored)
        cause = causes[node_id]
        status = running.step_status(step).value
        if cause is None:
            said: Row = {"status": "ready", "reason": None} if status == "blocked" else {}
        elif status in ("ready", "blocked"):
            said = {"status": "blocked", "reason": f"failed: {cause}"}
        else:
            said = {}
        if any(step.get(name) != value for name, value in said.items()):
            turn.step(step, said)
    turn.write_down()
    if not turn.board.run.get("counted_seq"):
        return
    store.put_run(turn.tx, turn.board, {"counted_seq": turn.ledger.seq}, kept=True)
