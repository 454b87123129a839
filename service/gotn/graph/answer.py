"""From the rows of a compiled statement to the data of the answer, level by level.

Rows are positional; each level is shown as columns over all its rows, then made into objects
in the order of the selection. Only clean answers are made here: see `leaves.Surprise`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any

from gotn.graph import paging
from gotn.graph.leaves import Surprise, split
from gotn.graph.statements import ROWS

#: The parameters of the statement that gave the rows.
Given = Mapping[str, Any]
#: A column of values as they come, as they are shown.
Show = Callable[[list[Any], Given], list[Any]]


@dataclass(frozen=True)
class Column:
    """One selected field: its response key, what Cypher returns for it, how that is shown."""

    key: str
    #: None where nothing is read; `show` is then given the rows.
    cypher: str | None
    show: Show


def constant(key: str, value: Any) -> Column:
    """A field that has the same value everywhere."""
    return Column(key, None, lambda rows, _: [value] * len(rows))


def objects(columns: Sequence[Column]) -> Show:
    """Rows of one object type as objects."""
    keys = [column.key for column in columns]
    read = [column.cypher is not None for column in columns]

    def show(rows: list[Any], given: Given) -> list[Any]:
        if not rows or not keys:
            return [{} for _ in rows]
        stored = zip(*rows, strict=True)
        shown = [
            column.show(list(next(stored)) if is_read else rows, given)
            for column, is_read in zip(columns, read, strict=True)
        ]
        return [dict(zip(keys, values, strict=True)) for values in zip(*shown, strict=True)]

    return show


def row(columns: Sequence[Column]) -> tuple[str, Show]:
    """Columns as one positional row, and how rows of it are shown."""
    read = [column.cypher for column in columns if column.cypher is not None]
    return f"[{', '.join(read)}]", objects(columns)


def at_most_one(inner: Show, required: bool) -> Show:
    """Lists of at most one row as that row's object, or null."""

    def show(values: list[Any], given: Given) -> list[Any]:
        if any(len(rows) > 1 for rows in values):
            raise Surprise("several")
        if required and not all(values):
            raise Surprise("null")
        found = iter(inner([rows[0] for rows in values if rows], given))
        return [next(found) if rows else None for rows in values]

    return show


def tagged(kinds: Mapping[str, Show]) -> Show:
    """Lists of at most one [label, row], of several types."""

    def show(values: list[Any], given: Given) -> list[Any]:
        if any(len(rows) > 1 for rows in values):
            raise Surprise("several")
        return [kinds[rows[0][0]]([rows[0][1]], given)[0] if rows else None for rows in values]

    return show


@dataclass(slots=True)
class Pages:
    """The pages of one connection below all its owners, as their fields need them."""

    #: How many rows each page shows, and whether more follow.
    sizes: list[int]
    more: list[bool]
    totals: list[Any]
    #: What each column of the rows shows, over the rows of all pages.
    columns: list[list[Any]]

    def parts(self, at: int) -> list[list[Any]]:
        """A column as the lists of the pages."""
        return split(self.columns[at], self.sizes)

    def cursors(self, at: int, order: str, last: bool) -> list[str | None]:
        """The cursor of each page's first or last row, from a column of what cursors keep."""
        marks, ends = self.columns[at], list(accumulate(self.sizes))
        return [
            paging.encode(order, marks[end - 1 if last else end - size]) if size else None
            for end, size in zip(ends, self.sizes, strict=True)
        ]


#: A field of a page, for all pages.
Part = Callable[[Pages], list[Any]]


def fields(parts: Sequence[tuple[str, Part]]) -> Part:
    """Several fields of pages as objects."""
    keys = [key for key, _ in parts]

    def show(pages: Pages) -> list[Any]:
        if not keys:
            return [{} for _ in pages.sizes]
        shown = [part(pages) for _, part in parts]
        return [dict(zip(keys, values, strict=True)) for values in zip(*shown, strict=True)]

    return show


@dataclass(frozen=True)
class Connection:
    """How the pages of a connection are shown, which come as rows or as [rows, total]."""

    #: The parameter that holds one row more than a page may have.
    limit: str
    shows: Sequence[Show]
    part: Part
    counted: bool

    def __call__(self, values: list[Any], given: Given) -> list[Any]:
        """The pages, each of one owner."""
        first = given[self.limit] - 1
        if len(values) > 1 and len(values) * (first + 1) > ROWS:
            raise Surprise("size")
        totals = [total for _, total in values] if self.counted else []
        lists = [rows for rows, _ in values] if self.counted else values
        kept = [rows[:first] if len(rows) > first else rows for rows in lists]
        flat = list(chain.from_iterable(kept))
        pages = Pages(
            sizes=[len(rows) for rows in kept],
            more=[len(rows) > first for rows in lists],
            totals=totals,
            columns=self._columns(flat, given),
        )
        return self.part(pages)

    def _columns(self, flat: list[Any], given: Given) -> list[list[Any]]:
        if len(self.shows) == 1:  # the only column is not wrapped in a row
            return [self.shows[0](flat, given)]
        if not flat:
            return [[] for _ in self.shows]
        stored = zip(*flat, strict=True)
        return [show(list(values), given) for show, values in zip(self.shows, stored, strict=True)]
