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
    given = compiler.arguments(field_def, details)
    page = RelationPage(compiler, read.relation, given, compiler.names())
    show = page.compile(field_def, details)

    def make(given: Mapping[str, Any]) -> tuple[str, Parameters]:
        text, values = page.make(given)
        return text, values | {"project": read.project(given)}

    return compiler.bound(field_def, details, make), show


def nested(
    compiler: Selecting, relation: Relation, field_def: GraphQLField, details: Any, owner: str
) -> tuple[str, Show]:
    """A list below an entity, and how lists of it are shown."""
    given = compiler.arguments(field_def, details)
    page = RelationPage(compiler, relation, given, compiler.names(owner))
    show = page.compile(field_def, details)
    return compiler.bound(field_def, details, page.make), show


class Page:
    """The selection of one page, compiled; subclasses say what its rows are."""

    #: The order's name and what a cursor keeps of a row, in Cypher.
    order: str
    mark: str

    def __init__(self, compiler: Selecting, limit: str, *, continued: bool) -> None:
        self.compiler = compiler
        self.counted = self.wants_rows = False
        self.columns: list[str] = []
        self._shows: list[Show] = []
        self._limit = limit
        self._continued = continued

    def compile(self, field_def: GraphQLField, details: Any) -> Show:
        """How pages are shown; from then on it is known which columns a row has."""
        outside = self.compiler.within
        self.compiler.within = (*outside, self._limit)
        if outside:
            self.compiler.nested.append(self.compiler.within)
        part = self._part(get_named_type(field_def.type), details)
        self.compiler.within = outside
        return answer.Connection(self._limit, self._shows, part, self.counted)

    @property
    def row(self) -> str:
        """A row in Cypher; a single column stands for itself."""
        return self.columns[0] if len(self.columns) == 1 else f"[{', '.join(self.columns)}]"

    def entity(self, kind: Any, details: Any) -> tuple[str, Show]:
        """What a row leads to."""
        raise NotImplementedError

    def fact(self, kind: Any, key: str, details: Any) -> Column:  # noqa: ARG002  # for subclasses
        """What is known of the relationship that led to a row."""
        raise NotCompilable(f"{kind.name} has no relationship")

    def _part(self, kind: Any, details: Any) -> Part:
        """The fields of the page, adding the columns that each of its rows needs."""
        parts: list[tuple[str, Part]] = []
        for key, group in self.compiler.selection(kind, details).items():
            name = group[0].node.name.value
            if name == "__typename":
                parts.append((key, _constant(kind.name)))
            elif name == "totalCount":
                self.counted = True
                parts.append((key, lambda shown: shown.totals))
            elif name == "pageInfo":
                self.wants_rows = True
                parts.append((key, self._info(get_named_type(kind.fields[name].type), group)))
            elif name in ("edges", "nodes"):
                self.wants_rows = True
                parts.append((key, self._rows(get_named_type(kind.fields[name].type), name, group)))
            else:
                raise NotCompilable(f"{kind.name}.{name} is no part of a page")
        return answer.fields(parts)

    def _rows(self, kind: Any, name: str, details: Any) -> Part:
        """The edges or the nodes."""
        if name == "nodes":
            text, show = self.entity(kind, details)
        else:
            text, show = self._edge(kind, details)
        at = self._add(text, show)
        return lambda shown: shown.parts(at)

    def _edge(self, kind: Any, details: Any) -> tuple[str, Show]:
        """The relationship that led to a row, with the row's entity and its cursor."""
        columns = []
        for key, group in self.compiler.selection(kind, details).items():
            name = group[0].node.name.value
            if name == "node":
                inner = get_named_type(kind.fields[name].type)
                columns.append(Column(key, *self.entity(inner, group)))
            elif name == "cursor":
                columns.append(Column(key, self.mark, _cursor(self.order)))
            elif name == "__typename":
                columns.append(answer.constant(key, kind.name))
            else:
                columns.append(self.fact(kind, key, group))
        return answer.row(columns)

    def _info(self, kind: Any, details: Any) -> Part:
        """Where the page stands in its list."""
        parts: list[tuple[str, Part]] = []
        at: int | None = None
        for key, group in self.compiler.selection(kind, details).items():
            name = group[0].node.name.value
            if name in ("startCursor", "endCursor"):
                if at is None:
                    at = self._add(self.mark, lambda values, _: values)
                parts.append((key, _end(at, self.order, name == "endCursor")))
            elif name == "hasNextPage":
                parts.append((key, lambda shown: shown.more))
            elif name == "hasPreviousPage":
                parts.append((key, _constant(self._continued)))
            elif name == "__typename":
                parts.append((key, _constant(kind.name)))
            else:
                raise NotCompilable(f"{kind.name}.{name} is not known")
        return answer.fields(parts)

    def _add(self, text: str, show: Show) -> int:
        self.columns.append(text)
        self._shows.append(show)
        return len(self.columns) - 1


class RelationPage(Page):
    """A page along a relation, or over a whole label."""

    def __init__(
        self, compiler: Selecting, relation: Relation, given: Mapping[str, Any], names: Names
    ) -> None:
        continued = given.get("after") is not None
        super().__init__(compiler, f"{names.prefix}limit", continued=continued)
        self._relation = relation
        self._names = names
        self.order = given["order_by"].name
        self.mark = order_of(given["order_by"]).values(names.this, names.edge)

    def make(self, given: Mapping[str, Any]) -> tuple[str, Parameters]:
        """The text for these arguments, and its parameters."""
        want = pages.Wanted(None, None, None, {}, {}, self.wants_rows, self.counted)
        asked, values = ask(
            self._relation,
            want,
            given["order_by"],
            given["first"],
            given.get("after"),
            given.get("filter_"),
        )
        text = statements.connection(asked, self._names, self.row)
        return text, {f"{self._names.prefix}{name}": value for name, value in values.items()}

    def entity(self, kind: Any, details: Any) -> tuple[str, Show]:
        """The entity at the other end."""
        return self.compiler.object(kind, details, self._names.this)

    def fact(self, kind: Any, key: str, details: Any) -> Column:
        """A property of the relationship."""
        if self._relation.type is None:
            return super().fact(kind, key, details)
        return self.compiler.column(kind, key, details, self._names.edge)


def _constant(value: Any) -> Part:
    return lambda shown: [value] * len(shown.sizes)


def _cursor(order: str) -> Show:
    return lambda values, _: [encode(order, value) for value in values]


def _end(at: int, order: str, last: bool) -> Part:
    return lambda shown: list(shown.cursors(at, order, last))
