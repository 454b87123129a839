"""What callers get to know about a managed server."""

from dataclasses import dataclass, field
from pathlib import Path

from gotn.provision.paths import Paths
from gotn.provision.ports import LOOPBACK
from gotn.provision.readiness import DATABASE, USER
from gotn.provision.state import State


@dataclass(frozen=True, kw_only=True)
class Server:
    """A managed Neo4j that answers."""

    #: For drivers; never leaves this machine.
    bolt_uri: str
    #: For Neo4j's HTTP API.
    http_uri: str
    #: Neo4j Browser with the connect form filled in, except the password.
    browser_url: str
    #: The user's name.
    user: str = USER
    #: The generated password; kept out of every representation.
    password: str = field(repr=False)
    #: The one database of the Community Edition.
    database: str = DATABASE
    #: The server's process.
    pid: int
    #: The version that runs.
    version: str
    #: Whether this call started it; False where it ran already.
    started: bool
    #: Where it keeps everything.
    home: Path
    #: Where to look when something goes wrong.
    log: Path


@dataclass(frozen=True, kw_only=True)
class Status:
    """What there is of a managed Neo4j, running or not."""

    #: Whether the program's files are all there.
    installed: bool
    #: Whether its process runs.
    running: bool
    #: Whether Bolt takes connections.
    answering: bool
    #: The process, None while it does not run.
    pid: int | None
    #: The version that runs, else the one that `up` would start.
    version: str
    #: None before ports were chosen.
    bolt_uri: str | None
    #: None before ports were chosen.
    http_uri: str | None
    #: None before ports were chosen.
    browser_url: str | None
    #: Heap of the running server, else what `up` would give it, MiB.
    heap_mb: int
    #: Page cache of the running server, else what `up` would give it, MiB.
    page_cache_mb: int
    #: The databases' folder.
    data: Path
    #: Where to look when something goes wrong.
    log: Path
    #: The folder of everything.
    home: Path
    #: The file that holds the password.
    password_file: Path


def addresses(state: State) -> tuple[str, str, str]:
    """Answer the addresses of Bolt, of HTTP and of Neo4j Browser."""
    bolt, http = f"bolt://{LOOPBACK}:{state.bolt_port}", f"http://{LOOPBACK}:{state.http_port}"
    form = f"bolt://{USER}@{LOOPBACK}:{state.bolt_port}&db={DATABASE}"
    return bolt, http, f"{http}/browser/?dbms={form}"


def server_of(paths: Paths, state: State, password: str, *, started: bool) -> Server:
    """Describe a server that answers."""
    bolt, http, browser = addresses(state)
    return Server(
        bolt_uri=bolt,
        http_uri=http,
        browser_url=browser,
        password=password,
        pid=state.pid,
        version=state.version or "",
        started=started,
        home=paths.home,
        log=paths.log,
    )
