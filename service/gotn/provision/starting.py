"""The steps of a start, done while holding the home's lock."""

import dataclasses
import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gotn.errors import Conflict, SetupFailed
from gotn.provision import (
    configuration,
    faults,
    jars,
    launch,
    locking,
    maven,
    memory,
    ports,
    processes,
    running,
    watchdog,
)
from gotn.provision.password import ensure_password, has_database, read_password
from gotn.provision.paths import Paths, make_private, write_private
from gotn.provision.progress import shown_progress
from gotn.provision.records import Server, server_of
from gotn.provision.state import State, read_state, write_state

Report = Callable[[str], None]

#: Seconds to wait for another process that installs or starts: a slow line may need them.
LOCK_TIMEOUT = 1800.0
#: Seconds a server that was ready gets to answer again, for example after a long pause.
_BUSY_TIMEOUT = 30.0
#: Bytes that must be free for a start: logs and stores grow at once.
_LEAST_DISK = 100 * 1024 * 1024
_START_TRIES = 3


def quiet(_: str) -> None:
    """Say nothing."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the caller of `up` asked for."""

    #: The fixed port of Bolt, None for any.
    bolt_port: int | None = None
    #: The fixed port of HTTP, None for any.
    http_port: int | None = None
    #: Told in one line what is going on.
    report: Report = quiet
    #: Told of every downloaded file; None for a bar on terminals.
    progress: jars.Progress | None = None
    #: The process to end with, None to outlive everybody.
    parent_pid: int | None = None
    #: Sizes other than the machine's own.
    profile: memory.Profile | None = None


def start_or_adopt(paths: Paths, request: Request) -> Server:
    """Do what `up` does; the caller holds the home's lock."""
    adopted = _adopt(paths, request)
    if adopted is not None:
        return adopted
    place = install(paths, request.report, request.progress)
    if request.parent_pid is not None:
        watchdog.start(paths, request.parent_pid)
    password = _prepare(paths, place)
    request.report(f"Starting Neo4j {jars.neo4j_version()} …")
    state = _start(paths, place, request, password)
    return server_of(paths, state, password, started=True)


def install(paths: Paths, report: Report = quiet, progress: jars.Progress | None = None) -> Path:
    """Bring the program's files; answer their folder. Homes that share them take turns."""
    place = jars.folder(paths.downloads)
    make_private(paths.downloads)
    with locking.exclusive(paths.downloads / "lock", timeout=LOCK_TIMEOUT, report=report):
        lack = len(jars.missing(place, jars.locked()))
        if lack:
            report(f"Downloading Neo4j {jars.neo4j_version()}: {lack} files …")
            show = progress or shown_progress()
            jars.install(place, jars.locked(), maven.fetcher(), show)
    return place


def _adopt(paths: Paths, request: Request) -> Server | None:
    """Take over a server that runs: one somebody else started meanwhile, or an orphan."""
    state = running.find(paths)
    if state is None:
        return None
    check_ports(state, request)
    password = read_password(paths.home)
    timeout = _BUSY_TIMEOUT if state.ready else running.START_TIMEOUT
    try:
        ready = running.wait_until_ready(
            paths, state, password, timeout=timeout, report=request.report
        )
    except SetupFailed as error:
        if error.facts.get("reason") == "wrong_password":
            raise
        stop_server(paths, state, 0, request.report)  # an orphan that failed: begin again
        return None
    return server_of(paths, ready, password, started=False)


def _prepare(paths: Paths, place: Path) -> str:
    """Check the data, make folders and the password. Answer the password."""
    for folder in (paths.server, paths.data, paths.logs, paths.conf):
        make_private(folder)
    _check_disk(paths)
    _check_version(paths)
    password = ensure_password(paths)
    if not has_database(paths):
        configuration.write(paths, ports.Ports(0, 0), memory.SMALL)
        launch.set_initial_password(paths, place, password)
    return password


def _start(paths: Paths, place: Path, request: Request, password: str) -> State:
    """Start the server and wait for it; with other ports if somebody takes ours meanwhile."""
    may_move = request.bolt_port is None or request.http_port is None
    for left in reversed(range(_START_TRIES)):
        state = _launch(paths, place, request)
        try:
            ready = running.wait_until_ready(paths, state, password, report=request.report)
        except SetupFailed as error:
            stop_server(paths, state, 0, quiet)
            if not (left and may_move and error.facts.get("reason") == "port_taken"):
                raise
        else:
            write_private(paths.written_by, jars.neo4j_version() + "\n")
            return ready
    raise SetupFailed(f"Neo4j found no free ports. Log: {paths.log}")


def _tell_moves(before: ports.Ports, chosen: ports.Ports, request: Request) -> None:
    """Bookmarks and running services know the old port: say that it is another one now."""
    named = (("Bolt", before.bolt, chosen.bolt), ("HTTP", before.http, chosen.http))
    for name, old, new in named:
        if old and old != new:
            request.report(
                f"Port {old} ({name}) is taken by another program; from now on it is {new}. "
                "Restart services that use the old one."
            )


def _launch(paths: Paths, place: Path, request: Request) -> State:
    profile = request.profile or memory.for_machine()
    before = read_state(paths)
    remembered = ports.Ports(before.bolt_port, before.http_port)
    chosen = ports.choose(remembered, request.bolt_port, request.http_port)
    _tell_moves(remembered, chosen, request)
    configuration.write(paths, chosen, profile)
    state = State(
        bolt_port=chosen.bolt,
        http_port=chosen.http,
        version=jars.neo4j_version(),
        heap_mb=profile.heap_mb,
        page_cache_mb=profile.page_cache_mb,
        log_marks={**faults.marks(paths), paths.console.name: 0},
    )
    write_state(paths, state)  # before the start, so that an orphan can be adopted
    command = configuration.server_command(launch.java(), place, paths, profile)
    pid = launch.detach(command, paths, paths.pid, paths.console)
    state = dataclasses.replace(state, pid=pid, started=processes.started_at(pid))
    write_state(paths, state)
    return state


def stop_server(paths: Paths, state: State, grace: float, report: Report) -> None:
    """End the server and forget its process; the ports stay remembered."""
    went = processes.stop(state.pid, paths.server, grace=grace)
    if not went and grace > 0:
        report(f"Neo4j did not stop within {grace:.0f} s and was killed; its next start recovers.")
    paths.pid.unlink(missing_ok=True)
    write_state(paths, dataclasses.replace(state, pid=0, started=None, ready=False))


def check_ports(state: State, request: Request) -> None:
    """Refuse a fixed port that the running server does not have. Raises Conflict."""
    wanted = (request.bolt_port, request.http_port)
    has = (state.bolt_port, state.http_port)
    for name, want, port in zip(("Bolt", "HTTP"), wanted, has, strict=True):
        if want is not None and want != port:
            raise Conflict(
                f"Neo4j runs already with port {port} for {name}, not {want}: run `gotn down` "
                "first, or leave the port open."
            )


def _check_disk(paths: Paths) -> None:
    stat = os.statvfs(paths.data)
    if stat.f_bavail * stat.f_frsize < _LEAST_DISK:
        raise OSError(errno.ENOSPC, "too little room to start Neo4j", str(paths.data))


def _check_version(paths: Paths) -> None:
    """Refuse data that a newer Neo4j has used: it may have changed it beyond our reading."""
    try:
        text = paths.written_by.read_text(encoding="utf-8").strip()[:40]
    except OSError:
        return
    ours = jars.neo4j_version()
    if _number(text) > _number(ours):
        raise SetupFailed(
            f"The data in {paths.data} was last used by Neo4j {text}; this gotn brings {ours}, "
            "which is older. Use the newer gotn, or move that folder away to start empty.",
            reason="newer_data",
        )


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())
