"""What a frontend waits for: lists, one node, the ready list, all over HTTP."""

import itertools
import re
import time
from collections.abc import AsyncIterator
from typing import Any

import orjson

from bench import statements
from bench.client import Connection, Side, asked, load
from bench.sample import name
from bench.timing import PATIENCE, Result, Series, race
from bench.world import KINDS, Loaded, World, case
from gotn.api import operations

#: Nodes of one page of the API, at most; the list is two of them.
PAGE = 500
#: Clients that ask at the same time.
CLIENTS = (1, 16)
#: A moment with a fraction of a second.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:]{8}\.\d+Z")
_NODE = """
  id nodeId kind summary status execTarget version revision createdAt updatedAt
  prerequisites(first: 3) { nodes { nodeId summary status } }
"""
_LIST = f"""query List($project: String!, $first: Int!, $after: String) {{
  head: workNodes(project: $project, first: $first) {{ nodes {{ {_NODE} }} }}
  tail: workNodes(project: $project, first: $first, after: $after) {{ nodes {{ {_NODE} }} }}
}}"""
_ONE = f"""query One($project: String!, $id: String!) {{
  workNode(project: $project, id: $id) {{ {_NODE} }}
}}"""
_CURSOR = """query Cursor($project: String!, $first: Int!) {
  workNodes(project: $project, first: $first) { pageInfo { endCursor } }
}"""


def graphql(query: str, **variables: Any) -> bytes:
    """The body of a request."""
    return orjson.dumps({"query": query, "variables": variables})


async def reads(world: World) -> AsyncIterator[Result]:
    """`list` and `one`: against REST; the answers must be the same JSON."""
    held = await world.loaded(KINDS[0], world.options.sizes[0])
    api, rest = world.api, world.rest
    for measure, make in (("list", _lists), ("one", _ones)):
        if not world.options.wanted(measure):
            continue
        ours, floor = await make(held, api, rest)
        _compare(await asked(floor), await asked(ours))
        for clients in CLIENTS:
            label = f"{clients} client{'s' if clients > 1 else ''}"
            world.say(f"GraphQL: {measure}, {label} …")
            requests = world.options.requests * (1 if measure == "list" else 5)
            found = await under_load(world, ours, floor, clients, requests)
            yield Result(measure, label, *found, operation=True)


async def _lists(held: Loaded, api: str, rest: str) -> tuple[Side, Side]:
    """1,000 nodes as two pages, since a page has 500 at most; fewer of a smaller graph."""
    first = min(PAGE, held.graph.count // 2)
    found: Any = await asked(Side(api, graphql(_CURSOR, project=held.project, first=first)))
    after = found["data"]["workNodes"]["pageInfo"]["endCursor"]
    ours = graphql(_LIST, project=held.project, first=first, after=after)
    floor = orjson.dumps({"project": held.project, "first": first})
    return Side(api, ours), Side(f"{rest}/list", floor)


async def _ones(held: Loaded, api: str, rest: str) -> tuple[Side, Side]:
    id_ = name(held.graph.count - 1)
    ours = graphql(_ONE, project=held.project, id=id_)
    floor = orjson.dumps({"key": held.key(held.graph.count - 1)})
    return Side(api, ours), Side(f"{rest}/one", floor)


def _compare(floor: object, ours: object) -> None:
    """The floor is one only if it gives the same."""
    if _plain(floor) != _plain(ours):
        raise AssertionError(f"REST and GraphQL differ: {str(floor)[:900]} … {str(ours)[:900]}")


def _plain(item: object) -> object:
    """JSON with its moments without trailing zeros, which Cypher leaves out and we may not."""
    if isinstance(item, str) and _MOMENT.fullmatch(item):
        return item.rstrip("Z").rstrip("0")
    if isinstance(item, dict):
        return {key: _plain(value) for key, value in item.items()}
    if isinstance(item, list):
        return [_plain(value) for value in item]
    return item


async def under_load(
    world: World, ours: Side, floor: Side, clients: int, requests: int
) -> tuple[Series, Series]:
    """Latencies under load, in turns: so many requests a round, of many clients a fifth each."""
    found = {"floor": Series(), "ours": Series()}

    async def one(label: str, side: Side, *, keep: bool) -> None:
        count = requests if clients == 1 else clients * max(1, requests // 5)
        bodies = iter([side.body] * count)
        await load(side.url, bodies, clients, found[label] if keep else None)

    until = time.monotonic() + PATIENCE
    for turn in range(-world.options.warm, world.options.rounds):
        if turn > 0 and time.monotonic() > until:
            break
        sides = [("floor", floor), ("ours", ours)]
        for label, side in sides if turn % 2 else reversed(sides):
            await one(label, side, keep=turn >= 0)
    return found["floor"], found["ours"]


async def readies(world: World) -> AsyncIterator[Result]:
    """`ready`: the command line's own operation, against a point read by the driver."""
    count = world.options.sizes[0]
    held = await world.loaded(KINDS[0], count)
    keys = itertools.cycle([held.key(i) for i in range(0, count, max(1, count // 97))])
    side = Side(world.api, graphql(operations.text("Ready"), project=held.project, first=50))
    answer: Any = await asked(side)
    assert answer["data"]["ready"]["nodes"], answer
    connection = Connection(side.url)

    async def ours() -> None:
        await connection.post(side.body)

    async def floor() -> None:
        assert await world.read(statements.POINT, key=next(keys))

    rounds = min(100, world.options.operations)
    found = await race(floor, ours, rounds, warm=min(10, rounds) * world.options.warm)
    connection.close()
    note = f"{answer['data']['ready']['totalCount']} of {count} are ready"
    yield Result("ready", case(held.graph.kind, count), *found, operation=True, note=note)
