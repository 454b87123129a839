"""Plan the rest of a run anew after the graph has changed; what is done or running stays."""

from typing import Any

from gotn.database.connection import Database, Tx
from gotn.journal import Ledger
from gotn.work.records import Plan, Replanned
from gotn.work.rules import fold, replanning, running
from gotn.work.store import edges, nodes, runs, steps
from gotn.work.store.touches import Touches
from gotn.work.usecases import planning, reconciling
from gotn.work.usecases.turns import Turn, begun, expect, finish
from gotn.work.usecases.writing import Request, write

Row = dict[str, Any]
_OPEN = frozenset((running.S.READY, running.S.BLOCKED))
_EVERY = ("ready", "blocked", "running", "completed", "skipped", "failed")


async def replan(
    database: Database,
    request: Request,
    run_id: str,
    *,
    dry_run: bool = False,
    expected_revision: int | None = None,
) -> Replanned:
    """Order what is not begun of a planned or running run as a new plan would, and tell the diff.

    Its scope is that of the run's plan. Steps that ended, are running or are held by a failed
    one are kept. Raises CycleRefused where nodes need each other; `dry_run` changes nothing.
    """

    async def work(tx: Tx, ledger: Ledger) -> Replanned:
        turn = await begun(tx, ledger, run_id)
        expect(turn, expected_revision)
        if running.run_status(turn.board.run) in running.OVER:
            raise running.over(turn.board.run, "planned anew")
        run = await turn.row()
        wanted = await _wanted(turn, run)
        plan = await planning.compute(tx, ledger.project_id, wanted, summaries=False)
        found, kept = await _compared(turn, run, plan)
        if found and not dry_run:
            turn = await _written(turn, found, plan)
        return Replanned(
            run=turn.told(),
            added=tuple(found.added),
            removed=tuple(found.removed),
            moved=tuple(found.moved),
            kept=kept,
            layers=found.layers_without(kept),
        )

    given = {"run": run_id, "dry_run": dry_run, "expected_revision": expected_revision}
    touches = Touches(run=run_id)
    return await write(
        database, request, "replanRun", given, Replanned, work, create=False, touches=touches
    )


async def _wanted(turn: Turn, run: Row) -> planning.Wanted:
    """The scope of the run's own plan, less targets that are gone."""
    targets = run.get("targets") or []
    stored = await nodes.existing(turn.tx, turn.ledger.project_id, targets)
    return planning.Wanted(
        targets=tuple(id_ for id_ in targets if id_ in stored) or tuple(targets),
        leaves=bool(run.get("leaves")),
    )


async def _compared(turn: Turn, run: Row, plan: Plan) -> tuple[replanning.Rest, tuple[str, ...]]:
    """What the new plan changes of the rest, and the nodes of the steps that are kept."""
    every = await turn.steps(_EVERY)
    open_ = [step for step in every if running.step_status(step) in _OPEN]
    held = {blocked.id for blocked in plan.blocked} | await _elsewhere(turn, open_, plan)
    old: list[Row] = []
    kept: list[Row] = []
    for step in every:
        free = running.step_status(step) in _OPEN and step["node"] not in held
        (old if free else kept).append(step)
    ids = [step["node"] for step in kept]
    pairs = await steps.edges_from(turn.tx, turn.ledger.project_id, [*ids, *plan.ordered_node_ids])
    found = replanning.rest(
        turn.board.id, kept, old, plan.ordered_node_ids, pairs, _position(run, every)
    )
    waiting = await _waiting(turn, run, {step["node"] for step in every})
    found.gone += waiting
    found.removed += [step["node"] for step in waiting if step["node"] not in found.added]
    return found, tuple(ids)


def _position(run: Row, every: list[Row]) -> int:
    """The first position that no step of the run ever had."""
    known = run.get("positions") or len(run.get("ordered_node_ids", ()))
    used: list[int] = [step["position"] + 1 for step in every]
    return max([int(known), *used])


async def _waiting(turn: Turn, run: Row, there: set[str]) -> list[Row]:
    """Steps of nodes that are not stored: nothing to plan, so they leave the run."""
    ids = [id_ for id_ in run.get("ordered_node_ids", ()) if id_ not in there]
    found = await edges.pending_for(turn.tx, turn.ledger.project_id, ids)
    return [row for row in found if row["type"] == "step" and row["run"] == turn.board.id]


async def _elsewhere(turn: Turn, open_: list[Row], plan: Plan) -> set[str]:
    """Nodes that the plan leaves out since they were done or begun elsewhere: their turn comes."""
    ids = {step["node"] for step in open_} - set(plan.ordered_node_ids)
    known = await nodes.get(turn.tx, turn.ledger.project_id, sorted(ids))
    return {id_ for id_, node in known.items() if node["status"] != "ready"}


async def _written(turn: Turn, found: replanning.Rest, plan: Plan) -> Turn:
    """Store the new rest; the run's counters are made anew."""
    tx, project_id, run_id = turn.tx, turn.ledger.project_id, turn.board.id
    turn.run(
        {
            "ordered_node_ids": found.order,
            "layers": found.layers,
            "ordering_reason": plan.ordering_reason,
            "positions": found.position,
        }
    )
    names = [{name: step[name] for name in ("run", "node", "position")} for step in found.gone]
    new = [_row(step) for step in found.new]
    items = [{"step": name | {"removed": True}} for name in names]
    turn.noted["update_run"] += [*items, *({"step": step} for step in new)]
    turn.write_down()
    await steps.delete(tx, project_id, run_id, names)
    waiting = [fold.pending_step_names(step) for step in found.gone if step.get("pending")]
    await edges.forget_pending(tx, project_id, waiting)
    await runs.create_steps(tx, project_id, new)
    after = await begun(tx, turn.ledger, run_id)
    if running.run_status(after.board.run) is running.R.RUNNING:
        await reconciling.whole(after)
        after = await begun(tx, turn.ledger, run_id)
        finish(after)
        after.write_down()
    return after


def _row(step: Row) -> Row:
    """A step's row, less what executing keeps; one that was held is looked at anew."""
    own = {name: value for name, value in step.items() if name not in fold.UNCOUNTED}
    return own | {"status": "ready"}
