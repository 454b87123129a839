import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gotn.cli.working import commanding
from gotn.cli.working.commanding import Commander, Outcome
from gotn.cli.working.groups import Groups
from gotn.cli.working.keeping import HEAD, TAIL, Kept

#: Starts a child and a grandchild that only SIGKILL ends, tells their ids, and waits.
FAMILY = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(2):
    if os.fork() == 0:
        os.fork()
        break
with open("family", "a") as file:
    file.write(f"{os.getpid()} ")
if len(sys.argv) > 1 and os.getppid() == int(sys.argv[1]):
    while len(open("family").read().split()) < 5:
        time.sleep(0.01)
    sys.exit(0)
time.sleep(600)
"""


def until(true: Callable[[], Any], seconds: float = 20) -> Any:
    """Wait for a condition; what it gave."""
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "this never came true"
        time.sleep(0.01)
    return found


def alive(pid: int) -> bool:
    """Whether a process runs: one that nobody has waited for does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def family(folder: Path) -> list[int]:
    """The processes that said they are there, once all five have."""
    path = folder / "family"
    found = path.read_text().split() if path.exists() else []
    return [int(one) for one in found] if len(found) == 5 else []


async def _run(
    folder: Path,
    *argv: str,
    limit_ms: int = 60_000,
    stop: asyncio.Event | None = None,
    heard: Callable[[bytes], None] = lambda _: None,
) -> Outcome:
    with Groups() as groups:
        commander = Commander(
            folder=folder,
            variables=commanding.environment(os.environ, GOTN_NODE="n1"),
            groups=groups,
            stop=stop or asyncio.Event(),
            heard=heard,
        )
        return await commander.run(argv, limit_ms)


def _python(text: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", "-c", text)


async def test_exit_code_output_and_time(tmp_path: Path) -> None:
    """A command's end, both its streams in order, in its folder, without input."""
    text = "import os,sys; print(os.getcwd(), flush=True); print(repr(sys.stdin.read()), file=sys.stderr); sys.exit(3)"  # noqa: E501
    done = await _run(tmp_path, *_python(text))
    assert (done.exit_code, done.good, done.signal) == (3, False, None)
    assert done.output["text"] == f"{tmp_path}\n''\n"
    assert 0 < done.duration_ms < 20_000
    assert json.loads(json.dumps(done.row()))["output"]["bytes"] == len(done.output["text"])


async def test_what_cannot_be_started(tmp_path: Path) -> None:
    """No such program, a folder, a NUL: said, and nothing ran."""
    for word in ("no-such-program", str(tmp_path), "a\0b"):
        done = await _run(tmp_path, word)
        assert done.exit_code is None
        assert "could not be started" in done.said


async def test_a_signal_is_named(tmp_path: Path) -> None:
    """A command that a signal ended has no exit code."""
    done = await _run(tmp_path, *_python("import os; os.kill(os.getpid(), 9)"))
    assert (done.exit_code, done.signal, done.good) == (None, "SIGKILL", False)


async def test_the_time_limit_ends_the_whole_group(tmp_path: Path) -> None:
    """Children and grandchildren that ignore SIGTERM are gone when the limit has passed."""
    done = await _run(tmp_path, *_python(FAMILY), limit_ms=1500)
    assert done.timed_out
    assert not done.good
    assert "time limit" in done.said
    for pid in family(tmp_path):
        until(lambda p=pid: not alive(p))  # type: ignore[misc]


async def test_what_a_command_leaves_behind_is_ended(tmp_path: Path) -> None:
    """A command that ended well does not leave its grandchildren running."""
    done = await _run(tmp_path, *_python(FAMILY), str(os.getpid()))
    assert done.good
    assert len(family(tmp_path)) == 5
    for pid in family(tmp_path):
        until(lambda p=pid: not alive(p))  # type: ignore[misc]
    assert done.duration_ms < 15_000


async def test_a_stop_ends_the_whole_group(tmp_path: Path) -> None:
    """An interrupted worker, or a lost lease: the command is stopped, and said to be."""
    stop = asyncio.Event()
    running = asyncio.ensure_future(_run(tmp_path, *_python(FAMILY), stop=stop))
    pids = await asyncio.to_thread(until, lambda: family(tmp_path))
    stop.set()
    done = await running
    assert done.stopped
    for pid in pids:
        until(lambda p=pid: not alive(p))  # type: ignore[misc]


def test_a_killed_worker_takes_its_commands_along(tmp_path: Path) -> None:
    """After kill -9 of the process that runs a command nothing of it goes on."""
    text = f"""
import asyncio, os, sys
from pathlib import Path
from gotn.cli.working.commanding import Commander
from gotn.cli.working.groups import Groups
async def main():
    with Groups() as groups:
        commander = Commander(folder=Path({str(tmp_path)!r}), variables={{}}, groups=groups,
                              stop=asyncio.Event(), heard=lambda _: None)
        await commander.run([sys.executable, "-I", "-S", "-c", {FAMILY!r}])
asyncio.run(main())
"""
    worker = subprocess.Popen([sys.executable, "-c", text])
    pids = until(lambda: family(tmp_path))
    worker.send_signal(signal.SIGKILL)
    worker.wait(20)
    for pid in pids:
        until(lambda p=pid: not alive(p))  # type: ignore[misc]


async def test_a_writer_of_100_mb(tmp_path: Path) -> None:
    """Beginning and end are kept, the rest is counted; all of it was streamed."""
    text = "import sys\nprint('first')\nfor _ in range(1600): sys.stdout.write('x' * 65535 + '\\n')\nprint('last')"  # noqa: E501
    heard: list[int] = []
    done = await _run(tmp_path, *_python(text), heard=lambda piece: heard.append(len(piece)))
    assert done.good
    output = done.output
    assert output["bytes"] == 1600 * 65536 + 11 == sum(heard)
    assert output["head"].startswith("first\nxxx")
    assert output["tail"].endswith("x\nlast\n")
    assert output["dropped_bytes"] == output["bytes"] - HEAD - TAIL
    assert len(json.dumps(done.row())) < 20_000


def test_what_is_kept() -> None:
    """Head and tail in pieces of any size equal those of the whole."""
    whole = bytes(range(256)) * 7
    for size in (1, 3, 100, 5000):
        kept = Kept(10, 20)
        for start in range(0, len(whole), size):
            kept.add(whole[start : start + size])
        assert (kept.head, kept.tail) == (whole[:10], whole[-20:])
        assert (kept.size, kept.cut) == (len(whole), len(whole) - 30)
    short = Kept(10, 20)
    short.add(b"twelve bytes")
    assert short.row() == {"text": "twelve bytes", "bytes": 12}


def test_no_secret_reaches_a_command() -> None:
    """The service's key and the database's password stay here, in any spelling."""
    given = {
        "PATH": "/bin",
        "GOTN_API_KEY": "hush",
        "gotn_api_key": "hush",
        "NEO4J_PASSWORD": "hush",
        "Neo4j_Password": "hush",
        "NEO4J_AUTH": "neo4j/hush",
        "NEO4J_URI": "bolt://neo4j:hush@host",
        "GOTN_HOME": "/home",
    }
    found = commanding.environment(given, GOTN_RUN="r", GOTN_ATTEMPT="2")
    assert found == {"PATH": "/bin", "GOTN_HOME": "/home", "GOTN_RUN": "r", "GOTN_ATTEMPT": "2"}
    kept = commanding.environment({"NEO4J_URI": "bolt://host:7687"})
    assert kept == {"NEO4J_URI": "bolt://host:7687"}


@pytest.mark.parametrize("argv", [("true",), ("sh", "-c", "exit 0")])
async def test_a_quick_command_is_quick(tmp_path: Path, argv: tuple[str, ...]) -> None:
    """Nothing is waited for where nothing is left."""
    done = await _run(tmp_path, *argv)
    assert done.good
    assert done.duration_ms < 2000
