"""up, down and status: one managed Neo4j for all processes of a home."""

from pathlib import Path

from gotn.provision import faults, jars, locking, memory, ports, readiness, running
from gotn.provision.password import read_password
from gotn.provision.paths import Paths, make_private
from gotn.provision.records import Server, Status, addresses, server_of
from gotn.provision.starting import (
    LOCK_TIMEOUT,
    Report,
    Request,
    check_ports,
    quiet,
    start_or_adopt,
    stop_server,
)
from gotn.provision.state import read_state

#: Seconds a server gets to close its stores before it is killed.
STOP_GRACE = 60.0


def up(
    home: Path,
    *,
    downloads: Path | None = None,
    report: Report = quiet,
    progress: jars.Progress | None = None,
    parent_pid: int | None = None,
    bolt_port: int | None = None,
    http_port: int | None = None,
    profile: memory.Profile | None = None,
) -> Server:
    """Make sure the managed Neo4j is installed and runs; answer how to reach it.

    `downloads` shares another home's program files. A server that runs already is answered
    at once, whatever started it. With `parent_pid` a server started by this call ends when
    that process does. Ports are remembered; fixing one (argument, GOTN_BOLT_PORT,
    GOTN_HTTP_PORT) makes it an error when another program has it.

    Raises SetupFailed, DatabaseUnavailable, Conflict or Invalid.
    """
    paths = Paths(home.absolute(), downloads.absolute() if downloads is not None else None)
    request = Request(
        bolt_port=ports.wished("Bolt", bolt_port),
        http_port=ports.wished("HTTP", http_port),
        report=report,
        progress=progress,
        parent_pid=parent_pid,
        profile=profile,
    )
    state = running.find(paths)
    if state is not None and state.ready and readiness.listens(state.bolt_port):
        check_ports(state, request)
        return server_of(paths, state, read_password(paths.home), started=False)
    with faults.system_errors(paths):
        make_private(paths.home)
        with locking.exclusive(paths.lock, timeout=LOCK_TIMEOUT, report=report):
            return start_or_adopt(paths, request)


def down(home: Path, *, report: Report = quiet, grace: float = STOP_GRACE) -> bool:
    """Stop the managed Neo4j: asked to, then killed after `grace` seconds. False: none ran."""
    paths = Paths(home.absolute())
    if not paths.home.is_dir():
        return False
    with (
        faults.system_errors(paths),
        locking.exclusive(paths.lock, timeout=LOCK_TIMEOUT, report=report),
    ):
        state = running.find(paths)
        if state is None:
            return False
        stop_server(paths, state, grace, report)
        return True


def status(home: Path, *, downloads: Path | None = None) -> Status:
    """Tell what there is, without changing anything or waiting for anybody."""
    paths = Paths(home.absolute(), downloads)
    state = running.find(paths)
    known = state or read_state(paths)
    sizes = memory.for_machine()
    bolt, http, browser = addresses(known) if known.bolt_port else (None, None, None)
    return Status(
        installed=jars.is_installed(paths.downloads),
        running=state is not None,
        answering=state is not None and readiness.listens(state.bolt_port),
        pid=state.pid if state is not None else None,
        version=(state.version if state is not None else None) or jars.neo4j_version(),
        bolt_uri=bolt,
        http_uri=http,
        browser_url=browser,
        heap_mb=(state.heap_mb if state is not None else 0) or sizes.heap_mb,
        page_cache_mb=(state.page_cache_mb if state is not None else 0) or sizes.page_cache_mb,
        data=paths.data,
        log=paths.log,
        home=paths.home,
        password_file=paths.password,
    )
