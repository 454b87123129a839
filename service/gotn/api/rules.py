"""A document's depth, aliases and size, counted once a fragment.

Strawberry's own depth and alias limits walk into a fragment at every use, so thirty
fragments that use each other twice take them minutes; these numbers are kept a fragment.
"""

from dataclasses import dataclass
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    OperationDefinitionNode,
    SelectionSetNode,
    ValidationContext,
    ValidationRule,
)


@dataclass(frozen=True)
class Size:
    """How deep and how large a selection is."""

    depth: int = 0
    aliases: int = 0
    fields: int = 0


class Measure:
    """Sizes of a document's selections."""

    def __init__(self, fragments: dict[str, FragmentDefinitionNode]) -> None:
        self._fragments = fragments
        self._known: dict[str, Size] = {}

    def of(self, selection: SelectionSetNode | None) -> Size:
        """The size of a selection with all it spreads."""
        depth = aliases = fields = 0
        for node in selection.selections if selection else ():
            one = self._one(node)
            depth = max(depth, one.depth)
            aliases += one.aliases
            fields += one.fields
        return Size(depth, aliases, fields)

    def _one(self, node: Any) -> Size:
        if isinstance(node, FragmentSpreadNode):
            return self._fragment(node.name.value)
        inner = self.of(node.selection_set)
        if not isinstance(node, FieldNode):
            return inner
        if node.name.value.startswith("__"):  # introspection is no work for the database
            return Size(fields=1 + inner.fields)
        alias = 1 if node.alias else 0
        return Size(inner.depth + 1, inner.aliases + alias, inner.fields + 1)

    def _fragment(self, name: str) -> Size:
        if name not in self._known:
            self._known[name] = Size()  # one that spreads itself is another rule's to refuse
            found = self._fragments.get(name)
            self._known[name] = self.of(found.selection_set) if found else Size()
        return self._known[name]


def rule(depth: int, aliases: int, fields: int) -> type[ValidationRule]:
    """The validation rule that refuses larger documents."""

    class Limited(ValidationRule):
        """Refuses documents above the limits."""

        def __init__(self, context: ValidationContext) -> None:
            super().__init__(context)
            found = context.document.definitions
            named = {f.name.value: f for f in found if isinstance(f, FragmentDefinitionNode)}
            measure = Measure(named)
            for operation in found:
                if isinstance(operation, OperationDefinitionNode):
                    self._check(context, operation, measure.of(operation.selection_set))

        @staticmethod
        def _check(
            context: ValidationContext, operation: OperationDefinitionNode, size: Size
        ) -> None:
            for what, value, most in (
                ("fields deep", size.depth, depth),
                ("aliases", size.aliases, aliases),
                ("fields", size.fields, fields),
            ):
                if value > most:
                    context.report_error(
                        GraphQLError(
                            f"This operation has {value} {what}, and may have {most}.",
                            operation,
                            extensions={"code": "LIMIT", "limit": most, "found": value},
                        )
                    )

    return Limited
