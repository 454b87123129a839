"""Guards and success criteria (decisions): what they ask, and their answer in the workspace.

A text that begins with `command:`, `file:`, `not_command:`, `not_file:` or `assertion:` names
its type, any other text is an assertion; an object is {type, value}. An assertion, and a
command that the workspace does not allow, is unanswered here: whoever executes answers it.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from gotn.cli.working.commanding import Outcome
from gotn.cli.working.workspace import Outside, Workspace

#: Runs an allowed command.
Runner = Callable[[tuple[str, ...]], Awaitable[Outcome]]
#: Exit codes of a shell that could not start what it was told to.
NOT_STARTED = (126, 127)


class Kind(Enum):
    """What is looked at."""

    COMMAND = "command"
    FILE = "file"
    NOT_COMMAND = "not_command"
    NOT_FILE = "not_file"
    ASSERTION = "assertion"


class Answer(Enum):
    """What was found."""

    MET = "met"
    NOT_MET = "not_met"
    UNANSWERED = "unanswered"


@dataclass(frozen=True)
class Condition:
    """One guard or success criterion."""

    kind: Kind
    value: str

    def __str__(self) -> str:
        """As 001 writes it: an assertion is its own text."""
        return self.value if self.kind is Kind.ASSERTION else f"{self.kind.value}:{self.value}"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A condition with its answer, and why."""

    condition: Condition
    answer: Answer
    message: str = ""
    #: Who answered an assertion: a person's name, or `--yes`.
    by: str | None = None

    def row(self) -> dict[str, Any]:
        """As a step's outputs keep it."""
        found = {
            "type": self.condition.kind.value,
            "value": self.condition.value,
            "answer": self.answer.value,
            "message": self.message or None,
            "by": self.by,
        }
        return {name: value for name, value in found.items() if value is not None}


def read(given: Any) -> tuple[Condition, ...]:
    """The conditions of a node's member; what has no readable type is an assertion."""
    if given is None:
        return ()
    return tuple(_one(item) for item in (given if isinstance(given, list | tuple) else [given]))


def _one(given: Any) -> Condition:
    if isinstance(given, str):
        name, colon, rest = given.partition(":")
        kind = _kind(name) if colon else None
        return Condition(kind, rest.strip()) if kind else Condition(Kind.ASSERTION, given)
    if isinstance(given, Mapping):
        kind, value = _kind(given.get("type")), given.get("value")
        if kind and isinstance(value, str):
            return Condition(kind, value.strip())
    return Condition(Kind.ASSERTION, json.dumps(given, ensure_ascii=False, default=str))


def _kind(name: Any) -> Kind | None:
    try:
        return Kind(name)
    except ValueError:
        return None


async def evaluate(condition: Condition, workspace: Workspace, run: Runner) -> Finding:
    """The answer that the workspace gives."""
    if condition.kind in (Kind.FILE, Kind.NOT_FILE):
        return _file(condition, workspace)
    if condition.kind in (Kind.COMMAND, Kind.NOT_COMMAND):
        return await _command(condition, workspace, run)
    return Finding(condition=condition, answer=Answer.UNANSWERED)


def _file(condition: Condition, workspace: Workspace) -> Finding:
    try:
        there = workspace.has(condition.value)
    except Outside as error:  # never met, neither way: nobody looked
        return Finding(
            condition=condition, answer=Answer.NOT_MET, message=f"not looked at: {error}"
        )
    met = there == (condition.kind is Kind.FILE)
    message = "" if met else "it is there" if there else "it is not there"
    return Finding(condition=condition, answer=_met(met), message=message)


async def _command(condition: Condition, workspace: Workspace, run: Runner) -> Finding:
    ruling = workspace.allowed.rule(condition.value)
    if not ruling.allowed:
        message = f"not run: {ruling.why_not}"
        return Finding(condition=condition, answer=Answer.UNANSWERED, message=message)
    outcome = await run(ruling.argv)
    # A command that was not found, or never ended by itself, says neither yes nor no.
    said = outcome.exit_code is not None and outcome.exit_code not in NOT_STARTED
    ended = said and not outcome.timed_out and not outcome.stopped
    met = ended and outcome.good == (condition.kind is Kind.COMMAND)
    return Finding(condition=condition, answer=_met(met), message=outcome.said)


def _met(met: bool) -> Answer:
    return Answer.MET if met else Answer.NOT_MET
