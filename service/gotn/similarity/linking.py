"""Derive soft edges: mutual nearest neighbours over a threshold (decisions, Soft edges).

Where it is known what changed since the last time, only that is compared: a list of
neighbours that counts can change only for nodes that are at least as near as the threshold to
a vector that came or went.
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gotn import shapes
from gotn.database.connection import Tx
from gotn.errors import Conflict
from gotn.journal import Ledger
from gotn.similarity import following, noting, pairs, store, texts
from gotn.similarity.engine import Engine, Known, translated
from gotn.similarity.pairs import Pair, Wish
from gotn.similarity.records import SoftLinked
from gotn.work.store import edges, nodes
from gotn.work.usecases import projects
from gotn.writing import Asked, check_project, write

if TYPE_CHECKING:
    from gotn_embeddings import Position, VectorStore
    from gotn_embeddings.identity import Vectors

#: Nodes within the threshold of one vector, above which everything is compared anew.
NEAR = 256
#: The share of all nodes, and how many of them, up to which only what changed is compared.
SHARE, FEW = 0.2, 200
#: How often it begins again because somebody else linked meanwhile.
TRIES = 5


class _Behind(Conflict):
    """Somebody linked these nodes from a later state meanwhile."""


@dataclass
class _Found:
    """The wanted edges: of all nodes, or of those touched alone."""

    wanted: dict[Pair, float]
    #: None: all.
    touched: set[str] | None
    wish: Wish
    position: "Position"
    #: Nodes whose neighbours were looked for.
    compared: int


async def link(engine: Engine, request: Asked, *, whole: bool = False) -> SoftLinked:
    """Make soft edges what the vectors say: for what changed since the last time, or for all.

    Edges that somebody stated are left as they are. Linking again changes nothing. NotFound
    where there is no such project, EncoderUnavailable where texts cannot be encoded.
    """
    check_project(request.project_id)
    for _ in range(TRIES):
        known = await following.current(engine, request.project_id)
        async with known.lock:
            try:
                return await _link(engine, request, known, whole)
            except _Behind:
                continue
    raise Conflict("Others link this project again and again; try again.")


async def _link(engine: Engine, request: Asked, known: Known, whole: bool) -> SoftLinked:
    with translated():
        found = await _found(engine, request.project_id, known, whole)
    given = {"whole": whole}
    wish = found.wish

    async def work(tx: Tx, ledger: Ledger) -> SoftLinked:
        done = await _write(tx, ledger, known, found)
        done.vectors, done.encoded = len(known.vectors), known.encoded
        done.compared = found.compared
        done.whole, done.model = found.touched is None, wish.model
        done.k, done.threshold = wish.k, wish.threshold
        return done

    done = await write(engine.database, request, "linkSoft", given, SoftLinked, work, create=False)
    known.forget(found.position)
    known.encoded = 0
    with translated():
        await noting.keep(request.project_id, known, await engine.store())
    return done


async def _found(engine: Engine, project_id: str, known: Known, whole: bool) -> _Found:
    row = await engine.database.read(lambda tx: tx.row("similarity/get_linked", project=project_id))
    settings = shapes.loads(row["settings"]) if row["settings"] else {}
    kept = await engine.store()
    usual = Wish()
    wish = Wish(
        k=settings.get(projects.SOFT_K, usual.k),
        threshold=settings.get(projects.SOFT_THRESHOLD, usual.threshold),
        model=kept.identity.text,
    )
    position = known.at()
    before = shapes.loads(row["linked"]) if row["linked"] else None
    if not whole and _tells(known, before, wish):
        touched = await _touched(kept, project_id, known, wish)
        if touched is not None:
            wanted, compared = await _wanted_of(kept, project_id, known, touched, wish)
            return _Found(wanted, touched | known.nodes, wish, position, compared)
    wanted = await _wanted(kept, project_id, wish)
    return _Found(wanted, None, wish, position, len(known.vectors))


def _tells(known: Known, linked: dict[str, Any] | None, wish: Wish) -> bool:
    """Whether all is known that changed since it was linked, by whichever process, as wished."""
    since = known.since
    if linked is None or since is None or not _wished(wish).items() <= linked.items():
        return False
    if linked["seq"] == since.seq:
        return bool(linked["hash"] == since.hash)
    return bool(since.seq < linked["seq"] <= known.at().seq)


def _linked(position: "Position", wish: Wish) -> dict[str, Any]:
    """What edges were derived from, as the project keeps it."""
    return {"seq": position.seq, "hash": position.hash} | _wished(wish)


def _wished(wish: Wish) -> dict[str, Any]:
    return {"k": wish.k, "threshold": wish.threshold, "model": wish.model}


async def _wanted(kept: "VectorStore", project_id: str, wish: Wish) -> dict[Pair, float]:
    """All pairs that are to be joined."""
    from gotn_embeddings import mutual  # noqa: PLC0415  # only where it is used

    found = await kept.neighbours(project_id, wish.k)
    joined = await asyncio.to_thread(mutual, found, wish.threshold)
    return {pairs.pair(texts.node_of(a), texts.node_of(b)): score for a, b, score in joined}


async def _touched(
    kept: "VectorStore", project_id: str, known: Known, wish: Wish
) -> set[str] | None:
    """Nodes whose neighbours may be others than at the last time; None where that is many."""
    few = max(FEW, int(SHARE * len(known.vectors)))
    if len(known.nodes) + len(known.ends) > few:
        return None
    there = [known.vectors[id_] for id_ in known.nodes if id_ in known.vectors]
    moved = [*(await kept.get(project_id, there)).values(), *known.old]
    touched = (known.nodes | known.ends) & known.vectors.keys()
    for hits in await _near(kept, project_id, moved, NEAR, wish.threshold):
        if len(hits) >= NEAR:
            return None
        touched |= hits.keys()
    return touched if len(touched) <= few else None


async def _wanted_of(
    kept: "VectorStore", project_id: str, known: Known, touched: set[str], wish: Wish
) -> tuple[dict[Pair, float], int]:
    """Pairs of these nodes that are to be joined, and how many nodes were compared for that."""
    near = await _nearest(kept, project_id, known, touched, wish)
    others = {id_ for hits in near.values() for id_ in hits} - touched
    near |= await _nearest(kept, project_id, known, others, wish)
    return pairs.mutual(near, touched), len(near)


async def _nearest(
    kept: "VectorStore", project_id: str, known: Known, ids: Collection[str], wish: Wish
) -> dict[str, dict[str, float]]:
    """For each node the k nearest others over the threshold."""
    vectors = await kept.get(project_id, [known.vectors[id_] for id_ in sorted(ids)])
    found = await _near(kept, project_id, list(vectors.values()), wish.k + 1, wish.threshold)
    near: dict[str, dict[str, float]] = {}
    for name, hits in zip(vectors, found, strict=True):
        own = texts.node_of(name)
        rest = [(id_, score) for id_, score in hits.items() if id_ != own]
        near[own] = dict(rest[: wish.k])
    return near


async def _near(
    kept: "VectorStore", project_id: str, vectors: "Sequence[Vectors]", k: int, least: float
) -> list[dict[str, float]]:
    """For each vector the nearest nodes over a threshold, best first."""
    if not vectors:
        return []
    found = await kept.search(project_id, np.array(vectors), k)
    return [
        {texts.node_of(hit.id): hit.score for hit in hits if hit.score >= least} for hits in found
    ]


async def _write(tx: Tx, ledger: Ledger, known: Known, found: _Found) -> SoftLinked:
    """Store the difference and note it; _Behind where a later state was linked."""
    project_id, wish = ledger.project_id, found.wish
    row = await tx.row("similarity/get_linked", project=project_id)
    before = shapes.loads(row["linked"]) if row["linked"] else {}
    if before.get("seq", 0) > found.position.seq:
        raise _Behind
    there = await store.soft_edges(tx, project_id, found.touched)
    changes = pairs.difference(found.wanted, there, wish.model)
    ends = {id_ for pair in changes.added for id_ in pair}
    present = await nodes.existing(tx, project_id, ends)
    added = [
        pairs.row(pair, score, wish.model, ledger.time)
        for pair, score in sorted(changes.added.items())
        if pair[0] in present and pair[1] in present
    ]
    updated = [_change(pair, score, wish.model) for pair, score in sorted(changes.updated.items())]
    removed = [pairs.named(pair) for pair in changes.removed]
    await edges.delete(tx, project_id, removed)
    await edges.update(tx, project_id, updated)
    await edges.create(tx, project_id, list(zip(added, ledger.ordinals(len(added)), strict=True)))
    for event, rows in (("remove_edge", removed), ("update_edge", updated), ("add_edge", added)):
        ledger.record(event, [{"edge": row} for row in rows], derived=True)
    vectors = known.vectors
    if found.touched is not None:
        vectors = {id_: vectors[id_] for id_ in known.nodes if id_ in vectors}
    await store.put_refs(tx, project_id, vectors)
    linked = shapes.dumps(_linked(found.position, wish))
    await tx.rows("similarity/set_linked", project=project_id, linked=linked)
    return SoftLinked(
        added=len(added), removed=len(removed), updated=len(updated), stated=changes.stated
    )


def _change(pair: Pair, score: float, model: str) -> dict[str, Any]:
    said = {"score": pairs.stored(score), "evidence": pairs.evidence(score, model)}
    return pairs.named(pair) | said | {"model": model}
