import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from factories import make_edge, make_node
from graphs import assert_verified, hard_edges, state_of

from gotn.database.connection import Database, Tx
from gotn.errors import Conflict, Invalid, NotFound
from gotn.work.records import GraphDraft
from gotn.work.store import asking, digest
from gotn.work.usecases import bulk, link, nodes, planning, projects
from gotn.work.usecases.writing import Request

IDS = "abc"


async def _fill(database: Database, request: Request, tag: str) -> None:
    drafts = [make_node(i, requires=(tag,), produces=(f"{tag}{i}",), tags=("k",)) for i in IDS]
    await bulk.add_graph(database, request, drafts, [make_edge("a", "b")], link=True)
    waiting = {"type": "hard_requires", "src": "a", "dst": f"later-{tag}"}
    await bulk.import_graph(database, request, GraphDraft(edges=[waiting]))
    await planning.plan(database, request)
    await projects.settings(database, request, {"description": tag})


async def test_a_project_counts_what_it_holds(database: Database, request_: Request) -> None:
    """Nodes, edges, runs, what waits, settings, and the journal's seq."""
    await _fill(database, request_, "t")
    found = await projects.show(database, request_.project_id)
    assert (3, 1, 1, 1) == (found.nodes, found.edges, found.runs, found.pending)
    assert {"description": "t"} == found.settings
    listed = await projects.listed(database, first=500, after=request_.project_id[:-1])
    assert request_.project_id in {project.id for project in listed}
    await assert_verified(database, request_.project_id)


async def test_settings_are_checked_and_cleared(database: Database, request_: Request) -> None:
    """Only known ones, of their type; None takes one away; the same again is no entry."""
    found = await projects.settings(database, request_, {"description": "one"})
    seq = found.seq
    same = await projects.settings(database, request_, {"description": "one"})
    assert seq == same.seq
    for changes in ({"colour": "red"}, {"description": 5}, {"description": "\ud800"}):
        with pytest.raises(Invalid, match=next(iter(changes))):
            await projects.settings(database, request_, changes)
    assert not (await projects.settings(database, request_, {"description": None})).settings
    await assert_verified(database, request_.project_id)


async def test_removal_takes_everything_and_only_its_own(
    database: Database, request_: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In several transactions, journal and keys too; the id is free again."""
    monkeypatch.setattr(projects, "BATCH", 2)
    other = Request(project_id=f"{project}-b", idempotency_key=None)
    await _fill(database, request_, "t")
    await _fill(database, other, "t")
    keyed = Request(project_id=project, idempotency_key="k")
    await nodes.add(database, keyed, make_node("d"))
    before = await digest.live(database, other.project_id)
    assert 4 == (await projects.remove(database, request_)).nodes
    assert {} == await digest.live(database, project)
    with pytest.raises(NotFound):
        await projects.show(database, project)
    with pytest.raises(NotFound):
        await projects.remove(database, request_)
    assert before == await digest.live(database, other.project_id)
    assert "e" == (await nodes.add(database, keyed, make_node("e"))).id
    await assert_verified(database, project)
    await assert_verified(database, other.project_id)


async def test_projects_do_not_see_each_other(
    database: Database, request_: Request, project: str
) -> None:
    """The same ids and tags in both: no edge, no join, no plan and no answer crosses."""
    other = Request(project_id=f"{project}-b")
    await _fill(database, request_, "t")
    drafts = [make_node("later-t"), make_node("x", produces=("t",), requires=("ta",))]
    await bulk.add_graph(database, other, drafts, [])
    assert 0 == (await link.link(database, other, whole=True)).added
    assert {} == await hard_edges(database, other.project_id, "x", "later-t")
    assert ["t"] == [
        unmet.tag for unmet in await database.read(lambda tx: asking.unmet(tx, project))
    ]
    assert {"x", "later-t"} == set((await planning.plan(database, other)).ordered_node_ids)
    await nodes.remove(database, other, "later-t", cascade=True)
    assert set(IDS) == set((await state_of(database, project))["nodes"])
    assert 1 == (await projects.show(database, project)).pending
    await assert_verified(database, project)
    await assert_verified(database, other.project_id)


def _between(
    database: Database, monkeypatch: pytest.MonkeyPatch, after: Callable[[], Awaitable[Any]]
) -> None:
    """Call `after` once each transaction of a removal has ended."""
    write = database.write

    async def interrupted(work: Callable[[Tx], Awaitable[Any]]) -> Any:
        found = await write(work)
        monkeypatch.setattr(database, "write", write)
        try:
            await after()
        finally:
            monkeypatch.setattr(database, "write", interrupted)
        return found

    monkeypatch.setattr(database, "write", interrupted)


async def test_nothing_is_written_while_a_project_is_removed(
    database: Database, request_: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write between two parts is refused; after the last it makes a new, whole project."""
    monkeypatch.setattr(projects, "BATCH", 2)
    await _fill(database, request_, "t")
    refused: list[str] = []

    async def meanwhile() -> None:
        try:
            await nodes.add(database, request_, make_node("late"))
        except Conflict as error:
            refused.append(error.message)

    with monkeypatch.context() as patched:
        _between(database, patched, meanwhile)
        await projects.remove(database, request_)
    assert len(refused) > 1
    assert {f"Project {project!r} is being removed; ask for the removal again."} == set(refused)
    assert (1, 2) == ((found := await projects.show(database, project)).nodes, found.seq)
    await assert_verified(database, project)


async def test_a_removal_cut_short_goes_on(
    database: Database, request_: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until it is asked for again no write, new or known, gets in; then the id is free."""
    monkeypatch.setattr(projects, "BATCH", 2)
    await _fill(database, request_, "t")

    async def cut() -> None:
        raise ConnectionError

    with monkeypatch.context() as patched:
        _between(database, patched, cut)
        with pytest.raises(ConnectionError):
            await projects.remove(database, request_)
    for write in (
        nodes.add(database, request_, make_node("late")),
        nodes.update(database, request_, "a", {"summary": "late"}),
    ):
        with pytest.raises(Conflict, match="ask for the removal again"):
            await write
    await projects.remove(database, request_)
    assert {} == await digest.live(database, project)
    await nodes.add(database, request_, make_node("a"))
    await assert_verified(database, project)


async def test_a_removal_among_writers_leaves_no_orphan(
    database: Database, request_: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two removals and many writers at once: what is there afterwards is a whole project."""
    monkeypatch.setattr(projects, "BATCH", 3)
    await _fill(database, request_, "t")
    calls = [nodes.add(database, request_, make_node(f"w{i}")) for i in range(10)]
    removals = [projects.remove(database, request_) for _ in range(2)]
    found = await asyncio.gather(*calls[:3], *removals, *calls[3:], return_exceptions=True)
    failed = [one for one in found if isinstance(one, BaseException)]
    assert [one for one in failed if not isinstance(one, Conflict | NotFound)] == []
    try:
        await assert_verified(database, project)
    except NotFound:
        assert {} == await digest.live(database, project)
