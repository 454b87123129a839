"""Plans from memory: the same as plans from the database, whoever writes meanwhile."""

import random
from typing import Any

from conftest import Neo4j
from factories import make_edge, make_node

from gotn.database.connection import Database, Tx
from gotn.errors import GotnError
from gotn.work.records import NodeStatus, Plan
from gotn.work.store.mirror import Mirror
from gotn.work.store.planning import OpenWork, open_work
from gotn.work.usecases import bulk, edges, nodes, planning, projects
from gotn.work.usecases.writing import Request


async def _both(
    database: Database, request: Request, mirror: Mirror, *, leaves: bool = False
) -> tuple[Plan, Plan]:
    return (
        await planning.plan(database, request, dry_run=True, leaves=leaves, mirror=mirror),
        await planning.plan(database, request, dry_run=True, leaves=leaves),
    )


async def _write(dice: random.Random, database: Database, request: Request) -> None:
    one, two = (f"n{dice.randrange(8)}" for _ in range(2))
    try:
        kind = dice.randrange(6)
        if kind == 0:
            await edges.add(database, request, make_edge(one, two))
        elif kind == 1:
            await nodes.update(database, request, one, {"status": dice.choice(list(NodeStatus))})
        elif kind == 2:
            await nodes.update(database, request, one, {"summary": f"{dice.random()}"})
        elif kind == 3:
            await nodes.update(database, request, one, {"parent": two})
        elif kind == 4:
            await nodes.update(database, request, one, {"requires": (two,)})
        else:
            await edges.remove(database, request, make_edge(one, two))
    except GotnError:
        return


async def test_it_is_never_stale(
    database: Database, request_: Request, neo4j_server: Neo4j
) -> None:
    """After every write, of this connection or another one, it gives what is stored."""
    other = Database.open(neo4j_server.uri, neo4j_server.user, neo4j_server.password)
    mirror, dice = Mirror(), random.Random(7)
    try:
        await bulk.add_graph(database, request_, [make_node(f"n{i}") for i in range(8)], [])
        for number in range(40):
            await _write(dice, (database, other)[number % 2], request_)
            for leaves in (False, True):
                kept, cold = await _both(database, request_, mirror, leaves=leaves)
                assert cold == kept
    finally:
        await other.close()


async def test_the_graph_is_read_once(database: Database, request_: Request) -> None:
    """Until something is written; a preview then takes no look at the graph."""
    await nodes.add(database, request_, make_node("a"))
    mirror, counted = Mirror(), list[str]()
    before, database.on_statement = database.on_statement, counted.append
    try:
        for _ in range(3):
            await planning.plan(database, request_, dry_run=True, mirror=mirror)
        assert 1 == counted.count("work/plan_graph")
        await nodes.add(database, request_, make_node("b"))
        await planning.plan(database, request_, dry_run=True, mirror=mirror)
        assert 2 == counted.count("work/plan_graph")
    finally:
        database.on_statement = before


async def test_what_was_figured_is_told_again(database: Database, request_: Request) -> None:
    """One look at the head, whatever the plan is for; summaries are read when they are wanted."""
    await bulk.add_graph(database, request_, [make_node("a"), make_node("b")], [make_edge()])
    mirror, counted = Mirror(), list[str]()
    before, database.on_statement = database.on_statement, counted.append
    try:
        for goal, summaries, said in (("x", False, ""), ("y", False, ""), ("z", True, "Do a")):
            counted.clear()
            plan = await planning.plan(
                database, request_, goal=goal, dry_run=True, mirror=mirror, summaries=summaries
            )
            assert (goal, said) == (plan.goal, plan.steps[0].summary)
            if goal == "y":
                assert ["project/head"] == counted
        assert "work/plan_summaries" in counted
        assert "work/plan_graph" not in counted
    finally:
        database.on_statement = before


async def test_a_project_made_anew_is_another(database: Database, request_: Request) -> None:
    """The same seq is not the same state."""
    mirror = Mirror()
    for name in ("a", "b"):
        await nodes.add(database, request_, make_node(name))
        plan = await planning.plan(database, request_, dry_run=True, mirror=mirror)
        assert (name,) == plan.ordered_node_ids
        await projects.remove(database, request_)


async def test_what_was_read_between_two_writes_is_not_kept(
    database: Database, request_: Request, monkeypatch: Any
) -> None:
    """Somebody writes while it reads: the next one reads again."""
    await nodes.add(database, request_, make_node("a"))
    mirror = Mirror()

    async def late(tx: Tx, project_id: str) -> OpenWork:
        found = await open_work(tx, project_id)
        await nodes.add(database, request_, make_node("b"))
        return found

    monkeypatch.setattr("gotn.work.store.mirror.open_work", late)
    await planning.plan(database, request_, dry_run=True, mirror=mirror)
    monkeypatch.undo()
    kept, cold = await _both(database, request_, mirror)
    assert cold == kept
    assert ("a", "b") == kept.ordered_node_ids


async def test_it_is_bounded(database: Database, project: str) -> None:
    """Projects used longest ago go first; one that is too large is not kept at all."""
    mirror = Mirror(nodes=3)
    for name, count in (("x", 2), ("y", 2), ("z", 4)):
        request = Request(project_id=f"{project}-{name}", actor="t")
        await bulk.add_graph(database, request, [make_node(f"n{i}") for i in range(count)], [])
        await planning.plan(database, request, dry_run=True, mirror=mirror)
        held = [len(work.ids) for _, work in mirror._known.values()]
        assert sum(held) <= 3
    assert [] == list(mirror._known)
