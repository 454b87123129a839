"""The complexity of an operation: how many values its answer can have, at most.

    of a selection     the sum of its fields, each use of a fragment counted
    of a field         1 for itself, and once what is selected below it
    of a page's rows   what is selected below `edges` or `nodes` counts `first` times, 50
                       where nobody says, so lists in lists multiply
    of short lists     with `first` and without pages, the same (readySteps)
    of other lists     what is selected below counts as often as the list is long at most (LISTS)

A list of texts is one value. Directives and type conditions leave nothing out: the number is
an upper bound, known before anything runs. `first` may be a variable: the number of a document
is kept for each set of its values, so that the next request looks it up.

    { version }                                                                     1
    { workNodes(first: 100) { totalCount nodes { id summary } } }                 203
    { workNodes(first: 100) { nodes { id children(first: 10) { nodes { id } } } } }  1302
    { ready { edges { cursor } } }                                                 52
    { cycles { path } }                                                          1001

The second is 1 for the field, 1 for totalCount, 1 for nodes and 100 × 2 for its rows; the
third 1 + 1 and 100 × (1 + 1 + 1 + 10 × 1).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from graphql import (
    ArgumentNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValueNode,
    VariableDefinitionNode,
    VariableNode,
    get_named_type,
    get_nullable_type,
    is_composite_type,
    is_list_type,
)
from graphql.utilities import value_from_ast_untyped

from gotn.graph.paging import LARGEST, USUAL
from gotn.similarity import duplicates, preparing
from gotn.work.records import NodeStatus
from gotn.work.store import asking, subgraph

#: Lists of objects that take no `first`, and how often what is below them counts: the most rows
#: they have, or, where a list is as long as the work itself (steps, hops, warnings), a usual one.
LISTS: Mapping[str, int] = {
    "BlockingPath.hops": 1000,
    "Costs.groups": 1000,
    "Deduped.duplicates": duplicates.MOST,
    "Impact.byStatus": len(NodeStatus),
    "Imported.skipped": asking.LIMIT,
    "Imported.warnings": asking.LIMIT,
    "Linked.cycles": asking.LIMIT,
    "Linked.unmet": asking.LIMIT,
    "NodeContext.parts": 1 + preparing.BEFORE + preparing.SOLVED,
    "Plan.blocked": asking.LIMIT,
    "Plan.steps": asking.TREE,
    "Plan.unmet": asking.LIMIT,
    "Planted.disagreements": asking.LIMIT,
    "Planted.warnings": asking.LIMIT,
    "Query.cycles": asking.LIMIT,
    "Query.treeOf": asking.TREE,
    "Query.unmet": asking.LIMIT,
    "Query.why": asking.CAUSES,
    "Queue.ready": 1000,
    "Queue.running": 1000,
    "Queue.waiting": 1000,
    "Replanned.moved": asking.LIMIT,
    "RunEvent.steps": asking.LIMIT,
    "Subgraph.edges": subgraph.EDGES,
    "Subgraph.nodes": subgraph.MOST,
}
#: Longer texts are not kept, and no more numbers than these: then all are forgotten.
_KEPT_TEXT, _KEPT = 8192, 2048


class Cost(NamedTuple):
    """What a selection costs."""

    #: Values that are there once.
    own: int = 0
    #: Values of each row of the page that the selection stands in.
    row: int = 0


_ABSENT = object()


class Meter:
    """Complexities of the documents of a schema; documents must be valid."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self._schema = schema
        self._lengths = {**LISTS, **introspection(schema)}
        self._names: dict[tuple[str, str | None], tuple[str, ...]] = {}
        self._totals: dict[tuple[Any, ...], int] = {}

    def of(
        self,
        text: str,
        document: DocumentNode,
        operation_name: str | None,
        variables: Mapping[str, Any] | None,
    ) -> int:
        """How many values the operation's answer can have, at most."""
        given = variables or {}
        form = (text, operation_name)
        names = self._names.get(form)
        if names is not None:
            known = self._totals.get((*form, *_values(given, names)))
            if known is not None:
                return known
        count = _Count(self._schema, self._lengths, document, operation_name, given)
        total = count.total()
        if len(text) <= _KEPT_TEXT:
            self._keep(form, tuple(sorted(count.asked)), given, total)
        return total

    def _keep(
        self, form: tuple[str, str | None], names: tuple[str, ...], given: Any, total: int
    ) -> None:
        if len(self._totals) >= _KEPT:
            self._totals.clear()
            self._names.clear()
        self._names[form] = names
        self._totals[*form, *_values(given, names)] = total


def _values(given: Mapping[str, Any], names: tuple[str, ...]) -> tuple[Any, ...]:
    """What these variables are, as it counts: one that is absent has its default, null has none."""
    return tuple(_plain(given[name]) if name in given else _ABSENT for name in names)


class _Count:
    """Counts one operation with one set of variables; each fragment once."""

    def __init__(
        self,
        schema: GraphQLSchema,
        lengths: Mapping[str, int],
        document: DocumentNode,
        operation_name: str | None,
        given: Mapping[str, Any],
    ) -> None:
        self._schema = schema
        self._lengths = lengths
        self._given = given
        self._fragments: dict[str, FragmentDefinitionNode] = {}
        self._known: dict[str, Cost] = {}
        self._operation: OperationDefinitionNode | None = None
        self._defined: tuple[VariableDefinitionNode, ...] = ()
        #: Variables that some `first` is given by.
        self.asked: set[str] = set()
        for node in document.definitions:
            if isinstance(node, FragmentDefinitionNode):
                self._fragments[node.name.value] = node
            elif isinstance(node, OperationDefinitionNode) and operation_name in (
                None,
                node.name.value if node.name else None,
            ):
                self._operation = node
                self._defined = node.variable_definitions or ()

    def total(self) -> int:
        """The operation's complexity."""
        if self._operation is None:
            return 0  # there is nothing to run, and execution says so
        root = self._schema.get_root_type(self._operation.operation)
        return self._selection(self._operation.selection_set, root).own

    def _selection(self, selection: SelectionSetNode | None, parent: Any) -> Cost:
        own = row = 0
        cost = Cost()
        for node in selection.selections if selection else ():
            if isinstance(node, FieldNode):
                cost = self._field(node, parent)
            elif isinstance(node, FragmentSpreadNode):
                cost = self._fragment(node.name.value)
            elif isinstance(node, InlineFragmentNode):
                cost = self._inline(node, parent)
            own += cost.own
            row += cost.row
        return Cost(own, row)

    def _inline(self, node: InlineFragmentNode, parent: Any) -> Cost:
        named = node.type_condition
        kind = self._schema.get_type(named.name.value) if named else parent
        return self._selection(node.selection_set, kind)

    def _fragment(self, name: str) -> Cost:
        if name not in self._known:
            self._known[name] = Cost()  # valid documents have no fragment within itself
            node = self._fragments[name]
            kind = self._schema.get_type(node.type_condition.name.value)
            self._known[name] = self._selection(node.selection_set, kind)
        return self._known[name]

    def _field(self, node: FieldNode, parent: Any) -> Cost:
        name = node.name.value
        declared = self._schema.get_field(parent, name)
        if declared is None:
            return Cost(1)
        kind: Any = get_named_type(declared.type)
        if not is_composite_type(kind):
            return Cost(1)
        below = self._selection(node.selection_set, kind)
        if "first" in declared.args:
            if is_list_type(get_nullable_type(declared.type)):  # rows themselves, not a page
                return Cost(1 + self._first(node, declared) * below.own)
            return Cost(1 + below.own + self._first(node, declared) * below.row)
        if name in ("edges", "nodes") and is_page(parent):
            return Cost(1, below.own)
        return Cost(1 + self._length(parent, name, declared) * below.own)

    def _length(self, parent: Any, name: str, declared: GraphQLField) -> int:
        if not is_list_type(get_nullable_type(declared.type)):
            return 1
        return self._lengths.get(f"{parent.name}.{name}", LARGEST)

    def _first(self, node: FieldNode, declared: GraphQLField) -> int:
        argument = next((a for a in node.arguments or () if a.name.value == "first"), None)
        rows = self._rows(argument)
        if rows is None:
            default = declared.args["first"].default_value
            rows = default if isinstance(default, int) else USUAL
        return min(max(rows, 0), LARGEST)  # outside of this the list itself refuses

    def _rows(self, argument: ArgumentNode | None) -> int | None:
        """How many rows a document asks for, or None where it does not say."""
        value: ValueNode | None = argument.value if argument else None
        if isinstance(value, IntValueNode):
            # Longer ones no Int can be; Python would refuse to read very long ones at all.
            return int(value.value) if len(value.value) < 20 else LARGEST
        if not isinstance(value, VariableNode):
            return None
        name = value.name.value
        self.asked.add(name)
        if name in self._given:
            return _plain(self._given[name])
        for one in self._defined:
            if one.variable.name.value == name and one.default_value is not None:
                return _plain(value_from_ast_untyped(one.default_value))
        return None


def _plain(value: Any) -> int | None:
    """A variable's value as GraphQL reads an Int; None for what it refuses, or was not given."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value == value // 1 and abs(value) < 2**53 else None


def is_page(kind: Any) -> bool:
    """Whether a type is one page of a list, whose `first` counts its `edges` and `nodes`."""
    fields = kind.fields if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType) else {}
    return "pageInfo" in fields


def introspection(schema: GraphQLSchema) -> dict[str, int]:
    """How long the lists of the schema about itself are: all types, and the mean below them."""
    kinds: list[Any] = list(schema.type_map.values())
    members = [one for kind in kinds for one in getattr(kind, "fields", {}).values()]

    def mean(total: int, owners: int) -> int:
        return -(-total // max(owners, 1))

    arguments = sum(len(getattr(one, "args", ())) for one in members)
    values = sum(len(getattr(kind, "values", ())) for kind in kinds)
    unions = sum(len(getattr(kind, "types", ())) for kind in kinds)
    faces = sum(len(getattr(kind, "interfaces", ())) for kind in kinds)
    return {
        "__Schema.types": len(kinds),
        "__Schema.directives": len(schema.directives),
        "__Type.fields": mean(len(members), len(kinds)),
        "__Type.inputFields": mean(len(members), len(kinds)),
        "__Type.enumValues": mean(values, len(kinds)),
        "__Type.interfaces": mean(faces, len(kinds)),
        "__Type.possibleTypes": mean(unions + faces, len(kinds)),
        "__Field.args": mean(arguments, len(members)),
        "__Directive.args": 3,
    }
