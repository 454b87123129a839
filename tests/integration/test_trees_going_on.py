"""Ways on for a tree on a real Neo4j: retrying, its own export, names that are not there."""

import json
from typing import Any

import pytest

from gotn.database.connection import Database
from gotn.errors import Conflict, IllegalMove, Invalid, NotFound
from gotn.trees import exchange
from gotn.trees.records import TaskClaimStatus
from gotn.trees.usecases import (
    claiming,
    costing,
    executing,
    exporting,
    linking,
    planting,
    queueing,
    retrying,
    spawning,
)
from gotn.work.usecases import replay
from gotn.work.usecases.writing import Request

Row = dict[str, Any]
TREE = "tree-00000001"
ONCE = {"execution_config": {"retry_policy": {"max_retries": 0}}}


async def planted(
    database: Database, request: Request, as_id: str | None = None, **root: Any
) -> str:
    """A tree of one pending task; its document."""
    made = {"node_id": "root", "prompt": "Answer", "status": "pending"} | root
    document = {"version": "1.0.0", "root_task": made, "metadata": {"tree_id": TREE}}
    text = json.dumps(document)
    await planting.plant(database, request, exchange.read(text, as_id=as_id))
    return text


async def failed(database: Database, request: Request, task: str, **more: Any) -> str:
    """Claim a task and let it fail; where it stands then."""
    one = await claiming.claim(database, request, TREE, "w", task=task)
    ended = await executing.finish(
        database, request, TREE, task, str(one.token), status="failed", **more
    )
    return ended.status


async def test_a_task_that_failed_for_good(
    database: Database, request_: Request, project: str
) -> None:
    """The queue says that nothing can happen and why; retried, it has all its tries again."""
    await planted(database, request_, decomposition_strategy="sequential")
    root = await claiming.claim(database, request_, TREE, "w")
    first, second = (
        await spawning.spawn(
            database, request_, TREE, "root", [{"prompt": "a"} | ONCE, {"prompt": "b"}]
        )
    ).tasks
    await executing.finish(database, request_, TREE, "root", str(root.token))
    assert (await queueing.queue(database, project, TREE, first=9)).stuck is None
    with pytest.raises(IllegalMove, match="only a failed one can be retried"):
        await retrying.retry(database, request_, TREE, first)
    cost = {"total_tokens": 5, "total_cost_usd": "0.5"}
    left = {"result": {"output": "half of it"}, "cost": cost}
    assert "failed" == await failed(database, request_, first, **left)
    queue = await queueing.queue(database, project, TREE, first=9)
    assert (1, 1) == (queue.total, len(queue.waiting))
    assert f"({first} failed for good): retry a task" in str(queue.stuck)
    nothing = await claiming.claim(database, request_, TREE, "w")
    assert (TaskClaimStatus.STUCK, queue.stuck) == (nothing.status, nothing.nothing)
    again = await retrying.retry(database, request_, TREE, first)
    assert "pending" == again.status
    queue = await queueing.queue(database, project, TREE, first=9)
    assert (None, [first]) == (queue.stuck, [one.task_id for one in queue.ready])
    taken = await claiming.claim(database, request_, TREE, "w")
    assert (first, 2) == (taken.task_id, taken.attempt)
    await executing.finish(database, request_, TREE, first, str(taken.token), cost=cost)
    assert second == (await claiming.claim(database, request_, TREE, "w")).task_id
    task = (await exporting.whole(database, project, TREE)).tasks[1]
    assert ("1.0", "half of it") == (task["cost"]["total_cost_usd"], task["result"]["output"])
    verified = await replay.verify(database, project)
    assert verified.equal, verified.differing


async def test_a_retried_task_has_its_tries(database: Database, request_: Request) -> None:
    """Of a policy with one retry there are two tries, and after retrying two more."""
    config: Row = {"execution_config": {"retry_policy": {"max_retries": 1, "backoff_ms": 0}}}
    await planted(database, request_, **config)
    statuses = [await failed(database, request_, "root") for _ in range(2)]
    await retrying.retry(database, request_, TREE, "root")
    statuses += [await failed(database, request_, "root") for _ in range(2)]
    assert ["pending", "failed", "pending", "failed"] == statuses


async def test_a_running_task_of_nobody(database: Database, request_: Request) -> None:
    """A document says that a task runs: the queue tells that nobody holds it, and it is retried."""
    await planted(database, request_, status="running")
    queue = await queueing.queue(database, request_.project_id, TREE, first=9)
    assert "root running, held by nobody" in str(queue.stuck)
    await retrying.retry(database, request_, TREE, "root")
    assert "root" == (await claiming.claim(database, request_, TREE, "w")).task_id


async def test_cancelling_keeps_what_a_try_left(database: Database, request_: Request) -> None:
    """The output of the failed try stays beside the reason."""
    await planted(database, request_)
    result = {"status": "partial", "output": "half of it", "errors": [{"message": "broke"}]}
    assert "pending" == await failed(database, request_, "root", result=result)
    await executing.cancel(database, request_, TREE, "root", "enough")
    (row,) = (await exporting.whole(database, request_.project_id, TREE)).tasks
    assert ("cancelled", "half of it") == (row["result"]["status"], row["result"]["output"])
    assert [{"message": "broke"}, {"message": "enough"}] == row["result"]["errors"]


async def test_its_own_export_is_known(database: Database, request_: Request) -> None:
    """A tree that went on is exported and taken in over itself: nothing new; other content is."""
    await planted(database, request_)
    root = await claiming.claim(database, request_, TREE, "w")
    await executing.finish(
        database, request_, TREE, "root", str(root.token), children=({"prompt": "a"},),
        result={"output": "o", "confidence": 0.5}, cost={"total_cost_usd": "0.10"},
    )  # fmt: skip
    await claiming.claim(database, request_, TREE, "w")
    whole = await exporting.whole(database, request_.project_id, TREE)
    for style in ("json", "yaml"):
        text = exchange.text(exchange.document(whole.tree, whole.tasks), style)
        assert 0 == (await planting.plant(database, request_, exchange.read(text))).changed, style
    with pytest.raises(Conflict, match="with other content"):
        await planting.plant(database, request_, exchange.read(text.replace("0.5", "0.6")))


async def test_another_id_survives(database: Database, request_: Request) -> None:
    """Taken in with --as, a tree's document names it so, and is the same again."""
    text = await planted(database, request_, as_id="mine")
    whole = await exporting.whole(database, request_.project_id, "mine")
    exported = exchange.text(exchange.document(whole.tree, whole.tasks))
    assert "mine" == json.loads(exported)["metadata"]["tree_id"]
    for again in (exchange.read(exported), exchange.read(text, as_id="mine")):
        assert 0 == (await planting.plant(database, request_, again)).changed


MISTYPED: dict[str, tuple[Row, str]] = {
    "cost": ({"total_cost": 1}, r"cost\.total_cost: .* did you mean total_cost_usd\?"),
    "bogus": ({"bogus": 3}, r"cost\.bogus: .* known are input_tokens, "),
}


@pytest.mark.parametrize("name", MISTYPED)
async def test_mistyped_members_of_a_cost(database: Database, request_: Request, name: str) -> None:
    """They are refused with the nearest known one, and what was recorded stays."""
    cost, said = MISTYPED[name]
    await planted(database, request_, cost={"total_cost_usd": 2})
    with pytest.raises(Invalid, match=said):
        await costing.spend(database, request_, TREE, "root", cost)
    one = await claiming.claim(database, request_, TREE, "w")
    with pytest.raises(Invalid, match=said):
        await executing.finish(database, request_, TREE, "root", str(one.token), cost=cost)
    found = await costing.show(database, request_.project_id, costing.Scope(tree=TREE))
    assert 2 == found.own.total_cost_usd


@pytest.mark.parametrize(
    ("child", "said"),
    [
        ({"prompt": "p", "executon_config": {}}, "did you mean execution_config"),
        ({"prompt": "p", "execution_config": {"modle": "m"}}, "did you mean model"),
        ({"prompt": " "}, "prompt: expected text that is not blank"),
    ],
)
async def test_mistyped_children(
    database: Database, request_: Request, child: Row, said: str
) -> None:
    """A child that says something nobody reads, or nothing, is refused."""
    await planted(database, request_)
    with pytest.raises(Invalid, match=said):
        await spawning.spawn(database, request_, TREE, "root", [child])


async def test_what_is_not_there_costs_nothing_and_says_so(
    database: Database, request_: Request, project: str
) -> None:
    """An unknown project or session is NotFound, not zero; so is a node in none."""
    with pytest.raises(NotFound, match="no project"):
        await costing.show(database, project, costing.Scope())
    await planted(database, request_)
    assert 1 == (await costing.show(database, project, costing.Scope())).own.tasks
    with pytest.raises(NotFound, match="no session 'nosuch'"):
        await costing.show(database, project, costing.Scope(session="nosuch"))
    assert [] == await linking.executed(database, project, TREE, ["root"])
