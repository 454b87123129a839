import time
from pathlib import Path

import pytest
from command import TIMEOUT, Command


@pytest.fixture
def gotn(neo4j_environment: dict[str, str], tmp_path: Path, project: str) -> Command:
    """The command on a project of three nodes, one of which needs another."""
    command = Command(neo4j_environment, tmp_path, project)
    for id_ in ("one", "two", "three"):
        words = ("--kind", "k", "--summary", f"Do {id_}", "--prompt", f"Please do {id_}.")
        command.data("node", "add", id_, *words)
    command.data("edge", "add", "one", "two")
    return command


def test_a_run_by_hand(gotn: Command, tmp_path: Path) -> None:
    """Start, claim, heartbeat, complete, fail, skip: with the keys that scripts rely on."""
    started = gotn.data("run", "start", "--goal", "G", "--fail-fast")
    run = started["id"]
    assert ("running", "fail_fast", "G") == tuple(
        started[name] for name in ("status", "on_failure", "goal")
    )
    claim = gotn.data("run", "claim", "--worker", "w", "--lease", "2m")
    assert {"step", "node", "prompt", "guards", "artifacts", "lease_until", "token"} <= set(claim)
    assert ("claimed", "one", "Please do one.") == (
        claim["status"],
        claim["step"]["id"],
        claim["prompt"],
    )
    beat = gotn.data("run", "heartbeat", run, "one", "--token", claim["token"], "--lease", "5m")
    assert beat["lease_until"] > claim["lease_until"]
    said = gotn.error("run", "complete", run, "one", "--token", "no", code=4)
    assert ("LEASE_LOST", "w") == (said["code"], said["holder"])
    (tmp_path / "out.json").write_text('{"n": 1}')
    words = ("--output", f"@{tmp_path / 'out.json'}", "--artifact", "a.txt", "--took", "1.5s")
    done = gotn.data("run", "complete", run, "one", "--token", claim["token"], *words)
    assert ("completed", {"n": 1}, ["a.txt"], 1500) == tuple(
        done[name] for name in ("status", "outputs", "artifacts", "duration_ms")
    )
    shown = gotn.text("run", "claim", run, "--worker", "v", "--node", "two")
    assert "Please do two." in shown
    assert "Nothing" not in shown
    steps = {row["id"]: row for row in gotn.data("run", "steps")["steps"]}
    assert ("v", "running", "ready") == (
        steps["two"]["worker"],
        steps["two"]["status"],
        steps["three"]["status"],
    )
    assert "skipped" in gotn.text("run", "skip", run, "three", "--reason", "not needed")
    said = gotn.error("run", "claim", run, "--worker", "v", "--node", "three", code=1)
    assert "ILLEGAL_MOVE" == said["code"]
    said = gotn.error("run", "claim", run, "--worker", "v", "--lease", "soon", code=2)
    assert "500ms, 30s or 5m" in said["message"]
    said = gotn.error("run", "claim", run, "--worker", "v", "--lease", "2h", code=2)
    assert "expected 1s to 1h" in said["message"]
    assert "Nothing is ready now" in gotn.text("run", "claim", "--worker", "v", "--lease", "60")


def test_a_run_is_cancelled_resumed_and_planned_anew(gotn: Command) -> None:
    """The run that is meant is the newest that fits; the diff names what changes."""
    gotn.error("run", "cancel", "--reason", "none", code=3)
    run = gotn.data("plan")["run_id"]
    claim = gotn.data("run", "claim", "--worker", "w")
    gotn.data("run", "complete", run, claim["step"]["id"], "--token", claim["token"])
    cancelled = gotn.data("run", "cancel", "--reason", "lunch")
    assert ("cancelled", "lunch", "tester") == tuple(
        cancelled[name] for name in ("status", "reason", "cancelled_by")
    )
    assert "running" in gotn.text("run", "resume")
    words = ("--kind", "k", "--summary", "Do four", "--prompt", "Please.")
    gotn.data("node", "add", "four", *words)
    gotn.data("edge", "add", "four", "two")
    told = gotn.data("run", "replan", "--dry-run")
    assert (["four"], []) == (told["added"], told["removed"])
    assert "added" in gotn.text("run", "replan", run)
    assert "Nothing changes" in gotn.text("run", "replan", run)
    back = gotn.data("run", "claim", run, "--worker", "w")
    given = gotn.data("run", "release", run, back["step"]["id"], "--token", back["token"])
    assert (given["status"], given["attempts"][-1]["outcome"]) == ("ready", "released")
    order = []
    while (claim := gotn.data("run", "claim", run, "--worker", "w"))["status"] == "claimed":
        order.append(claim["step"]["id"])
        gotn.data("run", "complete", run, order[-1], "--token", claim["token"])
    assert ["four", "two", "three"] == sorted(order, key=["four", "two", "three"].index)
    assert order.index("four") < order.index("two")
    assert ("run_ended", "completed") == (claim["status"], claim["run"]["status"])
    assert gotn.data("journal", "verify")["equal"]


def test_what_can_be_claimed_and_why_the_rest_cannot(gotn: Command) -> None:
    """The longest chain first, before and after the first claim; counts stand in `run show`."""
    run = gotn.data("plan")["run_id"]
    before = gotn.data("run", "ready", run)
    assert ["one", "three"] == [step["id"] for step in before["steps"]]
    gotn.data("run", "claim", run, "--worker", "w", "--node", "three")
    told = gotn.data("run", "ready", "--all")
    assert [("one", True, None), ("two", False, "waits for 1 of the nodes that it needs")] == [
        (step["id"], step["ready"], step["waits"]) for step in told["steps"]
    ]
    assert [2.0, 1.0] == [step["priority"] for step in told["steps"]]
    assert {"ready": 2, "running": 1} == {
        name: n for name, n in gotn.data("run", "show")["counts"].items() if n
    }
    assert "2 ready, 1 running" in gotn.text("run", "show")
    shown = gotn.text("run", "ready", "--all")
    assert "waits for 1" in shown
    assert "Do one" in shown
    gotn.data("run", "cancel", "--reason", "enough")
    assert "Nothing of" in gotn.text("run", "ready", run)


def test_without_a_name_the_newest_run_is_looked_at(gotn: Command) -> None:
    """An open run before one that is over, that one before none."""
    assert "make one with" in gotn.error("run", "steps", code=3)["message"]
    first = gotn.data("plan")["run_id"]
    gotn.data("run", "cancel", "--reason", "enough")
    assert gotn.data("run", "show")["id"] == first
    assert {row["status"] for row in gotn.data("run", "steps")["steps"]} == {"skipped"}
    second = gotn.data("plan")["run_id"]
    assert gotn.data("run", "show")["id"] == second


def test_a_step_whose_worker_is_gone(gotn: Command) -> None:
    """Its row says that the lease is over; once it is planned anew it is nobody's."""
    run = gotn.data("plan")["run_id"]
    gotn.data("run", "claim", run, "--worker", "ann", "--node", "three", "--lease", "1s")
    until = time.monotonic() + TIMEOUT
    while "lease over" not in (shown := gotn.text("run", "steps", run)):
        assert time.monotonic() < until
    assert "ann" in shown
    gotn.data("run", "cancel", "--reason", "enough")
    gotn.data("run", "resume", run)
    (three,) = [row for row in gotn.text("run", "steps", run).splitlines() if "three" in row]
    assert "ready" in three
    assert "ann" not in three


def test_layers_are_counted_from_one_everywhere(gotn: Command) -> None:
    """What planning anew prints names the layers that `run steps` prints."""
    run = gotn.data("plan")["run_id"]
    claim = gotn.data("run", "claim", run, "--worker", "w", "--node", "one")
    gotn.data("run", "complete", run, "one", "--token", claim["token"])
    words = ("--kind", "k", "--summary", "Do four", "--prompt", "Please.")
    gotn.data("node", "add", "four", *words)
    gotn.data("edge", "add", "one", "four")
    gotn.data("edge", "add", "four", "two")
    said = gotn.text("run", "replan", run)
    assert "two (2 → 3)" in said
    rest = [line.split() for line in said.partition("Layers of the rest")[2].splitlines()]
    assert [["1", "three"], ["2", "four"], ["3", "two"]] == [line for line in rest if line]
    steps = [line.split() for line in gotn.text("run", "steps", run).splitlines()[1:]]
    assert {"one": "1", "three": "1", "four": "2", "two": "3"} == {
        line[2]: line[1] for line in steps if line
    }
