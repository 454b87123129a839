"""One command in the workspace: its time, its process group, its output, its environment."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gotn.cli.working import groups
from gotn.cli.working.groups import Groups
from gotn.cli.working.keeping import Kept

#: Milliseconds a command may take where the node's retry policy names no limit: 30 minutes.
TIME_LIMIT_MS = 30 * 60 * 1000
#: Seconds between SIGTERM and SIGKILL.
GRACE = 3.0
#: Seconds that output of a command which has ended is waited for.
LAST_WORDS = 0.5
#: Variables that no command is given, in any spelling: they open the service and its database.
SECRETS = frozenset(("GOTN_API_KEY", "NEO4J_PASSWORD", "NEO4J_AUTH"))
#: Variables whose value may have a password in it.
_ADDRESSES = frozenset(("NEO4J_URI", "NEO4J_BOLT_URL"))


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a command."""

    #: None where it was ended by a signal or could not be started.
    exit_code: int | None
    #: The signal that ended it.
    signal: str | None = None
    duration_ms: int
    timed_out: bool = False
    #: It was ended because its worker stopped, or lost its lease.
    stopped: bool = False
    #: Why it could not be started.
    problem: str | None = None
    output: Mapping[str, Any]

    @property
    def good(self) -> bool:
        """It ended by itself with 0."""
        return self.exit_code == 0 and not self.timed_out and not self.stopped

    @property
    def said(self) -> str:
        """How it ended, in words."""
        if self.problem:
            return self.problem
        if self.timed_out:
            return f"ended by its time limit, after {self.duration_ms / 1000:.1f} s"
        if self.stopped:
            return "was stopped"
        return f"was ended by {self.signal}" if self.signal else f"exit code {self.exit_code}"

    def row(self) -> dict[str, Any]:
        """As a step's outputs keep it; what is usual is left out."""
        found = {
            "exit_code": self.exit_code,
            "signal": self.signal,
            "duration_ms": self.duration_ms,
            "timed_out": self.timed_out or None,
            "stopped": self.stopped or None,
            "problem": self.problem,
        }
        kept = {k: v for k, v in found.items() if v is not None}
        return kept | {"output": dict(self.output)}


def environment(given: Mapping[str, str], **added: str) -> dict[str, str]:
    """A command's environment: the worker's without secrets, and what names the step."""
    kept = {
        name: value
        for name, value in given.items()
        if name.upper() not in SECRETS and not (name.upper() in _ADDRESSES and "@" in value)
    }
    return kept | added


@dataclass(frozen=True, kw_only=True)
class Commander:
    """Runs commands in one folder."""

    folder: Path
    variables: Mapping[str, str]
    groups: Groups
    #: Set when everything has to stop: the worker is interrupted, or its lease is lost.
    stop: asyncio.Event
    #: Is given each piece of output as it comes.
    heard: Callable[[bytes], None]

    async def run(self, argv: Sequence[str], limit_ms: int | None = None) -> Outcome:
        """Run a command to its end, or end it; its whole process group is gone afterwards."""
        begun, kept = time.monotonic(), Kept()
        ours, theirs = os.pipe()  # asyncio's own pipes would make its wait last as long as they
        try:
            process = await self._start(argv, theirs)
        except (OSError, ValueError) as error:
            os.close(ours)
            said = getattr(error, "strerror", None) or str(error)
            return _outcome(begun, kept, problem=f"could not be started: {argv[0]}: {said}")
        finally:
            os.close(theirs)
        self.groups.begun(process.pid)
        reading = asyncio.ensure_future(self._read(ours, kept))
        timed_out = stopped = False
        try:
            limit = limit_ms or TIME_LIMIT_MS
            timed_out, stopped = await self._ended(process, limit / 1000)
        finally:
            try:
                await _cleared(process, reading)
            finally:
                self.groups.ended(process.pid)
        code = process.returncode
        return _outcome(begun, kept, code=code, timed_out=timed_out, stopped=stopped)

    async def _start(self, argv: Sequence[str], output: int) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *argv,
            cwd=self.folder,
            env=dict(self.variables),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )

    async def _read(self, end: int, kept: Kept) -> None:
        """Take the output until nobody can write any more."""
        reader = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(end, "rb", 0)
        )
        try:
            while piece := await reader.read(64 * 1024):
                kept.add(piece)
                self.heard(piece)
        finally:
            transport.close()

    async def _ended(
        self, process: asyncio.subprocess.Process, seconds: float
    ) -> tuple[bool, bool]:
        """Wait for the end, the limit or the stop; whether it was the limit, or the stop."""
        waits = [asyncio.ensure_future(process.wait()), asyncio.ensure_future(self.stop.wait())]
        try:
            done, _ = await asyncio.wait(
                waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            for one in waits:
                one.cancel()
        return not done, bool(done) and waits[0] not in done


async def _cleared(process: asyncio.subprocess.Process, reading: "asyncio.Future[None]") -> None:
    """End what is left of the group, and take its last words."""
    if process.returncode is not None:
        await asyncio.wait([reading], timeout=LAST_WORDS)
    await end(process.pid)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), GRACE)
    await asyncio.wait([reading], timeout=LAST_WORDS)
    reading.cancel()  # a process that left the group may hold the pipe for ever
    with contextlib.suppress(asyncio.CancelledError):
        await reading


async def end(group: int, grace: float = GRACE) -> None:
    """End a process group: SIGTERM, `grace` seconds, SIGKILL."""
    if not groups.send(group, signal.SIGTERM):
        return
    until = time.monotonic() + grace
    while time.monotonic() < until:
        await asyncio.sleep(0.02)
        if not groups.send(group, 0):
            return
    groups.send(group, signal.SIGKILL)


def _outcome(begun: float, kept: Kept, code: int | None = None, **more: Any) -> Outcome:
    killed = code is not None and code < 0
    return Outcome(
        exit_code=None if killed else code,
        signal=_name(-code) if code is not None and killed else None,
        duration_ms=round((time.monotonic() - begun) * 1000),
        output=kept.row(),
        **more,
    )


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def here() -> dict[str, str]:
    """The environment of this process."""
    return dict(os.environ)
