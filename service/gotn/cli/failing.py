"""How a command fails: one readable line, or an envelope for programs; never a traceback."""

import json
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

from gotn.errors import GotnError, ProgrammingError

#: Exit code of a command line that cannot be understood.
USAGE = 2
#: Lines of a list of facts that are printed for people.
SHOWN = 20


def report(error: Exception, command: str, *, as_json: bool, debug: bool) -> int:
    """Print what went wrong to stderr; the exit code."""
    if debug:
        traceback.print_exception(error, file=sys.stderr)
    known = error if isinstance(error, GotnError) else _unexpected(error)
    if as_json:
        _print_json(command, known.code, known.message, known.facts)
    else:
        _say(known.message)
        for line in details(known.facts):
            print(f"  {line}", file=sys.stderr)
    return known.exit_code


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
    message = " ".join(str(said()).split()) or "a command is missing"
    command = path.removeprefix("gotn").strip() or "gotn"
    code = int(getattr(error, "exit_code", USAGE))
    if as_json:
        _print_json(command, "USAGE", message, {})
        return code
    return plain(f"{message} Try `{path} --help`.", code)


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
    red = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    print(f"\x1b[31m✗\x1b[0m {message}" if red else f"gotn: {message}", file=sys.stderr)


def details(facts: dict[str, Any]) -> list[str]:
    """What people need beside the message: everything that is wrong, not only the first."""
    lines: list[str] = []
    for name in ("problems", "violations", "lines"):
        found = facts.get(name)
        if isinstance(found, list | tuple) and len(found) > 1:
            lines += [_line(item) for item in found[:SHOWN]]
            if len(found) > SHOWN:
                lines.append(f"… and {len(found) - SHOWN} more")
    return lines


def _line(item: Any) -> str:
    if isinstance(item, dict):
        place = f"line {item['line']}: " if item.get("line") else ""
        name = f"{item['id']}: " if item.get("id") else ""
        return f"{place}{name}{item.get('reason') or item.get('message') or item}"
    return str(item)
