import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command import TIMEOUT, Command

#: What a step does here: notes its beginning, waits for a file where told to, notes its end.
STEP = """
import os, sys, time
node, attempt = os.environ["GOTN_NODE"], os.environ["GOTN_ATTEMPT"]
def note(word):
    with open("log", "a") as log:
        log.write(f"{word} {node} {attempt} {os.getpid()}\\n")
note("begun")
if len(sys.argv) > 1 and attempt == "1":
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.02)
note("done")
"""
PYTHON = f"{sys.executable} -I -S step.py"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A workspace that allows its own program and a few others."""
    place = tmp_path / "place"
    place.mkdir()
    (place / "step.py").write_text(STEP)
    allow = [PYTHON, f"{PYTHON} *", "touch *", "test *", "false", "sleep *"]
    (place / "gotn.toml").write_text(f"[run]\nallow = {json.dumps(allow)}\n")
    return place


@pytest.fixture
def gotn(neo4j_environment: dict[str, str], tmp_path: Path, project: str) -> Command:
    """The command in this test's project."""
    home = tmp_path / "home"
    home.mkdir()
    return Command(neo4j_environment, home, project)


class Workers:
    """Worker processes of this test; none outlives it."""

    def __init__(self, gotn: Command, place: Path) -> None:
        self._gotn, self._place = gotn, place
        self._started: list[subprocess.Popen[str]] = []

    def start(self, name: str, *words: str) -> subprocess.Popen[str]:
        """A worker of this name."""
        given = ["run", "work", "--worker", name, "--workspace", str(self._place), *words]
        process = subprocess.Popen(
            [sys.executable, "-m", "gotn", *self._gotn.words(*given)],
            env=self._gotn.variables(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._started.append(process)
        return process

    def end(self) -> None:
        """Kill what still runs."""
        for process in self._started:
            process.kill()
            process.communicate()


@pytest.fixture
def workers(gotn: Command, place: Path) -> Iterator[Workers]:
    """Starts worker processes."""
    started = Workers(gotn, place)
    yield started
    started.end()


def until(true: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait for a condition; what it gave."""
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "this never came true"
        time.sleep(0.02)
    return found


def planned(gotn: Command, place: Path, *nodes: dict[str, Any]) -> str:
    """A run of these nodes."""
    rows = [
        {"kind": "task", "summary": f"Do {one['id']}", "prompt_text": f"Please do {one['id']}"}
        | one
        for one in nodes
    ]
    gotn.data("import", "-", "--format", "gotn", "--link", given=json.dumps(rows))
    return str(gotn.data("plan", "--workspace", str(place))["run_id"])


def work(gotn: Command, place: Path, *words: str, code: int = 0) -> Any:
    """What `gotn run work` answers."""
    return gotn.data("run", "work", "--workspace", str(place), *words, code=code)


def steps(gotn: Command, run: str) -> dict[str, Any]:
    """The steps of a run by node."""
    return {row["id"]: row for row in gotn.data("run", "steps", run)["steps"]}


def log(place: Path) -> list[list[str]]:
    """What steps noted: word, node, attempt, process."""
    path = place / "log"
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


def alive(pid: int) -> bool:
    """Whether a process runs: one that nobody has waited for does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def test_a_run_from_start_to_end(gotn: Command, place: Path) -> None:
    """Guards, commands and criteria in order; what was seen is kept with each step."""
    run = planned(
        gotn,
        place,
        {"id": "a", "produces": ["a"], "command": "touch a.txt",
         "guards": ["not_file:a.txt", "test -f step.py", "command:test -f step.py"],
         "success_criteria": ["file:a.txt"], "artifacts": {"files": ["a.txt", "none.txt"]}},
        {"id": "b", "requires": ["a"], "command": PYTHON,
         "guards": [{"type": "file", "value": "a.txt"}],
         "success_criteria": ["not_command:test -f b.txt", "It is good"]},
    )  # fmt: skip
    done = work(gotn, place, run, "--worker", "ann", "--yes")
    assert [(one["node"], one["outcome"]) for one in done["steps"]] == [
        ("a", "completed"),
        ("b", "completed"),
    ]
    assert (done["status"], done["counts"]["completed"]) == ("completed", 2)
    found = steps(gotn, run)
    assert [row["status"] for row in found.values()] == ["completed", "completed"]
    a, b = found["a"], found["b"]
    assert (a["worker"], a["attempt"], a["artifacts"]) == ("ann", 1, ["a.txt"])
    assert a["outputs"]["exit_code"] == 0
    assert a["outputs"]["command"] == "touch a.txt"
    assert [(one["answer"], one.get("by")) for one in a["outputs"]["guards"]] == [
        ("met", None),
        ("met", "--yes"),
        ("met", None),
    ]
    assert [one["answer"] for one in b["outputs"]["success_criteria"]] == ["met", "met"]
    assert [line[:3] for line in log(place)] == [["begun", "b", "1"], ["done", "b", "1"]]
    assert gotn.data("journal", "verify")["equal"] is True


def test_what_fails_and_why(gotn: Command, place: Path) -> None:
    """A guard, a command, a time limit, a criterion: exit 1, the reason, dependants blocked."""
    run = planned(
        gotn,
        place,
        {"id": "guarded", "command": PYTHON, "guards": ["file:missing"], "produces": ["g"]},
        {"id": "after", "command": PYTHON, "requires": ["g"]},
        {"id": "broken", "command": "false"},
        {"id": "slow", "command": "sleep 600", "retry": {"time_limit_ms": 300}},
        {"id": "wrong", "command": PYTHON, "success_criteria": ["file:../step.py"]},
        {"id": "again", "command": "test -f now", "retry": {"attempts": 3}},
    )
    done = work(gotn, place, run, code=1)
    assert done["status"] == "failed"
    found = steps(gotn, run)
    reasons = {id_: row["reason"] for id_, row in found.items()}
    assert reasons["guarded"] == "guard not met: file:missing: it is not there"
    assert reasons["broken"] == "false: exit code 1"
    assert "time limit" in reasons["slow"]
    assert found["slow"]["outputs"]["timed_out"] is True
    assert "success criterion not met: file:../step.py: not looked at" in reasons["wrong"]
    assert found["after"]["status"] == "blocked"
    assert [one["outcome"] for one in found["again"]["attempts"]] == ["failed"] * 3
    assert [line[1] for line in log(place)] == ["wrong", "wrong"]


def test_a_retry_that_goes_well(gotn: Command, place: Path) -> None:
    """A step that failed once and is completed by its next attempt is no failure of the whole."""
    line = "test -f now || { touch now; false; }"
    (place / "gotn.toml").write_text(f"[run]\nallow = [{json.dumps(line)}]\n")
    run = planned(gotn, place, {"id": "again", "command": line, "retry": {"attempts": 2}})
    done = work(gotn, place, run)
    assert ("completed", 1, 1, []) == (
        done["status"],
        done["counts"]["failed"],
        done["counts"]["completed"],
        done["failed_steps"],
    )


def test_the_last_line(gotn: Command, place: Path) -> None:
    """Steps are counted, not tries; a run that stops at a failure says so, and how to go on."""
    planned(
        gotn,
        place,
        {"id": "a", "command": "false", "retry": {"attempts": 3}},
        {"id": "b", "command": PYTHON},
    )
    gotn.data("run", "start", "--fail-fast")
    told = gotn.run("run", "work", "--workspace", str(place), "--node", "a")
    told = gotn.run("run", "work", "--workspace", str(place))
    line = told.stdout.splitlines()[-1]
    assert "is failed; here: 1 failed, 1 tried again. It stops at the first failure" in line
    assert "`gotn run resume run-" in line


def test_nobody_is_asked(gotn: Command, place: Path) -> None:
    """Without a terminal nothing is completed silently: exit 6, and what to do next."""
    run = planned(
        gotn,
        place,
        {"id": "prompt", "guards": ["file:step.py"]},
        {"id": "forbidden", "command": "rm -rf ."},
        {"id": "asserted", "command": PYTHON, "success_criteria": ["It is good"]},
        {"id": "held", "command": PYTHON, "guards": ["command:rm -rf ."]},
    )
    done = {one["node"]: one for one in work(gotn, place, run, "--worker", "w", code=6)["steps"]}
    assert {one["outcome"] for one in done.values()} == {"handed_over"}
    assert done["prompt"]["prompt"] == "Please do prompt"
    assert done["prompt"]["guards"][0]["answer"] == "met"
    assert done["asserted"]["waiting"] == ["It is good"]
    assert done["asserted"]["outputs"]["exit_code"] == 0
    assert json.loads(Path(done["asserted"]["outputs_file"]).read_text())["exit_code"] == 0
    assert done["held"]["waiting"] == ["command:rm -rf ."]
    assert [line[1] for line in log(place)] == ["asserted", "asserted"]
    for row in steps(gotn, run).values():
        assert (row["status"], row["worker"]) == ("running", "w")
    assert len({one["token"] for one in done.values()}) == 4


def test_yes_does_no_work(gotn: Command, place: Path) -> None:
    """--yes answers assertions; a prompt whose work nobody did is handed over, in words."""
    run = planned(gotn, place, {"id": "prompt", "success_criteria": ["It is good"]})
    told = gotn.text("run", "work", run, "--workspace", str(place), "--yes", code=6)
    assert "Please do prompt" in told
    assert f"gotn run complete {run} prompt --token " in told
    assert "gotn run fail" in told


def test_what_was_done_is_skipped(gotn: Command, place: Path) -> None:
    """Artifacts that are there and a success on record: skipped; without either it runs."""
    node = {"id": "a", "command": f"{PYTHON} done", "artifacts": {"files": ["log"]}}
    (place / "done").touch()
    run = planned(gotn, place, node)
    (place / "log").touch()
    assert work(gotn, place, run)["steps"][0]["outcome"] == "completed"  # no success on record
    gotn.data("node", "update", "a", "--status", "ready")
    again = str(gotn.data("plan", "--workspace", str(place))["run_id"])
    assert work(gotn, place, again)["steps"][0]["outcome"] == "skipped"
    assert "its success is recorded" in steps(gotn, again)["a"]["reason"]
    assert len(log(place)) == 2
    gotn.data("node", "update", "a", "--status", "ready")
    (place / "log").unlink()
    third = str(gotn.data("plan", "--workspace", str(place))["run_id"])
    assert work(gotn, place, third)["steps"][0]["outcome"] == "completed"


@pytest.mark.slow
def test_a_killed_worker(gotn: Command, place: Path, workers: Workers) -> None:
    """Kill -9 in the middle of a step: its command ends too, another does it exactly once."""
    nodes = [{"id": f"n{i}", "command": PYTHON} for i in range(6)]
    first: dict[str, Any] = {"id": "first", "produces": ["x"], "command": f"{PYTHON} never"}
    last = {"id": "last", "requires": ["x"], "command": PYTHON}
    run = planned(gotn, place, first, last, *nodes)
    doomed = workers.start("doomed", run, "--lease", "2s", "--node", "first")
    pid = int(until(lambda: log(place))[0][3])
    others = [workers.start(f"w{i}", run, "--lease", "2s") for i in (1, 2)]
    doomed.send_signal(signal.SIGKILL)
    until(lambda: not alive(pid))
    said = [worker.communicate(timeout=TIMEOUT)[0] for worker in others]
    assert [worker.returncode for worker in others] == [0, 0], said
    done = [line[1] for line in log(place) if line[0] == "done"]
    assert sorted(done) == sorted(["first", "last", *(f"n{i}" for i in range(6))])
    row = steps(gotn, run)["first"]
    assert row["attempt"] == 2
    assert [(one["worker"], one["outcome"]) for one in row["attempts"]] == [
        ("doomed", "expired"),
        (row["worker"], "completed"),
    ]
    assert gotn.data("run", "show", run)["status"] == "completed"
    assert gotn.data("journal", "verify")["equal"] is True


@pytest.mark.slow
def test_a_worker_that_slept(gotn: Command, place: Path, workers: Workers) -> None:
    """A worker that was away longer than its lease ends its command and says who has the step."""
    run = planned(gotn, place, {"id": "a", "command": f"{PYTHON} never"})
    # A heartbeat every two seconds: it is not stopped in the middle of a transaction.
    sleeper = workers.start("sleeper", run, "--lease", "6s", "--once")
    pid = int(until(lambda: log(place))[0][3])
    sleeper.send_signal(signal.SIGSTOP)
    other = workers.start("other", run, "--lease", "30s")
    assert other.communicate(timeout=TIMEOUT)
    sleeper.send_signal(signal.SIGCONT)
    said = sleeper.communicate(timeout=TIMEOUT)[0]
    assert sleeper.returncode == 4, said
    assert "a  lost" in said
    assert "not yours any more" in said
    assert not alive(pid)
    assert [line[:3] for line in log(place) if line[0] == "done"] == [["done", "a", "2"]]
    assert steps(gotn, run)["a"]["worker"] == "other"


def test_a_reader_that_pauses(gotn: Command, place: Path, workers: Workers) -> None:
    """Output that nobody reads stops neither the command nor the heartbeats."""
    (place / "step.py").write_text(
        "import time\nprint('x' * 400 + chr(10), end='', flush=True)\n"
        "for _ in range(1900): print('x' * 400)\ntime.sleep(2.5)\n"
    )
    run = planned(gotn, place, {"id": "a", "command": PYTHON})
    process = workers.start("w", run, "--lease", "2s")
    until(lambda: steps(gotn, run)["a"]["status"] == "completed")
    assert steps(gotn, run)["a"]["attempt"] == 1
    said = process.communicate(timeout=TIMEOUT)[0]
    assert process.returncode == 0
    assert said.count("│ xxx") == 1901


def test_a_reader_that_leaves(gotn: Command, place: Path, workers: Workers) -> None:
    """`gotn run work | head`: the command is ended and the step given back."""
    more = "\nwhile True: print('more', flush=True); time.sleep(0.05)\n"
    (place / "step.py").write_text(STEP + more)
    run = planned(gotn, place, {"id": "a", "command": f"{PYTHON} go"})
    process = workers.start("w", run)
    pid = int(until(lambda: log(place))[0][3])
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    (place / "go").touch()
    assert process.wait(TIMEOUT) in (0, 130)
    assert not alive(pid)
    row = steps(gotn, run)["a"]
    assert (row["status"], row["attempts"][0]["outcome"]) == ("ready", "released")


def test_an_interrupted_worker(gotn: Command, place: Path, workers: Workers) -> None:
    """Ctrl-C: the command is ended and the step given back at once, as no failure of it."""
    run = planned(gotn, place, {"id": "a", "command": f"{PYTHON} never"}, {"id": "b"})
    process = workers.start("w", run, "--lease", "10m", "--parallel", "1", "--node", "a")
    pid = int(until(lambda: log(place))[0][3])
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=TIMEOUT)[0]
    assert process.returncode == 130, said
    assert "Traceback" not in said
    assert not alive(pid)
    row = steps(gotn, run)["a"]
    assert (row["status"], row["attempts"][0]["outcome"]) == ("ready", "released")
    assert "interrupted" in row["reason"]
    assert gotn.data("journal", "verify")["equal"] is True
    (place / "never").touch()
    assert work(gotn, place, run, "--node", "a")["steps"][0]["outcome"] == "completed"


def test_a_second_interrupt(gotn: Command, place: Path, workers: Workers) -> None:
    """Ctrl-C again does not wait for a command that ignores SIGTERM."""
    (place / "step.py").write_text(
        "import signal, time, os\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "open('log', 'w').write(f'begun a 1 {os.getpid()}')\ntime.sleep(600)\n"
    )
    run = planned(gotn, place, {"id": "a", "command": PYTHON})
    process = workers.start("w", run)
    pid = int(until(lambda: [line for line in log(place) if len(line) == 4])[0][3])
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None
    assert next(line for line in process.stdout if line.startswith("Stopping"))
    process.send_signal(signal.SIGINT)
    assert process.wait(2) == 130
    until(lambda: not alive(pid))


def test_side_by_side(gotn: Command, place: Path) -> None:
    """--parallel works on steps that wait for each other's beginning, each step once."""
    ids = [f"n{i}" for i in range(4)]
    (place / "step.py").write_text(
        STEP + "\nwhile open('log').read().count('begun') < 4: time.sleep(0.02)\n"
    )
    run = planned(gotn, place, *({"id": id_, "command": PYTHON} for id_ in ids))
    done = work(gotn, place, run, "--parallel", "4", "--worker", "w")
    assert sorted(one["worker"] for one in done["steps"]) == ["w-1", "w-2", "w-3", "w-4"]
    assert sorted(line[1] for line in log(place) if line[0] == "begun") == ids


def test_which_steps(gotn: Command, place: Path) -> None:
    """--kind, --tag, --once and --node choose; a run that has ended is left alone."""
    run = planned(
        gotn,
        place,
        {"id": "a", "command": PYTHON, "kind": "x"},
        {"id": "b", "command": PYTHON, "tags": ["y"]},
        {"id": "c", "command": PYTHON},
        {"id": "d", "command": PYTHON},
    )
    for words, node in ((["--kind", "x"], "a"), (["--tag", "y"], "b"), (["--node", "d"], "d")):
        done = work(gotn, place, run, "--once", *words)
        assert [one["node"] for one in done["steps"]] == [node]
    assert work(gotn, place, run, "--once", "--kind", "x")["steps"] == []
    assert gotn.error("run", "work", run, "--workspace", str(place), "--node", "d", code=1)
    assert [one["node"] for one in work(gotn, place)["steps"]] == ["c"]  # the newest open run
    assert work(gotn, place, run)["steps"] == []
    assert gotn.error("run", "work", "--workspace", str(place), code=3)["code"] == "NOT_FOUND"


def test_a_broken_list_stops_before_a_claim(gotn: Command, place: Path) -> None:
    """The file and line are told, and no step is taken; so is a wrong folder or lease."""
    run = planned(gotn, place, {"id": "a", "command": PYTHON})
    (place / "gotn.toml").write_text("[run]\nallow = [\n 3 ]\n")
    error = gotn.error("run", "work", run, "--workspace", str(place), code=1)
    assert (error["code"], error["line"]) == ("BAD_DOCUMENT", 2)
    assert gotn.error("run", "work", run, "--workspace", "/nowhere", code=3)
    assert gotn.error("run", "work", run, code=1)["message"].startswith("This run was planned for")
    assert (
        "expected 1s to 1h" in gotn.error("run", "work", run, "--lease", "24h", code=2)["message"]
    )
    assert steps(gotn, run)["a"]["status"] == "ready"


@pytest.mark.slow
def test_watching(gotn: Command, place: Path, workers: Workers) -> None:
    """A run that others execute is followed to its end, in lines and as data."""
    run = planned(
        gotn,
        place,
        {"id": "a", "command": f"{PYTHON} go", "produces": ["a"]},
        {"id": "b", "command": "false", "requires": ["a"]},
    )
    words = [sys.executable, "-m", "gotn", *gotn.words("run", "watch", run)]
    with subprocess.Popen(words, env=gotn.variables(), stdout=subprocess.PIPE, text=True) as seen:
        assert seen.stdout is not None
        try:
            assert seen.stdout.readline().startswith(f"Run {run} planned")
            workers.start("w", run)
            lines = iter(seen.stdout.readline, "")
            assert next(line for line in lines if line.startswith("a  running  [w, attempt 1]"))
            (place / "go").touch()
            rest = list(lines)
            assert seen.wait(TIMEOUT) == 1
        finally:
            seen.kill()
    assert [line.split("  ")[:2] for line in rest if line.startswith("a")][-1] == ["a", "completed"]
    assert any(line.startswith("b  failed") and "exit code 1" in line for line in rest)
    assert any(line.startswith(f"Run {run} failed") for line in rest)
    found = gotn.data("run", "watch", run, code=1)
    assert found["counts"] == {"completed": 1, "failed": 1}
    assert [row["id"] for row in found["steps"]] == ["a", "b"]
