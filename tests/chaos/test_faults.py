"""The short version of `make chaos`: real kills under load, and the judge."""

import os
import random
from collections.abc import AsyncIterator

import pytest

from chaos import faults
from chaos.load import Load
from chaos.scenario import loaded, struck
from chaos.world import World, world

pytestmark = [pytest.mark.provision, pytest.mark.slow]
#: Chooses every moment; printed, and set by GOTN_CHAOS_SEED.
SEED = int(os.environ.get("GOTN_CHAOS_SEED") or random.SystemRandom().randrange(10**6))


@pytest.fixture(scope="module")
async def everything() -> AsyncIterator[World]:
    """A Neo4j, a proxy and a service of this module's own."""
    print(f"GOTN_CHAOS_SEED={SEED}")
    async with world() as found:
        yield found


@pytest.fixture
async def load(everything: World, request: pytest.FixtureRequest) -> AsyncIterator[Load]:
    """Twelve callers on a project of the test's own."""
    async with loaded(everything, f"chaos-{abs(hash(request.node.name))}", SEED, 12) as found:
        yield found


async def test_kills_lose_nothing_and_do_nothing_twice(everything: World, load: Load) -> None:
    """Three times kill -9 of the service or Neo4j while callers write."""
    rng = random.Random(SEED)
    for fault in (faults.service_killed, faults.neo4j_killed, faults.service_killed):
        found = await struck(everything, load, fault, rng)
        assert found.violations == [], f"GOTN_CHAOS_SEED={SEED}"
