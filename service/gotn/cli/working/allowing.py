"""Which commands a workspace lets run (decisions, Guards): `[run] allow` of its `gotn.toml`.

An entry is a whole command line, or a prefix of whole words ending in ` *`, which allows
the prefix with at least one more word. What an entry means by shell syntax:

- a whole line with shell syntax allows exactly that text, which `/bin/sh -c` then runs: its
  owner wrote every character of it;
- a prefix may hold none, and a command that holds some outside quotes is allowed by no
  prefix, so that no second command comes in behind an allowed one;
- everything else is started without a shell.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gotn.cli.working import wording
from gotn.errors import BadDocument

#: The workspace's own file.
NAME = "gotn.toml"
#: Bytes it may have, and entries.
LARGEST = 1024 * 1024
MOST = 10_000
#: Runs the lines whose owner wrote shell syntax.
SHELL = "/bin/sh"


@dataclass(frozen=True)
class Entry:
    """One line of the list."""

    text: str
    words: tuple[str, ...]
    prefix: bool
    shell: bool

    def allows(self, found: Sequence[str]) -> bool:
        """Whether a command without shell syntax is this one, or begins with it."""
        if self.shell:
            return False
        if self.prefix:
            return len(found) > len(self.words) and tuple(found[: len(self.words)]) == self.words
        return tuple(found) == self.words


@dataclass(frozen=True)
class Ruling:
    """Whether a command may run, as which program with which words, or why not."""

    argv: tuple[str, ...] = ()
    why_not: str = ""

    @property
    def allowed(self) -> bool:
        """Whether it may run."""
        return bool(self.argv)


@dataclass(frozen=True)
class Allowed:
    """The list of a workspace; an empty one allows nothing."""

    entries: tuple[Entry, ...] = ()
    #: Where it was read, or would be.
    path: Path | None = None

    def rule(self, line: str) -> Ruling:
        """What becomes of a command line."""
        if sign := wording.syntax(line):
            if any(entry.shell and entry.text == line.strip() for entry in self.entries):
                return Ruling((SHELL, "-c", line.strip()))
            return Ruling(why_not=f"it needs a shell ({sign!r}) and is not listed whole")
        try:
            found = wording.words(line)
        except ValueError as error:
            return Ruling(why_not=f"it cannot be read: {error}")
        if not found or not found[0]:
            return Ruling(why_not="it is empty")
        if any(entry.allows(found) for entry in self.entries):
            return Ruling(tuple(found))
        return Ruling(why_not=f"{NAME} does not list it" if self.entries else self._nothing())

    def _nothing(self) -> str:
        there = self.path is not None and self.path.exists()
        return f"{NAME} lists nothing" if there else f"the workspace has no {NAME}"


def read(workspace: Path) -> Allowed:
    """The list of a workspace; BadDocument names file, line, what was expected and found."""
    path = workspace / NAME
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except FileNotFoundError:
        return Allowed(path=path)
    except OSError as error:
        raise BadDocument(f"{path}: cannot be read: {error.strerror}", file=str(path)) from None
    if len(content) > LARGEST:
        raise BadDocument(f"{path}: expected at most {LARGEST} bytes", file=str(path))
    return Allowed(_entries(path, content), path)


def _entries(path: Path, content: bytes) -> tuple[Entry, ...]:
    try:
        text = content.decode()
        found = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise _broken(path, line, "expected UTF-8, found another encoding") from None
    except tomllib.TOMLDecodeError as error:
        raise BadDocument(f"{path}: expected TOML: {error}", file=str(path)) from None
    except RecursionError:
        raise _broken(path, 1, "expected [run] allow, found values nested too deeply") from None
    return _listed(path, text, found)


def _listed(path: Path, text: str, found: dict[str, Any]) -> tuple[Entry, ...]:
    """The entries of a document that is TOML."""
    run = found.get("run", {})
    if not isinstance(run, dict):
        raise _broken(path, _line(text, "run"), f"run: expected a table, found {_shown(run)}")
    for name in run:
        if name != "allow":
            wrong = f"[run] has no member {name!r}, only allow"
            raise _broken(path, _line(text, name), wrong)
    allow = run.get("allow", [])
    if not isinstance(allow, list):
        wrong = f"allow: expected a list of texts, found {_shown(allow)}"
        raise _broken(path, _line(text, "allow"), wrong)
    if len(allow) > MOST:
        raise _broken(path, _line(text, "allow"), f"allow: expected at most {MOST} entries")
    return tuple(_entry(path, text, number, one) for number, one in enumerate(allow))


def _entry(path: Path, text: str, number: int, given: Any) -> Entry:
    """One entry, or what is wrong with it."""
    if not isinstance(given, str):
        wrong = f"allow[{number}]: expected a text, found {_shown(given)}"
        raise _broken(path, _line(text, "allow"), wrong)
    try:
        return entry(given)
    except ValueError as error:
        wrong = f"allow[{number}]: {error}, found {_shown(given)}"
        raise _broken(path, _line(text, given.strip() or "allow"), wrong) from None


def entry(given: str) -> Entry:
    """An entry of the list; ValueError says what was expected."""
    text = given.strip()
    shell = wording.syntax(text) is not None
    if not text:
        raise ValueError("expected a command line")
    try:
        found = wording.words(text)
    except ValueError as error:
        if not shell:
            raise ValueError(f"expected words that a shell could split ({error})") from None
        found = []
    prefix = text.endswith((" *", "\t*")) and found[-1:] == ["*"]
    if text == "*" or (prefix and not found[0]):
        raise ValueError("expected a command before the *")
    if prefix and shell:
        raise ValueError("expected no shell syntax in a prefix; list such a line whole")
    return Entry(text, tuple(found[:-1] if prefix else found), prefix, shell)


def _line(text: str, wanted: str) -> int:
    """The line where something stands, as far as its text tells; the first otherwise."""
    shown = wanted.replace("\\", "\\\\").replace('"', '\\"')
    for number, line in enumerate(text.splitlines(), 1):
        if (wanted and wanted in line) or (shown and shown in line):
            return number
    return 1


def _shown(value: Any) -> str:
    found = repr(value)
    return found if len(found) <= 80 else f"{found[:79]}…"


def _broken(path: Path, line: int, wrong: str) -> BadDocument:
    return BadDocument(f"{path}, line {line}: {wrong}.", file=str(path), line=line)
