"""Compiled root fields: their statement, their parameters for one request, how they are shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from graphql import ArgumentNode, GraphQLField, VariableNode
from graphql.execution.values import get_argument_values
from strawberry.types.arguments import convert_arguments

from gotn.graph.answer import Show
from gotn.graph.leaves import Surprise

#: Rows of lists in lists that one statement could read, at most; beyond that, each level is read
#: by itself. What it really reads is held to `statements.ROWS`, as there.
MOST = 1_000_000
Parameters = dict[str, Any]
#: From a field's arguments to its part of the text, and its parameters.
Make = Callable[[Mapping[str, Any]], tuple[str, Parameters]]


def definition(field_def: GraphQLField) -> Any:
    """The Strawberry field behind a GraphQL field."""
    return field_def.extensions["strawberry-definition"]


def arguments(executor: Any, field_def: GraphQLField, details: Any) -> dict[str, Any]:
    """A field's arguments just as its resolver would receive them."""
    schema = executor.schema._strawberry_schema  # noqa: SLF001  # as Strawberry's own resolvers do
    return convert_arguments(
        get_argument_values(field_def, details[0].node, executor.variable_values),
        definition(field_def).arguments,
        schema.schema_converter.scalar_registry,
        schema.config,
    )


def varies(nodes: Any) -> bool:
    """Whether arguments depend on a request's variables."""
    todo = [node.value if isinstance(node, ArgumentNode) else node for node in nodes or ()]
    while todo:
        node = todo.pop()
        if isinstance(node, VariableNode):
            return True
        todo += getattr(node, "values", ())
        todo += [member.value for member in getattr(node, "fields", ())]
    return False


@dataclass(frozen=True)
class Binder:
    """Gives one field's parameters for a request; the text may not differ from the plan's."""

    field_def: GraphQLField
    details: Any
    make: Make
    text: str

    def bind(self, executor: Any) -> Parameters:
        """The parameters; Surprise where these arguments ask for another statement."""
        text, parameters = self.make(arguments(executor, self.field_def, self.details))
        if text != self.text:
            raise Surprise("text")
        return parameters


@dataclass(frozen=True)
class Plan:
    """A compiled root field."""

    text: str
    #: What it is called in metrics: "graph/Query.workNodes".
    name: str
    show: Show
    binders: tuple[Binder, ...]
    #: Parameters that are the same in all requests.
    constants: Mapping[str, Any] = field(default_factory=dict)
    #: For each list in a list, the parameters with the limits from the outermost on.
    nested: tuple[tuple[str, ...], ...] = ()
    #: Whether nothing found must not hide that there is no such project.
    scoped: bool = False

    def parameters(self, executor: Any) -> Parameters:
        """This request's values; Surprise where lists in lists could have more than MOST rows."""
        values = dict(self.constants)
        for binder in self.binders:
            values |= binder.bind(executor)
        for limits in self.nested:
            if prod(values[name] for name in limits) > MOST:
                raise Surprise("size")
        return values

    def answer(self, value: Any, given: Parameters) -> Any:
        """What the statement's value shows."""
        return self.show([value], given)[0]
