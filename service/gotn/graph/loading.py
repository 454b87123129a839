"""What resolvers share in one request: its loaders, and what was prepared once for all rows."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

import strawberry
from strawberry.dataloader import DataLoader

from gotn.database.connection import Database

T = TypeVar("T")


class Reading(Protocol):
    """What a request carries for its reads."""

    database: Database
    #: The request's loaders, by what they load.
    loaders: dict[Any, Any]


def once(info: strawberry.Info, what: Any, make: Callable[[], T]) -> T:
    """What `make` gives, made once a request for a field of the document, not once a row."""
    raw = info._raw_info  # noqa: SLF001  # the document's own nodes: the same for every row
    reading: Reading = info.context
    place = (what, *map(id, raw.field_nodes))
    if place not in reading.loaders:
        reading.loaders[place] = make()
    found: T = reading.loaders[place]
    return found


async def found(info: strawberry.Info, text: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Rows of [key, …] by key."""
    reading: Reading = info.context
    rows = await reading.database.read(lambda tx: tx.composed(text, parameters, name=named(info)))
    return {key: rest for key, *rest in rows[0]["found"]}


def loaded(
    info: strawberry.Info, place: Any, load: Callable[[list[Any]], Awaitable[list[Any]]], key: Any
) -> Awaitable[Any]:
    """Ask the request's loader; shielded, since a cancelled sibling must not cancel others."""
    reading: Reading = info.context
    if place not in reading.loaders:
        reading.loaders[place] = DataLoader(load)
    return asyncio.shield(reading.loaders[place].load(key))


def named(info: strawberry.Info) -> str:
    """What a composed statement is called in metrics: the type and field it answers."""
    raw = info._raw_info  # noqa: SLF001  # Strawberry's view has no parent type's name
    return f"graph/{raw.parent_type.name}.{raw.field_name}"
