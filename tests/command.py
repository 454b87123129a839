"""The command as people and scripts use it: arguments, environment, output, exit code."""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from unittest import mock

from gotn.cli import running

#: Seconds one command may take.
TIMEOUT = 120


@dataclass
class Command:
    """`gotn` with a home and an actor of its own; `project` goes along as -p.

    It runs from its arguments to its exit code in a thread of this process, which saves the
    second that imports take; with `process` it is a process of its own.
    """

    environment: Mapping[str, str]
    home: Path
    project: str | None = None
    process: bool = False
    extra: dict[str, str] = field(default_factory=dict)

    def variables(self) -> dict[str, str]:
        """The test's environment, free of whatever the developer has set."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("GOTN_", "NEO4J_"))}
        given = {"GOTN_HOME": str(self.home), "GOTN_ACTOR": "tester", "COLUMNS": "120"}
        return kept | given | dict(self.environment) | self.extra

    def words(self, *words: str) -> list[str]:
        """The arguments."""
        return [*words, *(["-p", self.project] if self.project else [])]

    def run(self, *words: str, given: str = "") -> CompletedProcess[str]:
        """Run a command; whoever calls looks at its exit code."""
        if not self.process:
            return self._here(self.words(*words), given)
        return subprocess.run(
            [sys.executable, "-m", "gotn", *self.words(*words)],
            env=self.variables(),
            input=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT,
        )

    def _here(self, words: list[str], given: str) -> CompletedProcess[str]:
        with _redirected(given) as (out, err), ThreadPoolExecutor(1) as thread:  # noqa: SIM117
            with mock.patch.dict(os.environ, self.variables(), clear=True):
                code = thread.submit(running.run, words).result(TIMEOUT)
        return CompletedProcess(words, code, _text(out), _text(err))

    def text(self, *words: str, code: int = 0) -> str:
        """What a command prints for people."""
        done = self.run(*words)
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def data(self, *words: str, code: int = 0, given: str = "") -> Any:
        """The data of a command's envelope."""
        done = self.run(*words, "--json", given=given)
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        envelope = json.loads(done.stdout)
        assert envelope.keys() == {"schema_version", "command", "data"}
        assert envelope["schema_version"] == 1
        return envelope["data"]

    def error(self, *words: str, code: int) -> Any:
        """The error of a command that fails with this exit code."""
        done = self.run(*words, "--json")
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        assert not done.stdout
        assert "Traceback" not in done.stderr
        envelope = json.loads(done.stderr)
        assert envelope["schema_version"] == 1
        return envelope["error"]


@contextlib.contextmanager
def _redirected(given: str) -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    """Standard streams as a shell's pipes are: bytes below, no terminal."""
    source = io.TextIOWrapper(io.BytesIO(given.encode()), encoding="utf-8")
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with (
        mock.patch.object(sys, "stdin", source),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        yield out, err


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()
