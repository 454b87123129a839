"""What 004 allows a tree, and what a document that goes beyond it is told."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of one tree (004, Limits and constraints); each can be set."""

    max_depth: int = 5
    max_children_per_node: int = 10
    max_total_nodes: int = 100
    max_context_tokens_per_node: int = 100_000
    timeout_per_node_ms: int = 300_000


def exceeded(tasks: Sequence[Row], limits: Limits) -> Iterator[tuple[str | None, str]]:
    """What of a tree is beyond its limits: the first task of each kind, and a sentence."""
    if len(tasks) > limits.max_total_nodes:
        yield None, _said("tasks", len(tasks), "max_total_nodes", limits.max_total_nodes)
    children: dict[str, int] = {}
    for row in tasks:
        if row.get("parent") is not None:
            children[row["parent"]] = children.get(row["parent"], 0) + 1
    widest = max(children, key=lambda id_: children[id_], default=None)
    for name, id_, found in (
        ("max_depth", *_most(tasks, lambda row: row["depth"])),
        ("max_children_per_node", widest, children.get(widest or "", 0)),
        ("max_context_tokens_per_node", *_most(tasks, _context_tokens)),
        ("timeout_per_node_ms", *_most(tasks, _timeout)),
    ):
        if found > getattr(limits, name):
            yield id_, _said(_WHAT[name], found, name, getattr(limits, name))


_WHAT = {
    "max_depth": "levels below the root",
    "max_children_per_node": "children",
    "max_context_tokens_per_node": "context tokens",
    "timeout_per_node_ms": "ms of timeout",
}


def _most(tasks: Sequence[Row], value: Any) -> tuple[str, int]:
    row = max(tasks, key=value)
    return row["id"], value(row)


def _context_tokens(row: Row) -> int:
    return int((row.get("context") or {}).get("size_tokens") or 0)


def _timeout(row: Row) -> int:
    return int((row.get("execution_config") or {}).get("timeout_ms") or 0)


def _said(what: str, found: int, name: str, limit: int) -> str:
    return f"{found:,} {what}, more than {name} {limit:,}: taken, since it already happened"
