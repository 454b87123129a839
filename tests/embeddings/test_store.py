"""FAISS files as a store: the conformance suite, in both kinds, and what is theirs alone."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from conformance.vector_store import (
    FIRST,
    IDENTITY,
    SECOND,
    VectorStoreConformance,
    nearest,
    vectors,
)

from gotn_embeddings import FaissStore, IndexUnusable, Position
from gotn_embeddings.files import load
from gotn_embeddings.identity import Vectors


class TestExact(VectorStoreConformance):
    """Small collections: exact search."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> FaissStore:
        """A folder of its own."""
        return FaissStore(tmp_path, IDENTITY)


class Grown(FaissStore):
    """Has its graph before anybody asks, where it is large enough for one."""

    async def replace(
        self, project: str, vectors: Mapping[str, Vectors], position: Position
    ) -> None:
        """And let the graph grow."""
        await super().replace(project, vectors, position)
        await self._grown(project)

    async def put(self, project: str, vectors: Mapping[str, Vectors], position: Position) -> None:
        """And let the graph grow."""
        await super().put(project, vectors, position)
        await self._grown(project)

    async def _grown(self, project: str) -> None:
        await self.search(project, np.eye(1, IDENTITY.dimension, dtype=np.float32), 1)
        await self.settled()


class TestHnsw(VectorStoreConformance):
    """The same with a graph from the third vector on."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> FaissStore:
        """A folder of its own, switching at once."""
        return Grown(tmp_path, IDENTITY, switch=2)

    async def test_it_is_a_graph_that_is_tested(self, store: FaissStore) -> None:
        """Three vectors, and the file has a graph."""
        await store.replace("shop", vectors(3), FIRST)
        await store.save("shop")
        assert "hnsw" == load(store.path("shop"), IDENTITY).held.kind


async def test_a_save_that_is_overtaken_writes_nothing_old(tmp_path: Path) -> None:
    """What was replaced or dropped while it was to be saved does not come back."""
    store = FaissStore(tmp_path, IDENTITY)
    await store.replace("shop", vectors(30), FIRST)
    await store.put("shop", vectors(1, seed=3), FIRST)
    saving = asyncio.create_task(store.save("shop"))
    await store.replace("shop", vectors(3, seed=5), FIRST)
    await saving
    await store.close()
    assert set(vectors(3)) == await FaissStore(tmp_path, IDENTITY).ids("shop")
    await store.put("shop", vectors(1, seed=3), SECOND)
    await asyncio.gather(store.save("shop"), store.drop("shop"))
    await store.close()
    assert not store.path("shop").exists()


async def test_a_restart_finds_what_was_saved(tmp_path: Path) -> None:
    """What was closed is there again; what was not says how far it follows the journal."""
    store = FaissStore(tmp_path, IDENTITY, switch=10)
    await store.replace("shop", vectors(30), FIRST)
    await store.put("shop", vectors(2, seed=9), SECOND)
    assert FIRST == await FaissStore(tmp_path, IDENTITY).position("shop")
    await store.close()
    again = FaissStore(tmp_path, IDENTITY, switch=10)
    assert SECOND == await again.position("shop")
    query = np.array([vectors(2, seed=9)["node-0001"]])
    assert await store.search("shop", query, 5) == await again.search("shop", query, 5)


async def test_a_graph_grows_after_the_first_question(tmp_path: Path) -> None:
    """The first answer is exact and waits for nothing; then there is a graph, in the file, too."""
    held = vectors(40)
    query = np.array([held["node-0007"]])
    store = FaissStore(tmp_path, IDENTITY, switch=10)
    await store.replace("shop", held, FIRST)
    assert "exact" == load(store.path("shop"), IDENTITY).held.kind
    first = await store.search("shop", query, 5)
    assert [nearest(held, query[0], 5)] == [[hit.id for hit in hits] for hits in first]
    await store.settled()
    await store.close()
    assert "hnsw" == load(store.path("shop"), IDENTITY).held.kind
    assert first == await FaissStore(tmp_path, IDENTITY, switch=10).search("shop", query, 5)


async def test_damage_is_mended_by_replacing(tmp_path: Path) -> None:
    """A damaged collection answers nothing until it is built anew, then as if nothing had been."""
    store = FaissStore(tmp_path, IDENTITY)
    await store.replace("shop", vectors(30), SECOND)
    path = store.path("shop")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    store = FaissStore(tmp_path, IDENTITY)
    with pytest.raises(IndexUnusable):
        await store.put("shop", vectors(1), SECOND)
    await store.replace("shop", vectors(5), FIRST)
    assert FIRST == await FaissStore(tmp_path, IDENTITY).position("shop")


async def test_another_journal_is_noticed(tmp_path: Path) -> None:
    """A file that knows more than the journal, or another entry of this number, is stale."""
    await FaissStore(tmp_path, IDENTITY).replace("shop", vectors(3), SECOND)
    for head in (FIRST, Position(2, "c" * 64)):
        with pytest.raises(IndexUnusable) as refused:
            await FaissStore(tmp_path, IDENTITY).open("shop", head)
        assert refused.value.reason == "stale"
    for head in (SECOND, Position(3, "d" * 64)):
        assert SECOND == await FaissStore(tmp_path, IDENTITY).open("shop", head)


def saved(folder: Path) -> list[Path]:
    """Every index file below a folder."""
    return list(folder.rglob("*.vectors"))


async def test_any_project_name_is_one_file_in_the_folder(tmp_path: Path) -> None:
    """A name with slashes and dots leads nowhere else."""
    store = FaissStore(tmp_path / "vectors", IDENTITY)
    for name in ("..", "../x", "a/b", "a.b"):
        await store.replace(name, vectors(1), FIRST)
    assert {path.parent for path in saved(tmp_path)} == {tmp_path / "vectors"}
