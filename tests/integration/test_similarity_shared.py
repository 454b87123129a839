"""Vectors in Neo4j itself: the conformance suite, both ways of asking, and what is theirs alone."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conformance.vector_store import FIRST, IDENTITY, VectorStoreConformance, vectors
from meaning import SAID, drafts, needs_encoder

from gotn.database.connection import Database
from gotn.similarity import finding, linking
from gotn.similarity.engine import Engine, Options
from gotn.similarity.shared import DatabaseStore
from gotn.work.usecases import bulk, nodes, projects
from gotn.work.usecases.writing import Request
from gotn_embeddings import IndexUnusable


class TestCompared(VectorStoreConformance):
    """Small collections: every vector is compared."""

    @pytest.fixture
    async def store(self, database: Database, one: str, other: str) -> AsyncIterator[DatabaseStore]:
        """The store; what a test leaves is taken away."""
        made = DatabaseStore(database, IDENTITY)
        yield made
        for project in (one, other):
            await made.drop(project)


class TestIndexed(VectorStoreConformance):
    """The same by Neo4j's vector index, which knows no projects."""

    @pytest.fixture
    async def store(self, database: Database, one: str, other: str) -> AsyncIterator[DatabaseStore]:
        """The store, which asks the index from the first vector on."""
        made = DatabaseStore(database, IDENTITY, exact=0)
        yield made
        for project in (one, other):
            await made.drop(project)


async def test_another_model_is_foreign(database: Database, project: str) -> None:
    """Its vectors are not compared with ours, and replacing makes them ours."""
    other = DatabaseStore(database, replace(IDENTITY, revision="1" * 16))
    await other.replace(project, vectors(3), FIRST)
    ours = DatabaseStore(database, IDENTITY)
    query = np.array([vectors(1)["node-0000"]])
    for ask in (ours.position(project), ours.ids(project), ours.search(project, query, 1)):
        with pytest.raises(IndexUnusable) as refused:
            await ask
        assert refused.value.reason == "foreign"
    await ours.replace(project, vectors(2), FIRST)
    assert 2 == len(await ours.ids(project))
    await ours.drop(project)


async def test_others_nearer_vectors_hide_none(database: Database, project: str) -> None:
    """Where the index is full of another project's, our own are found all the same."""
    store = DatabaseStore(database, IDENTITY, exact=0)
    near = vectors(1, seed=5)["node-0000"]
    crowd = {f"c{i}": near for i in range(1500)}
    far = {id_: row for id_, row in vectors(20, seed=6).items() if float(row @ near) < 0.9}
    await store.replace(f"{project}-crowd", crowd, FIRST)
    await store.replace(project, far, FIRST)
    (hits,) = await store.search(project, np.array([near]), 3)
    assert sorted(far, key=lambda id_: -float(far[id_] @ near))[:3] == [hit.id for hit in hits]
    await store.drop(f"{project}-crowd")
    await store.drop(project)


async def test_vectors_of_an_earlier_version(database: Database, project: str) -> None:
    """Those that are not packed are read as they are, and packed when they are put again."""
    store = DatabaseStore(database, IDENTITY)
    some = vectors(3)
    await store.replace(project, some, FIRST)
    packed = await store.get(project, list(some))
    text = "MATCH (v:Vector {project_id: $p}) REMOVE v.packed RETURN count(v) AS count"
    async with database.session() as session:
        row = await (await session.run(text, {"p": project})).single()
    assert row is not None
    assert 3 == row["count"]
    listed = await store.get(project, list(some))
    for id_, one in some.items():
        assert (one == listed[id_]).all()
        assert (one == packed[id_]).all()
    assert sorted(some) == (await store.neighbours(project, 2)).ids
    await store.drop(project)


async def test_two_servers_share_vectors(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """What one encoded the other finds; nothing is on the nodes, and all goes with the project."""
    needs_encoder()
    await bulk.add_graph(database, request_, drafts(), [])
    await projects.settings(database, request_, {"soft_threshold": 0.4})
    options = Options(folder=tmp_path / "vectors", encoder="onnx", vectors="neo4j")
    first, second = Engine(database, options), Engine(database, options)
    done = await linking.link(first, request_)
    assert (len(SAID), True) == (done.encoded, done.added > 3)
    await nodes.update(database, request_, "lunch", {"summary": "Lunch"})
    found = await finding.similar(second, request_.project_id, node="login", first=1)
    assert ("signin", 1) == (found[0].id, second.known(request_.project_id).encoded)
    await finding.similar(first, request_.project_id, node="login")
    assert 0 == first.known(request_.project_id).encoded
    assert not options.folder.exists()
    summary, prompt = SAID["login"]
    changed = {"summary": summary, "prompt_text": prompt}
    await nodes.update(database, request_, "logo", changed)
    await finding.similar(first, request_.project_id, node="login")  # it moves the shared vectors
    done = await linking.link(second, request_)
    assert (1, False) == (done.added > 0, done.whole)
    assert 0 < done.compared < len(SAID)
    again = await linking.link(first, request_, whole=True)
    assert (0, 0, 0) == (again.added, again.removed, again.updated)
    await projects.remove(database, request_)
    store = DatabaseStore(database, (await first.store()).identity)
    with pytest.raises(IndexUnusable):
        await store.ids(request_.project_id)
