"""What a worker says while it works: plain lines, or lines above a live view."""

import contextlib
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from gotn.cli.show.visible import visible

#: Characters of a line of output that are shown, and lines of one command.
WIDTH, LINES = 500, 2000
#: Lines that wait for a slow reader, and seconds that it is waited for at the end.
WAITING, PATIENCE = 10_000, 5.0


class Telling:
    """Says a line at a time."""

    def __init__(self, say: Callable[[str], None] | None = None) -> None:
        """`say`: where lines go; None says nothing."""
        self._say = say
        #: Is called, from any thread, once nobody reads any more.
        self.closed: Callable[[], object] = lambda: None

    def line(self, text: str) -> None:
        """One line, with what would steer a terminal made visible."""
        if self._say is not None:
            self._say(visible(text))

    def lines(self, text: str) -> None:
        """Some lines."""
        for one in text.splitlines():
            self.line(one)

    def quiet(self) -> AbstractContextManager[None]:
        """Nothing else is drawn meanwhile."""
        return contextlib.nullcontext()


class Stream:
    """A command's output as lines, while it runs; a talkative one is cut off, not slowed."""

    def __init__(self, telling: Telling, name: str) -> None:
        self._telling = telling
        self._name = name
        self._rest = b""
        self._lines = 0

    def heard(self, piece: bytes) -> None:
        """The next bytes."""
        if self._lines > LINES:
            return
        *whole, rest = (self._rest + piece).split(b"\n")
        for one in whole:
            self._tell(one)
        self._rest = rest[: WIDTH * 4]

    def end(self) -> None:
        """What stands behind the last line end."""
        if self._rest:
            self._tell(self._rest)
        self._rest = b""

    def _tell(self, content: bytes) -> None:
        self._lines += 1
        if self._lines > LINES:
            if self._lines == LINES + 1:
                self._telling.line(f"{self._name} │ … more than {LINES} lines; no more is shown")
            return
        text = content.decode("utf-8", "replace").rstrip("\r")
        shown = text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"
        self._telling.line(f"{self._name} │ {shown}")


class Plain(Telling):
    """Lines on standard output, written by a thread: a reader that pauses stops no heartbeat."""

    def __init__(self) -> None:
        super().__init__(self._put)
        self._lines: queue.Queue[str | None] = queue.Queue(WAITING)
        self._dropped = 0
        self._thread = threading.Thread(target=self._write, daemon=True)

    @contextlib.contextmanager
    def open(self) -> Iterator["Plain"]:
        """Write until the end, and what is left then, if somebody reads it."""
        self._thread.start()
        try:
            yield self
        finally:
            self._put(f"… {self._dropped} lines were not read in time" if self._dropped else None)
            with contextlib.suppress(queue.Full):
                self._lines.put(None, timeout=PATIENCE)
            self._thread.join(PATIENCE)

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        """What was said before stands there before."""
        until = time.monotonic() + PATIENCE
        while self._lines.unfinished_tasks and time.monotonic() < until:
            time.sleep(0.01)
        yield

    def _put(self, text: str | None) -> None:
        try:
            if text is not None:
                self._lines.put_nowait(text)
        except queue.Full:
            self._dropped += 1

    def _write(self) -> None:
        """Until the end, or until nobody reads any more."""
        while (text := self._lines.get()) is not None:
            try:
                print(text, flush=True)
            except (OSError, ValueError):
                self._say = None
                self.closed()
                return
            finally:
                self._lines.task_done()


@contextlib.contextmanager
def cursor_back() -> Iterator[None]:
    """However this ends, the terminal has its cursor."""
    try:
        yield
    finally:
        if sys.stdout.isatty():
            sys.stdout.write("\x1b[?25h")
            sys.stdout.flush()
