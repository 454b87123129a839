"""Load, a fault at a random moment, and the judge: again and again, on projects of some faults."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from chaos.faults import Fault
from chaos.history import Deed, History
from chaos.judge import judged
from chaos.load import ADD, SHARED, Load, writers
from chaos.seeing import seen
from chaos.world import World

#: Seconds of load before a fault comes, at least and at most.
MOMENT = (0.3, 2.5)
#: Seconds in which the first write must be acknowledged once a fault's cause is gone.
BACK = 90.0


@dataclass
class Round:
    """One fault, and what was seen of it."""

    fault: str
    #: Writes acknowledged before it.
    before: int = 0
    #: Seconds from the end of the fault's cause to the next acknowledged write.
    back: float = 0.0
    #: Failed tries of callers while it lasted.
    failed: int = 0
    #: What the judge found.
    violations: list[str] = field(default_factory=list)


Told = Callable[[Round], None]


@asynccontextmanager
async def loaded(world: World, project: str, seed: int, callers: int) -> AsyncIterator[Load]:
    """Writers on a project of their own while this lasts."""
    load = Load(world.service.port, project, seed)
    await first(load)
    load.start(*writers(load, callers))
    try:
        yield load
    finally:
        await load.stop()


async def first(load: Load) -> None:
    """The node that all writers change."""
    load.gate.open()
    node = {"id": SHARED, "kind": "chaos", "summary": SHARED, "promptText": "p"}
    given = {"project": load.project, "idempotencyKey": "first", "node": node}
    load.history.begin(deed := Deed(SHARED, "add"))
    deed.answers = [await load.caller().answer(ADD, {"i": given})]
    load.history.acknowledge(deed)


async def struck(world: World, load: Load, fault: Fault, rng: random.Random) -> Round:
    """A fault at a random moment, the way back, and the judge's word."""
    await one_more(load.history)
    await asyncio.sleep(rng.uniform(*MOMENT))
    found = Round(fault.__name__, before=load.history.count)
    failed = load.history.failed.total()
    await fault(world, rng)
    begin = time.monotonic()
    try:
        await one_more(load.history)
    except TimeoutError:
        found.violations.append(f"no write was acknowledged within {BACK:.0f} s")
    found.back = time.monotonic() - begin
    found.failed = load.history.failed.total() - failed
    found.violations += await examined(world, load)
    return found


async def one_more(history: History) -> None:
    """Wait until another write is acknowledged; TimeoutError where that takes too long."""
    async with asyncio.timeout(BACK):
        await history.reach(history.count + 1)


async def examined(world: World, load: Load) -> list[str]:
    """What the judge says of everything so far, while callers wait."""
    await load.gate.close()
    database = world.database()
    try:
        stored = await seen(database, load.project)
    finally:
        await database.close()
    load.gate.open()
    return judged(load.history, stored) + world.service.complaints()
