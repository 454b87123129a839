"""Runs and the steps that join them to work nodes."""

from collections.abc import Iterable, Sequence
from typing import Any

from gotn import shapes
from gotn.database.connection import Tx
from gotn.work.records import Run
from gotn.work.rules import fold, forms
from gotn.work.store import edges
from gotn.work.store.keys import batches, key

Row = dict[str, Any]
#: What stands beside a run's row and a step's in the database: bookkeeping, not part of them.
BESIDE = frozenset({"key", "project_id", "caption", "ordinal"} | fold.UNCOUNTED)


async def get(tx: Tx, project_id: str, ids: Iterable[str]) -> dict[str, Row]:
    """Stored runs by id."""
    found: dict[str, Row] = {}
    for some in batches(list(ids)):
        keys = [key(project_id, id_) for id_ in some]
        found |= {row["id"]: plain(row) for row in await tx.value("work/get_runs", keys=keys)}
    return found


def plain(stored: Row) -> Row:
    """A run as the database has it, in plain JSON."""
    return shapes.row(
        {k: v for k, v in stored.items() if k not in BESIDE},
        leaves=forms.LEAVES,
        moments=forms.MOMENTS,
    )


def record(row: Row, project_id: str) -> Run:
    """The record of a run's row."""
    return shapes.build(Run, row | {"project_id": project_id})


async def create(tx: Tx, project_id: str, numbered: Sequence[tuple[Row, int]]) -> None:
    """Store new runs."""
    for some in batches(numbered, 500):
        rows = [
            fold.run_properties(row)
            | {
                "key": key(project_id, row["id"]),
                "project_id": project_id,
                "caption": row["id"],
                "ordinal": ordinal,
                "revision": 1,
            }
            for row, ordinal in some
        ]
        await tx.rows("work/create_runs", runs=rows)


async def create_steps(tx: Tx, project_id: str, rows: Sequence[Row]) -> None:
    """Join runs to their nodes; pending steps wait for theirs."""
    for some in batches([row for row in rows if not row.get("pending")]):
        steps = [
            {
                "run": key(project_id, row["run"]),
                "node": key(project_id, row["node"]),
                "properties": fold.step_properties(row)
                | {"run_key": key(project_id, row["run"]), "project_id": project_id},
            }
            for row in some
        ]
        await tx.rows("work/create_steps", steps=steps)
    waiting = [row for row in rows if row.get("pending")]
    await edges.put_pending(
        tx,
        project_id,
        [(fold.pending_step_names(row), fold.pending_step_properties(row)) for row in waiting],
    )


async def ids_like(tx: Tx, project_id: str, start: str) -> set[str]:
    """Ids of runs that begin so."""
    return set(await tx.value("work/run_ids_like", project=project_id, start=start))


async def open_with(tx: Tx, project_id: str, node_id: str) -> list[str]:
    """Runs that are not finished and have this node as a step, sorted, at most 1,000."""
    return list(await tx.value("work/open_runs_with", key=key(project_id, node_id), limit=1000))


async def steps_of(tx: Tx, project_id: str, node_id: str, limit: int) -> list[Row]:
    """The rows of the steps that a node is in runs, finished ones too, by run and position."""
    found = await tx.value("work/steps_of", key=key(project_id, node_id), limit=limit)
    return [{"run": run, "node": node_id, **_step(stored)} for run, stored in found]


def _step(stored: Row) -> Row:
    """A step's own properties, in plain JSON."""
    own = {k: v for k, v in stored.items() if k not in BESIDE}
    return shapes.row(own, leaves=forms.LEAVES, moments=forms.MOMENTS)
