"""Whose turn it is, kept: after any change the same as worked out of the whole tree anew."""

import json
import random
from contextlib import suppress
from typing import Any

import pytest

from gotn import journal
from gotn.database.connection import Database
from gotn.errors import GotnError
from gotn.keys import key
from gotn.trees import exchange
from gotn.trees.records import Claimed
from gotn.trees.rules import moves, totals, turns
from gotn.trees.store import queues
from gotn.trees.usecases import (
    claiming,
    costing,
    executing,
    exporting,
    planting,
    queueing,
    spawning,
)
from gotn.work.usecases import replay
from gotn.work.usecases.writing import Request

Row = dict[str, Any]
TREE = "tree-00000001"
STRATEGIES = ("parallel", "sequential", "conditional", "map-reduce", None)
STATUSES = ("pending", "pending", "pending", "running", "completed", "failed", "cancelled")
CONFIG = {"retry_policy": {"max_retries": 1, "backoff_ms": 0}}
LIMITS = {"max_depth": 50, "max_children_per_node": 50, "max_total_nodes": 1000}


def task(dice: random.Random, id_: str) -> Row:
    """A task of the first strategies and statuses that come."""
    found: Row = {"node_id": id_, "prompt": "p", "status": dice.choice(STATUSES)}
    found |= {"decomposition_strategy": dice.choice(STRATEGIES), "execution_config": CONFIG}
    if dice.random() < 0.3:
        found["context"] = {"type": "full", "source": "parent_result"}
    return found


def document(dice: random.Random, count: int) -> Row:
    """A random tree of so many tasks."""
    made = [task(dice, "n0")]
    for i in range(1, count):
        made.append(task(dice, f"n{i}"))
        dice.choice(made[:-1][-6:]).setdefault("children", []).append(made[-1])
    metadata = {"tree_id": TREE, "total_nodes": count}
    return {"version": "1.0.0", "root_task": made[0], "metadata": metadata, "limits": LIMITS}


async def stored(database: Database, project: str) -> dict[str, Row]:
    """What is kept of turns on each task, without zeros."""
    names = (*turns.COUNTS.values(), "turn", "ready_under")
    async with database.session() as session:
        result = await session.run(
            "MATCH (t:Task {project_id: $p}) RETURN t.id AS id, properties(t) AS t", {"p": project}
        )
        rows = {row["id"]: row["t"] async for row in result}
    return {id_: {n: row[n] for n in names if row.get(n)} for id_, row in rows.items()}


async def expected(database: Database, project: str) -> dict[str, Row]:
    """The same, worked out of the whole tree."""
    tasks = (await exporting.whole(database, project, TREE)).tasks
    found = turns.kept(tasks)
    for row in tasks:
        own = found.setdefault(row["id"], {})
        own.pop("place", None)
        if own.get("sub_ready"):
            own["ready_under"] = key(project, TREE, *([row["parent"]] if "parent" in row else []))
    return found


async def lapse(database: Database, project: str) -> None:
    """Let every lease be over."""
    text = "MATCH (t:Task {project_id: $p}) WHERE t.lease_until > 0 SET t.lease_until = 1"
    async with database.session() as session:
        await (await session.run(text, {"p": project})).consume()


class Agents:
    """They do what the dice say, and remember what they hold."""

    def __init__(self, database: Database, request: Request, dice: random.Random) -> None:
        self.database, self.request, self.dice = database, request, dice
        self.held: list[Claimed] = []

    async def step(self) -> None:
        """One thing; a refusal is a thing, too."""
        ways = (self.claim, self.claim, self.finish, self.finish, self.name, self.spawn)
        with suppress(GotnError):
            await self.dice.choice((*ways, self.cancel, self.late))()

    async def rows(self) -> list[Row]:
        """The whole tree."""
        return (await exporting.whole(self.database, self.request.project_id, TREE)).tasks

    async def claim(self) -> None:
        """It is the first in the tree's order whose turn it is."""
        rows = await self.rows()
        if any(row["status"] == "running" and "worker" in row for row in rows):
            rows = []
        held = moves.waiting(rows)
        first = [row["id"] for row in rows if row["status"] == "pending" and row["id"] not in held]
        found = await claiming.claim(self.database, self.request, TREE, "w")
        if rows and not moves.given_up(rows):
            assert found.task_id == next(iter(first), None)
        if found.task_id is not None:
            self.held.append(found)

    async def name(self) -> None:
        """Somebody asks for one task."""
        id_ = self.dice.choice(await self.rows())["id"]
        self.held.append(await claiming.claim(self.database, self.request, TREE, "w", task=id_))

    async def finish(self) -> None:
        """One that is held, well or badly, with children or without."""
        if not self.held:
            return
        one = self.held.pop(self.dice.randrange(len(self.held)))
        status = self.dice.choice(("completed", "completed", "failed"))
        result = {"status": self.dice.choice(("success", "partial"))}
        count = self.dice.choice((0, 0, 3))
        await executing.finish(
            self.database, self.request, TREE, str(one.task_id), str(one.token), status=status,
            result=result, children=tuple({"prompt": f"c{i}"} for i in range(count)),
        )  # fmt: skip

    async def spawn(self) -> None:
        """Two more below any task."""
        id_ = self.dice.choice(await self.rows())["id"]
        context = {"type": "full", "source": self.dice.choice(("parent_result", "x"))}
        children: list[Row] = [{"prompt": "s", "context": context}, {"prompt": "s"}]
        await spawning.spawn(self.database, self.request, TREE, id_, children)

    async def cancel(self) -> None:
        """A task, seldom one of the first."""
        rows = (await self.rows())[3:]
        await executing.cancel(
            self.database, self.request, TREE, self.dice.choice(rows)["id"], "enough"
        )

    async def late(self) -> None:
        """Every worker loses its lease."""
        await lapse(self.database, self.request.project_id)
        await self.claim()


@pytest.mark.parametrize("seed", range(6))
async def test_turns_are_kept(
    database: Database, request_: Request, project: str, seed: int
) -> None:
    """Random trees and agents: what is kept is what the whole tree says, and so is the queue."""
    dice = random.Random(seed)
    text = json.dumps(document(dice, 14))
    await planting.plant(database, request_, exchange.read(text))
    agents = Agents(database, request_, dice)
    for _ in range(20):
        await agents.step()
        assert await expected(database, project) == await stored(database, project)
    found = await queueing.queue(database, project, TREE, first=100)
    tasks = await agents.rows()
    held = moves.waiting(tasks)
    assert [row["id"] for row in tasks if row["id"] in held] == [
        one.task_id for one in found.waiting
    ]
    assert [held[str(one.task_id)] for one in found.waiting] == [
        one.reason for one in found.waiting
    ]
    assert sum(row["status"] not in moves.ENDED for row in tasks) == found.total
    assert [] == await costing.unequal(database, project)
    assert (await replay.verify(database, project)).equal
    copy = Request(project_id=f"{project}-copy", actor="tester")
    await replay.replay(database, copy, lambda: journal.entries(database, project))
    assert await expected(database, copy.project_id) == await stored(database, copy.project_id)


@pytest.mark.parametrize("count", [1, 3, 7, 11, 200])
async def test_the_first_tasks_of_a_tree(
    database: Database, request_: Request, project: str, count: int
) -> None:
    """They are those of the whole tree, with what they cost, and the metadata is the same."""
    made = document(random.Random(count), 12)
    await planting.plant(database, request_, exchange.read(json.dumps(made)))
    await claiming.claim(database, request_, TREE, "w")
    part = await exporting.first(database, project, TREE, count)
    whole = await exporting.whole(database, project, TREE)
    assert (part.tasks, part.total) == (whole.tasks[:count], 12)
    assert part.tree == whole.tree
    sums = totals.inclusive(whole.tasks)
    assert part.sums == {row["id"]: sums[row["id"]] for row in part.tasks}
    assert sum(row["status"] not in moves.ENDED for row in whole.tasks) == part.open


async def test_a_queue_that_is_not_kept_yet(
    database: Database, request_: Request, project: str
) -> None:
    """A tree of before: read whole, and kept from the first claim on; live leases stay."""
    made = document(random.Random(4), 12)
    await planting.plant(database, request_, exchange.read(json.dumps(made)))
    before = await claiming.claim(database, request_, TREE, "w")
    old = [*turns.OF_TASK, "queue"]
    text = " ".join(f"REMOVE n.{name}" for name in old)
    async with database.session() as session:
        await (await session.run(f"MATCH (n {{project_id: $p}}) {text}", {"p": project})).consume()
    shown = await queueing.queue(database, project, TREE, first=100)
    assert before.task_id in [one.task_id for one in shown.running]
    after = await claiming.claim(database, request_, TREE, "w")
    assert after.task_id != before.task_id
    assert await expected(database, project) == await stored(database, project)
    assert [] == await costing.unequal(database, project)


async def test_a_task_deep_down_is_found(
    database: Database, request_: Request, project: str
) -> None:
    """The first ready task may stand many levels below the root, one try after a pause."""
    top: Row = {"node_id": "d30", "prompt": "p", "status": "pending", "execution_config": CONFIG}
    for level in reversed(range(30)):
        top = {"node_id": f"d{level}", "prompt": "p", "status": "completed", "children": [top]}
    body = {"version": "1.0.0", "root_task": top, "metadata": {"tree_id": TREE}}
    await planting.plant(database, request_, exchange.read(json.dumps(body)))
    counted: list[str] = []
    database.on_statement = counted.append
    claimed = await claiming.claim(database, request_, TREE, "w")
    database.on_statement = lambda name: None
    assert "d30" == claimed.task_id
    assert 6 == counted.count("trees/next_task")
    assert "trees/page_tasks" not in counted
    opened = await database.read(lambda tx: queues.opened(tx, project, TREE))
    assert opened is not None
    assert (31, 0, 1) == (opened.tasks, opened.count("ready"), opened.count("running"))
