"""A whole journal read and folded into a project's state, against the same lines in a file."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import orjson

from bench.sample import Graph, name, short
from bench.timing import Result, race
from bench.world import KINDS, World
from gotn import journal
from gotn.database.connection import Tx
from gotn.journal import Ledger
from gotn.work.usecases import replay
from gotn.work.usecases.writing import write

Item = dict[str, Any]
#: Entries of one transaction while the journal is made.
_BATCH = 10_000


async def replays(world: World) -> AsyncIterator[Result]:
    """`replay`: entries of one change each, as single writes leave them."""
    for count in (*world.options.sizes, *world.options.large):
        project = world.project()
        world.say(f"Writing a journal of {count:,} entries …")
        made = await _filled(world, project, count)
        with tempfile.TemporaryDirectory(prefix="gotn-bench-") as folder:
            path = Path(folder) / "journal.jsonl"
            await _exported(world, project, path)

            async def ours(project: str = project, made: int = made) -> None:
                chain = replay.Chain()
                state = await replay.folded(journal.entries(world.database, project), chain)
                assert (chain.entries, chain.problems) == (made, [])
                assert state.nodes

            async def floor(path: Path = path, made: int = made) -> None:
                assert rebuilt(path) == made

            rounds = world.options.rounds if count <= 10_000 else min(3, world.options.rounds)
            found = await race(floor, ours, rounds, warm=world.options.warm)
        yield Result("replay", f"{short(count)} entries", *found, things=made)


def rebuilt(path: Path) -> int:
    """Read a journal's lines and keep what they say last of each entity; how many there are."""
    nodes: dict[str, Item] = {}
    edges: dict[tuple[str, str, str], Item] = {}
    lines = 0
    with path.open("rb") as file:
        for line in file:
            lines += 1
            for item in orjson.loads(line)["data"]["items"]:
                if (row := item.get("node")) is not None:
                    nodes[row["id"]] = row
                elif (row := item.get("edge")) is not None:
                    edges[row["type"], row["src"], row["dst"]] = row
    return lines


async def _exported(world: World, project: str, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        async for entry in journal.entries(world.database, project):
            file.write(journal.line(entry))


async def _filled(world: World, project: str, count: int) -> int:
    """Journal so many changes of a graph, without storing it; how many entries there are."""
    changes = _changes(count)
    made = 0
    while some := [change for _, change in zip(range(_BATCH), changes, strict=False)]:

        async def work(_: Tx, ledger: Ledger, some: list[tuple[str, Item]] = some) -> int:
            for event, item in some:
                ledger.record(event, [item])
            return ledger.seq

        request = world.request(project)
        made = await write(world.database, request, "benchJournal", None, int, work)
    return made


def _changes(count: int) -> Iterator[tuple[str, Item]]:
    """A quarter nodes, three quarters edges, as a graph of three edges a node gives them."""
    graph = Graph(KINDS[0], max(10, count // 4))
    stamp = "2026-01-01T00:00:00Z"
    for i in range(graph.count):
        row = {"id": name(i), "kind": "micro_prompt", "summary": f"Do number {i}"}
        more = {"prompt_text": f"Please do number {i}.", "status": "ready", "version": 1}
        yield "add_node", {"node": row | more | {"created_at": stamp, "updated_at": stamp}}
    for a, b in graph.pairs:
        row = {"type": "hard_requires", "src": name(a), "dst": name(b), "origin": "explicit"}
        yield "add_edge", {"edge": row | {"version": 1, "created_at": stamp}}
