"""A project as documents: what was imported and not touched since comes out equal."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from gotn import journal
from gotn.database.connection import Database
from gotn.errors import Conflict
from gotn.work import exchange
from gotn.work.store import exporting as store
from gotn.work.usecases import projects

Row = dict[str, Any]


#: Times that an export begins again because somebody wrote meanwhile.
PATIENCE = 5


@dataclass
class _Rows:
    """Everything of a project at one moment, as rows in order."""

    nodes: list[Row]
    edges: list[Row]
    runs: list[Row]
    entries: list[Row] | None


async def export_graph(
    database: Database, project_id: str, *, style: str = "gotn", with_journal: bool = False
) -> AsyncIterator[str]:
    """Pieces of text: `{nodes, edges, runs}`, or JSONL of the same objects (001).

    With the journal its entries follow, in 001's form; an imported one as it came. The
    document is the project at one moment; Conflict where writing does not pause for that.
    """
    rows = await _at_one_moment(database, project_id, with_journal=with_journal)
    for piece in exchange.write(rows.nodes, rows.edges, rows.runs, rows.entries, style):
        yield piece


async def _at_one_moment(database: Database, project_id: str, *, with_journal: bool) -> _Rows:
    """Read page by page, and again if the project's seq has moved meanwhile."""
    for _ in range(PATIENCE):
        seq = (await projects.show(database, project_id)).seq
        found = _Rows(
            nodes=await store.all_nodes(database, project_id),
            edges=await store.all_edges(database, project_id),
            runs=await store.all_runs(database, project_id),
            entries=await _entries(database, project_id, seq) if with_journal else None,
        )
        if (await projects.show(database, project_id)).seq == seq:
            return found
    raise Conflict(f"Project {project_id!r} is being written to; try again.", project=project_id)


async def whole(database: Database, project_id: str) -> dict[str, list[Row]]:
    """`nodes` and `edges` of a project as rows, at one moment, edges that wait included."""
    rows = await _at_one_moment(database, project_id, with_journal=False)
    return {"nodes": rows.nodes, "edges": rows.edges}


async def _entries(database: Database, project_id: str, seq: int) -> list[Row]:
    """The documents of the journal, without those of imports that were cut short."""
    told: list[tuple[int | None, list[Row]]] = []
    imports: set[int | None] = {None}
    async for entry in journal.entries(database, project_id, until=seq):
        if entry.event == "finish_import":
            imports.add(entry.staged)
        else:
            documents = exchange.journal_documents(entry.event, entry.timestamp, entry.data)
            told.append((entry.staged, list(documents)))
    return [row for number, documents in told if number in imports for row in documents]


async def export_journal(database: Database, project_id: str) -> AsyncIterator[str]:
    """The journal's own lines, all fields, one entry a line; `replay` reads them back."""
    await projects.show(database, project_id)
    async for entry in journal.entries(database, project_id):
        yield journal.line(entry)
