import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from gotn.cli.working import outputs, telling, watching
from gotn.cli.working.commanding import Outcome
from gotn.cli.working.conditions import Answer, Condition, Finding, Kind
from gotn.cli.working.picture import drawn
from gotn.cli.working.telling import Stream, Telling
from gotn.cli.working.watching import Picture


def _steps(*rows: tuple[str, int, list[str], float | None]) -> list[dict[str, Any]]:
    return [
        {
            "id": id_,
            "position": number,
            "layer": layer,
            "summary": f"Do {id_}",
            "estimate_minutes": minutes,
            "prerequisites": [{"id": one} for one in needs],
        }
        for number, (id_, layer, needs, minutes) in enumerate(rows)
    ]


@pytest.mark.parametrize(
    ("minutes", "path"), [((None,) * 5, ("a", "c", "e")), ((1, 9, 1, 1, 1), ("b", "d"))]
)
def test_the_longest_chain(minutes: tuple[float | None, ...], path: tuple[str, ...]) -> None:
    """By estimates where there are some, else in steps; nodes outside the run do not count."""
    rows = _steps(
        ("a", 0, ["gone"], minutes[0]),
        ("b", 0, [], minutes[1]),
        ("c", 1, ["a"], minutes[2]),
        ("d", 1, ["b"], minutes[3]),
        ("e", 2, ["c"], minutes[4]),
    )
    picture = Picture()
    picture.draw(rows, 5)
    assert path == picture.critical
    assert watching.critical({}) == ()


def test_what_changed_is_told_once() -> None:
    """A line for each move of a step or of the run, none for what stays."""
    picture = Picture()
    picture.draw(_steps(("a", 0, [], None), ("b", 1, ["a"], None)), 2)
    run = {"id": "r", "status": "running", "reason": None}
    ready: list[dict[str, Any]] = [{"id": "a", "status": "ready"}, {"id": "b", "status": "ready"}]
    assert list(picture.seen(run, ready)) == ["Run r running"]
    taken: list[dict[str, Any]] = [
        {"id": "a", "status": "running", "worker": "w", "attempt": 1},
        ready[1],
    ]
    assert list(picture.seen(run, taken)) == ["a  running  [w, attempt 1]"]
    assert list(picture.seen(run, taken)) == []
    again: list[dict[str, Any]] = [
        {"id": "a", "status": "running", "worker": "v", "attempt": 2},
        ready[1],
    ]
    assert list(picture.seen(run, again)) == ["a  running  [v, attempt 2]"]
    over: list[dict[str, Any]] = [
        {"id": "a", "status": "failed", "worker": "v", "attempt": 2, "duration_ms": 1250,
         "reason": "no"},
        {"id": "b", "status": "blocked", "reason": "failed: a"},
    ]  # fmt: skip
    assert list(picture.seen(run | {"status": "failed", "reason": "a failed"}, over)) == [
        "a  failed  [v, attempt 2]  1.2 s  (no)",
        "b  blocked  (failed: a)",
        "Run r failed: a failed",
    ]
    assert picture.over


def test_the_picture() -> None:
    """Layers, running steps with worker, attempt and time, the critical path; long runs are cut."""
    rows = _steps(*((f"n{i}", i // 100, [f"n{i - 100}"] * (i > 99), None) for i in range(2000)))
    picture = Picture()
    picture.draw(rows, 2500)
    begun = (datetime.now(UTC) - timedelta(seconds=75)).isoformat()
    moves: list[dict[str, Any]] = [{"id": row["id"], "status": "completed"} for row in rows[:100]]
    moves += [
        {"id": row["id"], "status": "running", "worker": "ann", "attempt": 3, "started_at": begun}
        for row in rows[100:120]
    ]
    list(picture.seen({"id": "r", "status": "running"}, moves))
    console = Console(width=120, file=open(os.devnull, "w"))  # noqa: SIM115, PTH123
    with console.capture() as shown:
        console.print(drawn(picture, 3700))
    text = shown.get()
    for words in ("Run r", "100 completed · 20 running", "500 more not drawn", "1:01:40",
                  "Layer 1", "100/100", "0/100", "… 20 layers", "ann", "attempt 3", "1:15",
                  "and 4 more", "Critical path", "● n0"):  # fmt: skip
        assert words in text, words
    assert len(text.splitlines()) < 50
    console.file.close()


def test_streams_are_cut() -> None:
    """Long lines and many lines are cut; what stands behind the last line end is told."""
    told: list[str] = []
    stream = Stream(Telling(told.append), "n")
    stream.heard(b"one\ntw")
    stream.heard(b"o\r\n\x1b[31mred")
    stream.end()
    assert told == ["n │ one", "n │ two", "n │ \\x1b[31mred"]
    stream.heard(b"x" * 100_000 + b"\n")
    assert len(told[-1]) < telling.WIDTH + 10
    stream.heard(b"y\n" * 10_000)
    assert len(told) == telling.LINES + 1
    assert "no more is shown" in told[-1]


def test_outputs_have_bounds(tmp_path: Path) -> None:
    """Whatever a command wrote and a node asks, what is kept fits; it can be kept in a file."""
    control = {"head": "\x00" * 8192, "tail": "\x01" * 8192, "bytes": 10**9, "dropped_bytes": 1}
    done = Outcome(exit_code=0, duration_ms=1, output=control)
    asked = Finding(
        condition=Condition(Kind.ASSERTION, "\x02" * 5000), answer=Answer.MET, message="m" * 5000
    )
    for guards in ([], [asked] * 5000):
        found = outputs.row("c" * 10**6, done, guards, guards)
        assert len(json.dumps(found)) <= 64 * 1024
        assert found["exit_code"] == 0
    path = outputs.kept(tmp_path / "outputs", "run-1", "a/../b", 1, {"x": "é"})
    assert path is not None
    assert path.parent == tmp_path / "outputs"
    assert json.loads(path.read_text("utf-8")) == {"x": "é"}
