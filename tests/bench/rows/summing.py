"""Task trees: taken in, their totals read, a leaf's cost added, and added up anew."""

import random
import time
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import orjson

from bench import statements
from bench.rows import working
from bench.rows.growing import TREE, WIDTH, Tree, document, name
from bench.sample import short
from bench.timing import PATIENCE, Result, Series, race, timed
from bench.world import ROWS, World
from gotn.keys import key
from gotn.trees import exchange
from gotn.trees.rules import totals
from gotn.trees.store import costs
from gotn.trees.usecases import costing, planting
from gotn.trees.usecases.costing import Scope
from gotn.work.rules import ranks

Row = dict[str, Any]


async def trees(world: World) -> AsyncIterator[Result]:
    """Every row of trees, of a ninth more tasks than the sizes."""
    for size in (*world.options.sizes, *world.options.large):
        count = size * WIDTH // (WIDTH - 1)
        case = f"{short(count)} tasks"
        world.say(f"A tree of {count:,} tasks …")
        floor, measured, tree = await _imported(world, count)
        if world.options.wanted("tree-import"):
            yield Result("tree-import", case, floor, measured, things=count)
        if world.options.wanted("total"):
            yield Result("total", case, *await _read(world, tree), operation=True)
        if world.options.wanted("spend"):
            yield Result("spend", case, *await _spent(world, tree), operation=True)
        if world.options.wanted("recompute"):
            yield Result("recompute", case, *await _recomputed(world, tree))
        async for result in working.works(world, tree, case):
            yield result


async def _imported(world: World, count: int) -> tuple[Series, Series, Tree]:
    """Seconds of the floor and of ours, and the tree that ours left last."""
    text = document(count).decode()
    projects: list[str] = []

    async def ours() -> None:
        projects.append(world.project())
        request = world.request(projects[-1])
        planted = await planting.plant(world.database, request, exchange.read(text))
        assert planted.tasks == count

    async def floor() -> None:
        await _created(world, world.project(), text)

    few = world.options.rounds if count <= 20_000 else 1
    found = await race(floor, ours, few, warm=world.options.warm if few > 1 else 0)
    return *found, Tree(projects[-1], count)


async def _created(world: World, project: str, text: str) -> None:
    """The same tasks by hand, without journal, and without looking at any value."""
    nodes = orjson.loads(text)["nodes"]
    kept = totals.kept(totals.Total())
    for start in range(0, len(nodes), ROWS):
        rows = [_task(project, node) | kept for node in nodes[start : start + ROWS]]
        await world.write(statements.TASKS, rows=rows)
    pairs = [
        (key(project, TREE, one["parent_id"]), key(project, TREE, one["node_id"]), i % WIDTH)
        for i, one in enumerate(nodes)
        if "parent_id" in one
    ]
    await world.write_all(statements.SPAWNED, pairs, project=project)


def _task(project: str, node: Row) -> Row:
    """What is stored of a task, as it stands in its document."""
    return {
        "key": key(project, TREE, node["node_id"]),
        "project_id": project,
        "tree_id": TREE,
        "id": node["node_id"],
        "caption": node["prompt"],
        "prompt": node["prompt"],
        "status": node["status"],
        "cost": str(node["cost"]),
        "layout": str(list(node)),
        "depth": 1,
        "revision": 1,
        "input_tokens": node["cost"]["input_tokens"],
        "output_tokens": node["cost"]["output_tokens"],
        "total_tokens": node["cost"]["input_tokens"],
        "cost_pico": 1,
    }


async def _read(world: World, tree: Tree) -> tuple[Series, Series]:
    """One total, again and again."""

    async def ours() -> None:
        found = await costing.show(world.database, tree.project, Scope(tree=TREE))
        assert found.inclusive.tasks == tree.count

    async def floor() -> None:
        found = await world.read(statements.TOTAL, task=tree.key(0))
        assert found[0] == tree.count

    turns = world.options.operations
    return await race(floor, ours, turns, warm=min(20, turns) * world.options.warm)


async def _spent(world: World, tree: Tree) -> tuple[Series, Series]:
    """Leaves chosen by dice, each a little dearer than before."""
    dice, spare = random.Random(tree.count), world.project()
    await world.write(statements.PROJECT, key=spare, next_rank=ranks.GAP)
    request = world.request(tree.project)
    floor, measured = Series(), Series()
    cost = {"input_tokens": 3, "output_tokens": 4, "total_cost_usd": Decimal("0.000000000001")}
    data = orjson.dumps({"items": [{"task": {"id": TREE, "cost": str(cost)}}]}).decode()
    until = time.monotonic() + PATIENCE
    for turn in range(-min(20, world.options.operations), world.options.operations):
        leaf = name(dice.randrange((tree.count - 1) // WIDTH + 1, tree.count))
        bare = await timed(lambda: world.write(statements.ENTRY, key=spare, data=data))
        ours = await timed(
            lambda leaf=leaf: costing.spend(  # type: ignore[misc]
                world.database, request, TREE, leaf, cost, add=True
            )
        )
        if turn >= 0:
            floor.seconds.append(bare)
            measured.seconds.append(ours)
        if turn > 0 and time.monotonic() > until:
            break
    return floor, measured


async def _recomputed(world: World, tree: Tree) -> tuple[Series, Series]:
    """The whole tree walked, against all its tasks seen once."""

    async def ours() -> None:
        found = await world.database.read(lambda tx: costs.recomputed(tx, tree.key(0)))
        assert found.tasks == tree.count

    async def floor() -> None:
        found = await world.read(statements.SCAN, project=tree.project, tree=TREE)
        assert found[0] == tree.count

    return await race(floor, ours, world.options.rounds, warm=world.options.warm)
