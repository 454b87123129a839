"""A project as documents: what was imported and not touched since comes out equal."""

from collections.abc import AsyncIterator
from typing import Any

from gotn import journal
from gotn.database.connection import Database
from gotn.work import exchange
from gotn.work.store import exporting as store
from gotn.work.usecases import projects

Row = dict[str, Any]


async def export_graph(
    database: Database, project_id: str, *, style: str = "gotn", with_journal: bool = False
) -> AsyncIterator[str]:
    """Pieces of text: `{nodes, edges, runs}`, or JSONL of the same objects (001).

    With the journal its entries follow, in 001's form; an imported one as it came.
    """
    await projects.show(database, project_id)
    nodes = await store.all_nodes(database, project_id)
    edges = await store.all_edges(database, project_id)
    runs = await store.all_runs(database, project_id)
    entries = await _entries(database, project_id) if with_journal else None
    for piece in exchange.write(nodes, edges, runs, entries, style):
        yield piece


async def _entries(database: Database, project_id: str) -> list[Row]:
    found: list[Row] = []
    async for entry in journal.entries(database, project_id):
        found += exchange.journal_documents(entry.event, entry.timestamp, entry.data)
    return found


async def export_journal(database: Database, project_id: str) -> AsyncIterator[str]:
    """The journal's own lines, all fields, one entry a line; `replay` reads them back."""
    await projects.show(database, project_id)
    async for entry in journal.entries(database, project_id):
        yield journal.line(entry)
