"""Keyset paging: orders, cursors, and the predicate that goes on after one.

A cursor is base64 of JSON: the order's name and the values of its last row, so that a page
stays right while rows are inserted, and a cursor of another list is refused.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from dataclasses import dataclass
from typing import Any

import orjson

from gotn.errors import Invalid

#: Rows of one page, at most, and where nobody says.
LARGEST = 500
USUAL = 50


@dataclass(frozen=True)
class Key:
    """One value that a list is ordered by."""

    #: Property of the entity ("this") or of the relationship that led to it ("edge").
    name: str
    on: str = "this"
    descending: bool = False
    #: A datetime, kept as text in a cursor.
    temporal: bool = False
    #: What stands for rows that have none; without it every row must have one.
    missing: int | None = None
    #: A number; one that can be missing is one too. Anything else is a text in a cursor.
    number: bool = False

    def read(self, this: str, edge: str) -> str:
        """The value in Cypher."""
        plain = f"{this if self.on == 'this' else edge}.{self.name}"
        return plain if self.missing is None else f"coalesce({plain}, {self.missing})"

    def kept(self, this: str, edge: str) -> str:
        """The value as a cursor keeps it."""
        return f"toString({self.read(this, edge)})" if self.temporal else self.read(this, edge)

    def fits(self, value: Any) -> bool:
        """Whether a cursor's value is of this key's type; Cypher would find no row after others."""
        if self.number or self.missing is not None:
            return isinstance(value, int | float) and abs(value) < 2**63
        return isinstance(value, str)

    def given(self, parameter: str) -> str:
        """A cursor's value as Cypher compares with it."""
        return f"datetime(${parameter})" if self.temporal else f"${parameter}"


@dataclass(frozen=True)
class Order:
    """A total order: keys that together are unique among the rows of a list."""

    keys: tuple[Key, ...]
    #: Property that the index of this order begins with, bound by an equality.
    prefix: str | None = None

    def clause(self, this: str, edge: str, pinned: str | None = None) -> str:
        """ORDER BY's text; what is the same in all rows comes first, as the index has it."""
        way = " DESC" if self.keys[0].descending else ""
        first = [f"{this}.{name}{way}" for name in (self.prefix, pinned) if name]
        rest = [key.read(this, edge) + (" DESC" if key.descending else "") for key in self.keys]
        return ", ".join(first + rest)

    def index(self, pinned: str | None = None) -> str | None:
        """The properties of the index that has this order, or None."""
        if self.prefix is None or (pinned and len(self.keys) > 1):
            return None
        return ", ".join([self.prefix, *([pinned] if pinned else []), *(k.name for k in self.keys)])

    def values(self, this: str, edge: str) -> str:
        """A list of what a cursor keeps."""
        return f"[{', '.join(key.kept(this, edge) for key in self.keys)}]"

    def beyond(self, this: str, edge: str, prefix: str = "") -> str:
        """The predicate that keeps the rows after the cursor's values: $at0, $at1 and so on.

        Nested by AND, so that the first key's range is one seek in its index.
        """
        text = ""
        for number, key in reversed(list(enumerate(self.keys))):
            value, at = key.read(this, edge), key.given(f"{prefix}at{number}")
            sign = "<" if key.descending else ">"
            if text:
                text = f"{value} {sign}= {at} AND ({value} <> {at} OR ({text}))"
            else:
                text = f"{value} {sign} {at}"
        return text


def by(*keys: Key, prefix: str | None = None) -> Order:
    """An order of these keys."""
    return Order(keys, prefix)


def encode(name: str, values: list[Any]) -> str:
    """An opaque cursor of a row in the list ordered by `name`."""
    return urlsafe_b64encode(orjson.dumps([name, *values])).decode()


def decode(name: str, count: int, cursor: str) -> list[Any]:
    """The values of a cursor; Invalid for one that this order did not give."""
    try:
        found = orjson.loads(urlsafe_b64decode(cursor.encode()))
    except (ValueError, NotBase64):
        found = None
    if (
        not isinstance(found, list)
        or len(found) != count + 1
        or found[0] != name
        or not all(_plain(value) for value in found)
    ):
        raise foreign()
    return found[1:]


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def foreign() -> Invalid:
    """What is said of a cursor that another list gave, or nobody."""
    return Invalid(
        "after: this is not a cursor of this list in this order; use one that it gave",
        field="after",
    )


def checked(first: int) -> int:
    """How many rows are asked for; Invalid out of bounds."""
    if not 0 <= first <= LARGEST:
        raise Invalid(f"first: expected 0 to {LARGEST}, found {first}", field="first")
    return first
