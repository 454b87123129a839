"""`make bench-peers`: other programs on the same graph, where they are there to be measured."""

import argparse
import asyncio
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import orjson
from neo4j.exceptions import Neo4jError
from rich.console import Console

from bench import machine, servers, statements, table
from bench.client import Side, asked
from bench.rows.planning import fetched
from bench.rows.reading import CLIENTS, PAGE, graphql, under_load
from bench.timing import Result, race
from bench.world import KINDS, Options, World, case

#: Where npm puts what package.json names.
_BUILD = Path("build") / "bench-neo4j-graphql"
_SOURCE = Path(__file__).resolve().parent / "neo4j_graphql"
_NO_GDS = """Graph Data Science is not measured: this Neo4j does not have it. It is no part of the
managed Neo4j. To measure it, put its plugin for Neo4j 5.26 into the plugins folder of a server,
start that, and name it: GOTN_BENCH_NEO4J_URI=bolt://… make bench-peers"""
_NO_NODE = """@neo4j/graphql is not measured: it needs Node 20 or newer with npm on the PATH, and a
network or a cache for `npm ci`. {reason}"""
_LIST = """query List($project: String!, $first: Int!) {
  workNodes(where: {projectId: {eq: $project}}, limit: $first, sort: [{nodeId: ASC}]) {
    key nodeId kind summary status execTarget version revision
    prerequisites(limit: 3, sort: [{nodeId: ASC}]) { nodeId summary status }
  }
}"""


class Missing(Exception):
    """What a peer needs and does not find."""


async def data_science(world: World) -> AsyncIterator[Result]:
    """`gds`: project the edges and sort them; layers in one row, as a plan would take them."""
    try:
        await world.read(statements.GDS_VERSION)
    except Neo4jError:
        raise Missing(_NO_GDS) from None
    for count in world.options.sizes:
        for kind in KINDS:
            held = await world.loaded(kind, count)
            names = {"name": held.project, "project": held.project}

            async def theirs(names: dict[str, str] = names) -> None:
                await world.read(statements.GDS_DROP, name=names["name"])
                await world.read(statements.GDS_PROJECT, **names)
                assert len(await world.read(statements.GDS_LAYERS, name=names["name"])) > 1

            found = await race(lambda h=held: fetched(world, h), theirs, world.options.rounds)  # type: ignore[misc]
            yield Result("gds", case(kind, count), *found)


async def neo4j_graphql(world: World) -> AsyncIterator[Result]:
    """`neo4j-graphql`: the list of 1,000 nodes as their API gives it."""
    folder = _installed()
    held = await world.loaded(KINDS[0], world.options.sizes[0])
    first = min(2 * PAGE, held.graph.count)
    given = {"project": held.project, "first": first // 2}
    with _served(world, folder) as peer:
        theirs = Side(f"{peer}/graphql", graphql(_LIST, project=held.project, first=first))
        floor = Side(f"{world.rest}/list", orjson.dumps(given))
        answer = await asked(theirs)
        if not isinstance(answer, dict) or "errors" in answer:
            raise Missing(f"@neo4j/graphql is not measured: it said {str(answer)[:500]}")
        assert len(answer["data"]["workNodes"]) == first
        for clients in CLIENTS:
            requests = world.options.requests
            found = await under_load(world, theirs, floor, clients, requests)
            label = f"{clients} client{'s' if clients > 1 else ''}"
            yield Result("neo4j-graphql", label, *found, operation=True)


def _served(world: World, folder: Path) -> servers.Running:
    server, port = world.server, servers.free_port()
    node = shutil.which("node") or "node"
    where = [server.uri, server.user, server.password, str(port)]
    return servers.running([node, str(folder / "server.mjs"), *where], {}, port)


def _installed() -> Path:
    """The folder with the peer and what npm fetched for it."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise Missing(_NO_NODE.format(reason="They are not there."))
    _BUILD.mkdir(parents=True, exist_ok=True)
    for path in _SOURCE.iterdir():
        shutil.copy(path, _BUILD)
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        subprocess.run(command, cwd=_BUILD, capture_output=True, check=True, timeout=300)
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip()[:300]
        raise Missing(_NO_NODE.format(reason=f"npm said: {said}")) from None
    except subprocess.TimeoutExpired:
        raise Missing(_NO_NODE.format(reason="npm did not end in five minutes.")) from None
    return _BUILD


PEERS: tuple[Callable[[World], AsyncIterator[Result]], ...] = (data_science, neo4j_graphql)


async def _measured(options: Options) -> None:
    with servers.neo4j(large=False) as server:
        world = await World.open(server, options)
        results: list[Result] = []
        try:
            on = await machine.described(world)
            for peer in PEERS:
                try:
                    results += [result async for result in peer(world)]
                except Missing as missing:
                    print(missing, file=sys.stderr)
        finally:
            await world.close()
    if results:
        table.show(table.rows(results), on, Console(width=None if sys.stdout.isatty() else 120))


def main() -> None:
    """Measure every peer that is there; say of the others what they need."""
    parser = argparse.ArgumentParser(prog="make bench-peers ARGS=…", description=__doc__)
    parser.add_argument("--nodes", type=int, default=10_000, metavar="N", help="size of the graphs")
    asyncio.run(_measured(Options(sizes=(parser.parse_args().nodes,))))


if __name__ == "__main__":
    main()
