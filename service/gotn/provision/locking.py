"""One lock between processes, freed by the system when its holder dies, however it dies."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from gotn.errors import Conflict

#: Seconds between two tries for a lock that somebody else holds.
POLL = 0.05
#: Seconds of waiting after which the person is told for whom.
PATIENCE = 1.0


@contextmanager
def exclusive(
    path: Path, *, timeout: float, report: Callable[[str], None] = lambda _: None
) -> Iterator[None]:
    """Hold the lock file alone; wait for it at most `timeout` seconds, then raise Conflict."""
    with path.open("a+", encoding="utf-8") as file:
        path.chmod(0o600)
        _acquire(file, path, timeout, report)
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        yield  # closing the file frees the lock


def _acquire(file: IO[str], path: Path, timeout: float, report: Callable[[str], None]) -> None:
    start = time.monotonic()
    told = False
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waited = time.monotonic() - start
        else:
            return
        if waited >= timeout:
            raise Conflict(
                f"Another gotn ({_holder(path)}) has been setting up or stopping Neo4j for more "
                f"than {timeout:.0f} s; wait for it or end it, then try again. Lock: {path}"
            )
        if waited >= PATIENCE and not told:
            report(f"Waiting for another gotn ({_holder(path)}) that sets up Neo4j …")
            told = True
        time.sleep(POLL)


def _holder(path: Path) -> str:
    written = path.read_text(encoding="utf-8", errors="replace")[:20].strip()
    return f"process {written}" if written.isdigit() else "its process is not known"
