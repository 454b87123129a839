"""Connections in compiled statements: the same text at the root and nested at any depth."""

from collections.abc import Mapping
from typing import Any, Protocol

from graphql import GraphQLField, get_named_type

from gotn.graph import answer, pages, statements
from gotn.graph.answer import Column, Part, Show
from gotn.graph.leaves import NotCompilable
from gotn.graph.paging import encode
from gotn.graph.plans import Make, Parameters
from gotn.graph.reads import Listed, Relation, order_of
from gotn.graph.resolvers import ask
from gotn.graph.statements import Names


class Selecting(Protocol):
    """What a connection needs of the compiler (`compiler.Compiler`), which needs connections."""

    within: tuple[str, ...]
    nested: list[tuple[str, ...]]

    def names(self, owner: str = "") -> Names:
        """Fresh names."""

    def arguments(self, field_def: GraphQLField, details: Any) -> dict[str, Any]:
        """A field's arguments in this request."""

    def bound(self, field_def: GraphQLField, details: Any, make: Make) -> str:
        """Text that depends on a field's arguments."""

    def selection(self, kind: Any, details: Any) -> dict[str, Any]:
        """What is selected below a field."""

    def object(self, kind: Any, details: Any, this: str) -> tuple[str, Show]:
        """A row of one entity."""

    def column(self, kind: Any, key: str, details: Any, this: str) -> Column:
        """One selected field."""


def listed(
    compiler: Selecting, read: Listed, field_def: GraphQLField, details: Any
) -> tuple[str, Show]:
    """A list over a whole label, and how it is shown."""
    page = Page(compiler, read.relation, field_def, details, compiler.names())

    def make(given: Mapping[str, Any]) -> tuple[str, Parameters]:
        text, values = page.make(given)
        return text, values | {"project": read.project(given)}

    return compiler.bound(field_def, details, make), page.show


def nested(
    compiler: Selecting, relation: Relation, field_def: GraphQLField, details: Any, owner: str
) -> tuple[str, Show]:
    """A list below an entity, and how lists of it are shown."""
    page = Page(compiler, relation, field_def, details, compiler.names(owner))
    return compiler.bound(field_def, details, page.make), page.show


class Page:
    """The selection of one connection, compiled."""

    def __init__(
        self,
        compiler: Selecting,
        relation: Relation,
        field_def: GraphQLField,
        details: Any,
        names: Names,
    ) -> None:
        self._compiler = compiler
        self._relation = relation
        self._names = names
        given = compiler.arguments(field_def, details)
        self._order = given["order_by"]
        self._continued = given.get("after") is not None
        self._counted = self._wants_rows = False
        self._columns: list[str] = []
        self._shows: list[Show] = []
        outside = compiler.within
        compiler.within = (*outside, f"{names.prefix}limit")
        if outside:
            compiler.nested.append(compiler.within)
        part = self._part(get_named_type(field_def.type), details)
        compiler.within = outside
        self.show: Show = answer.Connection(
            f"{names.prefix}limit", self._shows, part, self._counted
        )

    def make(self, given: Mapping[str, Any]) -> tuple[str, Parameters]:
        """The text for these arguments, and its parameters."""
        want = pages.Wanted(None, None, None, {}, {}, self._wants_rows, self._counted)
        asked, values = ask(
            self._relation,
            want,
            given["order_by"],
            given["first"],
            given.get("after"),
            given.get("filter_"),
        )
        row = self._columns[0] if len(self._columns) == 1 else f"[{', '.join(self._columns)}]"
        text = statements.connection(asked, self._names, row)
        return text, {f"{self._names.prefix}{name}": value for name, value in values.items()}

    def _part(self, kind: Any, details: Any) -> Part:
        """The fields of the page, adding the columns that each of its rows needs."""
        parts: list[tuple[str, Part]] = []
        for key, group in self._compiler.selection(kind, details).items():
            name = group[0].node.name.value
            if name == "__typename":
                parts.append((key, _constant(kind.name)))
            elif name == "totalCount":
                self._counted = True
                parts.append((key, lambda shown: shown.totals))
            elif name == "pageInfo":
                self._wants_rows = True
                parts.append((key, self._info(get_named_type(kind.fields[name].type), group)))
            elif name in ("edges", "nodes"):
                self._wants_rows = True
                parts.append((key, self._rows(get_named_type(kind.fields[name].type), name, group)))
            else:
                raise NotCompilable(f"{kind.name}.{name} is no part of a page")
        return answer.fields(parts)

    def _rows(self, kind: Any, name: str, details: Any) -> Part:
        """The edges or the nodes."""
        if name == "nodes":
            text, show = self._compiler.object(kind, details, self._names.this)
        else:
            text, show = self._edge(kind, details)
        at = self._add(text, show)
        return lambda shown: shown.parts(at)

    def _edge(self, kind: Any, details: Any) -> tuple[str, Show]:
        """The relationship that led to a row, with the row's entity and its cursor."""
        compiler, columns = self._compiler, []
        for key, group in compiler.selection(kind, details).items():
            name = group[0].node.name.value
            if name == "node":
                inner = get_named_type(kind.fields[name].type)
                columns.append(Column(key, *compiler.object(inner, group, self._names.this)))
            elif name == "cursor":
                columns.append(Column(key, self._mark(), _cursor(self._order.name)))
            elif name == "__typename":
                columns.append(answer.constant(key, kind.name))
            elif self._relation.type is None:
                raise NotCompilable(f"{kind.name}.{name} is a fact of no relationship")
            else:
                columns.append(compiler.column(kind, key, group, self._names.edge))
        return answer.row(columns)

    def _info(self, kind: Any, details: Any) -> Part:
        """Where the page stands in its list."""
        parts: list[tuple[str, Part]] = []
        at: int | None = None
        for key, group in self._compiler.selection(kind, details).items():
            name = group[0].node.name.value
            if name in ("startCursor", "endCursor"):
                if at is None:
                    at = self._add(self._mark(), lambda values, _: values)
                parts.append((key, _end(at, self._order.name, name == "endCursor")))
            elif name == "hasNextPage":
                parts.append((key, lambda shown: shown.more))
            elif name == "hasPreviousPage":
                parts.append((key, _constant(self._continued)))
            elif name == "__typename":
                parts.append((key, _constant(kind.name)))
            else:
                raise NotCompilable(f"{kind.name}.{name} is not known")
        return answer.fields(parts)

    def _mark(self) -> str:
        """What a cursor keeps of a row."""
        return order_of(self._order).values(self._names.this, self._names.edge)

    def _add(self, text: str, show: Show) -> int:
        self._columns.append(text)
        self._shows.append(show)
        return len(self._columns) - 1


def _constant(value: Any) -> Part:
    return lambda shown: [value] * len(shown.sizes)


def _cursor(order: str) -> Show:
    return lambda values, _: [encode(order, value) for value in values]


def _end(at: int, order: str, last: bool) -> Part:
    return lambda shown: list(shown.cursors(at, order, last))
