"""Which fields a document selects below a field, fragments included.

A superset is enough: type conditions, @skip and @include are not looked at, so a member may
be read that is not shown, never the other way round.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    SelectionNode,
)

Fragments = dict[str, FragmentDefinitionNode]


def below(nodes: Iterable[FieldNode], fragments: Fragments, *path: str) -> frozenset[str]:
    """Names of the fields selected at the end of a path of names below these fields."""
    here = list(nodes)
    for name in path:
        here = [node for node in _children(here, fragments) if node.name.value == name]
    return frozenset(node.name.value for node in _children(here, fragments))


def _children(nodes: Iterable[FieldNode], fragments: Fragments) -> Iterator[FieldNode]:
    seen: set[str] = set()
    todo: list[SelectionNode] = []
    for node in nodes:
        if node.selection_set:
            todo.extend(node.selection_set.selections)
    while todo:
        one = todo.pop()
        if isinstance(one, FieldNode):
            yield one
        elif isinstance(one, InlineFragmentNode):
            todo.extend(one.selection_set.selections)
        elif isinstance(one, FragmentSpreadNode) and one.name.value not in seen:
            seen.add(one.name.value)
            todo.extend(fragments[one.name.value].selection_set.selections)


def selected(info: Any, *path: str) -> frozenset[str]:
    """The same for the field that a resolver answers."""
    raw = info._raw_info  # noqa: SLF001  # Strawberry's own view copies the tree at each call
    return below(raw.field_nodes, raw.fragments, *path)
