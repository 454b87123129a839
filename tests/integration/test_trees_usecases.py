"""Task trees on a real Neo4j: in, out, journalled, rebuilt."""

import json
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from factories import make_node

from gotn import journal
from gotn.cli.views import tasks
from gotn.database.connection import Database
from gotn.errors import Conflict, NotFound
from gotn.trees import exchange
from gotn.trees.rules import totals
from gotn.trees.usecases import costing, exporting, planting, sowing
from gotn.work.usecases import nodes, projects, replay
from gotn.work.usecases.writing import Request

Row = dict[str, Any]
EXAMPLES = "rlm/examples"
DOCUMENT: Row = {
    "version": "1.0.0",
    "root_task": {
        "node_id": "a",
        "prompt": "Find out",
        "status": "completed",
        "context": {
            "type": "slice",
            "documents": [
                {"doc_id": "d1", "source": "x.md", "relevance_score": 1, "lang": "en"},
                {"excerpt": "…", "doc_id": "d1", "source": "y.md", "chunk_ids": ["1", "2"]},
                {"doc_id": "d1", "source": "x.md"},
            ],
            "size_tokens": 10,
        },
        "cost": {"input_tokens": 7, "output_tokens": 3, "total_cost_usd": 0.1},
        "timestamps": {"created_at": "2026-01-01T00:30:00+02:00", "duration_ms": 5},
        "children": [
            {"node_id": "c", "prompt": "Second", "status": "failed", "children": []},
            {"node_id": "b", "prompt": "First", "status": "running", "quality_gate": None},
        ],
    },
    "metadata": {"tree_id": "tree-00000001", "session_id": "s", "total_tokens": 11},
}


def drafted(document: Any = None) -> Any:
    """The draft of a document."""
    return exchange.read(json.dumps(document or DOCUMENT))


async def exported(database: Database, project: str, tree_id: str) -> str:
    """The stored tree as a document's text, keys in their order."""
    found = await exporting.whole(database, project, tree_id)
    return json.dumps(json.loads(exchange.text(exchange.document(found.tree, found.tasks))))


async def test_a_tree_comes_back_and_verifies(
    database: Database, request_: Request, project: str
) -> None:
    """Stored natively and out again equal; the journal gives what is stored."""
    planted = await planting.plant(database, request_, drafted())
    assert (3, 2, 4) == (planted.tasks, planted.documents, planted.changed)
    assert [("metadata.total_tokens", "11", "10")] == [
        (one.member, one.stated, one.ours) for one in planted.disagreements
    ]
    assert json.dumps(DOCUMENT) == await exported(database, project, "tree-00000001")
    found = await replay.verify(database, project)
    assert found.equal, found.differing
    assert found.chain_ok


@pytest.mark.parametrize("name", ["rlm-task-tree.simple_tree", "rlm-task-tree.map_reduce_tree"])
async def test_published_trees_through_the_database(
    database: Database, request_: Request, project: str, shared_data: Path, name: str
) -> None:
    """Unchanged after import and export, and the second import changes nothing."""
    path = shared_data / EXAMPLES / f"{name}.json"
    draft = exchange.read_file(path)
    planted = await planting.plant(database, request_, draft)
    assert json.dumps(json.loads(path.read_text())) == await exported(
        database, project, planted.tree_id
    )
    before = (await projects.show(database, project)).seq
    again = await planting.plant(database, request_, exchange.read_file(path))
    assert (0, before) == (again.changed, (await projects.show(database, project)).seq)


@pytest.mark.parametrize("name", ["rlm-cost.simple_cost_tree", "rlm-trajectory.failed_trajectory"])
async def test_other_documents_verify(
    database: Database, request_: Request, project: str, shared_data: Path, name: str
) -> None:
    """Trees made of costs and trajectories are journalled like any other."""
    draft = exchange.read_file(shared_data / EXAMPLES / f"{name}.json")
    await planting.plant(database, request_, draft)
    found = await replay.verify(database, project)
    assert found.equal, found.differing


async def test_another_tree_of_the_same_id_is_a_conflict(
    database: Database, request_: Request, project: str
) -> None:
    """The published tree and cost document share an id: --as another one takes both."""
    await planting.plant(database, request_, drafted())
    other = DOCUMENT | {"root_task": DOCUMENT["root_task"] | {"prompt": "Another"}}
    with pytest.raises(Conflict, match="with other content; import this one with --as"):
        await planting.plant(database, request_, drafted(other))
    named = exchange.read(json.dumps(other), as_id="mine")
    assert "mine" == (await planting.plant(database, request_, named)).tree_id
    there = other | {"metadata": other["metadata"] | {"tree_id": "mine"}}
    assert json.dumps(there) == await exported(database, project, "mine")


async def test_replay_rebuilds_trees(database: Database, request_: Request, project: str) -> None:
    """Tree, state and the node that was executed: the same digest in another project."""
    await nodes.add(database, request_, make_node("n/1"))
    await nodes.add(database, request_, make_node("n2"))
    await planting.plant(database, request_, drafted(), executes="n/1")
    await planting.plant(database, request_, drafted(), executes="n2")
    state: Row = {"version": "1.0.0", "state_id": "state-1", "tree_id": "tree-00000001"}
    state |= {"variables": {"x": {"name": "x", "value": [1, None, 0.5]}}}
    kept = await planting.keep_state(database, request_, drafted(state))
    assert (("x",), 1) == (kept.variables, kept.changed)
    assert 0 == (await planting.keep_state(database, request_, drafted(state))).changed
    await nodes.remove(database, request_, "n2", cascade=True)
    found = await replay.verify(database, project)
    assert found.equal, found.differing
    copy = Request(project_id=f"{project}-copy", actor="tester")
    replayed = await replay.replay(database, copy, lambda: journal.entries(database, project))
    assert (found.live_digest, 1) == (replayed.digest, replayed.trees)
    assert json.dumps(DOCUMENT) == await exported(database, copy.project_id, "tree-00000001")
    assert (await replay.verify(database, copy.project_id)).equal


async def test_a_dry_run_changes_nothing(database: Database, request_: Request) -> None:
    """It says what would happen."""
    told = await planting.plant(database, request_, drafted(), dry_run=True)
    assert 4 == told.changed
    with pytest.raises(NotFound):
        await exporting.whole(database, request_.project_id, "tree-00000001")


async def test_executing_nothing_is_refused(
    database: Database, request_: Request, project: str
) -> None:
    """The work node must be there, else nothing is stored at all."""
    with pytest.raises(NotFound, match="no node 'x'"):
        await planting.plant(database, request_, drafted(), executes="x")
    with pytest.raises(NotFound):
        await exporting.whole(database, project, "tree-00000001")


async def test_a_removed_project_leaves_no_task(
    database: Database, request_: Request, project: str
) -> None:
    """Trees, tasks, documents and states go with their project."""
    await planting.plant(database, request_, drafted())
    await projects.remove(database, request_)
    async with database.session() as session:
        row = await (
            await session.run("MATCH (n {project_id: $p}) RETURN count(n) AS n", {"p": project})
        ).single()
    assert row is not None
    assert 0 == row["n"]


def _wide(count: int) -> Row:
    children = [
        {"node_id": f"c{i}", "prompt": "p", "status": "completed", "cost": {"total_cost_usd": 1}}
        for i in range(count)
    ]
    documents = [{"doc_id": "d", "source": "s"}]
    children[-1]["context"] = {"documents": documents}
    root = {"node_id": "r", "prompt": "p", "status": "completed", "children": children}
    return {"version": "1.0.0", "root_task": root, "metadata": {"tree_id": "tree-big"}}


async def test_a_large_tree_is_staged(
    database: Database, request_: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unseen until its last transaction, then whole; verified and exported like any other."""
    monkeypatch.setattr(sowing, "LARGE", 20)
    monkeypatch.setattr(sowing, "BATCH", 7)
    planted = await planting.plant(database, request_, drafted(_wide(30)))
    assert 32 == planted.changed
    assert json.dumps(_wide(30)) == await exported(database, project, "tree-big")
    found = await replay.verify(database, project)
    assert found.equal, found.differing
    whole = await costing.show(database, project, costing.Scope(tree="tree-big"))
    assert 30 == whole.inclusive.total_cost_usd
    assert 0 == (await planting.plant(database, request_, drafted(_wide(30)))).changed


async def test_large_trees_are_replayed(
    database: Database, request_: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Staged in transactions of their own, beside small ones: the same digest and totals."""
    monkeypatch.setattr(sowing, "LARGE", 20)
    monkeypatch.setattr(sowing, "BATCH", 7)
    await nodes.add(database, request_, make_node("n"))
    await planting.plant(database, request_, drafted(_wide(30)), executes="n")
    await planting.plant(database, request_, drafted())
    copy = Request(project_id=f"{project}-copy", actor="other")
    source = partial(journal.entries, database, project)
    replayed = await replay.replay(database, copy, source)
    assert await replay.current_digest(database, project) == replayed.digest
    assert [] == await costing.unequal(database, copy.project_id)
    assert (await replay.verify(database, copy.project_id)).equal
    whole = await costing.show(database, copy.project_id, costing.Scope(node="n"))
    assert 30 == whole.inclusive.total_cost_usd
    keyed = Request(project_id=f"{project}-keyed", actor="other", idempotency_key="k")
    assert replayed.digest == (await replay.replay(database, keyed, source)).digest


async def test_ten_thousand_levels(database: Database, request_: Request, project: str) -> None:
    """As deep a tree is stored, its leaf's cost reaches the root, and it comes back."""
    levels = 10_000
    nodes_ = [
        {"node_id": f"n{i}", "prompt": "p", "status": "completed"}
        | ({"parent_id": f"n{i - 1}"} if i else {})
        for i in range(levels)
    ]
    flat = {"version": "1.0.0", "nodes": nodes_, "metadata": {"tree_id": "deep"}}
    planted = await planting.plant(database, request_, exchange.read(json.dumps(flat)))
    assert levels == planted.tasks
    leaf, cost = f"n{levels - 1}", {"total_cost_usd": Decimal("0.000000000001")}
    await costing.spend(database, request_, "deep", leaf, cost)
    whole = await costing.show(database, project, costing.Scope(tree="deep"))
    assert (levels, cost["total_cost_usd"]) == (
        whole.inclusive.tasks, whole.inclusive.total_cost_usd
    )  # fmt: skip
    found = await exporting.whole(database, project, "deep")
    text = exchange.text(exchange.document(found.tree, found.tasks))
    assert levels == len(exchange.read(text, as_id="again").tasks)
    drawn = list(tasks.lines(found.tasks, totals.inclusive(found.tasks)))
    assert max(len(branch) for branch, _, _ in drawn) < 200


async def test_a_large_tree_that_is_cut_short(
    database: Database, request_: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of it counts for nothing; another import must wait; the same one goes on."""
    monkeypatch.setattr(sowing, "LARGE", 20)
    monkeypatch.setattr(sowing, "BATCH", 7)
    draft = drafted(_wide(30))
    number = await sowing.stage(database, request_, draft)
    assert (await replay.verify(database, project)).equal
    with pytest.raises(NotFound):
        await exporting.whole(database, project, "tree-big")
    with pytest.raises(Conflict, match="gotn import --abort"):
        await planting.plant(database, request_, drafted(_wide(31)))
    assert number == await sowing.stage(database, request_, draft)
    assert 32 == (await planting.plant(database, request_, draft)).changed
    assert (await replay.verify(database, project)).equal


async def test_a_large_tree_that_is_refused_leaves_nothing(
    database: Database, request_: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unknown work node refuses all of it; another import can begin."""
    monkeypatch.setattr(sowing, "LARGE", 20)
    with pytest.raises(NotFound, match="no node 'x'"):
        await planting.plant(database, request_, drafted(_wide(30)), executes="x")
    assert (await replay.verify(database, project)).equal
    assert 33 == (await planting.plant(database, request_, drafted(_wide(31)))).changed
