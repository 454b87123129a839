import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import TIMEOUT, Command


class Screen:
    """A command on a terminal of its own: what it shows, and what is typed."""

    def __init__(self, gotn: Command, *words: str) -> None:
        ours, theirs = pty.openpty()
        self._ours, self._shown = ours, ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gotn", *gotn.words(*words)],
            env=gotn.variables() | {"TERM": "xterm", "LINES": "40", "COLUMNS": "100"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self._reading = threading.Thread(target=self._read)
        self._reading.start()

    def _read(self) -> None:
        while True:
            try:
                piece = os.read(self._ours, 65536)
            except OSError:  # the other end is closed
                return
            if not piece:
                return
            self._shown += piece.decode("utf-8", "replace")

    @property
    def shown(self) -> str:
        """All that was shown, without colours and movements."""
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self._shown)

    def until(self, words: str) -> None:
        """Wait until this is shown."""
        end = time.monotonic() + TIMEOUT
        while words not in self.shown:
            assert self.process.poll() is None, self.shown
            assert time.monotonic() < end, self.shown
            time.sleep(0.02)

    def answer(self, question: str, line: str) -> None:
        """Type a line once it is asked for."""
        self.until(question)
        os.write(self._ours, f"{line}\n".encode())

    def ended(self) -> int:
        """The exit code."""
        code = self.process.wait(TIMEOUT)
        self._reading.join(TIMEOUT)
        return code

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()
        self._reading.join(TIMEOUT)
        os.close(self._ours)


@pytest.fixture
def gotn(neo4j_environment: dict[str, str], tmp_path: Path, project: str) -> Command:
    """The command in this test's project."""
    return Command(neo4j_environment, tmp_path, project)


@pytest.fixture
def run(gotn: Command, tmp_path: Path) -> str:
    """A run of one step that a person does, and one that a command does before it."""
    (tmp_path / "gotn.toml").write_text("[run]\nallow = ['echo *']\n")
    rows: list[dict[str, Any]] = [
        {"id": "said", "command": "echo it works", "produces": ["x"],
         "success_criteria": ["assertion:Somebody heard it"]},
        {"id": "by_hand", "requires": ["x"], "command": "rm -rf /",
         "guards": ["Hands are clean"], "success_criteria": ["not_file:by_hand"]},
    ]  # fmt: skip
    for row in rows:
        row |= {"kind": "task", "summary": f"Do {row['id']}", "prompt_text": "Please do it"}
    gotn.data("import", "-", "--format", "gotn", "--link", given=json.dumps(rows))
    return str(gotn.data("plan", "--workspace", str(tmp_path))["run_id"])


@pytest.fixture
def screen(gotn: Command, run: str, tmp_path: Path) -> Iterator[Screen]:
    """`gotn run work` on a terminal."""
    shown = Screen(gotn, "run", "work", run, "--workspace", str(tmp_path), "--worker", "ann")
    yield shown
    shown.close()


def test_a_person_at_a_terminal(gotn: Command, run: str, screen: Screen) -> None:
    """Assertions and outcomes are asked for; the picture shows layers and the critical path."""
    screen.answer("said: Somebody heard it", "y")
    screen.answer("by_hand: Hands are clean", "yes")
    screen.answer("[d]one, [f]ailed, [s]kip, [l]eave it?", "d")
    assert screen.ended() == 0, screen.shown
    shown = screen.shown
    assert "said │ it works" in shown
    assert "Command: rm -rf / (not run: gotn.toml does not list it)" in shown
    assert "Layer 2" in shown
    assert "Critical path" in shown
    assert f"Run {run} is completed; here: 2 completed." in shown
    rows = {row["id"]: row for row in gotn.data("run", "steps", run)["steps"]}
    assert rows["said"]["outputs"]["success_criteria"][0]["by"] == "tester"
    assert rows["by_hand"]["status"] == "completed"


def test_a_no_is_a_failure(gotn: Command, run: str, screen: Screen) -> None:
    """Who says no fails the step, and the reason says who said so."""
    screen.answer("Somebody heard it", "n")
    assert screen.ended() == 1, screen.shown
    rows = {row["id"]: row for row in gotn.data("run", "steps", run)["steps"]}
    assert rows["said"]["reason"] == "success criterion not met: Somebody heard it (said tester)"
    assert rows["by_hand"]["status"] == "blocked"


def test_ctrl_c_at_a_question(gotn: Command, run: str, screen: Screen) -> None:
    """A question that stands there is no obstacle: the step is given back, the cursor too."""
    screen.until("Somebody heard it")
    screen.process.send_signal(signal.SIGINT)
    assert screen.ended() == 130, screen.shown
    assert "Traceback" not in screen.shown
    assert screen._shown.rindex("\x1b[?25h") > screen._shown.rindex("\x1b[?25l")
    rows = {row["id"]: row for row in gotn.data("run", "steps", run)["steps"]}
    assert rows["said"]["status"] == "ready"
