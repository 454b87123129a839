"""What callers asked for and were told: one side of what the judge compares."""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Deed:
    """One write that a caller wants done once."""

    #: Found nowhere else: a summary, the ends of an edge, a run's goal, a step's attempt.
    token: str
    #: add, update, share, edge, import, plan; claim, complete, fail.
    kind: str
    #: The node it is about; empty where it is about none.
    node: str = ""
    #: When it was first sent, and when its first answer came (monotonic); None: no answer yet.
    sent: float = 0.0
    answered: float | None = None
    #: Every answer it got, the repeated ones included.
    answers: list[Any] = field(default_factory=list)
    #: Whether a caller was told that it is not done, and will not be.
    refused: bool = False

    @property
    def acknowledged(self) -> bool:
        """Whether a caller was told that it is done."""
        return self.answered is not None


@dataclass
class Lease:
    """One attempt at a step, as its worker knows it."""

    #: The step: `run/node`.
    step: str
    attempt: int
    worker: str
    #: When it was first asked for, and when the answer came (monotonic).
    sent: float
    answered: float
    #: It lasts until this moment at least: so long from when it, or a renewal, was asked for.
    until: float
    #: When its worker first tried to end it; None: never.
    ended: float | None = None


@dataclass
class History:
    """Everything that callers saw."""

    deeds: list[Deed] = field(default_factory=list)
    leases: list[Lease] = field(default_factory=list)
    #: What became of runs, by id, as their workers were told.
    runs: dict[str, str] = field(default_factory=dict)
    #: What callers saw that must not be: a refusal, a read older than an acknowledged write.
    wrong: list[str] = field(default_factory=list)
    #: Failed tries, by what was said.
    failed: Counter[str] = field(default_factory=Counter)
    #: Refusals that faults explain: a lease that ended while its worker could not be heard.
    refused: Counter[str] = field(default_factory=Counter)
    #: Deeds that were acknowledged.
    count: int = 0
    _moved: asyncio.Event = field(default_factory=asyncio.Event)

    def begin(self, deed: Deed) -> None:
        """A caller asks for it now, for the first time."""
        deed.sent = time.monotonic()
        self.deeds.append(deed)

    def acknowledge(self, deed: Deed) -> None:
        """A caller was told that it is done."""
        deed.answered = time.monotonic()
        self.count += 1
        self._moved.set()

    async def reach(self, count: int) -> None:
        """Wait until so many deeds were acknowledged."""
        while self.count < count:
            self._moved.clear()
            await self._moved.wait()

    def longest(self) -> float:
        """Seconds that the most patient caller waited from its first try to its answer."""
        return max((deed.answered - deed.sent for deed in self.deeds if deed.answered), default=0)
