"""Runs that come from a document, and the steps that join them to nodes."""

from typing import Any

from gotn.database.connection import Tx
from gotn.errors import Conflict
from gotn.journal import Ledger
from gotn.work.rules import outcomes
from gotn.work.store import nodes
from gotn.work.store import runs as store
from gotn.work.usecases.taken import Taken

Row = dict[str, Any]


async def take(tx: Tx, ledger: Ledger, rows: list[Row], taken: Taken) -> None:
    """Store runs of a document; one that is stored already must say the same."""
    stored = await store.get(tx, ledger.project_id, [row["id"] for row in rows])
    for row in rows:
        known = stored.get(row["id"])
        if known is None:
            taken.new_runs.append(row | {"created_at": row.get("created_at", ledger.time)})
        elif changed := sorted(n for n in row if n != "layout" and row[n] != known.get(n)):
            raise Conflict(
                f"There is a run {row['id']!r} already, with another {', '.join(changed)}.",
                id=row["id"],
                fields=changed,
            )
    ids = {id_ for row in taken.new_runs for id_ in row.get("ordered_node_ids", ())}
    present = await nodes.existing(tx, ledger.project_id, sorted(ids))
    for row in taken.new_runs:
        taken.new_steps += _steps(row, present)
    await put(tx, ledger, taken.new_runs, taken.new_steps)
    await store.create_steps(tx, ledger.project_id, taken.joined_steps)


async def put(tx: Tx, ledger: Ledger, new: list[Row], steps: list[Row]) -> None:
    """Store new runs and their steps."""
    ordinals = ledger.ordinals(len(new))
    await store.create(tx, ledger.project_id, list(zip(new, ordinals, strict=True)))
    await store.create_steps(tx, ledger.project_id, steps)


def _steps(run: Row, present: set[str]) -> list[Row]:
    """A step for each ordered node, in the layer that names it; pending where it is not there.

    What the document tells of it stands there too: its status and times.
    """
    told = outcomes.of(run)
    ids = run.get("ordered_node_ids", [])
    layer_of = {id_: n for n, layer in enumerate(run.get("layers", [])) for id_ in layer}
    steps = []
    for position, id_ in enumerate(ids):
        step: Row = {"run": run["id"], "node": id_, "position": position, "status": "ready"}
        step |= told.get(id_, {})
        if id_ in layer_of:
            step["layer"] = layer_of[id_]
        steps.append(step if id_ in present else step | {"pending": True})
    return steps
