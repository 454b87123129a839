"""Soft edges on a real Neo4j, by the real model."""

import io
from pathlib import Path
from typing import Any

import pytest
from factories import make_edge, make_node
from graphs import assert_verified, seq_of
from meaning import SAID, drafts, engine

from gotn.database.connection import Database
from gotn.errors import Invalid, NotFound
from gotn.similarity import finding, linking, records
from gotn.work import exchange
from gotn.work.records import EdgeType
from gotn.work.store import edges as edge_store
from gotn.work.store import nodes as node_store
from gotn.work.usecases import bulk, edges, exporting, nodes, projects
from gotn.work.usecases.writing import Request

#: Where short texts of the same matter lie, by this model.
LOW = {"soft_threshold": 0.4, "soft_k": 3}
TOGETHER = {("login", "signin"), ("billing", "invoice"), ("backup", "restore")}


async def soft(database: Database, project: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The soft edges by their ends."""
    rows = await database.read(
        lambda tx: edge_store.of_nodes(tx, project, [*SAID, "one", "two", "fresh"], 1000)
    )
    return {(r["src"], r["dst"]): r for r in rows if r["type"] == "soft_semantic"}


async def pairs_anew(database: Database, request: Request, folder: Path) -> set[tuple[str, str]]:
    """What comparing everything with a new index gives."""
    await linking.link(engine(database, folder), request, whole=True)
    return set(await soft(database, request.project_id))


async def test_alike_nodes_are_joined_once(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """One edge a pair, smaller id first, with score, evidence and model; again: no change."""
    await bulk.add_graph(database, request_, drafts(), [])
    await projects.settings(database, request_, LOW)
    compared = engine(database, tmp_path)
    done = await linking.link(compared, request_)
    found = await soft(database, request_.project_id)
    assert found.keys() >= TOGETHER
    assert all(a < b and (b, a) not in found for a, b in found)
    assert not [pair for pair in found if {"logo", "lunch"} & set(pair)]
    assert (len(found), 9, 9, True, 3, 0.4) == (
        done.added, done.vectors, done.encoded, done.whole, done.k, done.threshold,
    )  # fmt: skip
    row = found["login", "signin"]
    assert 0.4 <= row["score"] <= 1
    assert row["model"].startswith("all-MiniLM-L6-v2@")
    assert row["evidence"] == f"cosine {row['score']:.4f} ({row['model']})"
    assert row["provenance"] == {"created_by": "soft_engine", "source": "embedding_cosine"}
    seq = await seq_of(database, request_.project_id)
    for whole in (False, True):
        again = await linking.link(compared, request_, whole=whole)
        assert (0, 0, 0, 0, whole) == (
            again.added, again.removed, again.updated, again.encoded, again.whole,
        )  # fmt: skip
    assert seq == await seq_of(database, request_.project_id)
    await assert_verified(database, request_.project_id)


async def test_only_changes_are_encoded_and_compared(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """Changed, new and removed nodes give the edges that comparing everything gives."""
    await bulk.add_graph(database, request_, drafts(), [])
    await projects.settings(database, request_, LOW)
    compared = engine(database, tmp_path)
    await linking.link(compared, request_)
    await nodes.update(database, request_, "logo", {"status": "running"})
    assert 0 == (await linking.link(compared, request_)).encoded
    summary, prompt = SAID["login"]
    await nodes.update(database, request_, "lunch", {"summary": summary, "prompt_text": prompt})
    await nodes.remove(database, request_, "restore", cascade=True)
    await nodes.add(
        database, request_, make_node("fresh", summary="A fox as our logo", prompt_text="Draw it.")
    )
    done = await linking.link(compared, request_)
    assert (1, False) == (done.encoded, done.whole)  # lunch says what login says
    found = await soft(database, request_.project_id)
    assert ("login", "lunch") in found
    assert 1.0 == found["login", "lunch"]["score"]
    assert ("fresh", "logo") in found
    assert set(found) == await pairs_anew(database, request_, tmp_path / "other")
    assert (0, 0) == ((again := await linking.link(compared, request_)).added, again.removed)
    await assert_verified(database, request_.project_id)


async def test_a_restart_goes_on_where_it_was(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """The file keeps the vectors; one that is gone or damaged is made anew, with the same edges."""
    await bulk.add_graph(database, request_, drafts(), [])
    await projects.settings(database, request_, LOW)
    first = engine(database, tmp_path)
    await linking.link(first, request_)
    await first.close()
    before = await soft(database, request_.project_id)
    await nodes.update(database, request_, "logo", {"summary": "Draw a fox"})
    second = engine(database, tmp_path)
    done = await linking.link(second, request_)
    assert (1, False) == (done.encoded, done.whole)
    await second.close()
    (file,) = (tmp_path / "vectors").glob("*.vectors")
    file.write_bytes(file.read_bytes()[:-10])
    third = engine(database, tmp_path)
    done = await linking.link(third, request_)
    assert (9, True, 0, 0, 0) == (
        done.encoded, done.whole, done.added, done.removed, done.updated,
    )  # fmt: skip
    assert before == await soft(database, request_.project_id)


async def test_the_next_process_compares_what_changed(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """Others that only ask in between follow the journal, and leave word of what that changed."""
    await bulk.add_graph(database, request_, drafts(), [])
    await projects.settings(database, request_, LOW)

    async def process(whole: bool | None = None, folder: Path = tmp_path) -> records.SoftLinked:
        """Ask or link as a process that then ends."""
        one = engine(database, folder)
        if whole is None:
            await finding.similar(one, request_.project_id, text="fox")
            done = records.SoftLinked(encoded=one.known(request_.project_id).encoded)
        else:
            done = await linking.link(one, request_, whole=whole)
        await one.close()
        return done

    assert (9, True) == ((done := await process(whole=False)).compared, done.whole)
    assert 0 == (await process()).encoded
    assert (0, False) == ((done := await process(whole=False)).compared, done.whole)
    summary, prompt = SAID["login"]
    await nodes.update(database, request_, "lunch", {"summary": summary, "prompt_text": prompt})
    await nodes.update(database, request_, "signin", {"summary": "A pen", "prompt_text": "Ink."})
    assert 1 == (await process()).encoded
    await nodes.remove(database, request_, "restore", cascade=True)
    await process()
    done = await process(whole=False)
    assert (0, False) == (done.encoded, done.whole)
    assert 0 < done.compared < 8
    found = await soft(database, request_.project_id)
    assert ("login", "lunch") in found
    assert ("login", "signin") not in found
    again = await process(whole=True, folder=tmp_path / "other")
    assert (0, 0, 0, 8) == (again.added, again.removed, again.updated, again.compared)


async def test_what_somebody_stated_stays(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """A stated soft edge is neither doubled nor changed; one of ours that is taken comes back."""
    stated = make_edge("lunch", "logo", type=EdgeType.SOFT_SEMANTIC, score=0.9, evidence="I say so")
    double = make_edge("signin", "login", type=EdgeType.SOFT_SEMANTIC, score=0.1)
    await bulk.add_graph(database, request_, drafts(), [stated, double])
    await projects.settings(database, request_, LOW)
    compared = engine(database, tmp_path)
    assert 2 == (await linking.link(compared, request_)).stated
    found = await soft(database, request_.project_id)
    assert ("I say so", 0.1) == (
        found["lunch", "logo"]["evidence"], found["signin", "login"]["score"],
    )  # fmt: skip
    assert ("login", "signin") not in found
    ours = make_edge("backup", "restore", type=EdgeType.SOFT_SEMANTIC)
    await edges.remove(database, request_, ours)
    assert (1, False) == ((done := await linking.link(compared, request_)).added, done.whole)
    await projects.settings(database, request_, {"soft_threshold": 0.99})
    done = await linking.link(compared, request_)
    assert (0, True) == (done.added, done.whole)
    assert {("lunch", "logo"), ("signin", "login")} == set(
        await soft(database, request_.project_id)
    )
    await assert_verified(database, request_.project_id)


async def test_an_export_taken_in_again_is_linked(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """Its edges say in their evidence which model they come from: nothing is written anew."""
    await bulk.add_graph(database, request_, drafts(), [])
    await projects.settings(database, request_, {"soft_threshold": 0.4})
    compared = engine(database, tmp_path)
    assert (await linking.link(compared, request_)).added > 3
    text = "".join([piece async for piece in exporting.export_graph(database, request_.project_id)])
    again = Request(project_id=f"{request_.project_id}-again")
    draft = exchange.read(io.BytesIO(text.encode()), name="export.json")
    await bulk.import_graph(database, again, draft)
    await projects.settings(database, again, {"soft_threshold": 0.4})
    done = await linking.link(compared, again)
    assert (0, 0, 0) == (done.added, done.removed, done.updated)


async def test_a_node_says_where_its_vector_is(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """embedding_ref names collection and vector; importing the node again does not change it."""
    imported = {"collection": "gotn_nodes", "id": "vec_1"}
    given = drafts(login={"embedding_ref": imported})
    await bulk.add_graph(database, request_, given, [])
    await linking.link(engine(database, tmp_path), request_)
    found = await database.read(lambda tx: node_store.get(tx, request_.project_id, SAID))
    for id_, row in found.items():
        assert "gotn_nodes" == row["embedding_ref"]["collection"]
        assert row["embedding_ref"]["id"].startswith("vec_")
        assert row["embedding_ref"]["id"].endswith(f"_{id_}")
    seq = await seq_of(database, request_.project_id)
    await nodes.add(database, request_, given[0])
    assert seq == await seq_of(database, request_.project_id)
    await assert_verified(database, request_.project_id)


async def test_bad_settings_and_projects(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """A project that is not there is NotFound and not made; settings name what they expect."""
    with pytest.raises(NotFound):
        await linking.link(engine(database, tmp_path), request_)
    with pytest.raises(NotFound):
        await projects.show(database, request_.project_id)
    for wrong in ({"soft_k": 0}, {"soft_k": 2.5}, {"soft_threshold": 1.5}, {"soft_k": "5"}):
        with pytest.raises(Invalid, match="expected"):
            await projects.settings(database, request_, wrong)
