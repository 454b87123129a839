"""What each context adds to a project's state, its digest and its replay.

The work graph is a project's first context and knows how to fold, compare and rebuild; it
does not know the others. Each of them describes its part here, in `across.contexts`, which
stands above them all. An item of the journal that belongs to no part is refused, so a
program that forgot to register one cannot report a state that lacks it.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from gotn.database.connection import Database, Tx
from gotn.journal import Ledger

Row = dict[str, Any]
#: What an entity is called in a digest: its kind and its own names.
Identity = tuple[Any, ...]
#: A page of a digest's query after a key, in one transaction or in one of its own.
Ask = Callable[[str, str], Awaitable[list[Any] | None]]


class State(Protocol):
    """A context's entities, as the journal says."""

    def apply(self, event: str, item: Row) -> None:
        """Take in one item; KeyError or TypeError for one that says nothing."""

    def node_removed(self, id_: str) -> None:
        """A work node is gone, and with it every relationship to it."""

    def entities(self) -> Iterator[tuple[Identity, Row]]:
        """Every node and relationship, named as in the database."""

    def counts(self) -> dict[str, int]:
        """How many there are of what people count, such as trees."""

    def entries(self) -> Iterable[tuple[str, list[Row]]]:
        """Events with items that make this state out of nothing."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One context's share in a project."""

    name: str
    #: The members of journal items that are its own.
    items: frozenset[str]
    #: A state without anything.
    empty: Callable[[], State]
    #: Every entity in the database page by page, as `State.entities` names them.
    live: Callable[[Ask], AsyncIterator[list[tuple[Identity, Row]]]]
    #: Store a state in a project that has none yet, after its work nodes.
    write: Callable[[Tx, Ledger, Any], Awaitable[None]]
    #: Store before it, unseen and in transactions of its own, what is too much for one.
    stage: Callable[[Database, str, Any], Awaitable[None]]
    #: Whether there is that much.
    large: Callable[[Any], bool]


_PARTS: dict[str, Part] = {}


def register(part: Part) -> None:
    """Make a context's part known; the same again changes nothing."""
    _PARTS[part.name] = part


def every() -> tuple[Part, ...]:
    """The parts that are known, in the order they were registered."""
    return tuple(_PARTS.values())


def owner(item: Row) -> str | None:
    """The name of the part that a journal item belongs to, or None."""
    return next((part.name for part in _PARTS.values() if part.items & item.keys()), None)


def empty() -> dict[str, State]:
    """A state of each part, with nothing in it."""
    return {part.name: part.empty() for part in _PARTS.values()}


def counted(states: dict[str, State], name: str) -> int:
    """How many of these there are in the states of all parts."""
    return sum(state.counts().get(name, 0) for state in states.values())


def put(table: dict[Any, Row], key: Any, event: str, row: Row) -> None:
    """Take a row into a table: whole, as a change where null takes a field away, or gone."""
    if event.startswith("remove_"):
        table.pop(key, None)
    elif event.startswith(("add_", "start_")) or key not in table:
        table.pop(key, None)  # what comes again stands where it came last
        table[key] = {name: value for name, value in row.items() if value is not None}
    else:
        merged = table[key] | row
        table[key] = {name: value for name, value in merged.items() if value is not None}
