"""Two nodes become one, and two again."""

import uuid
from typing import Any

import pytest
from factories import make_edge, make_node
from graphs import assert_verified, hard_edges, state_of

from gotn.database.connection import Database
from gotn.errors import Conflict, CycleRefused, Invalid, NotFound
from gotn.work.records import EdgeType
from gotn.work.store import edges as edge_store
from gotn.work.usecases import bulk, edges, link, merging, nodes, planning
from gotn.work.usecases.writing import Request


async def _twins(database: Database, request: Request) -> None:
    """Keep and gone, with edges of every kind, tags of both and a step in a run of the past."""
    await bulk.add_graph(
        database,
        request,
        [
            make_node("before", produces=("plan",)),
            make_node("keep", tags=("x",), produces=("out",)),
            make_node("gone", tags=("x", "y"), requires=("plan",), produces=("more",)),
            make_node("after", requires=("more",)),
            make_node("child", parent="gone"),
            make_node("other"),
        ],
        [
            make_edge("gone", "other"),
            make_edge("gone", "other", type=EdgeType.RELATED, kind="see"),
            make_edge("keep", "other", type=EdgeType.SOFT_SEMANTIC, score=0.5),
            make_edge("gone", "other", type=EdgeType.SOFT_SEMANTIC, score=0.9),
        ],
        link=True,
    )


async def _rows(database: Database, request: Request, *ids: str) -> set[tuple[Any, ...]]:
    found = await database.read(lambda tx: edge_store.of_nodes(tx, request.project_id, ids, 1000))
    return {(row["type"], row["src"], row["dst"], row.get("score")) for row in found}


async def test_a_merge_keeps_edges_tags_and_journal(database: Database, request_: Request) -> None:
    """Everything moves once; what tags give is derived again; the fold says the same."""
    await _twins(database, request_)
    done = await merging.merge(database, request_, "keep", "gone", "the same")
    assert ("keep", "gone", 3) == (done.keep, done.gone, done.edges)
    assert {
        ("hard_requires", "before", "keep", None),
        ("hard_requires", "keep", "after", None),
        ("hard_requires", "keep", "other", None),
        ("related", "keep", "other", None),
        ("soft_semantic", "keep", "other", 0.5),
        ("derived_from", "keep", "child", None),
    } == await _rows(database, request_, "keep", "gone")
    state = await state_of(database, request_.project_id)
    assert "gone" not in state["nodes"]
    kept = state["nodes"]["keep"]
    assert (["x", "y"], ["plan"], ["out", "more"]) == (
        kept["tags"], kept["requires"], kept["produces"],
    )  # fmt: skip
    await assert_verified(database, request_.project_id)


async def test_a_merge_can_be_undone_once(database: Database, request_: Request) -> None:
    """Afterwards the project holds what it held; a second time there is nothing to undo."""
    await _twins(database, request_)
    before = await state_of(database, request_.project_id)
    done = await merging.merge(database, request_, "keep", "gone")
    undone = await merging.undo(database, request_, done.merge)
    assert ("keep", "gone", done.merge) == (undone.keep, undone.gone, undone.merge)
    after = await state_of(database, request_.project_id)
    assert before["edges"] == after["edges"]
    assert _full(before["nodes"]) == _full(after["nodes"])
    await assert_verified(database, request_.project_id)
    with pytest.raises(Conflict, match="again"):
        await merging.undo(database, request_, done.merge)
    with pytest.raises(NotFound, match="no merge"):
        await merging.undo(database, request_, 1)


def _full(rows: dict[str, Any]) -> dict[str, Any]:
    """Nodes without what is empty."""
    return {id_: {k: v for k, v in row.items() if v != []} for id_, row in rows.items()}


async def test_merges_are_taken_back_the_last_first(database: Database, request_: Request) -> None:
    """Another order is refused, names the merge that is in the way, and changes nothing."""
    stated = [
        make_edge("b", "c"),
        make_edge("d", "b"),
        make_edge("a", "d", type=EdgeType.SOFT_SEMANTIC, score=0.5),
    ]
    await bulk.add_graph(database, request_, [make_node(i) for i in "abcde"], stated)
    before = await state_of(database, request_.project_id)
    first = await merging.merge(database, request_, "a", "b")
    second = await merging.merge(database, request_, "a", "c")
    between = await state_of(database, request_.project_id)
    with pytest.raises(Conflict, match=f"'c' went into 'a' .* merge {second.merge} first"):
        await merging.undo(database, request_, first.merge)
    third = await merging.merge(database, request_, "e", "a")
    with pytest.raises(Conflict, match=f"merge {third.merge} first"):
        await merging.undo(database, request_, first.merge)
    await merging.undo(database, request_, third.merge)
    assert between["edges"] == (await state_of(database, request_.project_id))["edges"]
    for one in (second, first):
        await merging.undo(database, request_, one.merge)
    assert before["edges"] == (await state_of(database, request_.project_id))["edges"]
    await assert_verified(database, request_.project_id)


async def test_a_neighbour_comes_back_before(database: Database, request_: Request) -> None:
    """What a merge joined to its node and went later is in the way, too; what it kept is not."""
    await bulk.add_graph(database, request_, [make_node(i) for i in "abxyz"], [make_edge("x", "b")])
    before = await state_of(database, request_.project_id)
    first = await merging.merge(database, request_, "a", "b")
    kept = await merging.merge(database, request_, "x", "z")
    went = await merging.merge(database, request_, "y", "x")
    with pytest.raises(Conflict, match=f"merge {went.merge} first"):
        await merging.undo(database, request_, first.merge)
    for one in (went, first, kept):
        await merging.undo(database, request_, one.merge)
    assert before["edges"] == (await state_of(database, request_.project_id))["edges"]
    await assert_verified(database, request_.project_id)


async def test_what_was_added_since_stays(database: Database, request_: Request) -> None:
    """Undoing takes away what the merge gave, not what came later."""
    await _twins(database, request_)
    done = await merging.merge(database, request_, "keep", "gone")
    await nodes.update(database, request_, "keep", {"tags": ("x", "y", "z"), "summary": "New"})
    await edges.add(database, request_, make_edge("keep", "child"))
    await edges.remove(database, request_, make_edge("keep", "other"))
    await merging.undo(database, request_, done.merge)
    kept = (await state_of(database, request_.project_id))["nodes"]["keep"]
    assert (["x", "z"], "New") == (kept["tags"], kept["summary"])
    assert ("keep", "child") in await hard_edges(database, request_.project_id, "keep")
    assert ("gone", "other") in await hard_edges(database, request_.project_id, "gone")
    await assert_verified(database, request_.project_id)


async def test_what_cannot_be_merged(database: Database, request_: Request) -> None:
    """Itself, what is not there, steps of open runs, and what would close a cycle."""
    chain = [make_edge("a", "b"), make_edge("b", "c")]
    await bulk.add_graph(database, request_, [make_node(i) for i in "abcd"], chain)
    with pytest.raises(Invalid, match="different"):
        await merging.merge(database, request_, "a", "a")
    with pytest.raises(NotFound):
        await merging.merge(database, request_, "a", "nobody")
    with pytest.raises(CycleRefused):
        await merging.merge(database, request_, "a", "c")
    assert {("a", "b"), ("b", "c")} == set(
        await hard_edges(database, request_.project_id, "a", "b", "c")
    )
    await planning.plan(database, request_)
    with pytest.raises(Conflict, match="run-"):
        await merging.merge(database, request_, "a", "d")
    await assert_verified(database, request_.project_id)


async def test_the_same_key_merges_once(database: Database) -> None:
    """A repeat with the key gets the first answer."""
    request = Request(project_id=f"t-{uuid.uuid4().hex[:16]}", idempotency_key="k")
    plain = Request(project_id=request.project_id)
    await bulk.add_graph(database, plain, [make_node("a"), make_node("b")], [])
    await link.link(database, plain)
    done = await merging.merge(database, request, "a", "b")
    assert done == await merging.merge(database, request, "a", "b")
