"""Which pairs of nodes are joined by a soft edge, and what the edge says. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gotn.similarity.store import PROVENANCE, Pairs

Row = dict[str, Any]
#: Two ids, the smaller one first.
Pair = tuple[str, str]
#: How far scores of the same texts may lie apart: bfloat16 and float32 agree to 0.0033 on real
#: ones. What moves less is not written anew, so that another engine changes no journal.
SAME = 0.005


@dataclass(frozen=True, kw_only=True)
class Wish:
    """How soft edges are to be made; the defaults are measured (`make bench-quality`).

    They repeat NEAREST and ALIKE of gotn_embeddings, which is not imported before it is used.
    """

    #: Neighbours of each node that are looked at.
    k: int = 5
    #: The least cosine.
    threshold: float = 0.6
    model: str = ""


@dataclass
class Difference:
    """What makes the edges that are there the wanted ones."""

    added: dict[Pair, float] = field(default_factory=dict)
    updated: dict[Pair, float] = field(default_factory=dict)
    removed: list[Pair] = field(default_factory=list)
    #: Pairs that somebody else joined, wanted or not.
    stated: int = 0


def pair(a: str, b: str) -> Pair:
    """Two ids in order."""
    return (a, b) if a < b else (b, a)


def difference(wanted: Mapping[Pair, float], there: Pairs, model: str) -> Difference:
    """Compare; an edge that somebody else stated is never touched."""
    found = Difference(stated=sum(not edge.ours for edge in there.values()))
    for ends, score in wanted.items():
        edge = there.get(ends)
        if edge is None:
            found.added[ends] = score
        elif edge.ours and (edge.model != model or abs(edge.score - score) > SAME):
            found.updated[ends] = score
    found.removed = sorted(e for e, edge in there.items() if edge.ours and e not in wanted)
    return found


def mutual(near: Mapping[str, Mapping[str, float]], touched: set[str]) -> dict[Pair, float]:
    """Pairs with a touched node in which each is among the other's nearest."""
    return {
        pair(a, b): score
        for a in touched
        for b, score in near.get(a, {}).items()
        if a in near.get(b, {})
    }


def row(ends: Pair, score: float, model: str, time: str) -> Row:
    """A soft edge as it is stored and journalled."""
    return named(ends) | {
        "score": stored(score),
        "evidence": evidence(score, model),
        "model": model,
        "provenance": dict(PROVENANCE),
        "version": 1,
        "created_at": time,
    }


def named(ends: Pair) -> Row:
    """A soft edge's names."""
    return {"type": "soft_semantic", "src": ends[0], "dst": ends[1]}


def evidence(score: float, model: str) -> str:
    """Why the edge stands, for people."""
    return f"cosine {stored(score):.4f} ({model})"


def stored(score: float) -> float:
    """A cosine as a score, 0 to 1, to four decimals."""
    return round(min(1.0, max(0.0, score)), 4)
