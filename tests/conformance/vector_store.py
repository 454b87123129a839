"""What every store of vectors must do: subclass, give it a `store`, and pytest does the rest.

    class TestMine(VectorStoreConformance):
        @pytest.fixture
        async def store(self) -> AsyncIterator[VectorStore]: ...

The store serves `IDENTITY`; projects are `one` and `other`, new for each test.
"""

import asyncio
import threading
import uuid
from typing import Any

import numpy as np
import pytest

from gotn_embeddings import (
    BadVector,
    IndexUnusable,
    ModelIdentity,
    Position,
    VectorStore,
    comparing,
)
from gotn_embeddings.identity import Vectors

IDENTITY = ModelIdentity(model="tests", revision="0" * 16, pooling="mean", dimension=8)
FIRST, SECOND = Position(1, "a" * 64), Position(2, "b" * 64)


def vectors(count: int, seed: int = 0, dimension: int = 8) -> dict[str, Vectors]:
    """As many vectors of length 1, the same for the same seed."""
    rows = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return {f"node-{number:04}": row for number, row in enumerate(rows)}


def nearest(held: dict[str, Vectors], query: Vectors, k: int) -> list[str]:
    """The answer, worked out plainly."""
    return sorted(held, key=lambda id_: (-float(held[id_] @ query), id_))[:k]


class VectorStoreConformance:
    """The tests; a store that passes them can stand behind similarity."""

    @pytest.fixture
    def one(self) -> str:
        """A project of this test."""
        return f"one-{uuid.uuid4().hex[:12]}"

    @pytest.fixture
    def other(self) -> str:
        """Another one."""
        return f"other-{uuid.uuid4().hex[:12]}"

    def test_is_a_store(self, store: VectorStore) -> None:
        """It has every method, and says which model's vectors it keeps."""
        assert isinstance(store, VectorStore)
        assert IDENTITY == store.identity

    async def test_unknown_collection_is_missing(self, store: VectorStore, one: str) -> None:
        """A collection nobody made asks to be built, it does not answer as if it were empty."""
        with pytest.raises(IndexUnusable) as refused:
            await store.position(one)
        assert refused.value.reason == "missing"
        with pytest.raises(IndexUnusable):
            await store.search(one, np.array([vectors(1)["node-0000"]]), 1)

    async def test_finds_the_nearest_best_first(self, store: VectorStore, one: str) -> None:
        """The k nearest with their cosines, as a plain sort finds them."""
        held = vectors(60)
        await store.replace(one, held, FIRST)
        queries = np.array(list(vectors(5, seed=1).values()))
        found = await store.search(one, queries, 7)
        for query, hits in zip(queries, found, strict=True):
            assert nearest(held, query, 7) == [hit.id for hit in hits]
            for hit in hits:
                assert hit.score == pytest.approx(float(held[hit.id] @ query), abs=1e-5)

    async def test_gives_as_many_as_there_are(self, store: VectorStore, one: str) -> None:
        """A k beyond the collection gives the whole of it, an empty one nothing."""
        await store.replace(one, {}, FIRST)
        query = np.array([vectors(1)["node-0000"]])
        assert [[]] == await store.search(one, query, 5)
        await store.put(one, vectors(3), SECOND)
        assert 3 == len((await store.search(one, query, 50))[0])

    async def test_put_replaces_under_the_same_id(self, store: VectorStore, one: str) -> None:
        """A vector put again is found at its new place only, and once."""
        held = vectors(20)
        await store.replace(one, held, FIRST)
        held["node-0003"] = -held["node-0003"]
        await store.put(one, {"node-0003": held["node-0003"]}, SECOND)
        hits = (await store.search(one, np.array([held["node-0003"]]), 20))[0]
        assert [hit.id for hit in hits].count("node-0003") == 1
        assert hits[0].id == "node-0003"
        assert hits[0].score == pytest.approx(1.0, abs=1e-5)
        assert set(held) == await store.ids(one)

    async def test_removed_is_never_found(self, store: VectorStore, one: str) -> None:
        """Not by search, neighbours or get; removing what is not there is no error."""
        held = vectors(20)
        await store.replace(one, held, FIRST)
        await store.remove(one, ["node-0007", "nobody"], SECOND)
        hits = (await store.search(one, np.array([held["node-0007"]]), 20))[0]
        assert 19 == len(hits)
        assert "node-0007" not in {hit.id for hit in hits}
        assert "node-0007" not in (await store.neighbours(one, 3)).ids
        assert {} == await store.get(one, ["node-0007", "nobody"])

    async def test_narrow_filter_still_gives_k(self, store: VectorStore, one: str) -> None:
        """Of the chosen alone, as many as asked for, however few the chosen are."""
        held = vectors(300)
        await store.replace(one, held, FIRST)
        among = [*list(held)[::50], "nobody"]
        query = vectors(1, seed=2)["node-0000"]
        hits = (await store.search(one, np.array([query]), 4, among))[0]
        chosen = {id_: held[id_] for id_ in among if id_ in held}
        assert nearest(chosen, query, 4) == [hit.id for hit in hits]
        assert [[]] == await store.search(one, np.array([query]), 4, [])

    async def test_neighbours_are_those_of_a_search(self, store: VectorStore, one: str) -> None:
        """For every vector the k nearest others, itself never among them."""
        held = vectors(40)
        await store.replace(one, held, FIRST)
        found = await store.neighbours(one, 4)
        assert sorted(held) == found.ids
        for row, id_ in enumerate(found.ids):
            rest = {other: held[other] for other in held if other != id_}
            assert nearest(rest, held[id_], 4) == [found.ids[at] for at in found.rows[row]]

    async def test_neighbours_hold_nobody_up(
        self, store: VectorStore, one: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """All are compared beside the event loop, which has other requests to answer."""
        where: list[threading.Thread] = []
        real = comparing.neighbours

        def told(rows: Vectors, k: int) -> Any:
            where.append(threading.current_thread())
            return real(rows, k)

        monkeypatch.setattr(comparing, "neighbours", told)
        await store.replace(one, vectors(3), FIRST)
        await store.neighbours(one, 2)
        assert [thread is threading.main_thread() for thread in where] == [False]

    async def test_neighbours_of_few(self, store: VectorStore, one: str) -> None:
        """None, one, or equal vectors: an answer, no error."""
        await store.replace(one, {}, FIRST)
        assert [] == (await store.neighbours(one, 3)).ids
        same = vectors(1)["node-0000"]
        await store.put(one, {"a": same}, SECOND)
        assert [] == [at for at in (await store.neighbours(one, 3)).rows[0].tolist() if at >= 0]
        await store.put(one, {"b": same, "c": same}, SECOND)
        found = await store.neighbours(one, 2)
        for row, others in enumerate(found.rows.tolist()):
            assert {0, 1, 2} - {row} == set(others)

    async def test_vectors_come_back_as_they_were(self, store: VectorStore, one: str) -> None:
        """What is read is what was put."""
        held = vectors(5)
        await store.replace(one, held, FIRST)
        found = await store.get(one, ["node-0001", "node-0004"])
        assert {"node-0001", "node-0004"} == found.keys()
        for id_, vector in found.items():
            np.testing.assert_allclose(vector, held[id_], atol=1e-6)

    async def test_projects_do_not_see_each_other(
        self, store: VectorStore, one: str, other: str
    ) -> None:
        """The same id in two projects is two vectors; dropping one leaves the other."""
        await store.replace(one, vectors(5), FIRST)
        await store.replace(other, vectors(3, seed=3), SECOND)
        assert (5, 3) == (len(await store.ids(one)), len(await store.ids(other)))
        await store.drop(one)
        await store.drop(one)
        with pytest.raises(IndexUnusable):
            await store.ids(one)
        assert SECOND == await store.position(other)

    async def test_position_follows_the_journal(self, store: VectorStore, one: str) -> None:
        """It moves with each change, and never back."""
        await store.replace(one, vectors(5), FIRST)
        assert FIRST == await store.position(one)
        await store.remove(one, ["node-0001"], SECOND)
        assert SECOND == await store.position(one)
        await store.put(one, vectors(1), FIRST)
        assert SECOND == await store.position(one)

    async def test_a_note_stays_until_something_changes(self, store: VectorStore, one: str) -> None:
        """It belongs to the vectors as they are: what changes them takes it away."""
        await store.replace(one, vectors(5), FIRST)
        assert await store.note(one) is None
        await store.set_note(one, "late", SECOND)
        assert await store.note(one) is None
        await store.set_note(one, "all is well", FIRST)
        assert "all is well" == await store.note(one)
        await store.put(one, vectors(1), FIRST)
        assert await store.note(one) is None
        await store.set_note(one, "again", FIRST)
        await store.remove(one, [], SECOND)
        assert (None, SECOND) == (await store.note(one), await store.position(one))

    @pytest.mark.parametrize(
        "wrong",
        [
            np.full(8, np.nan, np.float32),
            np.full(8, np.inf, np.float32),
            np.zeros(8, np.float32),
            np.ones(8, np.float32),
            np.eye(1, 7, dtype=np.float32)[0],
        ],
        ids=["nan", "infinite", "zero", "long", "dimension"],
    )
    async def test_bad_vector_changes_nothing(
        self, store: VectorStore, one: str, wrong: Vectors
    ) -> None:
        """All of a call's vectors are taken or none; a query is held to the same."""
        held = vectors(4)
        await store.replace(one, held, FIRST)
        with pytest.raises(BadVector):
            await store.put(one, {"good": held["node-0000"], "bad": wrong}, SECOND)
        assert set(held) == await store.ids(one)
        assert FIRST == await store.position(one)
        with pytest.raises(BadVector):
            await store.search(one, np.array([wrong]), 1)

    async def test_many_at_once(self, store: VectorStore, one: str) -> None:
        """Writers and readers at the same time: no answer is torn, nothing is lost."""
        await store.replace(one, vectors(50), FIRST)
        query = np.array([vectors(1)["node-0000"]])

        async def write(part: int) -> None:
            for step in range(5):
                new = vectors(10, seed=10 * part + step + 1)
                await store.put(one, {f"{part}-{step}-{id_}": v for id_, v in new.items()}, SECOND)
                await store.remove(one, [f"{part}-{step}-node-0000"], SECOND)

        async def read() -> None:
            for _ in range(10):
                hits = (await store.search(one, query, 10))[0]
                assert (hits[0].id, 10) == ("node-0000", len({hit.id for hit in hits}))
                assert len((await store.neighbours(one, 2)).ids) >= 50

        await asyncio.gather(*(write(part) for part in range(3)), *(read() for _ in range(3)))
        assert 50 + 3 * 5 * 9 == len(await store.ids(one))
