"""What can happen to a world, each told as one coroutine that ends when the cause is gone."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress

from chaos.proxy import Line
from chaos.world import World

Fault = Callable[[World, random.Random], Awaitable[None]]
#: Seconds that a clock is turned back, at least and at most.
BACK = (60.0, 7200.0)


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


async def line_reset(world: World, rng: random.Random) -> None:
    """Every connection to Neo4j breaks, some times in a row; new ones are welcome."""
    for _ in range(rng.randint(1, 5)):
        world.proxy.reset()
        await asyncio.sleep(rng.uniform(0.05, 0.5))


async def line_closed(world: World, rng: random.Random) -> None:
    """Connections break, and for some seconds nothing listens."""
    world.proxy.cut(Line.CLOSED)
    world.proxy.reset()
    await asyncio.sleep(rng.uniform(0.5, 8))
    await world.proxy.open()


async def line_held(world: World, rng: random.Random) -> None:
    """Packets are lost for some seconds; sent again, everything arrives."""
    world.proxy.cut(Line.HELD)
    await asyncio.sleep(rng.uniform(0.5, 8))
    await world.proxy.open()


async def line_slow(world: World, rng: random.Random) -> None:
    """Every packet is late, for some seconds."""
    world.proxy.delay = rng.uniform(0.02, 0.2)
    await asyncio.sleep(rng.uniform(2, 5))
    await world.proxy.open()


async def answers_lost(world: World, rng: random.Random) -> None:
    """What is asked arrives, commits included; the answers do not, and connections break."""
    world.proxy.cut(Line.DEAF)
    await _lost(world)
    await asyncio.sleep(rng.uniform(0, 0.5))
    world.proxy.reset()
    await world.proxy.open()


async def line_dropped(world: World, rng: random.Random) -> None:
    """Connections that were in use die without a sign, at both ends; new ones are welcome."""
    world.proxy.cut(Line.DROPPED)
    await _lost(world)
    await asyncio.sleep(rng.uniform(0, 2))
    await world.proxy.open()


async def _lost(world: World) -> None:
    """Wait until bytes were lost: under load that is soon."""
    async with asyncio.timeout(30):
        await world.proxy.lost.wait()


async def clocks_back(world: World, rng: random.Random) -> None:
    """The clock of Neo4j, of the service, or of both, goes back by up to two hours, and stays."""
    for clock in rng.choice([world.clocks[:1], world.clocks[1:], world.clocks]):
        clock.set(clock.ahead - rng.uniform(*BACK))


async def disk_full(world: World, rng: random.Random) -> None:
    """Neo4j's disk is full for some seconds; then somebody makes room and starts it again."""
    assert world.disk is not None
    await asyncio.to_thread(world.disk.fill)
    await asyncio.sleep(rng.uniform(2, 5))
    world.disk.clear()
    with suppress(ProcessLookupError):
        await world.neo4j.kill()
    await world.neo4j.start()


#: Kills, with how often each is chosen.
KILLS: dict[Fault, int] = {service_killed: 5, neo4j_killed: 4, both_killed: 1}
#: The others, with what they need of a world.
OTHERS: dict[Fault, str] = {
    line_reset: "",
    line_closed: "",
    line_held: "",
    line_slow: "",
    answers_lost: "",
    line_dropped: "",
    clocks_back: "clock",
    disk_full: "disk",
}
