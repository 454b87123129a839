"""Every entity of a project as the database has it, named as `rules.fold` names them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Any

from gotn import parts, shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Invalid
from gotn.work.rules import fold, forms

Row = dict[str, Any]
#: A query's page after a name: in one transaction, or in one of its own.
Ask = Callable[[str, str], Awaitable[list[Any] | None]]
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

    async def ask(query: str, after: str) -> list[Any] | None:
        return await database.read(lambda tx: _page(tx, query, project_id, after))

    return await _digested(ask)


async def live_in(tx: Tx, project_id: str) -> dict[bytes, bytes]:
    """The same in a running transaction."""
    return await _digested(lambda query, after: _page(tx, query, project_id, after))


async def stored(
    tx: Tx, project_id: str, names: set[bytes]
) -> AsyncIterator[tuple[fold.Identity, Row]]:
    """The entities of these names with their properties."""
    for query, label in _QUERIES.items():
        async for page in _pages(lambda q, after: _page(tx, q, project_id, after), query):
            for identity, row in _entities(label, page):
                if fold.name_of(identity) in names:
                    yield identity, row


async def _page(tx: Tx, query: str, project_id: str, after: str) -> list[Any] | None:
    found: list[Any] | None = await tx.value(query, project=project_id, after=after, first=PAGE)
    return found


async def _digested(ask: Ask) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for query, label in _QUERIES.items():
        async for page in _pages(ask, query):
            found |= fold.digests(_entities(label, page))
    for part in parts.every():
        async for some in part.live(ask):
            found |= fold.digests(some)
    return found


async def _pages(ask: Ask, query: str) -> AsyncIterator[list[Any]]:
    after = ""
    while True:
        page = await ask(query, after)
        if page:
            yield page
        if page is None or len(page) < PAGE:
            return
        after = page[-1][0]


def _entities(label: str, page: list[Any]) -> Iterator[tuple[fold.Identity, Row]]:
    for name, found, relationships in page:
        stored_ = _plain(found)
        if label == "PendingEdge":
            identity = tuple(stored_.get(k) for k in ("type", "src", "dst", "kind"))
            yield (label, *identity), stored_
        else:
            yield (label, name), stored_
        for type_, _, other, properties, _ in relationships:
            own = _plain(properties)
            yield _relationship(type_, name, other, own), own


def _plain(stored_: Row) -> Row:
    """Without absent properties, and moments as we write them.

    They come as Neo4j's text, since the driver takes 50 µs to make an object of one.
    """
    row = {name: value for name, value in stored_.items() if value is not None}
    for name in forms.MOMENTS & row.keys():
        with suppress(Invalid):
            row[name] = shapes.iso(shapes.moment(row[name]))
    return row


def _relationship(type_: str, start: str, end: str, stored_: Row) -> fold.Identity:
    """The name of a relationship: its ends, and what tells two between them apart."""
    if type_ in ("REQUIRES", "PRODUCES", "TAGGED", "STEP"):
        return (type_, start, end, stored_.get("position"))
    return (type_, start, end, stored_.get("kind", ""))
