"""Progress of a download: a bar on a terminal, a line a quarter elsewhere."""

import sys

from gotn.provision.jars import Progress

_WIDTH = 30


def shown_progress() -> Progress:
    """Answer a one-line bar on stderr, or a few lines where it is no terminal."""
    return _draw if sys.stderr.isatty() else _tell


def _tell(done: int, total: int, _name: str) -> None:
    quarter = max(1, total // 4)
    if done % quarter == 0 or done == total:
        sys.stderr.write(f"  {done} of {total} files\n")
        sys.stderr.flush()


def _draw(done: int, total: int, name: str) -> None:
    filled = _WIDTH * done // total
    bar = "#" * filled + "." * (_WIDTH - filled)
    end = "\n" if done == total else ""
    sys.stderr.write(f"\r[{bar}] {done}/{total} {name[:36]:36}{end}")
    sys.stderr.flush()
