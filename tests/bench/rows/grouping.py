"""Many writers of one project at once: through the server, and through the queue alone."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace

from bench import statements
from bench.client import load
from bench.rows.reading import graphql
from bench.timing import Result, race
from bench.world import World
from gotn.work.records import WorkNodeDraft
from gotn.work.rules import ranks
from gotn.work.usecases import nodes
from gotn.work.usecases.queue import WriteQueue

#: Callers at the same time, each waiting for its answer before it asks again.
WORKERS = 64
_ADD = """mutation Add($input: AddNodeInput!) {
  addNode(input: $input) { __typename ... on WorkNode { nodeId } ... on Error { code message } }
}"""


async def grouped(world: World) -> AsyncIterator[Result]:
    """`grouped`: seconds of so many new nodes, 64 at a time."""
    count = WORKERS * max(1, world.options.operations // 20)
    spare, ids = world.project(), map("n{}".format, itertools.count())
    await world.write(statements.PROJECT, key=spare, next_rank=ranks.GAP)
    rounds = min(5, world.options.rounds)

    async def floor() -> None:
        await at_once(count, lambda: world.write(statements.NEXT_SEQ, key=spare))

    project, queue = world.project(), WriteQueue()
    request = replace(world.request(project), queue=queue)

    async def through_queue() -> None:
        await at_once(count, lambda: nodes.add(world.database, request, _draft(next(ids))))

    found = await race(floor, through_queue, rounds, warm=world.options.warm)
    yield Result("grouped", "in process", *found, things=count)
    await queue.close()
    served = world.project()

    async def over_http() -> None:
        await load(world.api, _bodies(served, ids, count), WORKERS, None)

    found = await race(floor, over_http, rounds, warm=world.options.warm)
    yield Result("grouped", "over HTTP", *found, things=count)


async def at_once(
    count: int, call: Callable[[], Awaitable[object]], workers: int = WORKERS
) -> None:
    """So many calls, each worker one at a time."""
    left = iter(range(count))

    async def worker() -> None:
        for _ in left:
            await call()

    await asyncio.gather(*(worker() for _ in range(workers)))


def _draft(id_: str) -> WorkNodeDraft:
    return WorkNodeDraft(
        id=id_, kind="micro_prompt", summary=f"Do {id_}", prompt_text=f"Please do {id_}."
    )


def _bodies(project: str, ids: Iterator[str], count: int) -> Iterator[bytes]:
    for id_ in itertools.islice(ids, count):
        given = {"id": id_, "kind": "micro_prompt", "summary": f"Do {id_}", "promptText": "Do it."}
        yield graphql(_ADD, input={"project": project, "node": given})
