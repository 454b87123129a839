"""Where the managed Neo4j keeps everything, and whose eyes may see it."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path


def default_home() -> Path:
    """Answer the folder of this user's own state: GOTN_HOME, else the platform's data folder."""
    chosen = os.environ.get("GOTN_HOME", "").strip()
    if chosen:
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_data_path  # noqa: PLC0415  # not needed with GOTN_HOME

    return user_data_path("gotn", appauthor=False)


@dataclass(frozen=True)
class Paths:
    """The files and folders of one managed Neo4j.

    `shared_downloads` lets several homes use one copy of the program; everything else,
    data and password above all, belongs to one home alone.
    """

    #: The folder everything of this installation lives in.
    home: Path
    #: Another home's downloads, or None for a folder of our own.
    shared_downloads: Path | None = None

    @property
    def downloads(self) -> Path:
        """The program's files; the only part that homes may share."""
        return self.shared_downloads or self.home / "downloads"

    @property
    def server(self) -> Path:
        """What Neo4j calls its home."""
        return self.home / "neo4j"

    @property
    def conf(self) -> Path:
        """Written anew at every start."""
        return self.server / "conf"

    @property
    def data(self) -> Path:
        """The databases and their transaction logs: what a backup is made of."""
        return self.server / "data"

    @property
    def logs(self) -> Path:
        """Neo4j's logs, which it rotates, and console.log, begun anew at every start."""
        return self.server / "logs"

    @property
    def log(self) -> Path:
        """The log that tells most: where every message about a failure points."""
        return self.logs / "debug.log"

    @property
    def console(self) -> Path:
        """What the Java process itself printed since its last start."""
        return self.logs / "console.log"

    @property
    def password(self) -> Path:
        """The generated password, readable by its owner only."""
        return self.home / "neo4j.password"

    @property
    def state(self) -> Path:
        """Ports to use again, and what is known of the running server."""
        return self.home / "neo4j.json"

    @property
    def pid(self) -> Path:
        """The server's process id, written by that process before it becomes Neo4j."""
        return self.home / "neo4j.pid"

    @property
    def lock(self) -> Path:
        """Held by whoever installs, starts or stops this server."""
        return self.home / "neo4j.lock"

    @property
    def written_by(self) -> Path:
        """The version of the Neo4j that last used the data."""
        return self.data / "neo4j-version"


def make_private(folder: Path) -> None:
    """Make a folder only its owner can enter; one that is there keeps its rights."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def write_private(path: Path, text: str) -> None:
    """Write a whole file or nothing, readable and writable by its owner only."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
