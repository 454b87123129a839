"""The short version of `make chaos`: real faults under load, one after the other, and the judge."""

import os
import random
from collections.abc import AsyncIterator

import pytest
from conftest import missing

from chaos import faults
from chaos.history import History
from chaos.load import SHARED
from chaos.scenario import Busy, concluded, examined, loaded, one_more, struck
from chaos.world import world

pytestmark = [pytest.mark.provision, pytest.mark.slow]
#: Chooses every moment; printed, and set by GOTN_CHAOS_SEED.
SEED = int(os.environ.get("GOTN_CHAOS_SEED") or random.SystemRandom().randrange(10**6))


@pytest.fixture(scope="module")
async def busy() -> AsyncIterator[Busy]:
    """A Neo4j, a proxy and a service under load; its tests run in the order they stand here."""
    async with world() as everything, loaded(everything, "chaos", SEED, 12) as found:
        yield found


async def strike(busy: Busy, fault: faults.Fault) -> None:
    """The fault happens, and the judge finds nothing."""
    found = await struck(busy, fault, random.Random(f"{SEED}/{fault.__name__}"))
    assert found.violations == [], f"GOTN_CHAOS_SEED={SEED}"


@pytest.mark.parametrize(
    "fault", [faults.service_killed, faults.answers_lost, faults.line_closed, faults.neo4j_killed]
)
async def test_nothing_is_lost_and_nothing_done_twice(busy: Busy, fault: faults.Fault) -> None:
    """Kill -9 and a cut network while callers write and workers share runs."""
    await strike(busy, fault)


async def test_a_clock_that_goes_back(busy: Busy) -> None:
    """Leases last and entries stay in order when Neo4j's clock, or ours, goes back by hours."""
    if why := busy.world.missing.get("clock"):
        missing(why)
    await strike(busy, faults.clocks_back)


async def test_a_full_disk(busy: Busy) -> None:
    """Neo4j can write no more; what it had acknowledged is there when it has room again."""
    if why := busy.world.missing.get("disk"):
        missing(why)
    await strike(busy, faults.disk_full)


async def test_the_run_goes_on_to_its_end(busy: Busy) -> None:
    """A third kill, and the run that was under way ends; the judge's last word on everything."""
    await strike(busy, faults.service_killed)
    found = await concluded(busy)
    assert found.violations == [], f"GOTN_CHAOS_SEED={SEED}"
    assert busy.load.history.runs


async def test_the_judge_sees_what_is_not_as_it_was_told(busy: Busy) -> None:
    """A word that an owner was told is stored, changed by hand: judge and doctor both say so."""
    history = busy.load.history
    while not (told := _told(history)):
        await one_more(history)
    text = "MATCH (n:WorkNode {project_id: $project, id: $id}) SET n.summary = 'by hand'"
    database = busy.world.database()
    await busy.load.gate.close()
    try:
        given = {"project": busy.load.project, "id": told[0]}
        await database.write(lambda tx: tx.composed(text, given, name="chaos/damage"))
    finally:
        await database.close()
    found = await examined(busy)
    said = "\n".join(found)
    assert any(one.startswith(f"lost: {told[0]} says 'by hand'") for one in found), said
    assert any(one.startswith("doctor: 3 journal: replay differs") for one in found), said


def _told(history: History) -> list[str]:
    """The nodes whose owners know that their last word is stored."""
    last = {deed.node: deed for deed in history.deeds if deed.kind in {"add", "update"}}
    return [node for node, deed in last.items() if deed.acknowledged and node not in {"", SHARED}]
