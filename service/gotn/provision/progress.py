"""Progress of a download, on a terminal only."""

import sys

from gotn.provision.jars import Progress

_WIDTH = 30


def terminal_progress() -> Progress | None:
    """Answer a one-line bar on stderr, or None where nobody watches."""
    return _draw if sys.stderr.isatty() else None


def _draw(done: int, total: int, name: str) -> None:
    filled = _WIDTH * done // total
    bar = "#" * filled + "." * (_WIDTH - filled)
    end = "\n" if done == total else ""
    sys.stderr.write(f"\r[{bar}] {done}/{total} {name[:36]:36}{end}")
    sys.stderr.flush()
