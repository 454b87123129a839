"""What is similar to a text or a node: by meaning, by words, or both put together by rank."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gotn.errors import Invalid, NotFound
from gotn.graph import filters
from gotn.graph.scope import require_project
from gotn.similarity import following, store, texts
from gotn.similarity.engine import Engine, Known, translated
from gotn.similarity.records import SearchWay, Similar
from gotn.similarity.store import Which
from gotn.work.usecases.writing import check_project

if TYPE_CHECKING:
    from gotn_embeddings.identity import Vectors

#: Rows that are given at most, and that are ranked each way at least.
MOST, DEPTH = 100, 50
#: What ranks are weakened by, as reciprocal rank fusion has it.
RANK = 60
#: Characters of a text that is looked for, at most.
LONGEST = 100_000


async def similar(
    engine: Engine,
    project_id: str,
    *,
    text: str | None = None,
    node: str | None = None,
    which: Which = Which(),  # noqa: B008  # a frozen value
    first: int = 10,
    way: SearchWay = SearchWay.HYBRID,
) -> list[Similar]:
    """The nodes most similar to a text, or to a node, which is not among them; best first.

    As many as there are: a narrow filter leaves out, it does not cut short. NotFound where
    there is no such project or node; by words it needs no encoder.
    """
    check_project(project_id)
    _check(text, node, first)
    depth = max(DEPTH, 2 * first)
    said = text if node is None else await _said(engine, project_id, node)
    by_meaning: list[str] = []
    cosines: dict[str, float] = {}
    if way is not SearchWay.WORDS:
        by_meaning, cosines = await _by_meaning(engine, project_id, said, node, which, depth)
    by_words: list[str] = []
    if way is not SearchWay.MEANING:
        by_words = await _by_words(engine, project_id, said, node, which, depth)
    found = fused(by_meaning, by_words)[:first]
    if way is SearchWay.HYBRID:
        cosines |= await _cosines(engine, project_id, said, [h.id for h in found], cosines)
    for hit in found:
        hit.cosine = cosines.get(hit.id)
    return found


def _check(text: str | None, node: str | None, first: int) -> None:
    if (text is None) == (node is None):
        raise Invalid("expected either a text or a node", field="text")
    if text is not None and not 0 < len(text.strip()) <= LONGEST:
        raise Invalid(f"text: expected 1 to {LONGEST:,} characters", field="text")
    if not 1 <= first <= MOST:
        raise Invalid(f"first: expected 1 to {MOST}, found {first}", field="first")


async def _said(engine: Engine, project_id: str, node: str) -> str:
    """What a node says."""
    found = await store.texts_of(engine.database, project_id, [node])
    if node not in found:
        await engine.database.read(lambda tx: require_project(tx, project_id))
        raise NotFound(f"There is no node {node!r} in project {project_id!r}.", id=node)
    return found[node]


async def _by_meaning(
    engine: Engine, project_id: str, said: str | None, node: str | None, which: Which, depth: int
) -> tuple[list[str], dict[str, float]]:
    """The nearest nodes, best first, and their cosines."""
    known = await following.current(engine, project_id)
    if not said:
        return [], {}
    query = await engine.encode([said])
    found = await nearest(engine, project_id, known, query, which, depth + 1)
    hits = [(id_, score) for id_, score in found if id_ != node][:depth]
    return [id_ for id_, _ in hits], dict(hits)


async def nearest(
    engine: Engine, project_id: str, known: Known, query: "Vectors", which: Which, k: int
) -> list[tuple[str, float]]:
    """The k nearest nodes of those that are looked for, with their cosines; equal ones by id."""
    kept = await engine.store()
    among = None
    if not which.anything:
        ids = await store.among(engine.database, project_id, which)
        among = [known.vectors[id_] for id_ in ids if id_ in known.vectors]
    with translated():
        (hits,) = await kept.search(project_id, query, k, among)
    found = [(texts.node_of(hit.id), hit.score) for hit in hits]
    return sorted(found, key=lambda one: (-one[1], one[0]))


async def _by_words(
    engine: Engine, project_id: str, said: str | None, node: str | None, which: Which, depth: int
) -> list[str]:
    """The nodes that share words, best first."""
    words = filters.any_word(said or "")
    if not words:
        return []
    found = await store.by_words(engine.database, project_id, words, which, depth + 1)
    if not found:
        await engine.database.read(lambda tx: require_project(tx, project_id))
    return [id_ for id_ in found if id_ != node][:depth]


async def _cosines(
    engine: Engine, project_id: str, said: str | None, ids: Sequence[str], known: dict[str, float]
) -> dict[str, float]:
    """The cosines of nodes that words alone found."""
    vectors = engine.known(project_id).vectors
    names = [vectors[id_] for id_ in ids if id_ not in known and id_ in vectors]
    if not names or not said:
        return {}
    query = (await engine.encode([said]))[0]
    with translated():
        found = await (await engine.store()).get(project_id, names)
    return {texts.node_of(name): float(np.dot(query, vector)) for name, vector in found.items()}


def fused(by_meaning: Sequence[str], by_words: Sequence[str]) -> list[Similar]:
    """Two rankings as one by reciprocal rank fusion; equal ones by id."""
    hits: dict[str, Similar] = {}
    for rank, id_ in enumerate(by_meaning, 1):
        hits[id_] = Similar(id=id_, fused=1 / (RANK + rank), by_meaning=rank)
    for rank, id_ in enumerate(by_words, 1):
        hit = hits.setdefault(id_, Similar(id=id_, fused=0.0))
        hit.fused += 1 / (RANK + rank)
        hit.by_words = rank
    return sorted(hits.values(), key=lambda hit: (-hit.fused, hit.id))
