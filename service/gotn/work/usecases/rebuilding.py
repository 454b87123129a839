"""Store a folded state in an empty project, and note it as entries of its own."""

from collections.abc import Iterable
from typing import Any

from gotn import parts, shapes
from gotn.database.connection import Database, Tx
from gotn.journal import Ledger
from gotn.work.rules import fold, ranks
from gotn.work.store import edges, nodes, runs
from gotn.work.store.exporting import LAST

Row = dict[str, Any]


async def write(tx: Tx, ledger: Ledger, state: fold.State) -> None:
    """Store a whole state in an empty project."""
    project_id = ledger.project_id
    hard = [
        (row["src"], row["dst"])
        for row in state.edges.values()
        if edges.is_hard(row) and not row.get("closes_cycle") and not row.get("pending")
    ]
    ordinals = dict(zip(state.nodes, ledger.ordinals(len(state.nodes)), strict=True))
    first_to_last = ranks.first_to_last(list(state.nodes), hard)
    await nodes.create(tx, project_id, [state.nodes[i] for i in first_to_last], ordinals)
    places = zip(state.edges, ledger.ordinals(len(state.edges)), strict=True)
    await edges.create(
        tx,
        project_id,
        [(state.edges[k], LAST if k in state.unplaced else place) for k, place in places],
    )
    found = list(state.runs.values())
    await runs.create(tx, project_id, list(zip(found, ledger.ordinals(len(found)), strict=True)))
    await runs.create_steps(tx, project_id, list(state.steps.values()))
    for part in parts.every():
        await part.write(tx, ledger, state.others[part.name])
    if state.settings:
        await tx.rows(
            "project/set_settings", project=project_id, settings=shapes.dumps(state.settings)
        )


def large(state: fold.State) -> bool:
    """Whether a part of it is more than one transaction takes."""
    return any(part.large(state.others[part.name]) for part in parts.every())


async def stage(database: Database, project_id: str, state: fold.State) -> None:
    """Store such parts before, unseen until `write` makes them real."""
    for part in parts.every():
        await part.stage(database, project_id, state.others[part.name])


def settle_pending(state: fold.State) -> None:
    """After a recovery an edge may have lost a node: it waits again, as do steps."""
    for row in state.edges.values():
        if not {row["src"], row["dst"]} <= state.nodes.keys():
            row["pending"] = True
        else:
            row.pop("pending", None)
    for key, step in list(state.steps.items()):
        if step["run"] not in state.runs:
            del state.steps[key]
        elif step["node"] not in state.nodes:
            step["pending"] = True
        else:
            step.pop("pending", None)


def note(ledger: Ledger, state: fold.State, originals: Iterable[tuple[str, Row]]) -> None:
    """Entries for a recovered state, and what other tools' journals said, whole."""
    for event, original in originals:
        ledger.note(event, {"items": [], "original": original})
    ledger.record("add_node", [{"node": row} for row in state.nodes.values()])
    ledger.record("add_edge", [{"edge": row} for row in state.edges.values()])
    steps: dict[str, list[Row]] = {}
    for step in state.steps.values():
        steps.setdefault(step["run"], []).append({"step": step})
    for id_, run in state.runs.items():
        ledger.record("start_run", [{"run": run}, *steps.get(id_, ())])
    for part in state.others.values():
        for event, items in part.entries():
            ledger.record(event, items)
    if state.settings:
        ledger.record("update_project", [{"settings": state.settings}])
