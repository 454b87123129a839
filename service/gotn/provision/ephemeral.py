"""A server for tests: its own home, gone with the process that asked for it."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gotn.provision import service, watchdog
from gotn.provision.jars import Progress
from gotn.provision.memory import SMALL, Profile
from gotn.provision.paths import Paths
from gotn.provision.records import Server
from gotn.provision.starting import Report, quiet


@contextmanager
def ephemeral(
    downloads: Path,
    *,
    profile: Profile = SMALL,
    report: Report = quiet,
    progress: Progress | None = None,
) -> Iterator[Server]:
    """Run a throw-away Neo4j that shares nothing but the downloads.

    It and its home are gone afterwards, also when this process is killed: then a watchdog
    ends it within a second or two.
    """
    home = Path(tempfile.mkdtemp(prefix="gotn-neo4j-"))
    paths = Paths(home)
    try:
        watchdog.start(paths, os.getpid(), throw_away=True)
        yield service.up(
            home, downloads=downloads, profile=profile, report=report, progress=progress
        )
    finally:
        service.down(home, grace=0)
        shutil.rmtree(home, ignore_errors=True)
