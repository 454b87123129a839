"""How soon subscribers hear of a write: one, and a thousand over sockets of another process."""

import asyncio
import itertools
import json
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2

from bench.rows.reading import graphql
from bench.timing import Result, Series
from bench.world import World

SUBSCRIBERS = Path(__file__).resolve().parents[2] / "subscribers.py"
#: Subscribers of each case, and entries a second.
CROWDS, PACE = (1, 1000), 10
#: Seconds of entries, and of all of them when everything is measured.
SECONDS, LONG = 6, 60
_ADD = """mutation Add($input: AddNodeInput!) {
  addNode(input: $input) { __typename ... on Error { code message } }
}"""


async def events(world: World) -> AsyncIterator[Result]:
    """`events`: seconds from an entry's time to each subscriber that has it, whole path."""
    seconds = LONG if world.options.large else SECONDS
    crowds = CROWDS[:1] if world.options.operations < 100 else CROWDS
    for count in crowds:
        writes, told = await _followed(world, count, PACE * seconds)
        if told["wrong"]:
            raise RuntimeError(f"subscribers saw something else: {told['wrong'][0]}")
        heard = Series([told["p50"]] * 98 + [told["p99"]] * 2)
        case = f"{count:,} subscriber{'s' * (count > 1)}, {PACE} entries a second for {seconds} s"
        yield Result("events", case, writes, heard, operation=True)


async def _followed(world: World, count: int, entries: int) -> tuple[Series, dict[str, Any]]:
    """Seconds of the writes, and what the crowd saw of them."""
    project = world.project()
    address = world.api.replace("http://", "ws://")
    async with httpx2.AsyncClient(timeout=60) as client:
        await _write(client, world.api, project, "first")
        crowd = await asyncio.create_subprocess_exec(
            sys.executable,
            str(SUBSCRIBERS),
            address,
            project,
            str(count),
            str(entries + 2),
            stdout=asyncio.subprocess.PIPE,
        )
        assert crowd.stdout is not None  # it was asked for
        if await crowd.stdout.readline() != b"ready\n":
            raise RuntimeError("the subscribers did not begin")
        writes, begun = Series(), time.monotonic()
        for number in itertools.islice(itertools.count(), entries):
            await asyncio.sleep(max(0.0, begun + number / PACE - time.monotonic()))
            writes.seconds.append(await _write(client, world.api, project, f"n{number}"))
        told: dict[str, Any] = json.loads(await crowd.stdout.readline())
        await crowd.wait()
    return writes, told


async def _write(client: httpx2.AsyncClient, url: str, project: str, id_: str) -> float:
    """Seconds of one new node."""
    given = {"id": id_, "kind": "micro_prompt", "summary": f"Do {id_}", "promptText": "Do it."}
    body = graphql(_ADD, input={"project": project, "node": given})
    begin = time.perf_counter()
    answer = await client.post(url, content=body, headers={"content-type": "application/json"})
    answer.raise_for_status()
    return time.perf_counter() - begin
