"""What makes two trees the same: what their documents say, however it is laid out."""

import hashlib
from collections.abc import Iterable
from typing import Any

from gotn.canonical import canonical

Row = dict[str, Any]
#: What a tree's row has of its document.
_TREE = ("version", "metadata", "extra")
#: What a task's row has beside its document: its tree, and what the protocol notes.
_BESIDE = frozenset(("layout", "tree", "worker", "attempt", "tries_before"))


def fingerprint(tree: Row, tasks: Iterable[Row]) -> str:
    """SHA-256 of a tree's content; tasks stand with parents first, children in their order."""
    whole = hashlib.sha256(canonical({name: tree[name] for name in _TREE if name in tree}))
    for row in tasks:
        whole.update(canonical({k: v for k, v in row.items() if k not in _BESIDE}))
    return whole.hexdigest()
