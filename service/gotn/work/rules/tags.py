"""Dependencies that tags imply (001, hard_requires; decisions, Hard edges)."""

from collections.abc import Sequence
from typing import Any

#: Who made a derived edge, as 001 prints it.
PROVENANCE = {"created_by": "edge_engine", "source": "requires_produces_match"}


def evidence(src: str, dst: str, tags: Sequence[str]) -> str:
    """001's sentence for an edge that tags give."""
    return f"{dst} requires '{', '.join(tags)}' which {src} produces"


def derived(src: str, dst: str, tags: Sequence[str], time: str) -> dict[str, Any]:
    """The row of a derived hard edge."""
    return {
        "type": "hard_requires",
        "src": src,
        "dst": dst,
        "origin": "derived",
        "tags": list(tags),
        "version": 1,
        "created_at": time,
        "provenance": PROVENANCE,
        "evidence": evidence(src, dst, tags),
    }
