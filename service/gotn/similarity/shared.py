"""`VectorStore` in Neo4j itself, for several servers on one database: they share the vectors.

Vectors are nodes of their own, (:Vector {key, project_id, id, embedding}), found by Neo4j's
vector index. That index knows no projects: it is asked for ever more until enough of one's own
are among them, and what is still missing then is found by comparing all of the project's.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from gotn.database.connection import Database, Tx
from gotn.keys import batches, key
from gotn_embeddings import Hit, IndexUnusable, ModelIdentity, Neighbours, Position
from gotn_embeddings.identity import Vectors
from gotn_embeddings.vectors import checked

#: Vectors of a project up to which each is compared: a scan of so many takes some milliseconds.
EXACT = 2_000
#: Vectors in one statement, read at once, and deleted in one transaction.
BATCH, PAGE, CLEARED = 1_000, 5_000, 10_000
#: How a vector's numbers are packed: a driver reads bytes five times as fast as a list of numbers.
PACKED = "<f4"
#: How many the index is asked for: so often k, up to so many.
WIDER, WIDEST = 4, 1_000
Row = dict[str, Any]


class DatabaseStore:
    """Vectors of one model, a collection a project, in the database of the projects."""

    def __init__(self, database: Database, identity: ModelIdentity, *, exact: int = EXACT) -> None:
        self._database = database
        self._identity = identity
        self._exact = exact

    @property
    def identity(self) -> ModelIdentity:
        """The one model whose vectors it keeps."""
        return self._identity

    async def position(self, project: str) -> Position:
        """The journal entry the collection follows; IndexUnusable where it must be built anew."""
        return await self._database.read(lambda tx: self._opened(tx, project))

    async def replace(
        self, project: str, vectors: Mapping[str, Vectors], position: Position
    ) -> None:
        """Make this the whole collection, whatever was there. Until it is done there is none."""
        rows = self._rows(project, vectors)
        await self.drop(project)
        properties = self._identity.to_dict() | {"seq": 0, "hash": ""}

        async def begin(tx: Tx) -> None:
            await tx.rows("similarity/put_collection", project=project, properties=properties)

        await self._database.write(begin)
        await self._put(project, rows, position)

    async def put(self, project: str, vectors: Mapping[str, Vectors], position: Position) -> None:
        """Add vectors, or replace those of the same id, and follow the journal to `position`."""
        await self._put(project, self._rows(project, vectors), position)

    async def remove(self, project: str, ids: Collection[str], position: Position) -> None:
        """Take vectors out; ids that are not there are no error."""
        keys = [key(project, id_) for id_ in sorted(ids)]

        async def work(tx: Tx) -> None:
            await self._lock(tx, project, position)
            for some in batches(keys):
                await tx.rows("similarity/remove_vectors", keys=some)

        await self._database.write(work)

    async def note(self, project: str) -> str | None:
        """What `set_note` left, as long as nothing has changed since."""

        async def work(tx: Tx) -> str | None:
            await self._opened(tx, project)
            found: str | None = await tx.value("similarity/get_note", project=project)
            return found

        return await self._database.read(work)

    async def set_note(self, project: str, note: str, position: Position) -> None:
        """Keep a text beside the vectors until they change; none where they are elsewhere now."""
        at = {"seq": position.seq, "hash": position.hash}
        await self._database.write(
            lambda tx: tx.rows("similarity/put_note", project=project, note=note, **at)
        )

    async def get(self, project: str, ids: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of those ids that there are."""

        async def work(tx: Tx) -> dict[str, Vectors]:
            await self._opened(tx, project)
            found: dict[str, Vectors] = {}
            for some in batches([key(project, id_) for id_ in dict.fromkeys(ids)], BATCH):
                found |= _vectors(await tx.value("similarity/get_vectors", keys=some))
            return {id_: found[id_] for id_ in ids if id_ in found}

        return await self._database.read(work)

    async def ids(self, project: str) -> set[str]:
        """Every id of the collection."""

        async def work(tx: Tx) -> set[str]:
            await self._opened(tx, project)
            return set(await tx.value("similarity/vector_ids", project=project))

        return await self._database.read(work)

    async def search(
        self, project: str, queries: Vectors, k: int, among: Collection[str] | None = None
    ) -> list[list[Hit]]:
        """The k nearest of each query, best first, of `among` alone where it is given."""
        asked = checked(queries, self._identity.dimension).tolist()

        async def work(tx: Tx) -> list[list[Hit]]:
            await self._opened(tx, project)
            if k < 1 or not asked:
                return [[] for _ in asked]
            if among is not None:
                keys = [key(project, id_) for id_ in sorted(set(among))]
                rows = await tx.rows("similarity/nearest_among", keys=keys, queries=asked, k=k)
                return _hits(rows, len(asked))
            return await self._nearest(tx, project, asked, k)

        return await self._database.read(work)

    async def neighbours(self, project: str, k: int) -> Neighbours:
        """The k nearest others of every vector: read once, and compared in this process."""
        from gotn_embeddings import comparing  # noqa: PLC0415  # and FAISS, when it is used

        await self.position(project)
        found: dict[str, Vectors] = {}
        after = ""
        while True:
            rows = await self._database.read(
                lambda tx, a=after: tx.value(  # type: ignore[misc]
                    "similarity/page_vectors", project=project, after=a, limit=PAGE
                )
            )
            if not rows:
                break
            found |= _vectors(rows)
            after = rows[-1][0]
        ids = sorted(found)
        vectors = np.array([found.pop(id_) for id_ in ids], np.float32)
        return await asyncio.to_thread(
            comparing.compared, ids, vectors.reshape(-1, self._identity.dimension), k
        )

    async def drop(self, project: str) -> None:
        """Forget the collection; no error where there is none."""
        await self._database.write(
            lambda tx: tx.rows("similarity/drop_collection", project=project)
        )
        while await self._database.write(
            lambda tx: tx.value("similarity/clear_vectors", project=project, limit=CLEARED)
        ):
            pass

    async def _opened(self, tx: Tx, project: str) -> Position:
        """The entry that the collection follows, if there is one of this model."""
        found = await tx.one("similarity/get_collection", project=project)
        self._check(project, found)
        return Position() if found is None else Position(found["seq"], found["hash"])

    async def _lock(self, tx: Tx, project: str, position: Position) -> None:
        found = await tx.one(
            "similarity/lock_collection", project=project, seq=position.seq, hash=position.hash
        )
        self._check(project, found)

    def _check(self, project: str, found: Row | None) -> None:
        if found is None:
            raise IndexUnusable("missing", f"{project} has no vectors in the database.")
        own = self._identity.to_dict()
        if {name: found[name] for name in own} != own:
            raise IndexUnusable("foreign", f"The vectors of {project} are {found['model']}'s.")

    def _rows(self, project: str, vectors: Mapping[str, Vectors]) -> list[Row]:
        """Vectors as they are stored; BadVector names one that cannot be."""
        names = list(vectors)
        width = self._identity.dimension
        same = all(np.shape(vectors[name]) == (width,) for name in names)
        stacked = np.empty((len(names), 0 if not same else width), np.float32)
        if same:
            stacked[:] = [vectors[name] for name in names] or 0
        found = checked(stacked, width, names)
        return [
            {"key": key(project, name), "id": name, "embedding": row.tolist()}
            | {"packed": row.astype(PACKED).tobytes()}
            for name, row in zip(names, found, strict=True)
        ]

    async def _put(self, project: str, rows: list[Row], position: Position) -> None:
        async def work(tx: Tx) -> None:
            await self._lock(tx, project, position)
            for some in batches(rows, BATCH):
                await tx.rows("similarity/put_vectors", project=project, vectors=some)

        await self._database.write(work)

    async def _nearest(self, tx: Tx, project: str, asked: list[Any], k: int) -> list[list[Hit]]:
        """By the index where there are many, and by comparing all where that gives too few."""
        count = await tx.value("similarity/count_vectors", project=project)
        wide = 0
        while count > self._exact and wide < WIDEST >= k:
            wide = min(WIDER * (wide or k), WIDEST)
            rows = await tx.rows(
                "similarity/nearest_indexed", project=project, queries=asked, k=k, wide=wide
            )
            found = _hits(rows, len(asked))
            if all(len(hits) >= min(k, count) for hits in found):
                return found
        rows = await tx.rows("similarity/nearest_exact", project=project, queries=asked, k=k)
        return _hits(rows, len(asked))


def _vectors(rows: Sequence[tuple[str, bytes | Sequence[float] | None]]) -> dict[str, Vectors]:
    """Vectors by id; one that is deleted as it is read has none any more.

    Those that an earlier version stored are lists of numbers.
    """
    return {
        id_: np.frombuffer(some, PACKED).copy()
        if isinstance(some, bytes)
        else np.asarray(some, np.float32)
        for id_, some in rows
        if some is not None
    }


def _hits(rows: Sequence[Row], count: int) -> list[list[Hit]]:
    """What each query found; Neo4j's score is (1 + cosine) / 2."""
    found: list[list[Hit]] = [[] for _ in range(count)]
    for row in rows:
        hits = [Hit(id_, 2 * score - 1) for id_, score in row["hits"]]
        found[row["at"]] = sorted(hits, key=lambda hit: (-hit.score, hit.id))
    return found
