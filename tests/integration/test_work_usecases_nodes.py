from typing import Any

import pytest
from factories import make_edge, make_node
from graphs import assert_verified, hard_edges, seq_of, state_of

from gotn.database.connection import Database, Tx
from gotn.errors import (
    Conflict,
    CycleRefused,
    IllegalMove,
    Invalid,
    LimitExceeded,
    NotFound,
    StaleRevision,
)
from gotn.journal import Ledger
from gotn.work.records import EdgeType, GraphDraft, NodeStatus, Project, WorkNode
from gotn.work.store import asking, runs
from gotn.work.store import nodes as node_store
from gotn.work.usecases import bulk, edges, nodes, planning, projects
from gotn.work.usecases import runs as run_usecases
from gotn.work.usecases.writing import Request, write


async def _get(database: Database, project: str, id_: str) -> WorkNode:
    found = await database.read(lambda tx: asking.require(tx, project, id_))
    return node_store.record(found[id_] | {"project_id": project})


async def test_a_node_comes_back_as_it_was_given(database: Database, request_: Request) -> None:
    """Every field of 001, lists in their order, defaults filled in."""
    given: dict[str, Any] = {
        "exec_target": "a.py",
        "requires": ("z", "a"),
        "produces": ("out",),
        "tags": ("w2", "w1"),
        "success_criteria": ["done", {"type": "file", "value": "a.py"}],
        "guards": ["command:true"],
        "artifacts": {"files": ["a.py"]},
        "embedding_ref": {"collection": "c", "id": "v"},
        "provenance": {"created_by": "me"},
        "extra": {"estimate_minutes": 5, "deep": {"b": [1, None]}},
        "status_reason": "because",
    }
    node = await nodes.add(database, request_, make_node("a", **given))
    assert given == {name: getattr(node, name) for name in given}
    assert (NodeStatus.READY, 1, 1, 5.0) == (
        node.status,
        node.version,
        node.revision,
        node.estimate_minutes,
    )
    await assert_verified(database, request_.project_id)


async def test_adding_the_same_again_changes_nothing(database: Database, request_: Request) -> None:
    """No journal entry, the same revision; another content is a conflict that names the fields."""
    draft = make_node("a", requires=("x",), extra={"k": 1})
    first = await nodes.add(database, request_, draft)
    seq = await seq_of(database, request_.project_id)
    assert first == await nodes.add(database, request_, draft)
    assert seq == await seq_of(database, request_.project_id)
    with pytest.raises(Conflict, match="another summary") as caught:
        await nodes.add(database, request_, make_node("a", summary="other"))
    assert ["summary"] == caught.value.facts["fields"]
    assert seq == await seq_of(database, request_.project_id)


async def test_update_sets_and_clears(database: Database, request_: Request) -> None:
    """None clears a field; tags nobody names any more are gone; revision counts up."""
    await nodes.add(
        database, request_, make_node("a", requires=("x", "y"), tags=("k",), exec_target="t")
    )
    changes: dict[str, Any] = {
        "summary": "New",
        "requires": ("y", "z"),
        "tags": None,
        "exec_target": None,
        "extra": {"estimate_minutes": 3},
    }
    node = await nodes.update(database, request_, "a", changes)
    assert ("New", ("y", "z"), (), None, 2, 3.0) == (
        node.summary,
        node.requires,
        node.tags,
        node.exec_target,
        node.revision,
        node.estimate_minutes,
    )
    node = await nodes.update(database, request_, "a", {"extra": None})
    assert (None, None) == (node.extra, node.estimate_minutes)
    seq = await seq_of(database, request_.project_id)
    assert node == await nodes.update(database, request_, "a", {"summary": "New", "tags": ()})
    assert seq == await seq_of(database, request_.project_id)
    await assert_verified(database, request_.project_id)


async def test_a_stale_revision_is_refused(database: Database, request_: Request) -> None:
    """The error carries both revisions, and nothing was changed; the right one is taken."""
    await nodes.add(database, request_, make_node("a"))
    await nodes.update(database, request_, "a", {"summary": "two"}, expected_revision=1)
    with pytest.raises(StaleRevision) as caught:
        await nodes.update(database, request_, "a", {"summary": "three"}, expected_revision=1)
    assert {"expected": 1, "current": 2} == caught.value.facts
    with pytest.raises(StaleRevision):
        await nodes.remove(database, request_, "a", expected_revision=1)
    assert "two" == (await _get(database, request_.project_id, "a")).summary
    await assert_verified(database, request_.project_id)


async def test_what_cannot_be_updated_is_refused(database: Database, request_: Request) -> None:
    """Unknown fields, empty needed ones, illegal moves, unknown nodes and projects."""
    await nodes.add(database, request_, make_node("a", status=NodeStatus.COMPLETED))
    for changes in ({"colour": "red"}, {"summary": None}, {"kind": ""}, {"status": None}):
        with pytest.raises(Invalid, match=next(iter(changes))):
            await nodes.update(database, request_, "a", changes)
    with pytest.raises(IllegalMove):
        await nodes.update(database, request_, "a", {"status": NodeStatus.RUNNING})
    with pytest.raises(NotFound, match="no node 'b'"):
        await nodes.update(database, request_, "b", {"summary": "x"})
    with pytest.raises(NotFound, match="no project"):
        await nodes.update(database, Request(project_id="t-nowhere"), "a", {"summary": "x"})
    await assert_verified(database, request_.project_id)


async def test_a_changed_status_forgets_its_reason(database: Database, request_: Request) -> None:
    """A reason belongs to the status it was given with; one given along stays."""
    await nodes.add(database, request_, make_node("a"))
    node = await nodes.update(
        database, request_, "a", {"status": NodeStatus.FAILED, "status_reason": "broke"}
    )
    assert "broke" == node.status_reason
    node = await nodes.update(
        database, request_, "a", {"status": NodeStatus.SKIPPED, "status_reason": "broke"}
    )
    assert "broke" == node.status_reason
    node = await nodes.update(database, request_, "a", {"status": NodeStatus.READY})
    assert node.status_reason is None
    await assert_verified(database, request_.project_id)


async def test_removal_needs_cascade_and_takes_all_along(
    database: Database, request_: Request
) -> None:
    """The refusal lists edges, children and runs; cascade removes them and orphans the children."""
    await nodes.add(database, request_, make_node("p", tags=("only",)))
    await nodes.add(database, request_, make_node("c", parent="p"))
    await nodes.add(database, request_, make_node("b"))
    await edges.add(database, request_, make_edge("p", "b"))
    run = (await planning.plan(database, request_)).run_id
    with pytest.raises(Conflict) as caught:
        await nodes.remove(database, request_, "p")
    assert ["c"] == caught.value.facts["children"]
    assert [run] == caught.value.facts["runs"]
    assert {"p → b (hard_requires)", "p → c (derived_from)"} == set(caught.value.facts["edges"])
    removed = await nodes.remove(database, request_, "p", cascade=True)
    assert (("p",), 2, 1) == (removed.nodes, removed.edges, removed.steps)
    assert (await _get(database, request_.project_id, "c")).parent is None
    with pytest.raises(NotFound):
        await nodes.remove(database, request_, "p")
    await assert_verified(database, request_.project_id)


async def test_a_lone_node_goes_without_cascade(database: Database, request_: Request) -> None:
    """And may come again."""
    await nodes.add(database, request_, make_node("a", requires=("x",)))
    assert ("a",) == (await nodes.remove(database, request_, "a")).nodes
    assert 1 == (await nodes.add(database, request_, make_node("a"))).revision
    await assert_verified(database, request_.project_id)


async def test_family_is_said_by_parent_or_child(database: Database, request_: Request) -> None:
    """Children keep their order, an unknown parent or child waits, and moving a child moves it."""
    await nodes.add(database, request_, make_node("p", children=("c2", "c1")))
    assert () == (await _get(database, request_.project_id, "p")).children
    for id_ in ("c1", "c2"):
        assert "p" == (await nodes.add(database, request_, make_node(id_))).parent
    await nodes.add(database, request_, make_node("c3", parent="q"))
    assert ("c2", "c1") == (await _get(database, request_.project_id, "p")).children
    assert ("c3",) == (await nodes.add(database, request_, make_node("q"))).children
    moved = await nodes.update(database, request_, "c1", {"parent": "q"})
    assert "q" == moved.parent
    assert ("c2",) == (await _get(database, request_.project_id, "p")).children
    node = await nodes.update(database, request_, "q", {"children": ("c3", "c1")})
    assert ("c3", "c1") == node.children
    assert () == (await nodes.update(database, request_, "q", {"children": None})).children
    await assert_verified(database, request_.project_id)


async def test_a_second_parent_is_refused(database: Database, request_: Request) -> None:
    """From the child's side, from the parent's, and while the first still waits."""
    await nodes.add(database, request_, make_node("p", children=("c",)))
    await nodes.add(database, request_, make_node("c"))
    with pytest.raises(Invalid, match="one parent"):
        await nodes.add(database, request_, make_node("q", children=("c",)))
    await nodes.add(database, request_, make_node("d", parent="later"))
    with pytest.raises(Invalid, match="one parent"):
        await nodes.add(database, request_, make_node("q", children=("d",)))
    assert "p" == (await nodes.update(database, request_, "d", {"parent": "p"})).parent
    assert () == (await nodes.add(database, request_, make_node("later"))).children
    await assert_verified(database, request_.project_id)


async def test_a_decomposition_cycle_is_refused(database: Database, request_: Request) -> None:
    """With the path; nothing is written, not even the entry before."""
    await nodes.add(database, request_, make_node("a"))
    await nodes.add(database, request_, make_node("b", parent="a"))
    await nodes.add(database, request_, make_node("c", parent="b"))
    seq = await seq_of(database, request_.project_id)
    with pytest.raises(Invalid, match="cannot stand above itself") as caught:
        await nodes.update(database, request_, "a", {"parent": "c"})
    assert {"a", "b", "c"} == set(caught.value.facts["path"])
    with pytest.raises(Invalid, match="cannot stand above itself"):
        await nodes.add(database, request_, make_node("n", parent="c", children=("a",)))
    with pytest.raises(Invalid, match="its own parent"):
        await nodes.add(database, request_, make_node("n", parent="n"))
    assert seq == await seq_of(database, request_.project_id)
    await assert_verified(database, request_.project_id)


async def test_pending_edges_join_or_refuse_the_arriving_node(
    database: Database, request_: Request
) -> None:
    """A node whose waiting edges would close a cycle is refused with the path."""
    from gotn.work.records import GraphDraft  # noqa: PLC0415
    from gotn.work.usecases import bulk  # noqa: PLC0415

    await nodes.add(database, request_, make_node("a"))
    rows = [
        {"type": "hard_requires", "src": "x", "dst": "a"},
        {"type": "hard_requires", "src": "a", "dst": "y"},
        {"type": "hard_requires", "src": "y", "dst": "x"},
    ]
    imported = await bulk.import_graph(database, request_, GraphDraft(edges=rows))
    assert (3, 3) == (imported.pending, imported.changed)
    await nodes.add(database, request_, make_node("x"))
    assert {("x", "a")} == set(await hard_edges(database, request_.project_id, "a", "x"))
    seq = await seq_of(database, request_.project_id)
    with pytest.raises(CycleRefused) as caught:
        await nodes.add(database, request_, make_node("y"))
    assert {"a", "x", "y"} == set(caught.value.facts["path"])
    assert seq == await seq_of(database, request_.project_id)
    await edges.remove(database, request_, make_edge("y", "x"))
    await nodes.add(database, request_, make_node("y"))
    assert {("x", "a"), ("a", "y")} == set(
        await hard_edges(database, request_.project_id, "a", "x", "y")
    )
    await assert_verified(database, request_.project_id)


@pytest.mark.parametrize("other", [EdgeType.RELATED, EdgeType.SOFT_SEMANTIC])
async def test_other_edges_close_no_cycle(
    database: Database, request_: Request, other: EdgeType
) -> None:
    """Only hard edges order."""
    for id_ in "ab":
        await nodes.add(database, request_, make_node(id_))
    await edges.add(database, request_, make_edge("a", "b"))
    edge = await edges.add(database, request_, make_edge("b", "a", type=other, score=None))
    assert ("b", "a", other) == (edge.src, edge.dst, edge.type)
    await assert_verified(database, request_.project_id)


async def test_a_removal_takes_so_many_edges_and_no_more(
    database: Database, request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One edge above the limit is refused and nothing goes; at the limit all of them go."""
    monkeypatch.setattr(nodes, "EDGES", 3)
    for id_ in "abcde":
        await nodes.add(database, request_, make_node(id_))
    for id_ in "bcde":
        await edges.add(database, request_, make_edge("a", id_))
    seq = await seq_of(database, request_.project_id)
    with pytest.raises(LimitExceeded, match="more than 3 edges") as caught:
        await nodes.remove(database, request_, "a", cascade=True)
    assert 3 == caught.value.facts["limit"]
    assert seq == await seq_of(database, request_.project_id)
    await edges.remove(database, request_, make_edge("a", "e"))
    assert 3 == (await nodes.remove(database, request_, "a", cascade=True)).edges
    await assert_verified(database, request_.project_id)


async def test_a_removal_keeps_what_runs_tell(
    database: Database, request_: Request, project: str
) -> None:
    """Steps of finished runs need no cascade; they are counted, wait, and join again whole."""
    await nodes.add(database, request_, make_node("a"))
    step: dict[str, Any] = {
        "run": "r1",
        "node": "a",
        "position": 0,
        "status": "completed",
        "started_at": "2025-01-27T10:30:00Z",
        "finished_at": "2025-01-27T10:40:00Z",
    }
    rows = [{"id": id_, "status": "completed", "ordered_node_ids": ["a"]} for id_ in ("r1", "r2")]

    async def ran(tx: Tx, ledger: Ledger) -> Project:
        steps = [step, step | {"run": "r2"}]
        await run_usecases.put(tx, ledger, rows, steps)
        ledger.record("start_run", [{"run": row} for row in rows])
        ledger.record("start_run", [{"step": one} for one in steps])
        return await projects.read(tx, project)

    await write(database, request_, "test", {}, Project, ran)
    await assert_verified(database, project)

    async def stored() -> list[dict[str, Any]]:
        return await database.read(lambda tx: runs.steps_of(tx, project, "a", 10))

    before = await stored()
    assert step == before[0]
    for _ in range(2):
        assert 2 == (await nodes.remove(database, request_, "a")).steps
        assert 2 == (await projects.show(database, project)).pending
        await assert_verified(database, project)
        await nodes.add(database, request_, make_node("a"))
        assert before == await stored()
        assert 0 == (await projects.show(database, project)).pending
        await assert_verified(database, project)


async def test_children_that_stay_keep_their_edges(
    database: Database, request_: Request, project: str
) -> None:
    """Reordered, joined by another or waiting: evidence and provenance stay; places change."""
    said = {"type": "derived_from", "src": "p", "said": ["edge"], "provenance": {"source": "x"}}
    rows = [
        said | {"dst": dst, "position": position, "evidence": f"why {dst}"}
        for dst, position in (("a", 0), ("b", 5), ("c", 7), ("late", 8))
    ]
    await bulk.add_graph(database, request_, [make_node(id_) for id_ in "pabcd"], [])
    await bulk.import_graph(database, request_, GraphDraft(edges=rows))
    before = (await state_of(database, project))["edges"]
    seq = await seq_of(database, project)
    await nodes.update(database, request_, "p", {"children": ("a", "b", "c", "late")})
    assert seq == await seq_of(database, project)
    for order in (("a", "b", "d", "c", "late"), ("late", "c", "b", "d", "a")):
        node = await nodes.update(database, request_, "p", {"children": order})
        assert tuple(id_ for id_ in order if id_ != "late") == node.children
        edges_ = (await state_of(database, project))["edges"]
        found = {row["dst"]: row for row in edges_.values()}
        assert list(order) == sorted(found, key=lambda id_: found[id_]["position"])
        for row in before.values():
            kept = found[row["dst"]]
            assert (row["evidence"], row["provenance"]) == (kept["evidence"], kept["provenance"])
        await assert_verified(database, project)
    await nodes.add(database, request_, make_node("late"))
    assert ("late", "c", "b", "d", "a") == (await _get(database, project, "p")).children
    await nodes.update(database, request_, "a", {"parent": "p"})
    assert (
        "why a"
        == (await state_of(database, project))["edges"]["derived_from", "p", "a", ""]["evidence"]
    )
    await assert_verified(database, project)
