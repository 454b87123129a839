"""The nodes of a document in order, parents first; flat lists are nested before.

Nothing here calls itself: a tree may be ten thousand levels deep.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gotn import shapes
from gotn.trees.exchange.report import Report

Row = dict[str, Any]


@dataclass
class Place:
    """A node of a document, and where it stands."""

    node: Row
    #: What the node is called in messages.
    where: str
    parent: str | None
    position: int
    depth: int


def walk(root: Any, report: Report) -> Iterator[Place]:
    """Every node, parents before children, children in their order."""
    todo: list[tuple[Any, str, str | None, int, int]] = [(root, "root_task", None, 0, 0)]
    while todo:
        node, where, parent, position, depth = todo.pop()
        if not isinstance(node, dict):
            report.wrong(f"{where}: expected an object, found {shown(node)}")
            continue
        name = node.get("node_id")
        where = f"task {shown(name)}" if isinstance(name, str) and name else where
        yield Place(node, where, parent, position, depth)
        children = node.get("children")
        if children is None:
            continue
        if not isinstance(children, list):
            report.wrong(f"{where}: children: expected a list, found {shown(children)}")
            continue
        own = name if isinstance(name, str) else None
        todo += [
            (child, f"child {i + 1} of {where}", own, i, depth + 1)
            for i, child in reversed(list(enumerate(children)))
        ]


def shown(value: Any) -> str:
    """A value for a message; lists and objects only by their kind, they may be deep."""
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else shapes.shown(value)


def nested(nodes: list[Any], report: Report) -> Row | None:
    """One tree out of nodes that name their parents; None, reported, where they are no tree."""
    by_id: dict[str, Row] = {}
    roots: list[str] = []
    for i, node in enumerate(nodes):
        name = node.get("node_id") if isinstance(node, dict) else None
        if not isinstance(name, str) or not name:
            report.wrong(f"nodes[{i}].node_id: expected text, found {shown(name)}")
        elif name in by_id:
            report.wrong(f"nodes[{i}].node_id: {shown(name)} stands twice", name)
        elif node.get("children"):
            report.wrong(f"task {shown(name)}: children: a flat list joins by parent_id", name)
        else:
            by_id[name] = {key: value for key, value in node.items() if key != "children"}
    for name, node in by_id.items():
        _join(name, node, by_id, roots, report)
    _refuse_rounds(by_id, roots, report)
    if len(roots) > 1:
        several = ", ".join(shown(name) for name in roots[:5])
        report.wrong(f"expected one root, found {len(roots)} tasks without a parent: {several}")
    return by_id[roots[0]] if len(roots) == 1 else None


def _join(name: str, node: Row, by_id: dict[str, Row], roots: list[str], report: Report) -> None:
    parent = node.get("parent_id")
    if parent is None:
        roots.append(name)
    elif not isinstance(parent, str) or parent not in by_id:
        report.wrong(f"task {shown(name)}: parent_id: there is no task {shown(parent)}", name)
    else:
        by_id[parent].setdefault("children", []).append(node)


def _refuse_rounds(by_id: dict[str, Row], roots: list[str], report: Report) -> None:
    """Report one path for each cycle of parents."""
    done = set(roots)
    for start in by_id:
        path: list[str] = []
        at: Any = start
        seen: dict[str, int] = {}
        while isinstance(at, str) and at in by_id and at not in done and at not in seen:
            seen[at] = len(path)
            path.append(at)
            at = by_id[at].get("parent_id")
        if at in seen:
            shown_ = " → ".join([*path[seen[at] :], at][:12])
            report.wrong(f"task {shown(at)}: parent_id: its parents go round: {shown_}", at)
        done.update(path)
    if not by_id and not report.violations:
        report.wrong("nodes: expected at least one task, found none")
