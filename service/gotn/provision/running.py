"""Finding the server that runs, and waiting until it answers."""

import dataclasses
import time
from collections.abc import Callable

from gotn.errors import DatabaseUnavailable, SetupFailed
from gotn.provision import faults, processes, readiness
from gotn.provision.paths import Paths
from gotn.provision.state import State, read_pid, read_state, write_state

#: Seconds a start may take; a store that recovers from a crash may need most of them.
START_TIMEOUT = 180.0
_POLL = 0.1
#: Seconds between two tries of a password, since Neo4j locks a user after three wrong ones.
_PASSWORD_PAUSE = 6.0


def find(paths: Paths) -> State | None:
    """Answer the state of the server that runs on this home, or None.

    The process must be alive, carry this home's name in its command line and, where its
    beginning was noted, have begun then; so another program with the same id is never taken
    for it. A server whose starter died before noting it is found by its own id file.
    """
    state, pid = read_state(paths), read_pid(paths.pid)
    known = state.started if pid == state.pid else None
    if not pid or not processes.is_server(pid, paths.server, known):
        return None
    if known is None:
        state = dataclasses.replace(state, pid=pid, started=processes.started_at(pid), ready=False)
    return state


def wait_until_ready(
    paths: Paths,
    state: State,
    password: str,
    *,
    timeout: float = START_TIMEOUT,
    report: Callable[[str], None] = lambda _: None,
) -> State:
    """Wait until the server takes a transaction and note that it did.

    Raises SetupFailed when it ends, gives up or refuses the password, DatabaseUnavailable
    when it still runs but has not answered in time.
    """
    begin = time.monotonic()
    wrong_at: float | None = None
    told = False
    while time.monotonic() - begin < timeout:
        alive = processes.is_server(state.pid, paths.server, state.started)
        text = faults.written_since(paths, state.log_marks)
        if not alive or faults.has_given_up(text):
            raise faults.explain(paths, text)
        if wrong_at is None or time.monotonic() - wrong_at >= _PASSWORD_PAUSE:
            try:
                if _answers(state, text, password):
                    ready = dataclasses.replace(state, ready=True)
                    write_state(paths, ready)
                    return ready
            except readiness.WrongPassword as error:
                if wrong_at is not None:
                    raise _wrong_password(paths) from error
                wrong_at = time.monotonic()
        if not told and time.monotonic() - begin > 30:
            report("Neo4j is still starting; after a crash it may have to recover …")
            told = True
        time.sleep(_POLL)
    raise DatabaseUnavailable(
        f"Neo4j (process {state.pid}) runs but has not answered within {timeout:.0f} s; it may "
        "be recovering. Run `gotn up` to go on waiting, or `gotn down` to end it. "
        f"Log: {paths.log}",
        log=str(paths.log),
    )


def _answers(state: State, text: str, password: str) -> bool:
    whole = state.ready or faults.has_started(text)
    return whole and readiness.answers(state.bolt_port, password)


def _wrong_password(paths: Paths) -> SetupFailed:
    return SetupFailed(
        f"Neo4j refuses the password in {paths.password}; was it changed in Neo4j itself? Put "
        f"the right one into that file (one line), or move {paths.data} and that file away and "
        f"run `gotn up` to start empty. Log: {paths.log}",
        reason="wrong_password",
        log=str(paths.log),
    )
