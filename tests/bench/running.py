"""The run: every measure in an order in which none disturbs the next."""

from collections.abc import AsyncIterator, Callable
from typing import Any

from bench import machine
from bench.goals import NAMES
from bench.rows.claiming import claims, handing
from bench.rows.encoding import encodes
from bench.rows.finding import neighbours
from bench.rows.following import events
from bench.rows.grouping import grouped
from bench.rows.importing import imports, links
from bench.rows.inserting import inserts
from bench.rows.planning import peers, plans, replans
from bench.rows.reading import readies, reads
from bench.rows.replaying import replays
from bench.rows.resembling import alike
from bench.rows.starting import helps
from bench.rows.summing import trees
from bench.rows.working import WORK
from bench.servers import Neo4j
from bench.timing import Result
from bench.world import Options, World

Source = Callable[[World], AsyncIterator[Result]]
#: What makes the rows of which measures; importing leaves graphs for the others.
SOURCES: tuple[tuple[Source, frozenset[str]], ...] = (
    (imports, frozenset({"bulk"})),
    (links, frozenset({"link"})),
    (plans, frozenset({"plan"})),
    (replans, frozenset({"mirror"})),
    (peers, frozenset({"peers"})),
    (readies, frozenset({"ready"})),
    (reads, frozenset({"list", "one"})),
    (inserts, frozenset({"insert", "refuse", "disorder"})),
    (grouped, frozenset({"grouped"})),
    (claims, frozenset({"claims"})),
    (handing, frozenset({"steps"})),
    (events, frozenset({"events"})),
    (replays, frozenset({"replay"})),
    (trees, frozenset({"tree-import", "total", "spend", "recompute", "tree-show", *WORK})),
    (encodes, frozenset({"encode", "first"})),
    (neighbours, frozenset({"neighbours"})),
    (alike, frozenset({"similar", "soft-link"})),
    (helps, frozenset({"help"})),
)


async def measured(
    server: Neo4j, options: Options, tell: Callable[[Result], None] = lambda _: None
) -> tuple[list[Result], dict[str, Any]]:
    """Every result that is asked for, and the machine; `tell` hears of each at once."""
    if unknown := sorted(options.only - set(NAMES)):
        raise ValueError(f"there is no row {unknown[0]!r}; there are {', '.join(NAMES)}")
    world = await World.open(server, options)
    results: list[Result] = []
    try:
        on = await machine.described(world)
        for source, names in SOURCES:
            if any(map(options.wanted, names)):
                async for result in source(world):
                    results.append(result)
                    tell(result)
    finally:
        await world.close()
    return results, on
