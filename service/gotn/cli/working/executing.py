"""`gotn run work`: workers of this process, each step after step until the run is over."""

import asyncio
import os
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gotn.cli.working.asking import Nobody
from gotn.cli.working.door import Door
from gotn.cli.working.groups import Groups
from gotn.cli.working.stepping import Stepper
from gotn.cli.working.telling import Telling
from gotn.cli.working.waiting import rest
from gotn.cli.working.worked import End, Worked
from gotn.cli.working.workspace import Workspace
from gotn.errors import GotnError

Row = dict[str, Any]

#: Exit codes beside 0: a step failed; one was lost; one waits for an answer (interfaces).
FAILED, LOST, WAITING = 1, 4, 6
#: 128 + SIGINT, as shells have it.
INTERRUPTED = 130
#: Seconds between two claims while nothing is ready: the first, and the longest.
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0
#: Seconds in which a claim that is under way is answered once this stops.
LAST_CLAIM = 2.0
#: Steps that the answer tells in full; the rest are counted.
TOLD = 1000


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What the workers of this process do."""

    worker: str
    parallel: int = 1
    once: bool = False
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    node: str | None = None
    lease_ms: int = 60_000

    @property
    def names(self) -> list[str]:
        """A name for each worker."""
        if self.parallel == 1:
            return [self.worker]
        return [f"{self.worker}-{number}" for number in range(1, self.parallel + 1)]


@dataclass(kw_only=True)
class Crew:
    """The workers of this process on one run."""

    door: Door
    place: Workspace
    asked: Nobody
    telling: Telling
    wanted: Wanted
    #: Where outputs are kept of steps that somebody else will end.
    kept: Path
    ended: deque[Worked] = field(default_factory=lambda: deque(maxlen=TOLD))
    count: Counter[End] = field(default_factory=Counter)
    #: Nodes whose last attempt here failed: a retry may have gone well.
    failed: set[str] = field(default_factory=set)
    #: The run as the last claim told it.
    run: Row = field(default_factory=dict)
    interrupted: bool = False
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    #: Set when a step ended here: something else may be ready now.
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _busy: int = 0
    _problem: GotnError | None = None

    async def work(self) -> None:
        """Work until the run is over, nothing is left for these workers, or Ctrl-C."""
        with Groups() as groups:
            stepper = Stepper(
                door=self.door,
                place=self.place,
                asked=self.asked,
                telling=self.telling,
                groups=groups,
                lease_ms=self.wanted.lease_ms,
                kept=self.kept,
            )
            let_go = self._obey(stepper, groups)
            try:
                async with asyncio.TaskGroup() as crew:
                    for name in self.wanted.names:
                        crew.create_task(self._guarded(name, stepper))
            finally:
                let_go()
        if self._problem is not None:
            raise self._problem

    def _obey(self, stepper: Stepper, groups: Groups) -> Callable[[], None]:
        """Stop at the first signal, at once at the second; gives what undoes this."""
        loop = asyncio.get_running_loop()

        def told() -> None:
            if self.interrupted:
                groups.kill()
                _leave()
            self.interrupted = True
            self.telling.line("Stopping: commands are ended, steps given back. Again: at once.")
            stepper.stop()
            self._stop.set()

        self.telling.closed = lambda: loop.call_soon_threadsafe(told)  # nobody reads any more
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        try:
            for number in numbers:
                loop.add_signal_handler(number, told)
        except (RuntimeError, ValueError):  # not in the main thread: whoever is there stops us
            return lambda: None

        def let_go() -> None:
            for number in numbers:
                loop.remove_signal_handler(number)

        return let_go

    async def _guarded(self, name: str, stepper: Stepper) -> None:
        """A worker that cannot go on stops the others, which give their steps back."""
        try:
            await self._worker(name, stepper)
        except GotnError as error:
            self._problem = self._problem or error
            stepper.stop()
            self._stop.set()

    async def _worker(self, name: str, stepper: Stepper) -> None:
        pause, said = FIRST_PAUSE, False
        while not self._stop.is_set():
            asked, news = time.monotonic(), self._news
            claim = await self._unless_stopped(self._claim(name))
            if claim is None:
                return
            if claim["status"] == "claimed":
                await self._step(claim, name, stepper, asked)
                pause, said = FIRST_PAUSE, False
                if self.wanted.once:
                    return
            elif claim["status"] == "run_ended" or self._nothing_left():
                return
            else:
                if not said and not self._busy:
                    self.telling.line(f"{name}: nothing is ready; waiting for other workers.")
                    said = True
                after = (claim.get("retry_after_ms") or LONGEST_PAUSE * 1000) / 1000
                await rest(min(pause, max(after, 0.01)), self._stop, news)
                pause = min(pause * 2, LONGEST_PAUSE)

    async def _unless_stopped(self, claiming: Coroutine[Any, Any, Row]) -> Row | None:
        """The claim; None where this stops, and no answer comes soon after."""
        claim = asyncio.ensure_future(claiming)
        stopped = asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait([claim, stopped], return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait([claim], timeout=None if not self._stop.is_set() else LAST_CLAIM)
            return claim.result() if claim.done() else None
        finally:
            stopped.cancel()
            claim.cancel()

    def _nothing_left(self) -> bool:
        """Nothing is ready, and nothing here will make it so."""
        if self.wanted.once:
            return True
        return not self._busy and self.count[End.HANDED_OVER] > 0

    async def _claim(self, name: str) -> Row:
        wanted = self.wanted
        claim = await self.door.claim(
            name,
            kinds=list(wanted.kinds),
            tags=list(wanted.tags),
            lease_ms=wanted.lease_ms,
            node=wanted.node,
        )
        self.run = claim["run"]
        return claim

    async def _step(self, claim: Row, name: str, stepper: Stepper, asked: float) -> None:
        for warning in claim.get("warnings") or ():
            self.telling.line(f"{claim['step']['id']}: {warning}")
        again = f", attempt {claim['attempt']}" if (claim.get("attempt") or 1) > 1 else ""
        summary = (claim.get("node") or {}).get("summary") or ""
        self.telling.line(f"▶ {claim['step']['id']}  {summary}  [{name}{again}]")
        self._busy += 1
        try:
            worked = await stepper.work(claim, name, asked)
        finally:
            self._busy -= 1
        self.count[worked.end] += 1
        self.ended.append(worked)
        (self.failed.add if worked.end is End.FAILED else self.failed.discard)(worked.node)
        self._news.set()
        self._news = asyncio.Event()
        self.telling.lines(told(worked, self.door))

    def code(self) -> int:
        """The exit code."""
        if self.interrupted:
            return INTERRUPTED
        status = self.run.get("status")
        if status == "failed" or (self.failed and status != "completed"):
            return FAILED
        if self.count[End.LOST]:
            return LOST
        return WAITING if self.count[End.HANDED_OVER] else 0

    def data(self) -> Row:
        """The answer, for programs."""
        return {
            "run_id": self.door.run_id,
            "status": self.run.get("status"),
            "on_failure": self.run.get("on_failure"),
            "run_counts": self.run.get("counts"),
            "counts": {end.value: self.count[end] for end in End},
            "failed_steps": sorted(self.failed),
            "steps": [one.row() for one in self.ended],
            "interrupted": self.interrupted,
            "workspace": str(self.place.root),
        }


SIGNS = {
    End.COMPLETED: "●",
    End.FAILED: "✗",
    End.SKIPPED: "⊘",
    End.HANDED_OVER: "?",
    End.RELEASED: "○",
    End.LOST: "!",
}


def told(worked: Worked, door: Door) -> str:
    """What became of a step; for one that was handed over, how to end it."""
    why = f": {worked.reason}" if worked.reason else ""
    words = worked.end.value.replace("_", " ")
    line = f"{SIGNS[worked.end]} {worked.node}  {words}, {worked.duration_ms / 1000:.1f} s{why}"
    if worked.handed is None:
        return line
    place = f"{door.run_id} {worked.node} --token {worked.handed['token']} -p {door.project}"
    lines = [line, *(f"  {one}" for one in (worked.handed["prompt"] or "").splitlines())]
    if worked.handed["command"]:
        lines.append(f"  Command: {worked.handed['command']}")
    lines += [f"  Unanswered: {one}" for one in worked.handed["waiting"]]
    seen = worked.handed.get("outputs_file")
    return "\n".join(
        [
            *lines,
            f"  It is {worked.worker}'s until {worked.handed['lease_until']}. End it with:",
            f"    gotn run complete {place}" + (f" --output @{seen}" if seen else ""),
            f"    gotn run fail {place} --reason TEXT",
            f"    gotn run heartbeat {place}",
            f"    gotn run release {place}",
        ]
    )


def _leave() -> None:
    """End this process now: the keeper ends what is left of its commands."""
    if sys.stdout.isatty():
        os.write(1, b"\x1b[?25h\n")
    os._exit(INTERRUPTED)
