"""Lists of relationships in compiled statements, those that wait for a node among them.

A row is the same for both: the JSON text of one that waits, or null, and the columns. What
waits is shown from its record, as the text has all of it.
"""

from collections.abc import Callable, Mapping
from typing import Any

from graphql import GraphQLField, get_named_type, is_non_null_type

from gotn.graph import answer, faces
from gotn.graph.answer import Column, Given, Show
from gotn.graph.connections import Page, Selecting
from gotn.graph.forms import PLAIN
from gotn.graph.leaves import NotCompilable, column, complete
from gotn.graph.plans import Parameters
from gotn.graph.reads import End, Relationships
from gotn.graph.relationships import MARK, ORDER, AskedEdges, expression

#: Members that are a relationship's names, in Cypher; the others are its properties.
NAMES = {"src": "e_src", "type": "e_type", "dst": "e_dst"}
#: What is the same of all that do not wait.
CONSTANT: Mapping[str, Callable[[Given], Any]] = {
    "project_id": lambda given: given["project"],
    "pending": lambda given: False,
}


def listed(
    compiler: Selecting, read: Relationships, field_def: GraphQLField, details: Any
) -> tuple[str, Show]:
    """The whole statement of such a list, and how it is shown."""
    given = compiler.arguments(field_def, details)
    page = EdgePage(compiler, read, continued=given.get("after") is not None)
    show = page.compile(field_def, details)
    return compiler.bound(field_def, details, page.make), show


class EdgePage(Page):
    """A page of relationships."""

    order = ORDER
    mark = MARK

    def __init__(self, compiler: Selecting, read: Relationships, *, continued: bool) -> None:
        super().__init__(compiler, "limit", continued=continued)
        self._read = read
        self._ends = False

    def make(self, given: Mapping[str, Any]) -> tuple[str, Parameters]:
        """The statement for these arguments, and its parameters."""
        branches, values = self._read.asked(given)
        asked = AskedEdges(
            branches,
            (),
            src=values["src"] is not None,
            dst=values["dst"] is not None,
            after=given.get("after") is not None,
            rows=self.wants_rows,
            total=self.counted,
            row=self.row,
            ends=self._ends,
        )
        return expression(asked), values

    def entity(self, kind: Any, details: Any) -> tuple[str, Show]:
        """The relationship itself."""
        chosen = self.compiler.selection(kind, details)
        columns = [self._column(kind, key, group) for key, group in chosen.items()]
        text, joined = answer.row(columns)
        members = [self._member(kind, group) for group in chosen.values()]
        waiting = _waiting(columns, members, self._read)

        def show(rows: list[Any], given: Given) -> list[Any]:
            stored = iter(joined([row for data, row in rows if data is None], given))
            kept = iter(waiting([pair for pair in rows if pair[0] is not None], given))
            return [next(stored if data is None else kept) for data, _ in rows]

        return f"[edge.data, {text}]", show

    def _column(self, kind: Any, key: str, details: Any) -> Column:
        name = details[0].node.name.value
        if name == "__typename":
            return answer.constant(key, kind.name)
        member, read = faces.face(kind.extensions["strawberry-definition"].origin).reads[name]
        declared = kind.fields[name]
        if isinstance(read, End):
            return self._end(key, declared, read, details)
        if member in CONSTANT:
            value = CONSTANT[member]
            return Column(key, None, lambda rows, given: [value(given)] * len(rows))
        if member in NAMES:
            convert = column(declared.type, PLAIN, None)
            return Column(key, NAMES[member], lambda values, _: convert(values))
        return self.compiler.column(kind, key, details, "edge")

    def _end(self, key: str, declared: GraphQLField, read: End, details: Any) -> Column:
        """The node at one end, or null."""
        if is_non_null_type(declared.type):
            raise NotCompilable(f"{key} must be there")
        self._ends = True
        text, show = self.compiler.object(get_named_type(declared.type), details, read.name)
        inner = answer.at_most_one(show, required=False)
        return Column(key, f"CASE WHEN {read.name} IS NULL THEN [] ELSE [{text}] END", inner)

    @staticmethod
    def _member(kind: Any, details: Any) -> tuple[str, Any] | None:
        """The record's member and type behind a selected field; None for what has none."""
        name = details[0].node.name.value
        if name == "__typename":
            return None
        member, read = faces.face(kind.extensions["strawberry-definition"].origin).reads[name]
        return None if isinstance(read, End) else (member, kind.fields[name].type)


def _waiting(columns: list[Column], members: list[Any], read: Relationships) -> Show:
    """Pairs of JSON text and row, of relationships that wait, as objects."""

    def show(pairs: list[Any], given: Given) -> list[Any]:
        if not pairs:
            return []
        records = [read.waiting(data, given["project"]) for data, _ in pairs]
        rows = [row for _, row in pairs]
        stored = iter(zip(*rows, strict=True))
        shown = []
        for one, member in zip(columns, members, strict=True):
            values = rows if one.cypher is None else list(next(stored))
            if member is None:
                shown.append(one.show(values, given))
            else:
                shown.append([complete(member[1], getattr(each, member[0])) for each in records])
        keys = [one.key for one in columns]
        return [dict(zip(keys, values, strict=True)) for values in zip(*shown, strict=True)] or [
            {} for _ in pairs
        ]

    return show
