"""Workers of one run: how fast steps are handed out, and how soon one sees what is ready."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from typing import Any

import orjson

from bench import statements
from bench.client import Connection, Side, asked
from bench.rows.grouping import at_once
from bench.rows.reading import graphql
from bench.sample import Graph
from bench.timing import Result, race
from bench.world import KINDS, World, case
from gotn.api import operations
from gotn.work.rules import ranks
from gotn.work.usecases import bulk, claiming, planning
from gotn.work.usecases.drafting import drafted
from gotn.work.usecases.queue import WriteQueue
from gotn.work.usecases.writing import Request

#: Workers at the same time, each waiting for its answer before it asks again.
CREWS = (1, 16, 64)
#: Rounds of each crew, at most.
ROUNDS = 5
_CLAIM = """mutation Claim($input: ClaimStepInput!) {
  claimStep(input: $input) {
    __typename
    ... on Claim { status token leaseUntil attempt node { nodeId promptText } }
    ... on Error { code message }
  }
}"""


@dataclass(frozen=True)
class Execution:
    """A run that is under way."""

    project: str
    run: str


async def claims(world: World) -> AsyncIterator[Result]:
    """`claims`: seconds of so many claims, by 1, 16 and 64 workers; each step is claimed once."""
    times = max(1, world.options.operations // 20)
    rounds = min(ROUNDS, world.options.rounds)
    every = rounds + world.options.warm
    counts = {crew: crew * times * (4 if crew == 1 else 1) for crew in CREWS}
    spare, taken = world.project(), set[str]()
    await world.write(statements.PROJECT, key=spare, next_rank=ranks.GAP)
    execution = await _begun(world, Graph(KINDS[0], sum(counts.values()) * every + 1), edges=False)
    numbers = itertools.count()
    for crew, count in counts.items():
        world.say(f"Claims of {crew} workers …")

        async def floor(crew: int = crew, count: int = count) -> None:
            await at_once(count, lambda: world.write(statements.NEXT_SEQ, key=spare), crew)

        async def ours(crew: int = crew, count: int = count) -> None:
            await _claimed(world.api, _bodies(execution, numbers, count), crew, taken)

        found = await race(floor, ours, rounds, warm=world.options.warm)
        yield Result("claims", f"{crew} worker{'s' * (crew > 1)}", *found, things=count)
    async for result in _inside(world, counts[CREWS[-1]], every, spare):
        yield result


async def _inside(world: World, count: int, every: int, spare: str) -> AsyncIterator[Result]:
    """The most workers without HTTP and GraphQL."""
    crew, taken, queue = CREWS[-1], set[str](), WriteQueue()
    execution = await _begun(world, Graph(KINDS[0], count * every + 1), edges=False)
    request = replace(world.request(execution.project), queue=queue)

    async def floor() -> None:
        await at_once(count, lambda: world.write(statements.NEXT_SEQ, key=spare), crew)

    async def ours() -> None:
        await at_once(count, lambda: _one(world, request, execution, taken), crew)

    warm = world.options.warm
    found = await race(floor, ours, every - warm, warm=warm)
    await queue.close()
    yield Result("claims", f"{crew} workers, in process", *found, things=count)


async def _one(world: World, request: Request, execution: Execution, taken: set[str]) -> None:
    """One claim without HTTP and GraphQL."""
    lease = claiming.LONGEST
    found = await claiming.claim(world.database, request, execution.run, "worker", lease_ms=lease)
    node = found.node.id if found.node else ""
    if not node or node in taken:
        raise AssertionError(f"a claim gave {node!r}")
    taken.add(node)


async def _begun(world: World, graph: Graph, *, edges: bool) -> Execution:
    """A project of its own with a run of the whole graph, whose first step is claimed."""
    project = world.project()
    request = world.request(project)
    draft = drafted(graph.nodes(), graph.edges() if edges else [])
    await bulk.import_graph(world.database, request, draft)
    run = (await planning.plan(world.database, request)).run_id or ""
    await claiming.claim(world.database, request, run, "first", lease_ms=claiming.LONGEST)
    return Execution(project, run)


def _bodies(execution: Execution, numbers: Iterator[int], count: int) -> Iterator[bytes]:
    for number in itertools.islice(numbers, count):
        given = {"project": execution.project, "runId": execution.run, "leaseMs": claiming.LONGEST}
        yield graphql(_CLAIM, input=given | {"worker": f"worker-{number % 64}"})


async def _claimed(url: str, bodies: Iterator[bytes], crew: int, taken: set[str]) -> None:
    """Claim, so many at once, and note what was given; twice the same step is an error."""

    async def worker() -> None:
        connection = Connection(url)
        for body in bodies:
            answer: Any = orjson.loads(await connection.post(body))
            node = (answer["data"]["claimStep"] or {}).get("node")
            if node is None or node["nodeId"] in taken:
                raise AssertionError(f"a claim gave {str(answer)[:300]}")
            taken.add(node["nodeId"])
        connection.close()

    await asyncio.gather(*(worker() for _ in range(crew)))


async def handing(world: World) -> AsyncIterator[Result]:
    """`steps`: what a run of the first size can give out, against a point read by the driver."""
    count = world.options.sizes[0]
    execution = await _begun(world, Graph(KINDS[0], count), edges=True)
    text = operations.text("RunReady")
    side = Side(world.api, graphql(text, project=execution.project, id=execution.run, first=50))
    answer: Any = await asked(side)
    shown = answer["data"]["readySteps"]
    assert shown, answer
    connection, key = Connection(side.url), f"{execution.project}/{shown[0]['nodeId']}"

    async def ours() -> None:
        await connection.post(side.body)

    async def floor() -> None:
        assert await world.read(statements.POINT, key=key)

    rounds = min(100, world.options.operations)
    found = await race(floor, ours, rounds, warm=min(10, rounds) * world.options.warm)
    connection.close()
    note = f"the first {len(shown)} of a run of {count} steps, each with its node"
    yield Result("steps", case(KINDS[0], count), *found, operation=True, note=note)
