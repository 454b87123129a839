"""Where edges and texts disagree: dependencies that are likely missing, and edges in doubt.

What is told is for people to judge; nothing is changed.
"""

import asyncio
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gotn.database.connection import Tx
from gotn.errors import Invalid
from gotn.similarity import following
from gotn.similarity.engine import Engine, Known, translated
from gotn.similarity.records import Doubt, DoubtKind
from gotn.work.usecases.writing import check_project

if TYPE_CHECKING:
    from gotn_embeddings import VectorStore
    from gotn_embeddings.identity import Vectors

#: Rows that are told at most.
MOST = 100
#: Tags that are compared, produced ones and those that nobody produces.
TAGS = 5_000
#: Cosine, or share of letters, from which on two tags are alike; best ones told of a tag.
ALIKE, SPELLED, BEST = 0.7, 0.85, 3
#: Cosine up to which two nodes are about different things.
UNRELATED = 0.1
#: Edges whose vectors are in memory at once.
EDGES = 5_000
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")


async def doubts(engine: Engine, project_id: str, first: int = 50) -> list[Doubt]:
    """The strongest: missing dependencies, then edges, half of each where there are enough."""
    check_project(project_id)
    if not 1 <= first <= MOST:
        raise Invalid(f"first: expected 1 to {MOST}, found {first}", field="first")
    known = await following.current(engine, project_id)
    edges = await engine.database.read(
        lambda tx: tx.row("similarity/hard_edges", project=project_id)
    )
    missing = await _missing(engine, project_id, set(zip(edges["src"], edges["dst"], strict=True)))
    doubtful = await _suspicious(engine, project_id, known, edges)
    told = missing[: max(first - len(doubtful), (first + 1) // 2)]
    return told + doubtful[: first - len(told)]


async def _missing(engine: Engine, project_id: str, joined: set[tuple[str, str]]) -> list[Doubt]:
    """Unmet requirements that somebody may meet under another name."""

    async def read(tx: Tx) -> dict[str, Any]:
        return await tx.row("similarity/offered", project=project_id, limit=TAGS)

    row = await engine.database.read(read)
    produced, unmet = dict(row["produced"]), dict(row["unmet"])
    if not produced or not unmet:
        return []
    names = [*unmet, *produced]
    vectors = await engine.encode([words(name) for name in names])
    cosines = vectors[: len(unmet)] @ vectors[len(unmet) :].T
    found = await asyncio.to_thread(_alike, list(unmet), list(produced), cosines)
    told = [
        Doubt(
            kind=DoubtKind.MISSING_DEPENDENCY,
            src=src,
            dst=dst,
            cosine=round(cosine, 4),
            evidence=_why(dst, wanted, src, offered, cosine, share),
            produces=offered,
            requires=wanted,
        )
        for wanted, offered, cosine, share in found
        for src in produced[offered]
        for dst in unmet[wanted]
        if src != dst and not {(src, dst), (dst, src)} & joined
    ]
    return sorted(told, key=lambda one: (-one.cosine, one.src, one.dst))


def _alike(
    unmet: Sequence[str], produced: Sequence[str], cosines: "Vectors"
) -> list[tuple[str, str, float, float]]:
    """For each required tag the produced ones that are most like it: cosine and letters shared."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415  # only where it is used

    plain = [words(name) for name in produced]
    found = []
    for name, row in zip(unmet, cosines, strict=True):
        shares = process.cdist([words(name)], plain, scorer=fuzz.ratio)[0] / 100
        close = np.flatnonzero((row >= ALIKE) | (shares >= SPELLED))
        best = sorted(close.tolist(), key=lambda at: (-row[at], produced[at]))[:BEST]
        found += [(name, produced[at], float(row[at]), float(shares[at])) for at in best]
    return found


def words(tag: str) -> str:
    """A tag as words: `userTables_v2` says "user tables v 2"."""
    return " ".join(part.lower() for part in _WORD.findall(tag)) or tag


def _why(dst: str, wanted: str, src: str, offered: str, cosine: float, share: float) -> str:
    return (
        f"{dst} requires '{wanted}', which nobody produces; {src} produces '{offered}' "
        f"(cosine {cosine:.4f}, {share:.0%} of the letters)."
    )


async def _suspicious(
    engine: Engine, project_id: str, known: Known, edges: dict[str, Any]
) -> list[Doubt]:
    """Hard edges between nodes that are about different things, the least alike first."""
    kept = await engine.store()
    rows = list(zip(edges["src"], edges["dst"], edges["tags"], strict=True))
    found: list[Doubt] = []
    for start in range(0, len(rows), EDGES):
        some = [row for row in rows[start : start + EDGES] if known.vectors.keys() >= {*row[:2]}]
        cosines = await _cosines(kept, project_id, known, some)
        found += [
            Doubt(
                kind=DoubtKind.SUSPICIOUS_EDGE,
                src=src,
                dst=dst,
                cosine=round(cosine, 4),
                evidence=_doubtful(src, dst, tags, cosine, kept.identity.text),
            )
            for (src, dst, tags), cosine in zip(some, cosines, strict=True)
            if cosine <= UNRELATED
        ]
    return sorted(found, key=lambda one: (one.cosine, one.src, one.dst))


async def _cosines(
    kept: "VectorStore", project_id: str, known: Known, some: Iterable[tuple[str, str, Any]]
) -> list[float]:
    """The cosines of the ends of edges; 1 where a vector went away meanwhile."""
    pairs = [(known.vectors[src], known.vectors[dst]) for src, dst, _ in some]
    with translated():
        vectors = await kept.get(project_id, sorted({name for pair in pairs for name in pair}))
    return [
        float(np.dot(vectors[a], vectors[b])) if a in vectors and b in vectors else 1.0
        for a, b in pairs
    ]


def _doubtful(src: str, dst: str, tags: Sequence[str], cosine: float, model: str) -> str:
    rests = f"rests on '{', '.join(tags)}'" if tags else "was stated"
    return (
        f"{dst} needs {src}, which {rests}, but they are about different things: "
        f"cosine {cosine:.4f} ({model})."
    )
