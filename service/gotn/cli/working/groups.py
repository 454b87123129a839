"""The process groups this process started: ended with it, even by SIGKILL (`keeper`)."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from gotn.cli.working import keeper


class Groups:
    """Who is running, told to the keeper, which outlives a worker that is killed."""

    def __init__(self) -> None:
        self._running: set[int] = set()
        self._keeper: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        """Start the keeper; a moment, and nothing of this package is imported in it."""
        self._keeper = subprocess.Popen(  # noqa: S603  # this Python, and a file of ours
            [sys.executable, "-I", "-S", str(Path(keeper.__file__))],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let the keeper end what is left, and go."""
        if self._keeper is None:
            return
        with contextlib.suppress(OSError):
            _stdin(self._keeper).close()
        self._keeper.wait()
        self._keeper = None

    def begun(self, group: int) -> None:
        """A group runs."""
        self._running.add(group)
        self._tell(f"+{group}\n")

    def ended(self, group: int) -> None:
        """A group is gone; its number may be another's soon."""
        self._running.discard(group)
        self._tell(f"-{group}\n")

    def kill(self) -> None:
        """End everything at once."""
        for group in tuple(self._running):
            send(group, signal.SIGKILL)

    def _tell(self, line: str) -> None:
        if self._keeper is not None:
            with contextlib.suppress(OSError):  # a keeper that somebody killed
                _stdin(self._keeper).write(line)
                _stdin(self._keeper).flush()


def _stdin(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stdin is not None  # noqa: S101  # it was started with a pipe
    return process.stdin


def send(group: int, number: int) -> bool:
    """Whether the group was there to be sent a signal; 0 only looks."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # another's: ours is gone
        return False
    return True
