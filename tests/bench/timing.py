"""Timing two things side by side, so that the machine's noise hits both."""

import gc
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

#: Seconds after which no more rounds of one row are begun.
PATIENCE = 90.0
Run = Callable[[], Awaitable[object]]


@dataclass
class Series:
    """Seconds of one thing, done again and again."""

    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Seconds, the half of which took less."""
        return statistics.median(self.seconds)

    @property
    def p99(self) -> float:
        """Seconds that one in a hundred exceeds; the longest of fewer than a hundred."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]

    def of(self, figure: str) -> float:
        """The median or the p99, by its name."""
        return self.p99 if figure == "p99" else self.median


@dataclass
class Result:
    """One row of the table."""

    measure: str
    case: str
    floor: Series
    measured: Series
    #: What one sample did, where that is more than one thing: for rates.
    things: int = 1
    #: Whether samples are single operations, whose p99 says something.
    operation: bool = False
    note: str = ""


async def timed(run: Run) -> float:
    """Seconds of one run."""
    begin = time.perf_counter()
    await run()
    return time.perf_counter() - begin


async def race(
    floor: Run,
    measured: Run,
    rounds: int,
    *,
    warm: int = 1,
    between: Run | None = None,
) -> tuple[Series, Series]:
    """Both in turns, who begins changing from round to round; `between` cleans up, untimed.

    After a minute and a half no round is begun any more, once there is one that counts.
    """
    found = (Series(), Series())
    until = time.monotonic() + PATIENCE
    for turn in range(-warm, rounds):
        if turn > 0 and time.monotonic() > until:
            break
        pair: Sequence[int] = (0, 1) if turn % 2 else (1, 0)
        for which in pair:
            gc.collect()
            took = await timed((floor, measured)[which])
            if between is not None:
                await between()
            if turn >= 0:
                found[which].seconds.append(took)
    return found
