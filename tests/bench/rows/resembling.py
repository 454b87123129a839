"""What is alike, in the service: neighbours of one node, and one node's soft edges anew."""

import itertools
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench import statements, texts
from bench.client import Connection, Side, asked
from bench.rows.reading import graphql
from bench.sample import name, short
from bench.timing import Result, race
from bench.world import World
from gotn.similarity import finding, linking
from gotn.similarity.engine import Engine, Options
from gotn.similarity.records import SearchWay
from gotn.similarity.texts import node_of
from gotn.work.records import WorkNodeDraft
from gotn.work.usecases import bulk, nodes
from gotn_embeddings.index import FaissIndex

#: Neighbours that are asked for, and nodes at most: the server encodes them once more.
NEAREST, MOST = 10, 2_000
#: Requests until the server has encoded all: each has a time limit, and the work goes on.
TRIES = 60
#: Sentences that nodes come to say.
NEW = 500
_SIMILAR = """query Similar($project: String!, $node: String!, $way: SearchWay!) {
  similar(project: $project, node: $node, first: 10, way: $way) { id cosine }
}"""
Doing = Callable[[], Awaitable[None]]


@dataclass
class _Alike:
    """A linked project of real sentences, what compares it, and a bare index of the same."""

    project: str
    engine: Engine
    index: FaissIndex
    names: list[str]


async def alike(world: World) -> AsyncIterator[Result]:
    """`similar` in process and over HTTP, `soft-link` of one changed node."""
    count = min(world.options.sizes[0], MOST)
    with tempfile.TemporaryDirectory(prefix="gotn-bench-") as folder:
        held = await _linked(world, count, Path(folder))
        case = f"{short(count)} nodes"
        if world.options.wanted("similar"):
            async for result in _similar(world, held, case):
                yield result
        if world.options.wanted("soft-link"):
            rounds = min(30, world.options.operations)
            found = await race(*_linking(world, held), rounds)
            yield Result("soft-link", case, *found, operation=True)
        await held.engine.close()


async def _linked(world: World, count: int, folder: Path) -> _Alike:
    """Nodes that say real sentences, linked; the index holds the same vectors."""
    request = world.request(world.project())
    world.say(f"Similarity: {count:,} real sentences are encoded and linked …")
    made = [
        WorkNodeDraft(id=name(row), kind="micro_prompt", summary=said, prompt_text=said)
        for row, said in enumerate(texts.real(count))
    ]
    await bulk.add_graph(world.database, request, made, [])
    engine = Engine(world.database, Options(folder=folder, encoder="onnx"))
    await linking.link(engine, request)
    kept = await engine.store()
    known = engine.known(request.project_id)
    names = [known.vectors[name(row)] for row in range(count)]
    index = FaissIndex(kept.identity)
    index.put(await kept.get(request.project_id, names))
    return _Alike(request.project_id, engine, index, names)


async def _similar(world: World, held: _Alike, case: str) -> AsyncIterator[Result]:
    """Another node each time; the floor finds the same ten and reads their ids."""
    rounds = min(100, world.options.operations)
    floors, ours = itertools.cycle(held.names), itertools.cycle(map(node_of, held.names))

    async def floor() -> None:
        vector = held.index.get([next(floors)])
        (hits,) = held.index.search(np.array([*vector.values()]), NEAREST + 1)
        keys = [f"{held.project}/{node_of(hit.id)}" for hit in hits]
        assert await world.read(statements.IDS, keys=keys)

    async def found() -> None:
        assert await finding.similar(
            held.engine, held.project, node=next(ours), first=NEAREST, way=SearchWay.MEANING
        )

    yield Result("similar", f"in process, {case}", *await race(floor, found, rounds, warm=5))
    await _ready(world, held)
    connection = Connection(world.api)
    for way in (SearchWay.MEANING, SearchWay.HYBRID):

        async def over_http(way: str = way.name) -> None:
            body = graphql(_SIMILAR, project=held.project, node=next(ours), way=way)
            assert b'"cosine"' in await connection.post(body)

        label = f"over HTTP by {'meaning' if way is SearchWay.MEANING else 'both'}, {case}"
        yield Result("similar", label, *await race(floor, over_http, rounds, warm=5))
    connection.close()


async def _ready(world: World, held: _Alike) -> None:
    """Wait until the server, too, has encoded all."""
    body = graphql(_SIMILAR, project=held.project, node=name(0), way="MEANING")
    for _ in range(TRIES):
        if "data" in (answer := await asked(Side(world.api, body))) and answer["data"]:  # type: ignore[operator,index]
            return
    raise AssertionError(f"the server did not encode the texts: {answer}")


def _linking(world: World, held: _Alike) -> tuple[Doing, Doing]:
    """The floor and ours: a node says something new, and its neighbours are found."""
    request = world.request(held.project)
    count = len(held.names)
    said = itertools.cycle(texts.real(count + NEW)[count:])
    ids = itertools.cycle(map(node_of, held.names))

    async def floor() -> None:
        text = next(said)
        held.index.search(await held.engine.encode([text]), NEAREST)
        await world.write(statements.SAY, key=f"{held.project}/{next(ids)}", text=text)

    async def ours() -> None:
        said_now = {"summary": next(said), "prompt_text": "Do that."}
        await nodes.update(world.database, request, next(ids), said_now)
        done = await linking.link(held.engine, request)
        assert not done.whole

    return floor, ours
