"""Single edges: in order, out of order, refused; each against one write transaction."""

import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import rustworkx

from bench import statements
from bench.rows.importing import facts
from bench.sample import Pair, name
from bench.timing import PATIENCE, Result, Series, timed
from bench.world import KINDS, Loaded, World, case
from gotn.errors import CycleRefused
from gotn.work.records import WorkEdgeDraft
from gotn.work.usecases import edges

#: How far apart in the stored order the ends of an edge are that disagrees with it.
NEAR = 100


async def inserts(world: World) -> AsyncIterator[Result]:
    """`insert`, `refuse`, `disorder`: in this order, since the last one moves ranks."""
    for count in world.options.sizes:
        for kind in KINDS:
            held = await world.loaded(kind, count)
            pairs = Pairs(held, await world.ranked(held))
            kinds: tuple[tuple[str, Callable[[], Iterator[Pair]]], ...] = (
                ("insert", pairs.in_order),
                ("refuse", pairs.closing),
                ("disorder", pairs.out_of_order),
            )
            for measure, chosen in kinds:
                if world.options.wanted(measure):
                    world.say(f"Edges: {measure}, {kind}, {count:,} nodes …")
                    floor, measured = await _each(world, held, pairs, measure, chosen())
                    yield Result(measure, case(kind, count), floor, measured, operation=True)


class Pairs:
    """Ends of new edges, chosen by dice that fall the same each time."""

    def __init__(self, held: Loaded, ranked: list[int]) -> None:
        self._ranked = ranked
        self._memory = held.graph.memory()
        self._dice = random.Random(held.graph.count)
        self._most = len(ranked)

    def took(self, pair: Pair) -> None:
        """This edge stands now."""
        self._memory.add_edge(*pair, None)

    def in_order(self) -> Iterator[Pair]:
        """Any node, and any later one that it is not joined to."""
        while True:
            first, second = sorted(self._dice.sample(range(self._most), 2))
            pair = (self._ranked[first], self._ranked[second])
            if not self._memory.has_edge(*pair):
                yield pair

    def out_of_order(self) -> Iterator[Pair]:
        """A node, and an earlier one that it does not need."""
        while True:
            later, earlier = self._near()
            if not self._leads(earlier, later) and not self._memory.has_edge(later, earlier):
                yield later, earlier

    def closing(self) -> Iterator[Pair]:
        """A node, and an earlier one that it needs, directly or not."""
        while True:
            later, earlier = self._near()
            if self._leads(earlier, later):
                yield later, earlier

    def _near(self) -> Pair:
        at = self._dice.randrange(1, self._most)
        before = self._dice.randrange(max(0, at - NEAR), at)
        return self._ranked[at], self._ranked[before]

    def _leads(self, first: int, last: int) -> bool:
        return rustworkx.has_path(self._memory, first, last)


async def _each(
    world: World, held: Loaded, pairs: Pairs, measure: str, chosen: Iterator[Pair]
) -> tuple[Series, Series]:
    """One floor and one of ours in turns."""
    floor, measured = Series(), Series()
    warm = min(20, world.options.operations) * world.options.warm
    until = time.monotonic() + PATIENCE
    spare = world.project()
    twins = await _twins(world, spare)
    for turn in range(-warm, world.options.operations):
        pair = next(chosen)
        if measure == "disorder" and await _is_ordered(world, held, pair):
            continue
        bare = await timed(lambda: world.write(statements.EDGE, **twins, facts=facts(spare)))
        ours = await timed(lambda p=pair: OURS[measure](world, held, p))  # type: ignore[misc]
        if measure != "refuse":
            pairs.took(pair)
        if turn >= 0:
            floor.seconds.append(bare)
            measured.seconds.append(ours)
        if turn >= 0 and time.monotonic() > until:
            break
    return floor, measured


async def _twins(world: World, project: str) -> dict[str, str]:
    """Two nodes that the floor joins, again and again."""
    keys = {"src": f"{project}/a", "dst": f"{project}/b"}
    rows = [{"key": key, "project_id": project, "id": key[-1]} for key in keys.values()]
    await world.write(statements.NODES, rows=rows)
    return keys


async def _is_ordered(world: World, held: Loaded, pair: Pair) -> bool:
    """Whether other edges have moved these two meanwhile."""
    src, dst = held.key(pair[0]), held.key(pair[1])
    return bool(await world.read(statements.RANK_OF, src=src, dst=dst))


async def _added(world: World, held: Loaded, pair: Pair) -> None:
    draft = WorkEdgeDraft(src=name(pair[0]), dst=name(pair[1]))
    await edges.add(world.database, world.request(held.project), draft)


async def _refused(world: World, held: Loaded, pair: Pair) -> None:
    try:
        await _added(world, held, pair)
    except CycleRefused as error:
        assert error.facts["path"]  # noqa: PT017  # no test: the refusal is what is measured
    else:
        raise AssertionError(f"{pair} closes a cycle and was taken")


OURS: dict[str, Callable[[World, Loaded, Pair], Awaitable[None]]] = {
    "insert": _added,
    "disorder": _added,
    "refuse": _refused,
}
