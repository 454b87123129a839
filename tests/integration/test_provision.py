"""The managed Neo4j, really started, killed, damaged and shared."""

import os
import random
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from neo4j import GraphDatabase

from gotn.errors import Conflict, SetupFailed
from gotn.provision import Paths, Server, default_home, down, status, up
from gotn.provision.memory import SMALL

pytestmark = pytest.mark.provision

DOWNLOADS = Paths(default_home()).downloads
UP = """
import sys
from pathlib import Path
from gotn.provision import up
from gotn.provision.memory import SMALL
server = up(Path(sys.argv[1]), downloads=Path(sys.argv[2]), profile=SMALL)
print(server.pid, server.started, server.bolt_uri)
"""
#: `up` that stops for ever just before (argument 3) the named step of a start.
HANG = """
import signal, sys
from pathlib import Path
from gotn.provision import running, starting, up
from gotn.provision.memory import SMALL
def hang(*_, **__):
    print("there", flush=True)
    signal.pause()
if sys.argv[3] == "launch":
    starting._launch = hang
else:
    running.wait_until_ready = hang
up(Path(sys.argv[1]), downloads=Path(sys.argv[2]), profile=SMALL)
"""
EPHEMERAL = """
import signal, sys
from pathlib import Path
from gotn.provision import ephemeral
with ephemeral(Path(sys.argv[1])) as server:
    print(server.pid, server.home, flush=True)
    signal.pause()
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One home for the whole story; its tests run in the order they stand here."""
    folder = tmp_path_factory.mktemp("home")
    yield folder
    down(folder, grace=0)


def start(home: Path, bolt_port: int | None = None) -> Server:
    """Start or find the server of this home, sized for tests."""
    return up(home, downloads=DOWNLOADS, profile=SMALL, bolt_port=bolt_port)


def run(script: str, *words: object) -> subprocess.Popen[str]:
    """Run a script in a Python of its own."""
    command = [sys.executable, "-c", script, *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def kill(pid: int) -> None:
    """Kill a process that is no child of ours, and wait until it is gone."""
    os.kill(pid, signal.SIGKILL)
    wait_gone(pid, 10)


def wait_gone(pid: int, seconds: float) -> None:
    """Wait until a process has ended; fail if it does not in time."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([handle], [], [], seconds)[0], f"process {pid} still runs"
    finally:
        os.close(handle)


def test_many_at_once_share_one_server(home: Path) -> None:
    """Two processes that start it in the same moment get one server, started by one of them."""
    both = [run(UP, home, DOWNLOADS) for _ in range(2)]
    answers = sorted(process.communicate(timeout=120)[0].split() for process in both)
    assert [process.returncode for process in both] == [0, 0]
    assert [answer[1] for answer in answers] == ["False", "True"]
    assert answers[0][0] == answers[1][0]
    assert answers[0][2] == answers[1][2]


def test_a_running_server_is_answered_at_once(home: Path) -> None:
    """The second `up` takes less than 0.3 s, starts nothing, and status agrees."""
    begin = time.perf_counter()
    server = start(home)
    assert time.perf_counter() - begin < 0.3
    assert not server.started
    found = status(home, downloads=DOWNLOADS)
    assert (found.installed, found.running, found.answering) == (True, True, True)
    assert (found.pid, found.heap_mb, found.bolt_uri) == (server.pid, 512, server.bolt_uri)
    port = server.bolt_uri.rpartition(":")[2]
    assert server.browser_url == (
        f"{server.http_uri}/browser/?dbms=bolt://neo4j@127.0.0.1:{port}&db=neo4j"
    )
    with pytest.raises(Conflict, match="gotn down"):
        start(home, bolt_port=1)


def test_kill_9_loses_nothing(home: Path) -> None:
    """After kill -9 the next `up` starts it again, on the same ports, with what was written."""
    server = start(home)
    with GraphDatabase.driver(server.bolt_uri, auth=(server.user, server.password)) as driver:
        driver.execute_query("CREATE (:Kept {at: 1})", database_=server.database)
    kill(server.pid)
    assert not status(home).running
    again = start(home)
    assert again.started
    assert again.bolt_uri == server.bolt_uri
    with GraphDatabase.driver(again.bolt_uri, auth=(again.user, again.password)) as driver:
        found = driver.execute_query("MATCH (n:Kept) RETURN n.at", database_=again.database)
    assert [record[0] for record in found.records] == [1]


def test_down_is_graceful_and_a_taken_port_is_replaced(home: Path) -> None:
    """A stop closes the stores; a port that somebody took meanwhile is chosen anew or named."""
    server = start(home)
    port = int(server.bolt_uri.rpartition(":")[2])
    assert down(home)
    assert not down(home)
    assert "Stopped." in (home / "neo4j" / "logs" / "neo4j.log").read_text().splitlines()[-1]
    with socket.create_server(("127.0.0.1", port)):
        with pytest.raises(SetupFailed, match=f"Port {port}.*taken"):
            start(home, bolt_port=port)
        moved = start(home)
    assert moved.started
    assert moved.bolt_uri != server.bolt_uri


def test_faults_of_the_data_are_said_in_words(home: Path) -> None:
    """A damaged store, a newer version and a lost password each get their sentence."""
    paths = Paths(home)
    down(home, grace=0)
    paths.password.rename(home / "kept")
    with pytest.raises(SetupFailed, match=r"password file .* is missing"):
        start(home)
    (home / "kept").rename(paths.password)
    version = paths.written_by.read_text()
    paths.written_by.write_text("2026.1.0\n")
    with pytest.raises(SetupFailed, match=r"2026\.1\.0.*older"):
        start(home)
    paths.written_by.write_text(version)
    store = paths.data / "databases" / "neo4j" / "neostore"
    store.write_bytes(random.Random(7).randbytes(8192))
    with pytest.raises(SetupFailed, match=r"damaged.*gotn journal replay") as caught:
        start(home)
    assert "\n" not in caught.value.message
    assert str(paths.log) in caught.value.message
    assert not status(home).running


def test_a_killed_up_blocks_nobody(tmp_path: Path) -> None:
    """Killed after the password or after the launch: the next `up` goes on from there."""
    for step in ("launch", "wait"):
        with run(HANG, tmp_path, DOWNLOADS, step) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "there\n"
            process.kill()
    orphan = int((tmp_path / "neo4j.pid").read_text())
    try:
        server = start(tmp_path)
        assert (server.pid, server.started) == (orphan, False)
    finally:
        assert down(tmp_path, grace=0)


def test_an_ephemeral_server_ends_with_its_parent() -> None:
    """Kill -9 of the test run leaves neither a server nor its folder."""
    with run(EPHEMERAL, DOWNLOADS) as process:
        assert process.stdout is not None
        pid, folder = process.stdout.readline().split()
        watchdog = int((Path(folder) / "watchdog.pid").read_text())
        process.kill()
    wait_gone(int(pid), 10)
    wait_gone(watchdog, 10)
    assert not Path(folder).exists()
