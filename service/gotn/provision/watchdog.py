"""A small process that ends a server when the process it was started for is gone.

It polls instead of holding a pipe, because a pipe's end would be kept open by every child
the watched process forks. It runs as `python -m gotn.provision.watchdog`.
"""

import argparse
import os
import shutil
import sys
import time
from pathlib import Path

from gotn.provision import launch, locking, processes, running
from gotn.provision.paths import Paths

_POLL = 0.3
#: Seconds for a launch that was under way when the watched process died.
_LATE = 5.0


def start(paths: Paths, parent_pid: int, *, throw_away: bool = False) -> None:
    """Watch over a process; with `throw_away` the whole home goes with it, unsaved."""
    paths.server.mkdir(mode=0o700, parents=True, exist_ok=True)
    begun = processes.started_at(parent_pid)
    words = [str(paths.home), str(parent_pid), begun or "gone"]
    extra = ["--throw-away"] if throw_away else []
    package_root = str(Path(__file__).parents[2])
    script = (
        f"import sys; sys.path.insert(0, {package_root!r}); "
        "from gotn.provision.watchdog import main; main()"
    )
    command = [sys.executable, "-c", script, *words, *extra]
    launch.detach(command, paths, paths.home / "watchdog.pid", paths.home / "watchdog.log")


def main() -> None:
    """Watch until the parent, the home or the watched server is gone."""
    parser = argparse.ArgumentParser(prog="watchdog", description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("parent", type=int)
    parser.add_argument("started")
    parser.add_argument("--throw-away", action="store_true")
    given = parser.parse_args()
    paths = Paths(given.home)
    seen = False
    while processes.is_same(given.parent, given.started):
        runs = running.find(paths) is not None
        if not paths.home.is_dir() or (seen and not runs and not given.throw_away):
            return
        seen = seen or runs
        time.sleep(_POLL)
    _end(paths, throw_away=given.throw_away)


def _end(paths: Paths, *, throw_away: bool) -> None:
    if not paths.home.is_dir():
        return
    os.chdir("/")
    with locking.exclusive(paths.lock, timeout=60):
        end = time.monotonic() + _LATE
        while (state := running.find(paths)) is None and time.monotonic() < end:
            time.sleep(_POLL)
        if state is not None:
            processes.stop(state.pid, paths.server, grace=0 if throw_away else 60)
        if throw_away:
            shutil.rmtree(paths.home, ignore_errors=True)
        else:
            paths.pid.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
