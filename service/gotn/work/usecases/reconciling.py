"""A run against the graph: what its steps wait for, what holds them, in which order they go.

While a run is executed its counters are kept by those who end steps. Whatever else changes a
hard edge or a node's status is noticed by the journal's seq, and the run is looked at as a
whole before the next step is given out.
"""

from typing import Any

from gotn.work.records import NodeStatus
from gotn.work.rules import moves, priorities
from gotn.work.store import running as store
from gotn.work.store import steps
from gotn.work.usecases.turns import Turn, begun

Row = dict[str, Any]


async def settled(turn: Turn, *, ends: bool = False, node: str | None = None) -> Turn:
    """The turn on a run whose counters hold; the same one where they do already."""
    if not _stale(turn):
        return turn
    await whole(turn)
    named = [node] if node is not None else []
    return await begun(turn.tx, turn.ledger, turn.board.id, nodes=named, ends=ends)


def _stale(turn: Turn) -> bool:
    """Whether the graph moved since the run's counters were made."""
    moved = max(turn.tx.running.graph_seq, turn.ledger.graph_seq or 0)
    counted = turn.board.run.get("counted_seq")
    return counted is None or counted < moved


async def whole(turn: Turn) -> None:
    """Look at every open step, and write what is otherwise; the window forgets its runs."""
    turn.write_down()
    await turn.tx.flush()
    found = await steps.open_steps(turn.tx.plain, turn.ledger.project_id, turn.board.id)
    ranked = await _priorities(turn, found)
    for step in found.rows:
        said = _said(turn, step)
        kept: Row = {} if step.waits == step.counted else {"waits": step.waits}
        if step.position in ranked and ranked[step.position] != step.priority:
            kept["priority"] = ranked[step.position]
        if not (said or kept):
            continue
        event = "execute_step" if said.get("status") == "skipped" else "update_run"
        before = store.plain(turn.board.id, step.node, step.stored())
        if said:
            turn.step(before, said, event, **kept)
        else:
            store.put(turn.tx, before, kept)
    _count(turn, found)
    turn.write_down()
    await turn.tx.flush()
    turn.tx.running = None
    turn.tx.stale = True


def _said(turn: Turn, step: steps.OpenStep) -> Row:
    """What a step becomes for its node's sake; empty where it stays."""
    if NodeStatus(step.node_status) in moves.SATISFIED:
        reason = f"{step.node} is {step.node_status} already"
        return {"status": "skipped", "reason": reason, "finished_at": turn.ledger.time}
    cause = step.node if step.node_status == NodeStatus.FAILED.value else step.cause
    if cause:
        reason = f"failed: {cause}"
        same = step.status == "blocked" and step.reason == reason
        return {} if same else {"status": "blocked", "reason": reason}
    return {"status": "ready", "reason": None} if step.status == "blocked" else {}


async def _priorities(turn: Turn, found: steps.OpenSteps) -> dict[int, float]:
    """Each step's priority where one has none yet."""
    if all(step.priority is not None for step in found.rows):
        return {}
    pairs = await steps.edges(turn.tx.plain, turn.ledger.project_id, turn.board.id)
    minutes = {step.position: step.minutes for step in found.rows}
    return priorities.longest(minutes, pairs)


def _count(turn: Turn, found: steps.OpenSteps) -> None:
    """The run's counters, from what is stored and what was changed just now."""
    counts = dict(found.counts)
    for step in found.rows:
        now = turn.tx.running.steps.get((turn.board.id, step.position), {}).get("status")
        after = now or step.status
        counts[after] = counts.get(after, 0) + 1
    seq = max(turn.ledger.seq, turn.tx.running.graph_seq)
    kept = {f"steps_{name}": counts.get(name, 0) for name in store.COUNTED}
    store.put_run(turn.tx, turn.board, kept | {"counted_seq": seq}, kept=True)
