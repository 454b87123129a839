"""A step while a worker has it, and what became of it."""

import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from gotn.cli.working import commanding, conditions, outputs, workspace
from gotn.cli.working.commanding import Outcome
from gotn.cli.working.conditions import Finding
from gotn.cli.working.lease import Lease

Row = dict[str, Any]


class End(Enum):
    """What became of a step here."""

    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"
    HANDED_OVER = "handed_over"
    RELEASED = "released"
    LOST = "lost"


@dataclass(kw_only=True)
class Worked:
    """A step that this worker had."""

    node: str
    attempt: int
    worker: str
    end: End
    reason: str | None = None
    duration_ms: int = 0
    #: What whoever goes on with a step that was handed over needs.
    handed: Row | None = None

    def row(self) -> Row:
        """As `--json` prints it."""
        found = {
            "node": self.node,
            "attempt": self.attempt,
            "worker": self.worker,
            "outcome": self.end.value,
            "reason": self.reason,
            "duration_ms": self.duration_ms,
        }
        return found | (self.handed or {})


@dataclass(kw_only=True)
class Work:
    """One claim while it is worked on."""

    claim: Row
    lease: Lease
    worker: str
    begun: float = field(default_factory=time.monotonic)
    guards: list[Finding] = field(default_factory=list)
    criteria: list[Finding] = field(default_factory=list)
    outcome: Outcome | None = None
    #: Milliseconds of the attempt that are left to its commands.
    limit_ms: int = commanding.TIME_LIMIT_MS

    @property
    def node(self) -> Row:
        """The step's node."""
        found: Row = self.claim["node"]
        return found

    @property
    def id(self) -> str:
        """Its id."""
        return self.lease.node

    @property
    def command(self) -> str | None:
        """`extra.command` (decisions, Guards), where it is a text or a list of words."""
        extra = self.node.get("extra")
        found = extra.get("command") if isinstance(extra, Mapping) else None
        if isinstance(found, list) and all(isinstance(word, str) for word in found):
            found = shlex.join(found)
        return found if isinstance(found, str) and found.strip() else None

    @property
    def outputs(self) -> Row:
        """What is recorded of it."""
        return outputs.row(self.command, self.outcome, self.guards, self.criteria)

    @property
    def elapsed_ms(self) -> int:
        """Milliseconds since it was claimed."""
        return round((time.monotonic() - self.begun) * 1000)

    def told(self, command: str | None) -> str:
        """The step as a person reads it; `command`: one that is not run, and why."""
        node, parts = self.node, [f"{self.id}: {self.node.get('summary') or ''}"]
        parts.append(f"  {node.get('prompt_text') or ''}")
        facts = {
            "Target": node.get("exec_target"),
            "Command": command,
            "Artifacts": ", ".join(workspace.files(node.get("artifacts"))),
            "Lease": f"until {self.claim.get('lease_until')}, renewed while this waits",
        }
        parts += [f"  {name}: {value}" for name, value in facts.items() if value]
        parts += [f"  Guard: {one.condition}: {one.answer.value}" for one in self.guards]
        wanted = conditions.read(node.get("success_criteria"))
        return "\n".join(parts + [f"  Done when: {one}" for one in wanted])
