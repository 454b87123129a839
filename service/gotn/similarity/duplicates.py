"""Nodes that seem to be there twice: found with a reason each, and merged where asked."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gotn.database.connection import Tx
from gotn.errors import EncoderUnavailable, GotnError, Invalid, Unavailable
from gotn.graph.scope import require_project
from gotn.journal import Ledger
from gotn.similarity import following, pairs, staying, store, texts
from gotn.similarity.engine import Engine, translated
from gotn.similarity.pairs import Pair
from gotn.similarity.records import Deduped, Duplicate, DuplicateKind
from gotn.similarity.spelling import ALL_PAIRS, LONGEST, Spelling
from gotn.similarity.staying import Standing
from gotn.work.records import NodeStatus
from gotn.work.store import asking
from gotn.work.usecases import merging
from gotn.work.usecases.writing import Request, check_project, recalled, write

Row = dict[str, Any]
#: Duplicates that are told at once, and candidates that are looked at.
MOST, CANDIDATES = 500, 20_000
#: Cosine from which on two nodes mean the same, where nobody says; neighbours looked at.
THRESHOLD, NEIGHBOURS = 0.92, 10
EVERY = tuple(DuplicateKind)
#: What `apply` merges where no kind is named: only what says the same is surely the same.
SURE = frozenset((DuplicateKind.EXACT,))
#: Why nodes of a group are one.
SAME = "Both say the same, but for case and space."
#: Why a pair of another kind is not merged.
UNSURE = "Merged only where its kind is named."


@dataclass
class _Found:
    """Candidates: groups that say the same, and pairs with score and reason."""

    groups: list[list[str]] = field(default_factory=list)
    pairs: dict[Pair, tuple[DuplicateKind, float, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    model: str = ""
    #: What tells whether a node says what it said when it was compared.
    said: dict[str, int] = field(default_factory=dict)

    def ranked(self) -> list[tuple[DuplicateKind, float, Pair, str]]:
        """The pairs, the surest first."""
        rows = [(kind, score, ends, why) for ends, (kind, score, why) in self.pairs.items()]
        return sorted(rows, key=lambda row: (EVERY.index(row[0]), -row[1], row[2]))


async def dedupe(
    engine: Engine,
    request: Request,
    *,
    kinds: Collection[DuplicateKind] | None = None,
    threshold: float = THRESHOLD,
    only: str | None = None,
    apply: bool = False,
) -> Deduped:
    """Find nodes that seem to be there twice; `apply` merges them, each by itself.

    None looks for every kind and merges exact ones. Nodes that need each other, are parent and
    child, or of which one is done, are told as refused. `only` looks at one node's; NotFound
    where it is not there. A merge that is refused stops nothing; every one can be undone.
    """
    check_project(request.project_id)
    if not 0 < threshold <= 1:
        raise Invalid(f"threshold: expected above 0 to 1, found {threshold:g}", field="threshold")
    names = None if kinds is None else sorted(kind.value for kind in kinds)
    given = {"kinds": names, "threshold": threshold, "only": only, "apply": apply}
    known = await recalled(engine.database, request, "dedupe", given, Deduped)
    if known is not None:
        return known
    if only is not None:
        await engine.database.read(lambda tx: asking.require(tx, request.project_id, only))
    looked_for = EVERY if kinds is None else kinds
    found = await _candidates(engine, request.project_id, looked_for, threshold)
    done = await engine.database.read(lambda tx: _told(tx, request.project_id, found, only))
    if apply:
        for duplicate in done.duplicates:
            done.merged += await _merge(engine, request, duplicate, kinds or SURE, found.said)
    if request.idempotency_key is not None:
        await _remember(engine, request, given, done)
    return done


async def _candidates(
    engine: Engine, project_id: str, kinds: Collection[DuplicateKind], threshold: float
) -> _Found:
    """Pairs that one of these kinds finds, the surest first."""
    found = _Found()
    words = await asyncio.to_thread(engine.words) if DuplicateKind.FUZZY in kinds else frozenset()
    spelling = Spelling(words)
    async for rows in store.said(engine.database, project_id):
        for id_, summary, prompt, _ in rows:
            spelling.add(id_, summary, prompt)
            found.said[id_] = hash((summary, prompt))
    near: dict[Pair, float] = {}
    if DuplicateKind.MEANING in kinds or not spelling.few:
        near = await _near(engine, project_id, found)
    if DuplicateKind.EXACT in kinds:
        found.groups = spelling.exact()
    if DuplicateKind.FUZZY in kinds:
        await _spelled(found, spelling, near)
    for ends, score in near.items() if DuplicateKind.MEANING in kinds else ():
        if score >= threshold:
            said = f"Their texts are near in meaning: cosine {score:.4f} ({found.model})."
            found.pairs.setdefault(ends, (DuplicateKind.MEANING, score, said))
    return found


async def _spelled(found: _Found, spelling: Spelling, near: Mapping[Pair, float]) -> None:
    """Take what differs in slips only, and note what was not compared so."""
    if not spelling.few and not near:
        found.notes.append(f"Above {ALL_PAIRS:,} nodes spelling is compared among neighbours.")
    if spelling.long:
        found.notes.append(
            f"{spelling.long:,} long texts (above {LONGEST:,} characters) were compared as a whole."
        )
    among = None if spelling.few else list(near)
    for ends, slips in (await asyncio.to_thread(spelling.nearly, among)).items():
        said = f"They differ only in: {', '.join(slips.differs) or 'punctuation'}."
        found.pairs[ends] = (DuplicateKind.FUZZY, slips.share, said)


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


async def _told(tx: Tx, project_id: str, found: _Found, only: str | None) -> Deduped:
    """Duplicates, the surest first; each node goes into one other at most."""
    await require_project(tx, project_id)
    ranked = [row for row in found.ranked() if only is None or only in row[2]]
    named = {id_ for ids in found.groups for id_ in ids}
    named |= {id_ for _, _, ends, _ in ranked[:CANDIDATES] for id_ in ends}
    known = await store.compared(tx, project_id, sorted(named))
    rows: list[tuple[DuplicateKind, float, Pair, str]] = []
    for ids in found.groups:
        for group in staying.groups([known[id_] for id_ in ids if id_ in known]):
            rows += [(DuplicateKind.EXACT, 1.0, ends, SAME) for ends in staying.pairs(group)]
    group_of = {id_: number for number, ids in enumerate(found.groups) for id_ in ids}
    rows += [
        (kind, score, (a, b), why)
        for kind, score, (a, b), why in ranked[:CANDIDATES]
        if known.keys() >= {a, b} and group_of.get(a, a) != group_of.get(b, b)
    ]
    if only is not None:
        rows = [row for row in rows if only in row[2]]
    told = await _chosen(tx, project_id, rows[:CANDIDATES], known)
    more = len(told) > MOST or max(len(ranked), len(rows)) > CANDIDATES
    return Deduped(duplicates=tuple(told[:MOST]), more=more, notes=tuple(found.notes))


async def _chosen(
    tx: Tx,
    project_id: str,
    rows: Sequence[tuple[DuplicateKind, float, Pair, str]],
    known: Mapping[str, Standing],
) -> list[Duplicate]:
    """Which of each pair stays and which goes, or why neither does."""
    ids = sorted({id_ for _, _, ends, _ in rows for id_ in ends})
    edges = await store.told_apart(tx, project_id, ids)
    home: dict[str, str] = {}
    kept: set[str] = set()
    told = []
    for kind, score, ends, reason in rows:
        if home.keys() & ends:
            continue
        keep, lost = staying.order([known[id_] for id_ in ends], kept)
        apart = staying.apart(keep.id, edges.get(lost.id, {}), home)
        refused = staying.refused(keep, lost, apart, kept)
        stays = staying.why(keep, lost, kept)
        if refused is None:
            home[lost.id] = keep.id
            kept.add(keep.id)
        told.append(
            Duplicate(
                keep=keep.id, keep_summary=keep.summary, keep_status=NodeStatus(keep.status),
                gone=lost.id, gone_summary=lost.summary, gone_status=NodeStatus(lost.status),
                kind=kind, score=score, reason=reason, stays=stays, refused=refused,
            )
        )  # fmt: skip
    return told


def _unless(duplicate: Duplicate, said: Mapping[str, int]) -> merging.Unless:
    """What looks again, in the merge's transaction, whether these two are still one."""

    def why(keep: Row, gone: Row, joined: Sequence[Row]) -> str | None:
        for row in (keep, gone):
            if hash((row.get("summary"), row.get("prompt_text"))) != said.get(row["id"]):
                return staying.CHANGED.format(row["id"])
        if refused := staying.unlike(keep, gone, joined):
            return refused
        status = gone["status"]
        moved = status in staying.WEIGHTY and status != duplicate.gone_status.value
        return staying.CHANGED.format(gone["id"]) if moved else None

    return why


async def _merge(
    engine: Engine,
    request: Request,
    duplicate: Duplicate,
    kinds: Collection[DuplicateKind],
    said: Mapping[str, int],
) -> int:
    """Merge one pair if it is of these kinds; how many that makes."""
    if duplicate.refused is None and duplicate.kind not in kinds:
        duplicate.refused = UNSURE
    if duplicate.refused is not None:
        return 0
    own = Request(project_id=request.project_id, actor=request.actor)
    try:
        done = await merging.merge(
            engine.database,
            own,
            duplicate.keep,
            duplicate.gone,
            duplicate.reason,
            _unless(duplicate, said),
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
