"""What is remembered of a server, and whether a process is the one that was meant."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gotn.errors import Conflict, SetupFailed
from gotn.provision import Paths, default_home, down, read_password, running, status
from gotn.provision.locking import exclusive
from gotn.provision.password import ensure_password
from gotn.provision.paths import write_private
from gotn.provision.processes import is_same, is_server, started_at
from gotn.provision.state import State, read_pid, read_state, write_state


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[1]",
        b"\xff\xfe\x00",
        b'"x"',
        b"[" * 60_000,
        b'{"pid": "7"}',
        b'{"bolt_port": 99999}',
        b'{"bolt_port": true}',
        b'{"log_marks": {"a": "b"}}',
        b'{"unknown": 1}',
        b'{"pid": 1e400}',
        b'{"started": 5}',
    ],
)
def test_a_damaged_state_file_counts_as_unknown(content: bytes, tmp_path: Path) -> None:
    """Garbage in the state file never stops `up`; it only forgets."""
    paths = Paths(tmp_path)
    paths.state.write_bytes(content)
    assert State() == read_state(paths)


def test_state_comes_back_as_written(tmp_path: Path) -> None:
    """What is written is read, field by field."""
    state = State(
        bolt_port=20001,
        http_port=20002,
        pid=7,
        started="12",
        ready=True,
        version="5.26.30",
        heap_mb=512,
        page_cache_mb=128,
        log_marks={"debug.log": 9},
    )
    write_state(Paths(tmp_path), state)
    assert state == read_state(Paths(tmp_path))


@pytest.mark.parametrize("content", ["", "x", "-5", "1.5", "99999999999999999999"])
def test_a_damaged_pid_file_counts_as_none(content: str, tmp_path: Path) -> None:
    """A half-written process id is no process."""
    (tmp_path / "pid").write_text(content)
    assert read_pid(tmp_path / "pid") == 0


def test_private_files_are_the_owners_alone(tmp_path: Path) -> None:
    """The password's file is 0600 whatever the umask is, and no half is left behind."""
    old = os.umask(0)
    try:
        write_private(tmp_path / "secret", "x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


def test_home_moves_with_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GOTN_HOME names the folder of everything."""
    monkeypatch.setenv("GOTN_HOME", str(tmp_path))
    assert tmp_path == default_home()
    monkeypatch.delenv("GOTN_HOME")
    assert default_home().name == "gotn"


def test_a_living_process_of_another_program_is_not_our_server(tmp_path: Path) -> None:
    """A recycled id is told by the command line: this test is no Neo4j."""
    paths = Paths(tmp_path)
    paths.pid.write_text(str(os.getpid()))
    write_state(paths, State(pid=os.getpid(), started=started_at(os.getpid()), ready=True))
    assert running.find(paths) is None
    assert not down(tmp_path)


def test_a_process_that_began_at_another_time_is_not_our_server(tmp_path: Path) -> None:
    """Even the right command line does not help a process that began later."""
    marker = f"--home-dir={tmp_path / 'neo4j'}"
    with subprocess.Popen(
        [sys.executable, "-c", "input()", marker], stdin=subprocess.PIPE
    ) as other:
        words = Path(f"/proc/{other.pid}/cmdline")
        while words.parent.exists() and not words.read_bytes():
            pass  # empty for a moment in the middle of exec
        began = started_at(other.pid)
        assert is_server(other.pid, tmp_path / "neo4j", began)
        assert not is_server(other.pid, tmp_path / "neo4j", "0")
        assert not is_server(other.pid, tmp_path / "neo", began)
        other.kill()
        os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)  # dead, and not yet reaped
        assert not is_server(other.pid, tmp_path / "neo4j", began)
        assert not is_same(other.pid, began)


def test_an_unknown_beginning_matches_nothing() -> None:
    """A process that was gone when it was noted is never found again."""
    assert not is_same(os.getpid(), None)


def test_one_process_at_a_time_and_a_kill_frees_the_lock(tmp_path: Path) -> None:
    """The holder is named to whoever waits too long; kill -9 leaves nothing behind."""
    script = (
        "import sys; from pathlib import Path; from gotn.provision.locking import exclusive\n"
        "with exclusive(Path(sys.argv[1]), timeout=0): print('held', flush=True); input()"
    )
    lock = tmp_path / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", script, str(lock)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Conflict, match=f"process {holder.pid}"), exclusive(lock, timeout=0):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait(10)
        with exclusive(lock, timeout=0):
            assert str(os.getpid()) == lock.read_text()


def test_a_password_is_made_once(tmp_path: Path) -> None:
    """The first start makes it, later ones read it; it can be no option of a command."""
    password = ensure_password(Paths(tmp_path))
    assert password == ensure_password(Paths(tmp_path)) == read_password(tmp_path)
    assert password.isalnum()
    assert len(password) >= 32


def test_a_missing_password_is_not_guessed(tmp_path: Path) -> None:
    """With data but no password file, the message says what to put where."""
    paths = Paths(tmp_path)
    (paths.data / "databases" / "system").mkdir(parents=True)
    with pytest.raises(SetupFailed, match=r"neo4j\.password is missing.*move the data away"):
        ensure_password(paths)
    with pytest.raises(SetupFailed, match="gotn up"):
        read_password(tmp_path)


def test_status_of_nothing(tmp_path: Path) -> None:
    """Before the first start there is nothing, and asking makes nothing."""
    home = tmp_path / "home"
    found = status(home)
    assert (
        found.installed,
        found.running,
        found.pid,
        found.browser_url,
    ) == (False, False, None, None)
    assert not home.exists()
    assert not down(home)
