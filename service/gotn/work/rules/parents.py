"""Decomposition: one parent a node, and nothing above itself (decisions, parent)."""

from collections.abc import Iterable, Mapping
from typing import Any

from gotn.errors import Invalid


def reconciled(family: Iterable[Mapping[str, Any]], known: Mapping[str, str]) -> dict[str, str]:
    """Each child's parent from derived_from rows and what is stored; Invalid for a second one."""
    parent_of = dict(known)
    for row in family:
        parent, child = row["src"], row["dst"]
        before = parent_of.setdefault(child, parent)
        if before != parent:
            raise Invalid(
                f"parent: {child!r} is derived from {before!r} already, found {parent!r}; "
                "a node has one parent",
                field="parent",
                id=child,
            )
    return parent_of


def refuse_cycle(parent_of: Mapping[str, str]) -> None:
    """Raise Invalid, naming the path, where a node stands above itself."""
    clear: set[str] = set()
    for start in parent_of:
        path: list[str] = []
        on_path: set[str] = set()
        at: str | None = start
        while at is not None and at not in clear:
            if at in on_path:
                around = [*path[path.index(at) :], at]
                raise Invalid(
                    f"parent: {' is derived from '.join(map(repr, around))}; "
                    "a node cannot stand above itself",
                    field="parent",
                    path=around,
                )
            path.append(at)
            on_path.add(at)
            at = parent_of.get(at)
        clear |= on_path
