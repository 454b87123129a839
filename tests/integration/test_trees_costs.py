"""Totals of random trees: kept, recomputed and summed with Decimal, all the same."""

import json
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from factories import make_node

from gotn.across import examining
from gotn.database.connection import Database
from gotn.errors import Invalid, NotFound
from gotn.keys import key
from gotn.trees import exchange
from gotn.trees.records import CostTotal, Grouping
from gotn.trees.rules import money
from gotn.trees.store import costs
from gotn.trees.usecases import costing, exporting, planting
from gotn.trees.usecases.costing import Scope
from gotn.work.usecases import nodes, planning, replay
from gotn.work.usecases.writing import Request

Row = dict[str, Any]
#: Amounts that floats get wrong, tiny ones, and ones whose sum is beyond 64 bits of pico-dollars.
AMOUNTS = ("0.1", "0.2", "0.000000000001", "8999999.999999999999", "1234567.000000000007", "0")


def costly(chance: random.Random, count: int) -> Row:
    """A random tree whose tasks cost something."""
    made: list[Row] = []
    for i in range(count):
        cost: Row = {"input_tokens": chance.randrange(10**12), "output_tokens": chance.randrange(9)}
        if chance.random() < 0.9:
            cost["total_cost_usd"] = Decimal(chance.choice(AMOUNTS))
        if chance.random() < 0.5:
            cost |= {"cache_savings_usd": Decimal(chance.choice(AMOUNTS)), "cache_hits": 1}
        node: Row = {"node_id": f"n{i}", "prompt": "p", "status": "completed", "cost": cost}
        node["execution_config"] = {"model": chance.choice(["m1", "m2"])}
        if made:
            chance.choice(made[-20:]).setdefault("children", []).append(node)
        made.append(node)
    return {"version": "1.0.0", "root_task": made[0], "metadata": {"tree_id": "tree-1"}}


def text(document: Row) -> str:
    """The document as JSON whose decimals are exact."""
    return (
        json.dumps(document, default=lambda amount: f"@{amount}@")
        .replace('"@', "")
        .replace('@"', "")
    )


def summed(node: Row) -> tuple[int, int, Decimal, Decimal]:
    """Tasks, tokens, cost and savings of a subtree, by Python's own Decimal."""
    tasks, tokens, usd, saved = 0, 0, Decimal(0), Decimal(0)
    todo = [node]
    while todo:
        one = todo.pop()
        cost = one["cost"]
        tasks += 1
        tokens += cost["input_tokens"] + cost["output_tokens"]
        usd += cost.get("total_cost_usd", 0)
        saved += cost.get("cache_savings_usd", 0)
        todo += one.get("children", ())
    return tasks, tokens, usd, saved


def told(total: CostTotal) -> tuple[int, int, Decimal, Decimal]:
    """The same of what the service says."""
    return total.tasks, total.total_tokens, total.total_cost_usd, total.cache_savings_usd


@pytest.mark.parametrize("seed", range(3))
async def test_totals_of_random_trees(
    database: Database, request_: Request, project: str, seed: int
) -> None:
    """Kept = recomputed = Decimal, for every task, before and after costs come in."""
    chance = random.Random(seed)
    document = costly(chance, 24)
    await planting.plant(database, request_, exchange.read(text(document)))
    by_id: dict[str, Row] = {}
    todo = [document["root_task"]]
    while todo:
        one = todo.pop()
        by_id[one["node_id"]] = one
        todo += one.get("children", ())
    for _ in range(5):
        id_ = chance.choice(list(by_id))
        new: Row = {"input_tokens": 1, "output_tokens": chance.randrange(10**12)}
        new |= {"total_cost_usd": Decimal(chance.choice(AMOUNTS))}
        by_id[id_]["cost"] = new
        spent = await costing.spend(database, request_, "tree-1", id_, new)
        assert summed(by_id[id_]) == told(spent)
    for id_, one in by_id.items():
        found = await costing.show(database, project, Scope(tree="tree-1", task=id_))
        assert summed(one) == told(found.inclusive)
        place = key(project, "tree-1", id_)
        again = await database.read(lambda tx, p=place: costs.recomputed(tx, p))  # type: ignore[misc]
        assert found.inclusive == costing.shown(again)
    whole = await costing.show(database, project, Scope(), Grouping.MODEL)
    assert summed(document["root_task"]) == told(whole.inclusive)
    assert whole.inclusive.total_cost_usd == sum(one.total.total_cost_usd for one in whole.groups)
    assert [] == await costing.unequal(database, project)
    verified = await replay.verify(database, project)
    assert verified.equal, verified.differing


async def test_the_published_tree(
    database: Database, request_: Request, project: str, shared_data: Path
) -> None:
    """0.109 USD and 10,900 tokens, own and inclusive side by side, through the node too."""
    path = shared_data / "rlm/examples/rlm-task-tree.simple_tree.json"
    await nodes.add(database, request_, make_node("n"))
    await planting.plant(database, request_, exchange.read_file(path), executes="n")
    run = await planning.plan(database, request_)
    for scope in (Scope(), Scope(tree="tree-12345678"), Scope(node="n"), Scope(run=run.run_id)):
        found = await costing.show(database, project, scope, Grouping.DEPTH)
        assert (3, 10900, Decimal("0.109"), Decimal(0)) == told(found.inclusive)
        assert (1, 6500, Decimal("0.065"), Decimal(0)) == told(found.own)
        assert ["0", "1"] == [one.name for one in found.groups]
        assert [Decimal("0.065"), Decimal("0.044")] == [
            one.total.total_cost_usd for one in found.groups
        ]


async def test_cached_calls(
    database: Database, request_: Request, project: str, shared_data: Path
) -> None:
    """Savings, hits and the effective cost of the cost document."""
    path = shared_data / "rlm/examples/rlm-cost.cache_savings_example.json"
    await planting.plant(database, request_, exchange.read_file(path))
    found = (await costing.show(database, project, Scope(tree="tree-cached001"))).inclusive
    assert (3, Decimal("0.060")) == (found.cache_hits, found.cache_savings_usd)
    assert Decimal("0.2325") == found.effective_cost_usd


async def test_stated_totals_are_kept_beside(
    database: Database, request_: Request, project: str
) -> None:
    """A document that states another sum is shown with both."""
    document = costly(random.Random(1), 3)
    document["metadata"]["total_cost_usd"] = 1
    document["root_task"]["cost"]["subtree_total_cost_usd"] = 2
    await planting.plant(database, request_, exchange.read(text(document)))
    found = await costing.show(database, project, Scope(tree="tree-1"))
    whole = money.short(money.pico(str(found.inclusive.total_cost_usd)))
    assert found.stated == (
        f"n0: cost.subtree_total_cost_usd says 2, the tasks give {whole}",
        f"metadata.total_cost_usd says 1, the tasks give {whole}",
    )


async def test_a_total_changed_by_hand_is_found(
    database: Database, request_: Request, project: str
) -> None:
    """Doctor names the task; what nobody touched is in order."""
    await planting.plant(database, request_, exchange.read(text(costly(random.Random(2), 9))))
    checks = [one async for one in examining.invariants(database, project)]
    assert [] == [one for one in checks if not one.ok]
    async with database.session() as session:
        await (
            await session.run(
                "MATCH (t:Task {key: $k}) SET t.sub_cost_rest = t.sub_cost_rest + 1",
                {"k": f"{project}/tree-1/n0"},
            )
        ).consume()
    checks = [one async for one in examining.invariants(database, project)]
    assert ["kept totals are not the sums: tree-1 / n0"] == [
        one.found for one in checks if not one.ok
    ]


async def test_a_node_executed_twice_in_one_tree_counts_once(
    database: Database, request_: Request, project: str
) -> None:
    """A tree and a second tree add up; nothing executed costs nothing."""
    document = costly(random.Random(3), 5)
    await nodes.add(database, request_, make_node("n"))
    await nodes.add(database, request_, make_node("idle"))
    await planting.plant(database, request_, exchange.read(text(document)), executes="n")
    second = exchange.read(text(document), as_id="tree-2")
    await planting.plant(database, request_, second, executes="n")
    found = await costing.show(database, project, Scope(node="n"), Grouping.STATUS)
    once = summed(document["root_task"])
    assert tuple(2 * one for one in once) == told(found.inclusive)
    assert 10 == found.groups[0].total.tasks
    assert (0, 0, Decimal(0), Decimal(0)) == told(
        (await costing.show(database, project, Scope(node="idle"))).own
    )


async def test_what_is_not_there(database: Database, request_: Request, project: str) -> None:
    """Each name that is unknown is named; two scopes at once are refused."""
    await planting.plant(database, request_, exchange.read(text(costly(random.Random(4), 2))))
    for scope in (
        *(Scope(tree="x"), Scope(tree="tree-1", task="x"), Scope(node="x"), Scope(run="x")),
    ):
        with pytest.raises(NotFound, match="'x'"):
            await costing.show(database, project, scope)
    with pytest.raises(Invalid, match="one of tree, session, node and run"):
        Scope(tree="a", node="b")
    with pytest.raises(Invalid, match=r"cost\.input_tokens: expected 0 or more"):
        await costing.spend(database, request_, "tree-1", "n0", {"input_tokens": -1})


async def test_an_export_after_spending(
    database: Database, request_: Request, project: str
) -> None:
    """What was spent stands in the document."""
    await planting.plant(database, request_, exchange.read(text(costly(random.Random(5), 1))))
    await costing.spend(database, request_, "tree-1", "n0", {"total_cost_usd": Decimal("0.10")})
    found = await exporting.whole(database, project, "tree-1")
    assert '"total_cost_usd": 0.10' in exchange.text(exchange.document(found.tree, found.tasks))


async def test_a_session_is_its_trees(database: Database, request_: Request, project: str) -> None:
    """Only the trees of a session count for it, in totals and groups; days are UTC's."""
    for number, session in enumerate(("s", "s", "other")):
        document = costly(random.Random(6), 2)
        times = {"completed_at": f"2026-01-0{number + 1}T23:30:00-02:00"}
        document["root_task"]["timestamps"] = times
        document["metadata"] = {"tree_id": f"tree-{number}", "session_id": session}
        await planting.plant(database, request_, exchange.read(text(document)))
    found = await costing.show(database, project, Scope(session="s"), Grouping.DAY)
    assert (4, 2) == (found.inclusive.tasks, found.own.tasks)
    assert {"2026-01-02": 1, "2026-01-03": 1, None: 2} == {
        one.name: one.total.tasks for one in found.groups
    }
    whole = await costing.show(database, project, Scope(), Grouping.STRATEGY)
    assert [(None, 6)] == [(one.name, one.total.tasks) for one in whole.groups]
