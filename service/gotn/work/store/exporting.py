"""Everything a project holds, as rows in the order in which it came."""

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
    after = ""
    while True:
        page = await database.read(
            lambda tx, a=after: tx.value(  # type: ignore[misc]
                "work/export_nodes", project=project_id, after=a, first=PAGE
            )
        )
        for stored in page or ():
            row = nodes.row_of(nodes.plain(stored))
            found.append((stored.get("ordinal", LAST), row["id"], row))
        if len(page or ()) < PAGE:
            return [row for *_, row in sorted(found, key=lambda item: item[:2])]
        after = page[-1]["id"]


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
    after = ""
    while True:
        page = await database.read(
            lambda tx, a=after: tx.value(  # type: ignore[misc]
                "work/export_pending", project=project_id, after=a, first=PAGE
            )
        )
        for stored in page or ():
            if stored["type"] != "step":
                row = shapes.loads(stored["data"])
                found.append((stored["ordinal"] or LAST, row["src"], row["dst"], row))
        if len(page or ()) < PAGE:
            return found
        after = page[-1]["key"]


async def all_runs(database: Database, project_id: str) -> list[Row]:
    """Every run's row, in order of arrival."""
    found: list[tuple[int, str, Row]] = []
    after = ""
    while True:
        page = await database.read(
            lambda tx, a=after: tx.value(  # type: ignore[misc]
                "work/export_runs", project=project_id, after=a, first=RUNS
            )
        )
        for stored in page or ():
            row = runs.plain(stored)
            found.append((stored.get("ordinal", LAST), row["id"], row))
        if len(page or ()) < RUNS:
            return [row for *_, row in sorted(found, key=lambda item: item[:2])]
        after = page[-1]["id"]
