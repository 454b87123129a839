"""Bulk import and the derivation of edges from tags."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

from bench import statements
from bench.sample import Graph, name, tag
from bench.timing import Result, Series, race
from bench.world import KINDS, ROWS, World, case
from gotn.work.rules import ranks
from gotn.work.usecases import bulk
from gotn.work.usecases import link as linking
from gotn.work.usecases.drafting import drafted

Row = dict[str, Any]
NOW = datetime(2026, 1, 1, tzinfo=UTC)


async def imports(world: World) -> AsyncIterator[Result]:
    """`bulk`: a document of nodes and edges through import_graph, once said and once tagged."""
    for count in world.options.sizes:
        rounds = max(1, world.options.rounds - 2) if count <= 10_000 else 1
        for kind in KINDS:
            floor, measured = await _imported(world, Graph(kind, count), rounds, tagged=False)
            yield Result("bulk", case(kind, count), floor, measured, things=count)
        graph = Graph(KINDS[0], count)
        floor, measured = await _imported(world, graph, rounds, tagged=True)
        yield Result("bulk", case(graph.kind, count, "by tags"), floor, measured, things=count)


async def _imported(
    world: World, graph: Graph, rounds: int, *, tagged: bool
) -> tuple[Series, Series]:
    """Seconds of the floor and of ours; the last of ours is kept for other measures."""
    nodes, edges = graph.nodes(tagged=tagged), [] if tagged else graph.edges()

    async def ours() -> None:
        project = world.project()
        draft = drafted(nodes, edges)
        done = await bulk.import_graph(world.database, world.request(project), draft, derive=True)
        assert done.nodes == graph.count
        if not tagged:
            world.keep(graph, project)

    async def floor() -> None:
        await created(world, graph, tagged=tagged)

    return await race(floor, ours, rounds, warm=world.options.warm if graph.count <= 10_000 else 0)


async def created(world: World, graph: Graph, *, tagged: bool) -> str:
    """What the import stores of nodes and edges, by hand, without journal or check; where."""
    project = world.project()
    for start in range(0, graph.count, ROWS):
        some = enumerate(graph.order[start : start + ROWS], start)
        await world.write(statements.NODES, rows=[_node(project, i, at) for at, i in some])
    keys = [f"{project}/{name(i)}" for i in range(graph.count)]
    if tagged:
        tags = [f"{project}/{tag(i)}" for i in range(graph.count)]
        named = [{"key": tags[i], "name": tag(i), "project_id": project} for i in graph.order]
        await world.write_all(statements.TAGS, named)
        produces = [(keys[i], tags[i]) for i in graph.order]
        await world.write_all(statements.PRODUCES, produces)
        needs = [(keys[after], tags[before]) for before, after in graph.pairs]
        await world.write_all(statements.REQUIRES, needs)
    pairs = [(keys[a], keys[b]) for a, b in graph.pairs]
    await world.write_all(statements.EDGES, pairs, facts=facts(project))
    return project


def _node(project: str, number: int, place: int) -> Row:
    id_ = name(number)
    return {
        "key": f"{project}/{id_}",
        "project_id": project,
        "id": id_,
        "caption": id_,
        "kind": "micro_prompt",
        "summary": f"Do the piece of work number {number}, which is one of many",
        "prompt_text": f"Please do number {number} and say what came of it.",
        "exec_target": f"part/{number % 100}/file.py",
        "status": "ready",
        "version": 1,
        "revision": 1,
        "ordinal": place,
        "rank": (number + 1) * ranks.GAP,
        "created_at": NOW,
        "updated_at": NOW,
    }


def facts(project: str) -> Row:
    """The properties of an edge."""
    return {"project_id": project, "origin": "explicit", "version": 1, "created_at": NOW}


async def links(world: World) -> AsyncIterator[Result]:
    """`link`: every hard edge from tags, where there was none."""
    for count in world.options.sizes:
        graph = Graph(KINDS[0], count)
        project = world.project()
        request = world.request(project)
        world.say(f"Loading {count:,} tagged nodes …")
        draft = drafted(graph.nodes(tagged=True))
        await bulk.import_graph(world.database, request, draft)
        internal = dict(await world.read(statements.INTERNAL, project=project))
        pairs = [(internal[name(a)], internal[name(b)]) for a, b in graph.pairs]

        async def ours(request: Any = request, count: int = len(pairs)) -> None:
            assert (await linking.link(world.database, request, whole=True)).added == count

        async def floor(pairs: Any = pairs, project: str = project) -> None:
            await world.write_all(statements.PAIRS, pairs, facts=facts(project))

        async def undo(project: str = project) -> None:
            while await world.write(statements.UNPAIR, project=project):
                pass

        rounds = world.options.rounds if count <= 10_000 else max(1, world.options.rounds - 2)
        found = await race(floor, ours, rounds, warm=world.options.warm, between=undo)
        yield Result("link", case(graph.kind, count), *found, things=len(pairs))
