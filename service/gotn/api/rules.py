"""A document's depth, aliases and size, counted once a fragment.

Strawberry's own depth and alias limits walk into a fragment at every use, so thirty
fragments that use each other twice take them minutes; these numbers are kept a fragment.
A document above a limit is not validated further: what is left of validation compares fields
with each other, and takes long on just such documents.
"""

from dataclasses import dataclass
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValidationRule,
)
from graphql.validation.rules.max_introspection_depth_rule import MAX_LIST_DEPTH
from graphql.validation.validate import ValidationAbortedError

from gotn.api.limits import Limits, facts

#: Selections and fragments in each other, at most; all that walk a document walk it recursively.
NESTING = 100
#: Lists of the schema about itself in each other (fields, interfaces, …), as graphql-core counts.
INTROSPECTION = MAX_LIST_DEPTH - 1


@dataclass(frozen=True)
class Size:
    """How deep and how large a selection is."""

    depth: int = 0
    aliases: int = 0
    fields: int = 0


class TooNested(Exception):
    """Selections and fragments stand in each other more than NESTING times."""


class Measure:
    """Sizes of a document's selections."""

    def __init__(self, fragments: dict[str, FragmentDefinitionNode]) -> None:
        self._fragments = fragments
        self._known: dict[str, Size] = {}
        self._level = 0

    def of(self, selection: SelectionSetNode | None) -> Size:
        """The size of a selection with all it spreads; TooNested where it goes too far down."""
        if selection is None:
            return Size()
        self._level += 1
        if self._level > NESTING:
            raise TooNested
        depth = aliases = fields = 0
        for node in selection.selections:
            one = self._one(node)
            depth = max(depth, one.depth)
            aliases += one.aliases
            fields += one.fields
        self._level -= 1
        return Size(depth, aliases, fields)

    def _one(self, node: Any) -> Size:
        if isinstance(node, FragmentSpreadNode):
            return self._fragment(node.name.value)
        inner = self.of(node.selection_set)
        if not isinstance(node, FieldNode):
            return inner
        alias = 1 if node.alias else 0
        # The schema about itself goes down further than data; its lists count in `complexity`.
        depth = 0 if node.name.value.startswith("__") else inner.depth + 1
        return Size(depth, inner.aliases + alias, inner.fields + 1)

    def _fragment(self, name: str) -> Size:
        if name not in self._known:
            self._known[name] = Size()  # one that spreads itself is another rule's to refuse
            found = self._fragments.get(name)
            self._known[name] = self.of(found.selection_set) if found else Size()
        return self._known[name]


def rule(limits: Limits) -> type[ValidationRule]:
    """The validation rule that refuses larger documents than these limits allow."""

    class Limited(ValidationRule):
        """Refuses documents above the limits."""

        def enter_document(self, node: DocumentNode, *_: Any) -> None:
            """Measure all operations before anything else looks at them."""
            found = node.definitions
            named = {f.name.value: f for f in found if isinstance(f, FragmentDefinitionNode)}
            measure = Measure(named)
            for operation in found:
                if isinstance(operation, OperationDefinitionNode):
                    _check(operation, measure, limits)

    return Limited


def _check(operation: OperationDefinitionNode, measure: Measure, limits: Limits) -> None:
    try:
        size = measure.of(operation.selection_set)
    except TooNested:
        _refuse(operation, "nesting", "selections and fragments in each other", NESTING, None)
        return
    for what, said, value in (
        ("depth", "fields deep", size.depth),
        ("aliases", "aliases", size.aliases),
        ("fields", "fields", size.fields),
    ):
        if value > (most := getattr(limits, what)):
            _refuse(operation, what, said, most, value)


def _refuse(node: Any, what: str, said: str, most: int, found: int | None) -> None:
    """End validation with this error alone."""
    number = f"more than {most}" if found is None else found
    does, may = ("is", "be") if what == "depth" else ("has", "have")
    raise ValidationAbortedError(
        f"This operation {does} {number} {said}, and may {may} {most}.",
        node,
        extensions=facts(what, most, found),
    )
