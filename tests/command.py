"""The real command in a process of its own, with an environment made for the test."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: Seconds one command may take.
TIMEOUT = 120


@dataclass
class Command:
    """`gotn` with a home and an actor of its own; `project` goes along as -p."""

    environment: Mapping[str, str]
    home: Path
    project: str | None = None
    extra: dict[str, str] = field(default_factory=dict)

    def variables(self) -> dict[str, str]:
        """The test's environment, free of whatever the developer has set."""
        ours = ("GOTN_", "NEO4J_", "COV_")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        given = {"GOTN_HOME": str(self.home), "GOTN_ACTOR": "tester", "COLUMNS": "120"}
        return kept | given | dict(self.environment) | self.extra

    def words(self, *words: str) -> list[str]:
        """The command line."""
        project = ["-p", self.project] if self.project else []
        return [sys.executable, "-m", "gotn", *words, *project]

    def run(self, *words: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command; whoever calls looks at its exit code."""
        return subprocess.run(
            self.words(*words),
            env=self.variables(),
            input=given if given is not None else "",
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT,
        )

    def text(self, *words: str, code: int = 0) -> str:
        """What a command prints for people."""
        done = self.run(*words)
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def data(self, *words: str, code: int = 0, given: str | None = None) -> Any:
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
