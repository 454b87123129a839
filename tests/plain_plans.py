"""Plans worked out the plain way, node by node: what the arrays are compared with."""

from dataclasses import dataclass
from functools import cache

from graphs import Pair

#: What stands still, and whether what comes after it does, too.
HELD = ("failed", "blocked")


@dataclass
class Plain:
    """Layers as sets, and the slack of each step, in positions."""

    layers: list[set[int]]
    held: set[int]
    waiting: set[int]
    slack: dict[int, float]
    length: float


def planned(
    count: int,
    hard: list[Pair],
    statuses: dict[int, str],
    minutes: dict[int, float],
    passed: set[int],
) -> Plain:
    """The plan of a graph that goes round nowhere; nodes `passed` through are no steps."""
    held = _beyond({i for i, status in statuses.items() if status in HELD}, hard)
    running = {i for i, status in statuses.items() if status == "running"}
    open_ = set(range(count)) - held - running
    inner = [(a, b) for a, b in hard if a in open_ and b in open_]
    before = {i: [a for a, b in inner if b == i] for i in open_}
    after = {i: [b for a, b in inner if a == i] for i in open_}
    steps = open_ - passed

    @cache
    def level(i: int) -> int:
        return max((level(a) + (a in steps) for a in before[i]), default=0)

    @cache
    def end(i: int) -> float:
        return (minutes[i] if i in steps else 0.0) + max(map(end, before[i]), default=0.0)

    @cache
    def rest(i: int) -> float:
        return max(((minutes[b] if b in steps else 0.0) + rest(b) for b in after[i]), default=0.0)

    length = max(map(end, open_), default=0.0)
    layers = [{i for i in steps if level(i) == n} for n in range(count)]
    return Plain(
        layers=[layer for layer in layers if layer],
        held=held,
        waiting=_next(running, hard, passed) & steps,
        slack={i: length - rest(i) - end(i) for i in steps},
        length=length,
    )


def _beyond(some: set[int], hard: list[Pair]) -> set[int]:
    """These and all that comes after them."""
    found = set(some)
    while more := {b for a, b in hard if a in found} - found:
        found |= more
    return found


def _next(some: set[int], hard: list[Pair], passed: set[int]) -> set[int]:
    """What comes right after these, looking through `passed`."""
    found = {b for a, b in hard if a in some}
    while more := {b for a, b in hard if a in found & passed} - found:
        found |= more
    return found
