"""A file beyond one transaction, through the real command: bounded memory, killed, finished."""

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command import Command
from graphs import assert_verified

from gotn.database.connection import Database
from gotn.work.store import staging as store
from gotn.work.usecases import projects, replay, staging
from gotn.work.usecases.writing import Request

NODES, EDGES = 16_000, 15_000
#: Runs the command line and tells the most memory of its own it was seen with, in MiB, as its
#: last line; pages of the file that it maps are the system's, and `getrusage` begins with the size
#: of the process that started this one. What HOARD names is read and kept, as a naive reader does.
MEASURED = """
import json, os, re, sys, threading
from gotn.cli import main
most, done = 0, threading.Event()
def watch():
    global most
    while not done.wait(0.01):
        with open("/proc/self/status") as status:
            most = max(most, int(re.search("RssAnon:[^0-9]*([0-9]+)", status.read())[1]))
thread = threading.Thread(target=watch)
thread.start()
try:
    if "HOARD" in os.environ:
        with open(os.environ["HOARD"]) as file:
            hoard = [json.loads(line) for line in file.read().splitlines()]
    main()
finally:
    done.set()
    thread.join()
    print(most // 1024, file=sys.stderr)
"""
needs_proc = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="Linux alone tells memory so"
)


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """31,000 items in 70 MB of JSONL: more than one transaction, in several batches."""
    path = tmp_path_factory.mktemp("large") / "large.jsonl"
    with path.open("w") as file:
        for i in range(NODES):
            node = {"id": f"n{i}", "kind": "k", "summary": f"s{i}", "prompt_text": f"{i} " * 800}
            print(json.dumps(node), file=file)
        for i in range(EDGES):
            src, dst = i % NODES, (i % NODES + 1 + i // NODES) % NODES
            edge = {"type": "hard_requires", "src": f"n{min(src, dst)}", "dst": f"n{max(src, dst)}"}
            print(json.dumps(edge), file=file)
    return path


def _command(environment: dict[str, str], home: Path, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", MEASURED, *arguments],
        env={**environment, "GOTN_HOME": str(home), "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _peak(process: "subprocess.Popen[str]") -> int:
    """The most memory of a command that ended well."""
    out, err = process.communicate(timeout=120)
    assert (0, "") == (process.returncode, "" if process.returncode == 0 else out + err)
    return int(err.split()[-1])


@needs_proc
async def test_memory_does_not_grow_with_the_file(
    neo4j_environment: dict[str, str], project: str, large: Path, tmp_path: Path, database: Database
) -> None:
    """70 MB of text cost less than 100 MiB beyond the least; to hold them would cost more."""
    small = tmp_path / "small.json"
    small.write_text('{"id": "a", "kind": "k", "summary": "s", "prompt_text": "p"}')
    least = _peak(_command(neo4j_environment, tmp_path, "import", str(small), "-p", f"{project}-s"))
    most = _peak(_command(neo4j_environment, tmp_path, "import", str(large), "-p", project))
    hoarding = {**neo4j_environment, "HOARD": str(large)}
    naive = _peak(_command(hoarding, tmp_path, "import", str(small), "-p", f"{project}-s"))
    held = await projects.show(database, project)
    assert (NODES, EDGES) == (held.nodes, held.edges)
    print(f"least {least} MiB, most {most} MiB, naive {naive} MiB")
    assert most - least < 100 < naive - least
    again = _command(neo4j_environment, tmp_path, "import", str(large), "-p", project, "--json")
    out, _ = again.communicate(timeout=120)
    assert 0 == json.loads(out)["data"]["changed"]
    await projects.remove(database, Request(project_id=project, actor="t"))


@pytest.mark.parametrize("kind", ["nodes", "edges"])
async def test_killed_it_is_finished_by_the_same_again(
    neo4j_environment: dict[str, str],
    project: str,
    large: Path,
    tmp_path: Path,
    database: Database,
    kind: str,
) -> None:
    """Kill -9 while it stages: nothing is seen; the same again ends with what one run gives."""
    command = _command(neo4j_environment, tmp_path, "import", str(large), "-p", project)
    async with asyncio.timeout(60):
        while not ((at := await _progress(database, project)) and at[kind]):
            assert command.poll() is None
            await asyncio.sleep(0.01)
    command.send_signal(signal.SIGKILL)
    command.communicate()
    assert 0 == (await projects.show(database, project)).nodes
    await assert_verified(database, project)
    gotn = Command(neo4j_environment, tmp_path, project)
    shown = gotn.data("project", "show")
    assert shown["unfinished_import"] >= at[kind]
    assert f"import --abort -p {project}" in gotn.text("project", "show")
    last = gotn.data("journal", "tail", "--limit", "1")["entries"][0]
    assert (last["event"][:4], last["counts"]) == ("add_", False)
    assert "void: counts for nothing" in gotn.text("journal", "tail", "--limit", "1")
    again = gotn.data("import", str(large))
    assert again["resumed"] == shown["unfinished_import"]
    assert gotn.data("project", "show")["unfinished_import"] is None
    assert all(row["counts"] for row in gotn.data("journal", "tail")["entries"])
    held = await projects.show(database, project)
    assert (NODES, EDGES) == (held.nodes, held.edges)
    await assert_verified(database, project)
    await projects.remove(database, Request(project_id=project, actor="t"))


async def test_killed_it_is_undone_by_abort(
    neo4j_environment: dict[str, str], project: str, large: Path, tmp_path: Path, database: Database
) -> None:
    """Afterwards the project is as it was before."""
    command = _command(neo4j_environment, tmp_path, "import", str(large), "-p", project)
    async with asyncio.timeout(60):
        while not ((at := await _progress(database, project)) and at["edges"]):
            assert command.poll() is None
            await asyncio.sleep(0.01)
    command.send_signal(signal.SIGKILL)
    command.communicate()
    empty = await replay.current_digest(database, f"{project}-never")
    await staging.abort(database, project)
    assert empty == await replay.current_digest(database, project)
    assert None is await _progress(database, project)
    await assert_verified(database, project)
    await projects.remove(database, Request(project_id=project, actor="t"))


async def _progress(database: Database, project: str) -> dict[str, int] | None:
    return await database.read(lambda tx: store.progress(tx, project))
