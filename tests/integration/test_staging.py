"""Imports above the size of one transaction: unseen until the last, resumed, taken away."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from factories import make_node
from graphs import assert_verified, seq_of, state_of
from stories import by_hand, exported

from gotn.database.connection import Database
from gotn.errors import (
    Conflict,
    CycleRefused,
    DatabaseUnavailable,
    LimitExceeded,
    NotFound,
)
from gotn.work.records import GraphDraft
from gotn.work.store import nodes as node_store
from gotn.work.usecases import bulk, exporting, nodes, projects, replay, staging
from gotn.work.usecases.taken import Staged
from gotn.work.usecases.writing import Request

TIME = "2026-01-02T03:04:05Z"


def make_draft(count: int = 30, *, cycle: bool = False) -> GraphDraft:
    """A chain with tags, a family, an edge to an older node, a soft edge and a waiting one."""
    nodes = [
        {
            "id": f"n{i}",
            "kind": "k",
            "summary": f"s{i}",
            "prompt_text": "p",
            "produces": [f"t{i}"],
            "requires": [f"t{i - 1}"] if i else [],
            "tags": ["x"],
            "created_at": TIME,
        }
        for i in range(count)
    ]
    edges: list[dict[str, object]] = [
        {"type": "hard_requires", "src": f"n{i - 1}", "dst": f"n{i}", "created_at": TIME}
        for i in range(1, count)
    ]
    edges += [
        {"type": "hard_requires", "src": "old", "dst": "n5", "created_at": TIME},
        {"type": "derived_from", "src": "n0", "dst": "n9", "said": ["edge"], "created_at": TIME},
        {"type": "soft_semantic", "src": "n3", "dst": "n2", "score": 0.9, "created_at": TIME},
        {"type": "hard_requires", "src": "n7", "dst": "missing", "created_at": TIME},
    ]
    if cycle:
        edges.append({"type": "hard_requires", "src": "n9", "dst": "n1", "created_at": TIME})
    return GraphDraft(nodes=nodes, edges=edges)


@pytest.fixture
async def begun(database: Database, request_: Request, monkeypatch: pytest.MonkeyPatch) -> Request:
    """A project with one node, where eight items are a large import."""
    old = {"id": "old", "kind": "k", "summary": "s", "prompt_text": "p", "created_at": TIME}
    await bulk.import_graph(database, request_, GraphDraft(nodes=[old]))
    monkeypatch.setattr(staging, "ITEMS", 8)
    return request_


async def _ids(database: Database, project: str, count: int) -> set[str]:
    wanted = [f"n{i}" for i in range(count)]
    return await database.read(lambda tx: node_store.existing(tx, project, wanted))


async def _interrupted(
    database: Database, request: Request, draft: GraphDraft, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Import, and lose the database just before the last transaction."""

    async def gone(*_: object, **__: object) -> None:
        raise DatabaseUnavailable

    with monkeypatch.context() as patch:
        patch.setattr(bulk, "write", gone)
        with pytest.raises(DatabaseUnavailable):
            await bulk.import_graph(database, request, draft)


async def test_it_gives_what_one_transaction_gives(
    database: Database, begun: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same state and counts as the same import in one transaction."""
    large = await bulk.import_graph(database, begun, make_draft(), derive=True)
    again = await bulk.import_graph(database, begun, make_draft())
    monkeypatch.undo()
    other = Request(project_id=f"{project}-b", actor="tester")
    old = {"id": "old", "kind": "k", "summary": "s", "prompt_text": "p", "created_at": TIME}
    await bulk.import_graph(database, other, GraphDraft(nodes=[old]))
    small = await bulk.import_graph(database, other, make_draft(), derive=True)
    assert (small, 0) == (large, large.resumed)
    assert again.changed == 0
    await assert_verified(database, project)
    assert await state_of(database, project) == await state_of(database, other.project_id)
    await projects.remove(database, other)


async def test_nothing_is_seen_before_the_last_transaction(
    database: Database, begun: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import that was cut short changes neither the graph nor its digest."""
    before = await replay.current_digest(database, project)
    await _interrupted(database, begun, make_draft(), monkeypatch)
    assert set() == await _ids(database, project, 30)
    assert before == await replay.current_digest(database, project)
    await assert_verified(database, project)


async def test_the_same_again_goes_on(
    database: Database, begun: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was staged is not staged again."""
    await _interrupted(database, begun, make_draft(), monkeypatch)
    staged = (await projects.show(database, project)).unfinished_import
    ran: Counter[str] = Counter()
    with monkeypatch.context() as patch:
        patch.setattr(database, "on_statement", lambda name: ran.update([name]))
        found = await bulk.import_graph(database, begun, make_draft())
    assert (0, 0) == (ran["staging/create_nodes"], ran["staging/create_edges"])
    assert staged == found.resumed > 30
    assert None is (await projects.show(database, project)).unfinished_import
    assert 30 == len(await _ids(database, project, 30))
    await assert_verified(database, project)


async def test_after_another_write_it_begins_again(
    database: Database, begun: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is staged belongs to one state of the project."""
    await _interrupted(database, begun, make_draft(), monkeypatch)
    monkeypatch.setattr(staging, "ITEMS", 10_000)
    await bulk.import_graph(database, begun, GraphDraft(nodes=make_draft(1).nodes))
    monkeypatch.setattr(staging, "ITEMS", 8)
    assert 29 + 33 == (await bulk.import_graph(database, begun, make_draft())).changed
    await assert_verified(database, project)


async def test_entries_of_an_unfinished_import_count_for_nothing(
    database: Database,
    begun: Request,
    project: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """They stand in the chain; replay, verification and exports leave them out."""
    await _interrupted(database, begun, make_draft(), monkeypatch)
    await staging.abort(database, project)
    seq = await seq_of(database, project)
    assert seq > 8
    await nodes.add(database, begun, make_node("n1"))
    path = await exported(database, project, tmp_path)
    other = Request(project_id=f"{project}-b", actor="tester")
    found = await replay.replay_file(database, other, path)
    assert (2, 0, seq + 1) == (found.nodes, found.edges, found.entries)
    assert found.digest == await replay.current_digest(database, project)
    whole = "".join([p async for p in exporting.export_graph(database, project, with_journal=True)])
    assert '"n2"' not in whole
    assert '"n1"' in whole
    await projects.remove(database, other)


async def test_abort_takes_it_away(
    database: Database, begun: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Afterwards there is nothing to abort, and a small import works as ever."""
    await _interrupted(database, begun, make_draft(), monkeypatch)
    await staging.abort(database, project)
    with pytest.raises(NotFound):
        await staging.abort(database, project)
    await assert_verified(database, project)


async def test_a_refused_one_leaves_nothing(
    database: Database, begun: Request, project: str
) -> None:
    """A cycle among staged edges is refused with its path, and what was staged is gone."""
    with pytest.raises(CycleRefused) as caught:
        await bulk.import_graph(database, begun, make_draft(cycle=True))
    assert caught.value.facts["path"][0] == caught.value.facts["path"][-1]
    with pytest.raises(NotFound):
        await staging.abort(database, project)
    assert set() == await _ids(database, project, 30)
    await assert_verified(database, project)


async def test_a_dry_run_leaves_nothing(database: Database, begun: Request, project: str) -> None:
    """It counts like the real one."""
    assert 30 + 33 == (await bulk.import_graph(database, begun, make_draft(), dry_run=True)).changed
    with pytest.raises(NotFound):
        await staging.abort(database, project)
    assert set() == await _ids(database, project, 30)


async def test_a_node_stored_meanwhile_refuses_it(
    database: Database, begun: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else was faster with one id: nothing is added, the message says what to do."""
    stage = staging.stage

    async def raced(*given: Any, **more: Any) -> Staged:
        staged = await stage(*given, **more)
        with monkeypatch.context() as patch:
            patch.setattr(staging, "stage", stage)
            patch.setattr(staging, "ITEMS", 10_000)
            await bulk.import_graph(database, begun, GraphDraft(nodes=make_draft(1).nodes))
        return staged

    with monkeypatch.context() as patch:
        patch.setattr(staging, "stage", raced)
        with pytest.raises(Conflict, match="Import it again"):
            await bulk.import_graph(database, begun, make_draft())
    assert {"n0"} == await _ids(database, project, 30)
    await assert_verified(database, project)


async def test_an_abort_that_was_cut_short_is_not_gone_on_with(
    database: Database, begun: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A half taken away import begins anew; every node arrives."""
    await _interrupted(database, begun, make_draft(), monkeypatch)

    async def stops(*_: object) -> int:
        raise DatabaseUnavailable

    with monkeypatch.context() as patch:
        patch.setattr(staging, "ITEMS", 4)
        await database.write(lambda tx: staging._spoil(tx, project, None))
        await database.write(lambda tx: staging._discard(tx, project))
        patch.setattr("gotn.work.store.staging.discard", stops)
        with pytest.raises(DatabaseUnavailable):
            await staging.abort(database, project)
    await bulk.import_graph(database, begun, make_draft())
    assert {f"n{i}" for i in range(30)} == await _ids(database, project, 30)
    await assert_verified(database, project)


async def test_staged_nodes_that_are_gone_refuse_the_import(
    database: Database, begun: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever deletes some of them by hand: nothing is added, nothing is lost unsaid."""
    await _interrupted(database, begun, make_draft(), monkeypatch)
    await by_hand(
        database, "MATCH (n:Staged {project_id: $project}) WITH n LIMIT 1 DETACH DELETE n", begun
    )
    with pytest.raises(Conflict, match="Import it again"):
        await bulk.import_graph(database, begun, make_draft())
    await bulk.import_graph(database, begun, make_draft())
    assert 30 == len(await _ids(database, project, 30))
    await assert_verified(database, project)


async def test_two_at_once_stage_nothing_twice(
    database: Database, begun: Request, project: str
) -> None:
    """The same file from two sides: one is refused, or finds all there; each node is one."""
    found = await asyncio.gather(
        *(bulk.import_graph(database, begun, make_draft()) for _ in range(3)),
        return_exceptions=True,
    )
    assert [one for one in found if not isinstance(one, BaseException)]
    assert all(isinstance(one, Conflict) for one in found if isinstance(one, BaseException))
    held = await projects.show(database, project)
    assert (31, 32) == (held.nodes, held.edges)
    await assert_verified(database, project)


async def test_a_known_key_stages_nothing(
    database: Database, begun: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kept answer comes at once, even where the nodes were removed since."""
    keyed = Request(project_id=project, actor="tester", idempotency_key="k")
    first = await bulk.import_graph(database, keyed, make_draft())
    await nodes.remove(database, begun, "n29", cascade=True)
    assert first == await bulk.import_graph(database, keyed, make_draft())
    with pytest.raises(NotFound):
        await staging.abort(database, project)


async def test_too_large_a_draft_stages_nothing(
    database: Database, begun: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit of one call is looked at first."""
    monkeypatch.setattr(bulk, "ITEMS", 20)
    seq = await seq_of(database, project)
    with pytest.raises(LimitExceeded, match="At most 20"):
        await bulk.import_graph(database, begun, make_draft())
    assert seq == await seq_of(database, project)
