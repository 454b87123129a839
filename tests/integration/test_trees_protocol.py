"""The agent protocol on a real Neo4j: spawn, claim, finish, cancel, merge, limits, order."""

import json
from typing import Any

import pytest

from gotn.database.connection import Database
from gotn.errors import Conflict, IllegalMove, Invalid, LimitExceeded, NotFound
from gotn.trees import exchange
from gotn.trees.records import Claimed, TaskClaimStatus
from gotn.trees.usecases import claiming, costing, executing, exporting, planting, spawning
from gotn.work.usecases import replay
from gotn.work.usecases.writing import Request

Row = dict[str, Any]
TREE = "tree-00000001"


async def planted(database: Database, request: Request, **members: Any) -> None:
    """A tree of one pending task."""
    metadata = {"tree_id": TREE, "total_nodes": 1} | members.pop("metadata", {})
    root = {"node_id": "root", "prompt": "Answer", "status": "pending"} | members.pop("root", {})
    document = {"version": "1.0.0", "root_task": root, "metadata": metadata} | members
    await planting.plant(database, request, exchange.read(json.dumps(document)))


async def started(database: Database, request: Request, **root: Any) -> Claimed:
    """The tree with its root running."""
    await planted(database, request, root=root)
    return await claiming.claim(database, request, TREE, "w", task="root")


async def test_a_tree_is_executed_to_its_end(
    database: Database, request_: Request, project: str
) -> None:
    """Claimed, children spawned while finishing, their cost summed, exported, verified."""
    root = await started(database, request_, decomposition_strategy="map-reduce")
    assert ("root", "Answer", 1) == (root.task_id, root.prompt, root.attempt)
    children: tuple[Row, ...] = (
        {"prompt": "Part", "context": {"type": "full", "source": "parent_result"}},
        {"prompt": "Together"},
    )
    ended = await executing.finish(
        database, request_, TREE, "root", str(root.token),
        result={"status": "success", "output": "Forty-two"}, children=children,
        cost={"input_tokens": 10, "output_tokens": 5},
    )  # fmt: skip
    assert ("completed", 2) == (ended.status, len(ended.spawned))
    part = await claiming.claim(database, request_, TREE, "w")
    assert "[parent_result]\nForty-two\n\nPart" == part.prompt
    nothing = await claiming.claim(database, request_, TREE, "w2")
    assert (None, TaskClaimStatus.NOTHING_READY) == (nothing.task_id, nothing.status)
    with pytest.raises(Conflict, match=f"it waits for {part.task_id}"):
        await claiming.claim(database, request_, TREE, "w2", task=ended.spawned[1])
    done: Row = {"result": {"status": "success", "output": "A"}, "cost": {"total_tokens": 7}}
    await executing.finish(database, request_, TREE, str(part.task_id), str(part.token), **done)
    last = await claiming.claim(database, request_, TREE, "w2")
    assert ended.spawned[1] == last.task_id
    await executing.finish(database, request_, TREE, str(last.task_id), str(last.token), **done)
    found = await costing.show(database, project, costing.Scope(tree=TREE))
    assert (3, 15 + 14, 15) == (
        found.inclusive.tasks, found.inclusive.total_tokens, found.own.total_tokens
    )  # fmt: skip
    assert [] == await costing.unequal(database, project)
    verified = await replay.verify(database, project)
    assert verified.equal, verified.differing
    whole = await exporting.whole(database, project, TREE)
    document = json.loads(exchange.text(exchange.document(whole.tree, whole.tasks)))
    assert (3, 29, 1) == tuple(
        document["metadata"][name] for name in ("total_nodes", "total_tokens", "max_depth")
    )
    assert all(row["timestamps"]["duration_ms"] >= 0 for row in whole.tasks)
    assert ["completed", "completed"] == [
        one["status"] for one in document["root_task"]["children"]
    ]


LIMITS: dict[str, tuple[list[Row], Row]] = {
    "max_children_per_node": ([{"prompt": "p"}] * 11, {}),
    "max_total_nodes": ([{"prompt": "p"}] * 3, {"max_total_nodes": 3}),
    "max_context_tokens_per_node": ([{"prompt": "p", "context": {"size_tokens": 100_001}}], {}),
    "timeout_per_node_ms": (
        [{"prompt": "p", "execution_config": {"timeout_ms": 300_001}}],
        {},
    ),
}


@pytest.mark.parametrize("name", LIMITS)
async def test_limits_are_named(database: Database, request_: Request, name: str) -> None:
    """Each limit refuses with its name, and nothing is stored."""
    children, limits = LIMITS[name]
    await planted(database, request_, limits=limits)
    with pytest.raises(LimitExceeded, match=name):
        await spawning.spawn(database, request_, TREE, "root", children)
    whole = await exporting.whole(database, request_.project_id, TREE)
    assert 1 == len(whole.tasks)


async def test_depth_is_limited(database: Database, request_: Request) -> None:
    """The sixth level below the root is refused; ids are minted and all differ."""
    await planted(database, request_)
    at, seen = "root", set()
    for _ in range(5):
        at = (await spawning.spawn(database, request_, TREE, at, [{"prompt": "p"}])).tasks[0]
        seen.add(at)
    assert 5 == len(seen)
    with pytest.raises(LimitExceeded, match="max_depth: the tree allows 5, this would be 6"):
        await spawning.spawn(database, request_, TREE, at, [{"prompt": "p"}])


async def test_modes_that_demand_seeds(database: Database, request_: Request) -> None:
    """In a seeded tree a task without one is refused, and a result of another seed too."""
    await planted(database, request_, metadata={"execution_mode": "seeded"})
    with pytest.raises(Invalid, match="the tree's mode is seeded"):
        await spawning.spawn(database, request_, TREE, "root", [{"prompt": "p"}])
    with pytest.raises(Invalid, match=r"task 'root': execution_config\.seed: is missing"):
        await claiming.claim(database, request_, TREE, "w")
    child = {"prompt": "p", "execution_config": {"seed": 4}}
    (made,) = (await spawning.spawn(database, request_, TREE, "root", [child])).tasks
    token = str((await claiming.claim(database, request_, TREE, "w", task=made)).token)
    other: Row = {"output": "o", "metadata": {"seed": 5}}
    with pytest.raises(Invalid, match="expected the task's 4, found 5"):
        await executing.finish(database, request_, TREE, made, token, result=other)


async def test_conditional_order_gives_up(database: Database, request_: Request) -> None:
    """After a failure the rest is cancelled, with the reason; a try left is used before."""
    root = await started(database, request_, decomposition_strategy="conditional")
    policy = {"execution_config": {"retry_policy": {"max_retries": 1, "backoff_ms": 0}}}
    made = await spawning.spawn(
        database, request_, TREE, "root", [{"prompt": str(i)} | policy for i in range(3)]
    )
    assert root.task_id == "root"
    for turn, status in ((1, "pending"), (2, "failed")):
        first = await claiming.claim(database, request_, TREE, "w")
        assert (made.tasks[0], turn) == (first.task_id, first.attempt)
        ended = await executing.finish(
            database, request_, TREE, made.tasks[0], str(first.token), status="failed"
        )
        assert status == ended.status
    assert made.tasks[1:] == ended.cancelled
    whole = await exporting.whole(database, request_.project_id, TREE)
    assert whole.tasks[2]["result"]["errors"] == [{"message": f"{made.tasks[0]} did not succeed"}]
    assert (await replay.verify(database, request_.project_id)).equal


async def test_a_lease_that_ended(database: Database, request_: Request, project: str) -> None:
    """The task is handed out again, and the late worker is refused."""
    first = await started(database, request_)
    with pytest.raises(Conflict, match="held by 'w'"):
        await claiming.claim(database, request_, TREE, "w2", task="root")
    async with database.session() as session:
        await (
            await session.run(
                "MATCH (t:Task {key: $k}) SET t.lease_until = 1", {"k": f"{project}/{TREE}/root"}
            )
        ).consume()
    second = await claiming.claim(database, request_, TREE, "w2")
    assert ("root", 2) == (second.task_id, second.attempt)
    with pytest.raises(Conflict, match="claim it again"):
        await executing.finish(database, request_, TREE, "root", str(first.token))
    assert (await replay.verify(database, project)).equal


async def test_cancelling_a_subtree(database: Database, request_: Request) -> None:
    """What has not ended is cancelled with the reason; what ended stays and is final."""
    root = await started(database, request_)
    made = await spawning.spawn(
        database, request_, TREE, "root", [{"prompt": "a"}, {"prompt": "b"}]
    )
    await executing.finish(database, request_, TREE, "root", str(root.token))
    ended = await executing.cancel(database, request_, TREE, "root", "enough")
    assert made.tasks == ended.cancelled
    with pytest.raises(IllegalMove, match="is cancelled and cannot become running"):
        await claiming.claim(database, request_, TREE, "w", task=made.tasks[0])
    with pytest.raises(IllegalMove, match="nothing can be spawned below it"):
        await spawning.spawn(database, request_, TREE, "root", [{"prompt": "p"}])


async def test_variables_of_a_state(database: Database, request_: Request) -> None:
    """A context `variable:NAME` is the state's value; one that is missing is told."""
    context = {"type": "full", "source": "variable:errors"}
    config = {"retry_policy": {"backoff_ms": 0}}
    await planted(database, request_, root={"context": context, "execution_config": config})
    missing = await claiming.claim(database, request_, TREE, "w")
    assert missing.warnings == ("variable:errors: no state has this variable",)
    state = {"version": "1.0.0", "state_id": "s", "tree_id": TREE}
    body: Row = state | {"variables": {"errors": {"name": "errors", "value": None}}}
    await planting.keep_state(database, request_, exchange.read(json.dumps(body)))
    await executing.finish(database, request_, TREE, "root", str(missing.token), status="failed")
    missing = await claiming.claim(database, request_, TREE, "w")
    assert missing.warnings == ("variable:errors: its value is null",)
    body = state | {"variables": {"errors": {"name": "errors", "value": [1, "é"]}}}
    await planting.keep_state(database, request_, exchange.read(json.dumps(body)))
    await executing.finish(database, request_, TREE, "root", str(missing.token), status="failed")
    again = await claiming.claim(database, request_, TREE, "w")
    assert '[variable:errors]\n[1,"é"]\n\nAnswer' == again.prompt


async def test_a_result_that_contradicts_its_status(database: Database, request_: Request) -> None:
    """No task is completed by a failed result, nor fails by a success; the claim has its gate."""
    gate = {"min_score": 80, "fallback": "escalate"}
    await planted(database, request_, root={"quality_gate": gate})
    one = await claiming.claim(database, request_, TREE, "w")
    assert gate == one.quality_gate
    for status, said in (
        ("completed", "failed"),
        ("completed", "cancelled"),
        ("failed", "success"),
    ):
        with pytest.raises(Invalid, match=f"task is {status}, its result says {said}"):
            await executing.finish(
                *(database, request_, TREE, "root", str(one.token)),
                status=status,
                result={"status": said},
            )
    given = {"status": "partial"}
    ended = await executing.finish(database, request_, TREE, "root", str(one.token), result=given)
    assert "completed" == ended.status


async def test_merging(database: Database, request_: Request, project: str) -> None:
    """The four strategies over what a tree's children say; the failed one is named."""

    def child(id_: str, output: str, confidence: float, score: int) -> Row:
        return {
            "node_id": id_, "prompt": id_, "status": "completed",
            "result": {"status": "success", "output": output, "confidence": confidence},
            "quality_gate": {"iteration_history": [{"score": score}]},
        }  # fmt: skip

    children = [
        child("a", "Yes.", 0.1, 90), child("b", "no", 0.9, 50), child("c", " yes", 0.5, 90),
        {"node_id": "d", "prompt": "d", "status": "failed"},
    ]  # fmt: skip
    await planted(database, request_, root={"children": children, "merge_strategy": "vote"})
    voted = await executing.merge(database, project, TREE, "root")
    assert (" yes", "c", ("d: failed",)) == (voted.output, voted.chosen, voted.left_out)
    best = await executing.merge(database, project, TREE, "root", "best-of-n")
    assert "c" == best.chosen
    joined = await executing.merge(database, project, TREE, "root", "concatenate")
    assert "Yes.\n\nno\n\n yes" == joined.output
    summary = await executing.merge(database, project, TREE, "root", "summarize")
    assert summary.output is None
    assert "in answer to: Answer" in str(summary.prompt)
    with pytest.raises(NotFound):
        await executing.merge(database, project, TREE, "x")
