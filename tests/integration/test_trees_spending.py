"""Costs that are added to stored tasks: kept totals, bounds, and the export of what came of it."""

import random
from decimal import Decimal
from typing import Any

import pytest

from gotn import shapes
from gotn.database.connection import Database
from gotn.errors import LimitExceeded
from gotn.keys import key
from gotn.trees import exchange
from gotn.trees.rules import money
from gotn.trees.store import costs
from gotn.trees.usecases import claiming, costing, executing, exporting, planting
from gotn.trees.usecases.costing import Scope
from gotn.work.usecases import replay
from gotn.work.usecases.writing import Request

Row = dict[str, Any]


async def planted(database: Database, request: Request, *ids: str, **members: Any) -> None:
    """A pending tree of a root and the tasks that are named below it."""
    nodes = [{"node_id": id_, "prompt": "p", "status": "pending"} for id_ in ids]
    root = {"node_id": "r", "prompt": "p", "status": "pending", "children": nodes} | members
    document = {"version": "1.0.0", "root_task": root, "metadata": {"tree_id": "tree-1"}}
    await planting.plant(database, request, exchange.read(shapes.dumps(document)))


async def again(database: Database, project: str) -> Any:
    """The tree's export, read in as another tree."""
    found = await exporting.whole(database, project, "tree-1")
    return exchange.read(
        exchange.text(exchange.document(found.tree, found.tasks)), as_id="tree-again"
    )


@pytest.mark.parametrize("seed", range(2))
async def test_additions_and_kept_totals(
    database: Database, request_: Request, project: str, seed: int
) -> None:
    """Kept, recomputed and replayed after random additions, and the same in the export."""
    chance = random.Random(seed)
    await planted(database, request_, "a", "b")
    usd, tokens = Decimal(0), 0
    for _ in range(12):
        cost: Row = {}
        if chance.random() < 0.6:
            cost |= {"input_tokens": chance.randrange(9), "output_tokens": chance.randrange(9)}
        if chance.random() < 0.6:
            cost["total_cost_usd"] = Decimal(chance.choice(("0.1", "0.000000000001", "7")))
        task = chance.choice("rab")
        await costing.spend(database, request_, "tree-1", task, cost, add=True)
        usd += cost.get("total_cost_usd", 0)
        tokens += cost.get("input_tokens", 0) + cost.get("output_tokens", 0)
    found = (await costing.show(database, project, Scope(tree="tree-1"))).inclusive
    assert (usd, tokens) == (found.total_cost_usd, found.total_tokens)
    assert tokens == found.input_tokens + found.output_tokens
    place = key(project, "tree-1", "r")
    assert found == costing.shown(await database.read(lambda tx: costs.recomputed(tx, place)))
    assert [] == await costing.unequal(database, project)
    assert (await replay.verify(database, project)).equal
    await planting.plant(database, request_, await again(database, project))
    assert found == (await costing.show(database, project, Scope(tree="tree-again"))).inclusive


async def test_a_later_try_may_be_unpriced(
    database: Database, request_: Request, project: str
) -> None:
    """A bill prices what was used before it; tokens that come later are unpriced again."""
    await planted(database, request_)
    told = []
    for cost in (
        {"total_tokens": 100},
        {"total_cost_usd": "0.1"},
        {"total_tokens": 100},
        {"total_tokens": 1, "total_cost_usd": "0.1"},
        {"total_cost_usd": "0.1"},
    ):
        found = await costing.spend(database, request_, "tree-1", "r", cost, add=True)
        told.append(found.unpriced)
        assert [] == await costing.unequal(database, project)
        own = (await costing.show(database, project, Scope(tree="tree-1", task="r"))).own
        assert own == found
    assert [1, 0, 1, 1, 0] == told


async def test_two_tries_beyond_the_bound(
    database: Database, request_: Request, project: str
) -> None:
    """What two tries cost is refused by name where it is too much, and nothing is written."""
    policy = {"retry_policy": {"max_retries": 3, "backoff_ms": 0}}
    await planted(database, request_, execution_config=policy)

    async def fail(token: str | None, cost: str) -> None:
        given = (database, request_, "tree-1", "r", str(token))
        await executing.finish(*given, status="failed", cost={"total_cost_usd": cost})

    await fail((await claiming.claim(database, request_, "tree-1", "ann")).token, "5000000")
    token = (await claiming.claim(database, request_, "tree-1", "ann")).token
    before = await replay.verify(database, project)
    with pytest.raises(
        LimitExceeded, match=r"less than 9,000,000 USD, this would be 10,000,000\.00"
    ):
        await fail(token, "5000000")
    assert before == await replay.verify(database, project)
    await fail(token, "3999999.999999999999")
    with pytest.raises(LimitExceeded, match=r"cost\.total_cost_usd: a task's is less than 9,0"):
        await costing.spend(
            *(database, request_, "tree-1", "r"), {"total_cost_usd": "0.000000000001"}, add=True
        )
    found = (await costing.show(database, project, Scope(tree="tree-1"))).inclusive
    assert Decimal("8999999.999999999999") == found.total_cost_usd


async def test_an_export_of_large_sums_comes_back(
    database: Database, request_: Request, project: str
) -> None:
    """Sums are stated that no single task may state, and read again."""
    await planted(database, request_, "a", "b")
    cost: Row = {"input_tokens": money.TOKENS, "output_tokens": money.TOKENS}
    cost |= {"total_cost_usd": "8999999.999999999999", "subtree_total_cost_usd": "9999999999"}
    for task in "rab":
        await costing.spend(database, request_, "tree-1", task, cost)
    draft = await again(database, project)
    assert 6 * money.TOKENS == draft.tree["metadata"]["total_tokens"]
    assert "26999999.999999999997" == draft.tree["metadata"]["total_cost_usd"]
    await planting.plant(database, request_, draft)
    assert (await replay.verify(database, project)).equal


async def test_a_tree_has_a_bound(database: Database, request_: Request, project: str) -> None:
    """A kept total above a task that would be too much is refused, and stays what it was."""
    await planted(database, request_, "a")
    async with database.session() as session:  # as if others cost nearly all that a tree may
        statement = "MATCH (t:Task {key: $k}) SET t.sub_cost_micro = 8999999999999999000"
        await (await session.run(statement, {"k": key(project, "tree-1", "r")})).consume()
    with pytest.raises(LimitExceeded, match="tree cost less than 9,000,000,000,000 USD"):
        await costing.spend(database, request_, "tree-1", "a", {"total_cost_usd": "1"}, add=True)
    found = await costing.show(database, project, Scope(tree="tree-1", task="a"))
    assert 0 == found.inclusive.total_cost_usd


async def test_a_project_beyond_what_is_added_exactly(
    database: Database, request_: Request, project: str
) -> None:
    """A sum that the database would round is refused by name; its trees are still told."""
    await planted(database, request_)
    await planting.plant(database, request_, await again(database, project))
    async with database.session() as session:
        statement = "MATCH (t:Task {project_id: $p, id: 'r'}) SET t.sub_total_tokens = $most"
        await (await session.run(statement, {"p": project, "most": 2**62})).consume()
    with pytest.raises(LimitExceeded, match="which nobody can add exactly"):
        await costing.show(database, project, Scope())
    found = await costing.show(database, project, Scope(tree="tree-1"))
    assert 2**62 == found.inclusive.total_tokens
