"""Work on a task tree: a task claimed, split and finished, and the first tasks shown."""

from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import orjson

from bench import statements
from bench.rows.growing import TREE, Tree
from bench.timing import Result, Run, Series, race, timed
from bench.world import World
from gotn.trees.records import Claimed
from gotn.trees.usecases import claiming, executing, exporting, spawning
from gotn.work.rules import ranks

Row = dict[str, Any]
WORK = ("task-claim", "task-split", "task-finish")
#: Tasks that are shown.
SHOWN = 200
COST: Row = {"input_tokens": 3, "output_tokens": 4, "total_cost_usd": Decimal("0.001")}


async def works(world: World, tree: Tree, case: str) -> AsyncIterator[Result]:
    """The rows of a tree that has leaves to do; it is another one afterwards."""
    if world.options.wanted("tree-show"):
        yield Result("tree-show", case, *await _shown(world, tree), operation=True)
    if any(map(world.options.wanted, WORK)):
        floor, found = await _worked(world, tree)
        for name in filter(world.options.wanted, WORK):
            yield Result(name, case, floor, found[name], operation=True)


async def _shown(world: World, tree: Tree) -> tuple[Series, Series]:
    """The first tasks, against as many read by one statement."""

    async def ours() -> None:
        found = await exporting.first(world.database, tree.project, TREE, SHOWN)
        assert (len(found.tasks), found.total) == (min(SHOWN, tree.count), tree.count)

    async def floor() -> None:
        found = await world.read(statements.TASK_PAGE, project=tree.project, tree=TREE, first=SHOWN)
        assert len(found) == min(SHOWN, tree.count)

    turns = max(1, world.options.operations // 10)
    return await race(floor, ours, turns, warm=min(5, turns) * world.options.warm)


async def _worked(world: World, tree: Tree) -> tuple[Series, dict[str, Series]]:
    """Tasks claimed, split and finished, each with its child; the floor beside each."""
    spare = world.project()
    await world.write(statements.PROJECT, key=spare, next_rank=ranks.GAP)
    data = orjson.dumps({"items": [{"task": {"id": TREE, "cost": str(COST)}}]}).decode()
    floor, found = Series(), {name: Series() for name in WORK}

    async def noted(name: str, run: Run, turn: int) -> None:
        bare = await timed(lambda: world.write(statements.ENTRY, key=spare, data=data))
        ours = await timed(run)
        if turn >= 0:
            floor.seconds.append(bare)
            found[name].seconds.append(ours)

    agent = _Agent(world, tree)
    for turn in range(-min(5, world.options.operations), max(1, world.options.operations // 6)):
        await noted("task-claim", agent.claim, turn)
        await noted("task-split", agent.split, turn)
        await noted("task-finish", agent.finish, turn)
        await noted("task-claim", agent.claim, turn)
        await noted("task-finish", agent.finish, turn)
    return floor, found


class _Agent:
    """It works on one tree, a task at a time."""

    def __init__(self, world: World, tree: Tree) -> None:
        self.database, self.request = world.database, world.request(tree.project)
        self.task: Claimed | None = None

    async def claim(self) -> None:
        """The next task, whichever that is."""
        self.task = await claiming.claim(self.database, self.request, TREE, "w")
        assert self.task.task_id is not None

    async def split(self) -> None:
        """One task below the one that is held."""
        made = await spawning.spawn(
            self.database, self.request, TREE, str(self.task and self.task.task_id), [CHILD]
        )
        assert len(made.tasks) == 1

    async def finish(self) -> None:
        """The one that is held, with its result and cost."""
        assert self.task is not None
        ended = await executing.finish(
            *(self.database, self.request, TREE, str(self.task.task_id), str(self.task.token)),
            result={"status": "success", "output": "Done"},
            cost=COST,
        )
        assert ended.status == "completed"


CHILD: Row = {"prompt": "A part of it"}
