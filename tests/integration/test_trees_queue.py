"""What may start when, tries and what they cost, and the work nodes that tasks executed."""

import json
from decimal import Decimal
from typing import Any

import pytest
from factories import make_node

from gotn import shapes
from gotn.database.connection import Database
from gotn.errors import Conflict, Invalid, NotFound
from gotn.trees import exchange
from gotn.trees.records import Queue, TaskClaimStatus
from gotn.trees.rules import adding
from gotn.trees.usecases import claiming, costing, executing, exporting, linking, planting, queueing
from gotn.trees.usecases.costing import Scope
from gotn.work.usecases import nodes, replay
from gotn.work.usecases.writing import Request

Row = dict[str, Any]
TREE = "tree-00000001"


def child(id_: str, status: str = "pending", **members: Any) -> Row:
    """A task of the tree."""
    result = {"result": {"output": f"Out of {id_}"}} if status == "completed" else {}
    return {"node_id": id_, "prompt": f"Do {id_}", "status": status} | result | members


async def planted(database: Database, request: Request, *children: Row, **root: Any) -> None:
    """A tree whose root is completed, unless said otherwise."""
    top = child("root", "completed", children=list(children)) | root
    document = {"version": "1.0.0", "root_task": top, "metadata": {"tree_id": TREE}}
    await planting.plant(database, request, exchange.read(json.dumps(document)))


async def queued(database: Database, request: Request) -> dict[str, Any]:
    """Ids of what is ready and running, and why the others wait."""
    found: Queue = await queueing.queue(database, request.project_id, TREE, first=10)
    return {
        "ready": [one.task_id for one in found.ready],
        "running": [one.task_id for one in found.running],
        "waiting": {one.task_id: one.reason for one in found.waiting},
    }


async def lapse(database: Database, project: str, id_: str) -> None:
    """Let a lease, or the pause before a try, be over."""
    async with database.session() as session:
        done = await session.run(
            "MATCH (t:Task {key: $k}) SET t.lease_until = 1", {"k": f"{project}/{TREE}/{id_}"}
        )
        await done.consume()


ORDERS: dict[str, tuple[list[Row], list[str], dict[str, str]]] = {
    "parallel": ([child("a"), child("b"), child("c")], ["a", "b", "c"], {}),
    "sequential": (
        [child("a", "cancelled"), child("b"), child("c")],
        ["b"],
        {"c": "it waits for b"},
    ),
    "conditional": (
        [child("a", "completed"), child("b"), child("c")],
        ["b"],
        {"c": "it waits for b"},
    ),
    "map-reduce": (
        [child("a", "failed"), child("b"), child("c")],
        ["b"],
        {"c": "it waits for b"},
    ),
}


@pytest.mark.parametrize("strategy", ORDERS)
async def test_the_order_of_each_strategy(
    database: Database, request_: Request, strategy: str
) -> None:
    """The ready list, and for each other task what it waits for."""
    children, ready, waiting = ORDERS[strategy]
    await planted(database, request_, *children, decomposition_strategy=strategy)
    found = await queued(database, request_)
    assert {"ready": ready, "running": [], "waiting": waiting} == found
    claimed = await claiming.claim(database, request_, TREE, "w")
    assert ready[0] == claimed.task_id
    assert ready[:1] == (await queued(database, request_))["running"]


async def test_a_child_of_a_task_that_was_not_begun(database: Database, request_: Request) -> None:
    """What works on its parent's result waits for it; what does not may start."""
    context = {"type": "summary", "source": "parent_result"}
    await planted(database, request_, child("a", context=context), child("b"), status="pending")
    found = await queued(database, request_)
    assert (["root", "b"], {"a": "it waits for the result of root"}) == (
        found["ready"], found["waiting"]
    )  # fmt: skip
    with pytest.raises(NotFound, match="no tree 'x'"):
        await queueing.queue(database, request_.project_id, "x", first=1)


async def test_what_the_last_task_works_on(database: Database, request_: Request) -> None:
    """The reduce task is given the results of the maps, and what failed is left out."""
    context = {"type": "summary", "source": "parent_result"}
    children = [
        *(child("m1", "completed"), child("m2", "failed"), child("m3", "completed")),
        child("r", context=context),
    ]
    await planted(
        database, request_, *children, decomposition_strategy="map-reduce", result={"output": None}
    )
    claimed = await claiming.claim(database, request_, TREE, "w")
    assert "[result:m1]\nOut of m1\n\n[result:m3]\nOut of m3\n\nDo r" == claimed.prompt
    assert () == claimed.warnings


async def test_tries_wait_and_their_cost_adds_up(
    database: Database, request_: Request, project: str
) -> None:
    """After a failure a task waits as its policy says; no try's tokens or money are lost."""
    config = {"retry_policy": {"max_retries": 1, "backoff_ms": 3_600_000}}
    await planted(database, request_, child("a", execution_config=config))
    first = await claiming.claim(database, request_, TREE, "w")
    spent: Row = {"input_tokens": 10, "output_tokens": 1, "total_cost_usd": Decimal("0.1")}
    ended = await executing.finish(
        database, request_, TREE, "a", str(first.token), status="failed", cost=spent
    )
    assert "pending" == ended.status
    (reason,) = (await queued(database, request_))["waiting"].values()
    assert reason.startswith("it is tried again at 20")
    nothing = await claiming.claim(database, request_, TREE, "w")
    assert (None, TaskClaimStatus.NOTHING_READY) == (nothing.task_id, nothing.status)
    assert "0 running, 1 waiting" in (nothing.nothing or "")
    with pytest.raises(Conflict, match="it is tried again at"):
        await claiming.claim(database, request_, TREE, "w", task="a")
    await lapse(database, project, "a")
    second = await claiming.claim(database, request_, TREE, "w")
    assert ("a", 2) == (second.task_id, second.attempt)
    await executing.finish(database, request_, TREE, "a", str(second.token), cost=spent)
    whole = (await costing.show(database, project, Scope(tree=TREE))).inclusive
    assert (22, Decimal("0.2")) == (whole.total_tokens, whole.total_cost_usd)
    assert [] == await costing.unequal(database, project)
    assert (await replay.verify(database, project)).equal


async def test_a_lost_worker(database: Database, request_: Request, project: str) -> None:
    """After a crash the task is ready again; after its last try it failed, and what follows."""
    config = {"retry_policy": {"max_retries": 1, "backoff_ms": 0}}
    await planted(
        database, request_, child("a", execution_config=config), child("b"),
        decomposition_strategy="conditional",
    )  # fmt: skip
    for attempt in (1, 2):
        claimed = await claiming.claim(database, request_, TREE, "w")
        assert ("a", attempt) == (claimed.task_id, claimed.attempt)
        await lapse(database, project, "a")
    assert ["a"] == (await queued(database, request_))["running"]
    nothing = await claiming.claim(database, request_, TREE, "w")
    assert (None, TaskClaimStatus.TREE_ENDED) == (nothing.task_id, nothing.status)
    found = {row["id"]: row for row in (await exporting.whole(database, project, TREE)).tasks}
    assert ("failed", "cancelled") == (found["a"]["status"], found["b"]["status"])
    assert [{"message": "its lease ended"}] == found["a"]["result"]["errors"]
    assert [{"message": "a did not succeed"}] == found["b"]["result"]["errors"]
    assert (await replay.verify(database, project)).equal


async def test_a_claim_holds_as_long_as_the_task_may_take(
    database: Database, request_: Request
) -> None:
    """The task's timeout, else what the tree allows; a caller may say otherwise."""
    await planted(
        database, request_, child("a", execution_config={"timeout_ms": 120_000}), child("b"),
        child("c"),
    )  # fmt: skip
    lengths = []
    for lease_ms in (None, None, 5_000):
        claimed = await claiming.claim(database, request_, TREE, "w", lease_ms=lease_ms)
        whole = await exporting.whole(database, request_.project_id, TREE)
        row = next(row for row in whole.tasks if row["id"] == claimed.task_id)
        begun = shapes.moment(row["timestamps"]["started_at"])
        assert claimed.lease_until is not None
        lengths.append(round((claimed.lease_until - begun).total_seconds()))
    assert [120, 300, 5] == lengths
    with pytest.raises(Invalid, match="lease_ms: expected 1000 to 3600000"):
        await claiming.claim(database, request_, TREE, "w", lease_ms=1)


async def test_a_task_that_executed_a_node(
    database: Database, request_: Request, project: str
) -> None:
    """A task's cost counts for its node with all below it, once where the tree counts already."""
    for id_ in ("n", "m"):
        await nodes.add(database, request_, make_node(id_))
    cost = {"cost": {"total_tokens": 3, "total_cost_usd": 0.5}}
    await planted(database, request_, child("a", "completed", **cost), cost=cost["cost"])
    linked = await linking.link(database, request_, TREE, "n", "a")
    assert (1, "a") == (linked.changed, linked.task_id)
    assert 0 == (await linking.link(database, request_, TREE, "n", "a")).changed
    await linking.link(database, request_, TREE, "m")
    await linking.link(database, request_, TREE, "m", "a")
    for node, tokens in (("n", 3), ("m", 6)):
        found = await costing.show(database, project, Scope(node=node))
        assert tokens == found.inclusive.total_tokens
    for tree, node, task in ((TREE, "x", None), ("x", "n", None), (TREE, "n", "x")):
        with pytest.raises(NotFound, match="'x'"):
            await linking.link(database, request_, tree, node, task)
    assert (await replay.verify(database, project)).equal


ADDED: list[tuple[Row, Row, Row]] = [
    ({}, {"total_tokens": 1}, {"total_tokens": 1}),
    (
        {"input_tokens": 1, "output_tokens": 2, "total_cost_usd": "0.1"},
        {"input_tokens": 10, "output_tokens": 20, "total_cost_usd": "0.25", "cache_hits": 1},
        {"input_tokens": 11, "output_tokens": 22, "total_cost_usd": "0.35", "cache_hits": 1},
    ),
    ({"total_tokens": 7}, {"input_tokens": 1, "output_tokens": 2}, {"total_tokens": 10}),
    (
        {"input_cost_usd": "0.1", "output_cost_usd": "0.2"},
        {"total_cost_usd": "1"},
        {"total_cost_usd": "1.3"},
    ),
    (
        {"input_cost_usd": "0.1", "output_cost_usd": "0.2"},
        {"input_cost_usd": "0.1", "output_cost_usd": "0.2", "total_cost_usd": "0.4"},
        {"input_cost_usd": "0.2", "output_cost_usd": "0.4", "total_cost_usd": "0.7"},
    ),
    (
        {"total_cost_usd": "0.0000000000000001", "subtree_total_cost_usd": "1"},
        {"total_cost_usd": "9", "subtree_total_cost_usd": "2"},
        {"total_cost_usd": "9.0000000000000001", "subtree_total_cost_usd": "2"},
    ),
]


@pytest.mark.parametrize(("before", "more", "expected"), ADDED)
def test_spending_more(before: Row, more: Row, expected: Row) -> None:
    """Each part adds up, and the whole is the sum of both wholes."""
    assert expected == adding.added(before, more)
