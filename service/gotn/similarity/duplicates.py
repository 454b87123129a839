"""Nodes that seem to be there twice: found with a reason each, and merged where asked."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from gotn.database.connection import Tx
from gotn.errors import EncoderUnavailable, GotnError, Invalid, Unavailable
from gotn.graph.scope import require_project
from gotn.journal import Ledger
from gotn.similarity import following, pairs, store, texts
from gotn.similarity.engine import Engine, translated
from gotn.similarity.pairs import Pair
from gotn.similarity.records import Deduped, Duplicate, DuplicateKind
from gotn.similarity.spelling import ALL_PAIRS, Spelling
from gotn.work.records import NodeStatus
from gotn.work.store import asking, nodes
from gotn.work.usecases import merging
from gotn.work.usecases.writing import Request, check_project, recalled, write

#: Duplicates that are told at once.
MOST = 500
#: Cosine from which on two nodes mean the same, where nobody says; neighbours looked at.
THRESHOLD, NEIGHBOURS = 0.92, 10
EVERY = tuple(DuplicateKind)
#: What keeps two nodes apart that an edge joins.
APART = {"HARD_REQUIRES": "One needs the other.", "DERIVED_FROM": "One is part of the other."}
#: The farther done stays.
_DONE = {NodeStatus.COMPLETED.value: 0, NodeStatus.RUNNING.value: 1}


@dataclass
class _Found:
    """Candidates by their ends, the surest kind of each."""

    kinds: dict[Pair, tuple[DuplicateKind, float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    model: str = ""

    def take(self, kind: DuplicateKind, found: Mapping[Pair, float]) -> None:
        """Take what one kind found; one that is there already is surer."""
        for ends, score in found.items():
            self.kinds.setdefault(ends, (kind, score))


async def dedupe(
    engine: Engine,
    request: Request,
    *,
    kinds: Collection[DuplicateKind] = EVERY,
    threshold: float = THRESHOLD,
    only: str | None = None,
    apply: bool = False,
) -> Deduped:
    """Find nodes that seem to be there twice; `apply` merges them, each by itself.

    Nodes that need each other, or are parent and child, are told as refused. `only` looks at
    one node's. A merge that is refused stops nothing; every one can be undone by its number.
    """
    check_project(request.project_id)
    if not 0 < threshold <= 1:
        raise Invalid(f"threshold: expected above 0 to 1, found {threshold:g}", field="threshold")
    names = sorted(kind.value for kind in kinds)
    given = {"kinds": names, "threshold": threshold, "only": only, "apply": apply}
    known = await recalled(engine.database, request, "dedupe", given, Deduped)
    if known is not None:
        return known
    found = await _candidates(engine, request.project_id, kinds, threshold)
    told = await engine.database.read(lambda tx: _told(tx, request.project_id, found, only))
    done = Deduped(duplicates=tuple(told[:MOST]), more=len(told) > MOST, notes=tuple(found.notes))
    if apply:
        for duplicate in done.duplicates:
            done.merged += await _merge(engine, request, duplicate)
    if request.idempotency_key is not None:
        await _remember(engine, request, given, done)
    return done


async def _candidates(
    engine: Engine, project_id: str, kinds: Collection[DuplicateKind], threshold: float
) -> _Found:
    """Pairs that one of these kinds finds, the surest first."""
    found = _Found()
    spelling = Spelling()
    async for rows in store.said(engine.database, project_id):
        for id_, summary, prompt, _ in rows:
            spelling.add(id_, summary, prompt)
    near: dict[Pair, float] = {}
    if DuplicateKind.MEANING in kinds or not spelling.few:
        near = await _near(engine, project_id, found)
    if DuplicateKind.EXACT in kinds:
        found.take(DuplicateKind.EXACT, spelling.exact())
    if DuplicateKind.FUZZY in kinds:
        among = None if spelling.few else list(near)
        if among is not None and not near:
            found.notes.append(f"Above {ALL_PAIRS:,} nodes spelling is compared among neighbours.")
        nearly = await asyncio.to_thread(spelling.nearly, among)
        found.take(DuplicateKind.FUZZY, nearly)
    if DuplicateKind.MEANING in kinds:
        found.take(DuplicateKind.MEANING, {ends: s for ends, s in near.items() if s >= threshold})
    return found


async def _near(engine: Engine, project_id: str, found: _Found) -> dict[Pair, float]:
    """Mutual neighbours with their cosines; none, and a note, where there is no encoder."""
    try:
        await following.current(engine, project_id)
    except EncoderUnavailable as error:
        found.notes.append(f"Meaning was not compared: {error.message}")
        return {}
    from gotn_embeddings import mutual  # noqa: PLC0415  # only where it is used

    kept = await engine.store()
    found.model = kept.identity.text
    with translated():
        neighbours = await kept.neighbours(project_id, NEIGHBOURS)
    joined = await asyncio.to_thread(mutual, neighbours, -1.0)
    return {
        pairs.pair(texts.node_of(a), texts.node_of(b)): round(score, 4) for a, b, score in joined
    }


async def _told(tx: Tx, project_id: str, found: _Found, only: str | None) -> list[Duplicate]:
    """Duplicates, the surest first; each node goes into one other at most."""
    order = list(DuplicateKind)
    ranked = sorted(
        (
            (order.index(kind), -score, ends)
            for ends, (kind, score) in found.kinds.items()
            if only is None or only in ends
        ),
    )[: 2 * MOST]
    ids = sorted({id_ for _, _, ends in ranked for id_ in ends})
    if not ids:
        await require_project(tx, project_id)
        return []
    known = await nodes.get(tx, project_id, ids)
    tied = await asking.tied(tx, project_id, ids)
    apart = await store.told_apart(tx, project_id, [ends for _, _, ends in ranked])
    gone: set[str] = set()
    kept: set[str] = set()
    told = []
    for kind, score, ends in ranked:
        if not known.keys() >= set(ends) or gone & set(ends):
            continue
        keep, lost = _order(ends, known, tied, kept)
        refused = APART.get(apart.get(ends, "")) or _refused(lost, tied, kept)
        if refused is None:
            gone.add(lost)
            kept.add(keep)
        reason = _reason(order[kind], -score, found.model)
        told.append(
            Duplicate(
                keep=keep, gone=lost, kind=order[kind], score=-score, reason=reason,
                refused=refused,
            )
        )  # fmt: skip
    return told


def _order(ends: Pair, known: dict[str, Any], tied: set[str], kept: set[str]) -> Pair:
    """Which of two stays, and which goes."""

    def place(id_: str) -> tuple[Any, ...]:
        row = known[id_]
        done = _DONE.get(row["status"], 2)
        return (id_ not in kept, id_ not in tied, done, row["created_at"], id_)

    first, second = sorted(ends, key=place)
    return first, second


def _refused(lost: str, tied: set[str], kept: set[str]) -> str | None:
    if lost in kept:
        return f"Another node is merged into {lost}; look again after that."
    if lost in tied:
        return f"{lost} hangs together with more than the work graph, such as a task tree."
    return None


def _reason(kind: DuplicateKind, score: float, model: str) -> str:
    if kind is DuplicateKind.EXACT:
        return "Both say the same, but for case and space."
    if kind is DuplicateKind.FUZZY:
        return f"{score:.0%} of their words are the same."
    return f"They mean the same: cosine {score:.4f} ({model})."


async def _merge(engine: Engine, request: Request, duplicate: Duplicate) -> int:
    """Merge one pair; how many that makes."""
    if duplicate.refused is not None:
        return 0
    own = Request(project_id=request.project_id, actor=request.actor)
    try:
        done = await merging.merge(
            engine.database, own, duplicate.keep, duplicate.gone, duplicate.reason
        )
    except Unavailable:
        raise
    except GotnError as error:
        duplicate.refused = error.message
        return 0
    duplicate.merge = done.merge
    return 1


async def _remember(engine: Engine, request: Request, given: Any, done: Deduped) -> None:
    """Give the same answer to the same key again."""

    async def work(_: Tx, __: Ledger) -> Deduped:
        return done

    await write(engine.database, request, "dedupe", given, Deduped, work, create=False)
