"""Every entity of a project as the database has it, named as `rules.fold` names them."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from gotn.database.connection import Database
from gotn.work.rules import fold

Row = dict[str, Any]
#: Entities read in one row.
PAGE = 1000
_QUERIES = {
    "digest/nodes": "WorkNode",
    "digest/tags": "Tag",
    "digest/keywords": "Keyword",
    "digest/runs": "Run",
    "digest/pending": "PendingEdge",
}


async def live(database: Database, project_id: str) -> dict[bytes, bytes]:
    """SHA-256 of each entity in the database, by its name."""
    found: dict[bytes, bytes] = {}
    for query, label in _QUERIES.items():
        async for page in _pages(database, query, project_id):
            found |= fold.digests(_entities(label, page))
    return found


async def _pages(database: Database, query: str, project_id: str) -> AsyncIterator[list[Any]]:
    after = ""
    while True:
        page = await database.read(
            lambda tx, a=after: tx.value(query, project=project_id, after=a, first=PAGE)  # type: ignore[misc]
        )
        if page:
            yield page
        if len(page or ()) < PAGE:
            return
        after = page[-1][0]


def _entities(label: str, page: list[Any]) -> Iterator[tuple[fold.Identity, Row]]:
    for name, stored, relationships in page:
        if label == "PendingEdge":
            identity = tuple(stored.get(k) for k in ("type", "src", "dst", "kind"))
            yield (label, *identity), stored
        else:
            yield (label, name), stored
        for type_, _, other, properties, _ in relationships:
            yield _relationship(type_, name, other, properties), properties


def _relationship(type_: str, start: str, end: str, stored: Row) -> fold.Identity:
    """The name of a relationship: its ends, and what tells two between them apart."""
    if type_ in ("REQUIRES", "PRODUCES", "TAGGED", "STEP"):
        return (type_, start, end, stored.get("position"))
    return (type_, start, end, stored.get("kind", ""))
