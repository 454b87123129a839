"""What can happen to a world, each told as one coroutine that ends when the cause is gone."""

import asyncio
import random
from collections.abc import Awaitable, Callable

from chaos.world import World

Fault = Callable[[World, random.Random], Awaitable[None]]


async def service_killed(world: World, _: random.Random) -> None:
    """Kill -9 of `gotn serve`; somebody starts it again."""
    await world.service.kill()
    world.service.start()


async def neo4j_killed(world: World, _: random.Random) -> None:
    """Kill -9 of Neo4j; somebody starts it again."""
    await world.neo4j.kill()
    await world.neo4j.start()


async def both_killed(world: World, _: random.Random) -> None:
    """Kill -9 of both at once; the service starts first and has to wait."""
    await asyncio.gather(world.service.kill(), world.neo4j.kill())
    world.service.start()
    await world.neo4j.start()


#: Faults that are kills, with how often each is chosen.
KILLS: dict[Fault, int] = {service_killed: 5, neo4j_killed: 4, both_killed: 1}
