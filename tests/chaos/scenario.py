"""Load, a fault at a random moment, and the judge: again and again, on projects of some faults."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from chaos.execution import Office, workers
from chaos.faults import Fault
from chaos.history import Deed, History
from chaos.judge import judged
from chaos.load import ADD, SHARED, Load, writers
from chaos.seeing import seen
from chaos.world import World

#: How the round is called in which nothing happens but the end of a run.
END = "the run's end"
#: Seconds of load before a fault comes, at least and at most.
MOMENT = (0.3, 2.5)
#: Seconds in which a write must be acknowledged once a fault's cause is gone, and a run end.
BACK = 150.0


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


@dataclass
class Busy:
    """A world under load."""

    world: World
    load: Load
    office: Office


@asynccontextmanager
async def loaded(world: World, project: str, seed: int, callers: int) -> AsyncIterator[Busy]:
    """Callers on a project of their own while this lasts: two writers to each worker of runs."""
    load = Load(world.service.port, project, seed)
    await first(load)
    office = Office(load)
    load.start(*writers(load, callers - callers // 3), *workers(office, callers // 3))
    try:
        yield Busy(world, load, office)
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


async def struck(busy: Busy, fault: Fault, rng: random.Random) -> Round:
    """A fault at a random moment, the way back, and the judge's word."""
    history = busy.load.history
    await one_more(history)
    await asyncio.sleep(rng.uniform(*MOMENT))
    found = Round(fault.__name__, before=history.count)
    failed = history.failed.total()
    await fault(busy.world, rng)
    begin = time.monotonic()
    try:
        await one_more(history)
    except TimeoutError:
        found.violations.append(f"no write was acknowledged within {BACK:.0f} s")
    found.back = time.monotonic() - begin
    found.failed = history.failed.total() - failed
    found.violations += await examined(busy)
    return found


async def concluded(busy: Busy) -> Round:
    """The run that was under way comes to its end, and the judge's last word."""
    found = Round(END, before=busy.load.history.count)
    begin = time.monotonic()
    try:
        async with asyncio.timeout(BACK):
            await busy.office.one_more()
    except TimeoutError:
        found.violations.append(f"run {busy.office.run} did not end within {BACK:.0f} s")
    found.back = time.monotonic() - begin
    found.violations += await examined(busy)
    return found


async def one_more(history: History) -> None:
    """Wait until another write is acknowledged; TimeoutError where that takes too long."""
    async with asyncio.timeout(BACK):
        await history.reach(history.count + 1)


async def examined(busy: Busy) -> list[str]:
    """What the judge says of everything so far, while callers wait."""
    load = busy.load
    await load.gate.close()
    database = busy.world.database()
    try:
        stored = await seen(database, load.project)
    finally:
        await database.close()
    load.gate.open()
    return judged(load.history, stored) + busy.world.service.complaints()
