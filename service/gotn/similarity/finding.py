"""What is similar to a text or a node: by meaning, by words, or both put together by rank."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gotn.errors import EncoderUnavailable, Invalid, NotFound
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
#: What can be had without an encoder.
BY_WORDS = "Without an encoder `--by words` (GraphQL: `way: WORDS`) finds what shares words."


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
    asked = _Asked(engine, project_id, text, node, which)
    try:
        near = {} if way is SearchWay.WORDS else await asked.by_meaning(depth)
    except EncoderUnavailable as error:
        if way is SearchWay.MEANING:
            raise
        said = f"{error.message.rstrip('.')}. {BY_WORDS}"
        raise EncoderUnavailable(said, **error.facts) from error
    by_words = [] if way is SearchWay.MEANING else await asked.by_words(depth)
    found = fused(list(near), by_words)[:first]
    if way is SearchWay.HYBRID:
        near |= await asked.cosines([hit.id for hit in found if hit.id not in near])
    for hit in found:
        hit.cosine = near.get(hit.id)
    return found


def _check(text: str | None, node: str | None, first: int) -> None:
    if (text is None) == (node is None):
        raise Invalid("expected either a text or a node", field="text")
    if text is not None and not 0 < len(text.strip()) <= LONGEST:
        raise Invalid(f"text: expected 1 to {LONGEST:,} characters", field="text")
    if not 1 <= first <= MOST:
        raise Invalid(f"first: expected 1 to {MOST}, found {first}", field="first")


@dataclass
class _Asked:
    """What is looked for, and where."""

    engine: Engine
    project_id: str
    text: str | None
    node: str | None
    which: Which
    #: The vector that others are compared with.
    query: "Vectors | None" = None

    async def by_meaning(self, depth: int) -> dict[str, float]:
        """The nearest nodes, best first, with their cosines."""
        known = await following.current(self.engine, self.project_id)
        self.query = await self._vector(known)
        if self.query is None:
            return {}
        query = self.query[None, :]
        found = await nearest(self.engine, self.project_id, known, query, self.which, depth + 1)
        return dict([(id_, score) for id_, score in found if id_ != self.node][:depth])

    async def by_words(self, depth: int) -> list[str]:
        """The nodes that share words, best first."""
        words = filters.any_word(await self._said())
        if not words:
            return []
        database = self.engine.database
        found = await store.by_words(database, self.project_id, words, self.which, depth + 1)
        if not found:
            await database.read(lambda tx: require_project(tx, self.project_id))
        return [id_ for id_ in found if id_ != self.node][:depth]

    async def cosines(self, ids: Sequence[str]) -> dict[str, float]:
        """The cosines of nodes that words alone found."""
        vectors = self.engine.known(self.project_id).vectors
        names = [vectors[id_] for id_ in ids if id_ in vectors]
        if not names or self.query is None:
            return {}
        with translated():
            found = await (await self.engine.store()).get(self.project_id, names)
        return {texts.node_of(name): float(np.dot(self.query, v)) for name, v in found.items()}

    async def _vector(self, known: Known) -> "Vectors | None":
        """What others are compared with: a node's own vector, or the text's."""
        if self.node is not None and self.node in known.vectors:
            name = known.vectors[self.node]
            with translated():
                found = await (await self.engine.store()).get(self.project_id, [name])
            if name in found:
                return found[name]
        said = await self._said()
        return (await self.engine.encode([said]))[0] if said else None

    async def _said(self) -> str:
        """The text; of a node what it says."""
        if self.node is None:
            return self.text or ""
        database = self.engine.database
        found = await store.texts_of(database, self.project_id, [self.node])
        if self.node not in found:
            await database.read(lambda tx: require_project(tx, self.project_id))
            raise NotFound(
                f"There is no node {self.node!r} in project {self.project_id!r}.", id=self.node
            )
        return found[self.node]


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
