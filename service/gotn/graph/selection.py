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
        node = todo.pop()
        if isinstance(node, FieldNode):
            yield node
            continue
        if isinstance(node, FragmentSpreadNode):
            name = node.name.value
            if name in seen:
                continue
            seen.add(name)
            todo.extend(fragments[name].selection_set.selections)
            continue
        inner: Any = node
        todo.extend(inner.selection_set.selections)


def selected(info: Any, *path: str) -> frozenset[str]:
    """The same for the field that a resolver answers."""
    raw = info._raw_info  # noqa: SLF001  # Strawberry's own view copies the tree at each call
    return below(raw.field_nodes, raw.fragments, *path)
