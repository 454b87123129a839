"""Everything a project holds, as rows in the order in which it came."""

from collections.abc import AsyncIterator
from typing import Any

from gotn import shapes
from gotn.database.connection import Database
from gotn.work.store import edges, nodes, runs

Row = dict[str, Any]
#: Nodes, and runs, read in one row.
PAGE = 1000
RUNS = 100
#: Where entities without a place stand: after all others, by name.
LAST = 1 << 62


async def all_nodes(database: Database, project_id: str) -> list[Row]:
    """Every node's row, in order of arrival."""
    found: list[tuple[int, str, Row]] = []
    async for stored in _paged(database, "work/export_nodes", project_id, PAGE, "id"):
        row = nodes.row_of(nodes.plain(stored))
        found.append((stored.get("ordinal", LAST), row["id"], row))
    return [row for *_, row in sorted(found, key=lambda item: item[:2])]


async def _paged(
    database: Database, query: str, project_id: str, first: int, name: str
) -> AsyncIterator[Row]:
    """What a query gives page by page, each after the last one's `name`."""
    after = ""
    while True:
        page = await database.read(
            lambda tx, a=after: tx.value(  # type: ignore[misc]
                query, project=project_id, after=a, first=first
            )
        )
        for stored in page or ():
            yield stored
        if len(page or ()) < first:
            return
        after = page[-1][name]


async def all_edges(database: Database, project_id: str) -> list[Row]:
    """Every edge's row, pending ones too, in order of arrival; derived ones last, by their ends."""
    found: list[tuple[int, str, str, Row]] = []
    after: str | None = ""
    while after is not None:
        page = await database.read(
            lambda tx, a=after: tx.row(  # type: ignore[misc]
                "work/export_edges", project=project_id, after=a, first=PAGE
            )
        )
        for label, start, end, stored in page["edges"]:
            row = edges.plain(label, start, end, stored)
            found.append((stored.get("ordinal", LAST), row["src"], row["dst"], row))
        after = page["last"]
    found += await _pending(database, project_id)
    return [row for *_, row in sorted(found, key=lambda item: item[:3])]


async def _pending(database: Database, project_id: str) -> list[tuple[int, str, str, Row]]:
    found: list[tuple[int, str, str, Row]] = []
    async for stored in _paged(database, "work/export_pending", project_id, PAGE, "key"):
        if stored["type"] != "step":
            row = shapes.loads(stored["data"])
            place = LAST if stored["ordinal"] is None else stored["ordinal"]
            found.append((place, row["src"], row["dst"], row))
    return found


async def all_runs(database: Database, project_id: str) -> list[Row]:
    """Every run's row, in order of arrival."""
    found: list[tuple[int, str, Row]] = []
    async for stored in _paged(database, "work/export_runs", project_id, RUNS, "id"):
        row = runs.plain(stored)
        found.append((stored.get("ordinal", LAST), row["id"], row))
    return [row for *_, row in sorted(found, key=lambda item: item[:2])]
