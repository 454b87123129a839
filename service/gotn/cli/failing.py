"""How a command fails: one readable line, or an envelope for programs; never a traceback."""

import json
import os
import re
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import typer

from gotn.cli.show.visible import told
from gotn.errors import GotnError, Invalid, ProgrammingError

#: Exit code of a command line that cannot be understood.
USAGE = 2
#: What hangs on a node that is not removed, by the name of the fact.
HANGING = {"edges": "edge", "children": "child", "runs": "run"}
#: Lines of a list of facts that are printed for people.
SHOWN = 20
#: Characters of a bad value from which on the settings may have cut it.
CUT = 80


class Misused(typer.BadParameter):
    """A command line that can be parsed and still cannot be meant; exit code 2."""

    def format_message(self) -> str:
        """The sentence as it is."""
        return self.message


def report(error: Exception, command: str, *, as_json: bool, debug: bool) -> int:
    """Print what went wrong to stderr; the exit code."""
    if debug:
        traceback.print_exception(error, file=sys.stderr)
    known = error if isinstance(error, GotnError) else _unexpected(error)
    if as_json:
        _print_json(command, known.code, known.message, known.facts)
    else:
        _say(known.message)
        for line in details(known.facts, known.message):
            print(f"  {told(line)}", file=sys.stderr)
    return known.exit_code


def discreet(error: Invalid) -> Invalid:
    """What is wrong with the settings, an address of Neo4j left out where it has a password."""
    facts = {
        name: [_discreet(one) for one in value] if isinstance(value, list) else value
        for name, value in error.facts.items()
    }
    return Invalid(_discreet(error.message), **facts)


def _discreet(said: str) -> str:
    """The sentence; a quotation is cut off that has a password in it, or may have had one."""
    known, found, quoted = said.partition(", found ")
    about = re.search(r"\bneo4j_uri\b", known, re.IGNORECASE)
    return known if found and about and ("@" in quoted or len(quoted) > CUT) else said


def plain(message: str, code: int) -> int:
    """Print one line to stderr; the exit code."""
    _say(message)
    return code


def usage(error: Exception, arguments: Sequence[str]) -> int:
    """Print what Typer could not understand; anything else is our own mistake."""
    as_json, debug = "--json" in arguments, "--debug" in arguments
    said = getattr(error, "format_message", None)
    if said is None:
        return report(error, "gotn", as_json=as_json, debug=debug)
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "gotn"
    message = _sentence(str(said()))
    command = path.removeprefix("gotn").strip() or "gotn"
    code = int(getattr(error, "exit_code", USAGE))
    if as_json:
        _print_json(command, "USAGE", message, {})
        return code
    return plain(f"{message} Try `{path} --help`.", code)


def _sentence(said: str) -> str:
    """What Typer or pydantic says, as a sentence of ours."""
    text = " ".join(said.split()) or "a command is missing"
    text = re.sub(r", unable to parse string as an? \w+", "", text)
    text = re.sub(r"\bInput should be |\bValue error, ", _ours, text)
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _ours(found: re.Match[str]) -> str:
    return "expected " if found[0].startswith("Input") else ""


def nobody_reads() -> int:
    """The reader has what it wanted (`gotn … | head`): end quietly, at exit too."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


def _unexpected(error: Exception) -> GotnError:
    known = ProgrammingError(
        f"Something unexpected happened ({type(error).__name__}: {str(error)[:300]}). "
        "Run it again with --debug and report what it prints."
    )
    if isinstance(error, OSError) and error.filename:
        return GotnError(f"{error.filename}: {error.strerror}", file=str(error.filename))
    return known


def _print_json(command: str, code: str, message: str, facts: dict[str, Any]) -> None:
    error = {"code": code, "message": message, **facts}
    envelope = {"schema_version": 1, "command": command, "error": error}
    print(json.dumps(envelope, ensure_ascii=False, default=str), file=sys.stderr)


def _say(message: str) -> None:
    message = told(message)
    red = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    print(f"\x1b[31m✗\x1b[0m {message}" if red else f"gotn: {message}", file=sys.stderr)


def details(facts: dict[str, Any], message: str = "") -> list[str]:
    """What people need beside the message: everything that is wrong, once."""
    lines: list[str] = [
        f"{label}: {item}"
        for name, label in HANGING.items()
        if isinstance(facts.get(name), list | tuple)
        for item in _some(facts[name])
    ]
    for name in ("problems", "violations", "lines"):
        found = facts.get(name)
        if isinstance(found, list | tuple) and len(found) > 1:
            lines += _some([one for one in found if not _is_told(one, message)])
    return lines


def _is_told(item: Any, message: str) -> bool:
    """Whether the message has all that a line of its own would say."""
    named = isinstance(item, dict) and str(item.get("id") or "") not in _reason(item)
    return _line(item, named=named) in message


def _some(found: Sequence[Any]) -> list[str]:
    """The first of a list, and how many more."""
    more = [f"… and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
    return [_line(item) for item in found[:SHOWN]] + more


def _line(item: Any, *, named: bool = True) -> str:
    if isinstance(item, dict):
        place = f"line {item['line']}: " if item.get("line") else ""
        name = f"{item['id']}: " if named and item.get("id") else ""
        return f"{place}{name}{_reason(item)}"
    return str(item)


def _reason(item: dict[str, Any]) -> str:
    return str(item.get("reason") or item.get("message") or item)
