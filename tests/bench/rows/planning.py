"""Plans: cold, from a mirror, and what others take for the layers alone."""

from collections.abc import AsyncIterator, Callable
from graphlib import TopologicalSorter

import networkx as nx  # type: ignore[import-untyped]  # a peer, only measured
import rustworkx

from bench import statements
from bench.rows.importing import created
from bench.sample import EDGES, Graph
from bench.timing import Result, Series, race
from bench.world import KINDS, Loaded, World, case
from gotn.work.store.mirror import Mirror
from gotn.work.usecases import bulk, planning


async def plans(world: World) -> AsyncIterator[Result]:
    """`plan`: the whole plan of all open work, read only, against fetching its edges."""
    for count in (*world.options.sizes, *world.options.large):
        for kind in KINDS:
            held = await _held(world, kind, count)
            floor, measured = await _cold(world, held)
            yield Result("plan", case(kind, count), floor, measured)


async def _held(world: World, kind: str, count: int) -> Loaded:
    """The graph in a project; one larger than an import may be is stored by hand."""
    graph = Graph(kind, count)
    if count * (1 + EDGES) > bulk.ITEMS and not world.has(kind, count):
        world.say(f"Storing the {kind} graph of {count:,} nodes …")
        world.keep(graph, await created(world, graph, tagged=False))
    return await world.loaded(kind, count)


async def _cold(world: World, held: Loaded) -> tuple[Series, Series]:
    async def ours() -> None:
        request = world.request(held.project)
        made = await planning.plan(world.database, request, dry_run=True, summaries=False)
        assert len(made.ordered_node_ids) == held.graph.count

    return await race(
        lambda: fetched(world, held), ours, world.options.rounds, warm=world.options.warm
    )


async def replans(world: World) -> AsyncIterator[Result]:
    """`mirror`: the plan of a graph that is in memory already, against its layers alone."""
    for count in (*world.options.sizes, *world.options.large):
        for kind in KINDS:
            held = await _held(world, kind, count)
            floor, measured = await _mirrored(world, held)
            yield Result("mirror", case(kind, count), floor, measured)


async def _mirrored(world: World, held: Loaded) -> tuple[Series, Series]:
    mirror = Mirror(nodes=held.graph.count)
    memory = held.graph.memory()

    async def ours() -> None:
        request = world.request(held.project)
        await planning.plan(world.database, request, dry_run=True, mirror=mirror, summaries=False)

    async def floor() -> None:
        assert len(rustworkx.topological_generations(memory)) > 1

    return await race(floor, ours, world.options.rounds, warm=world.options.warm)


async def fetched(world: World, held: Loaded) -> None:
    """Every edge in one row, packed: what a plan cannot do without."""
    found = await world.read(statements.PACKED, project=held.project)
    assert len(found) >= len(held.graph.pairs)


async def peers(world: World) -> AsyncIterator[Result]:
    """`peers`: layers alone, of a graph that is in memory already as pairs."""
    for count in world.options.sizes:
        for kind in KINDS:
            held = await world.loaded(kind, count)
            for name, layers in PEERS.items():
                found = await _compared(world, held, layers)
                yield Result("peers", case(kind, count, name), *found)


async def _compared(
    world: World, held: Loaded, layers: Callable[[Graph], int]
) -> tuple[Series, Series]:
    async def theirs() -> None:
        assert layers(held.graph) > 1

    return await race(
        lambda: fetched(world, held), theirs, min(3, world.options.rounds), warm=world.options.warm
    )


def _networkx(graph: Graph) -> int:
    made = nx.DiGraph(graph.pairs)
    return sum(1 for _ in nx.topological_generations(made))


def _graphlib(graph: Graph) -> int:
    sorter: TopologicalSorter[int] = TopologicalSorter()
    for before, after in graph.pairs:
        sorter.add(after, before)
    sorter.prepare()
    layers = 0
    while sorter.is_active():
        sorter.done(*sorter.get_ready())
        layers += 1
    return layers


def _rustworkx(graph: Graph) -> int:
    return len(rustworkx.topological_generations(graph.memory()))


PEERS: dict[str, Callable[[Graph], int]] = {
    "networkx": _networkx,
    "graphlib": _graphlib,
    "rustworkx": _rustworkx,
}
