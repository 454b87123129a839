"""JSON text into objects, each with the line it begins on.

The outermost list, or the lists of `{nodes, edges, runs, journal}`, are walked by hand, so
that every object in them has its line; the rest is the standard decoder's, which refuses
nothing by itself of what RFC 8259 calls unpredictable: keys that stand twice, NaN.
"""

import json
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from json.decoder import JSONDecodeError
from typing import Any

from gotn import shapes
from gotn.work.exchange.report import Report

#: Keys of a document that holds lists, and what their items are.
SECTIONS = {"nodes": "node", "edges": "edge", "runs": "run", "journal": "journal"}
#: Keys that show an object to be one entity, whatever lists it also has.
_ENTITY = frozenset(("id", "src", "event", "ordered_node_ids"))
#: Keys of a document that say something about the file, not about an entity.
ABOUT = frozenset(("version", "created", "updated", "workspace_path"))
#: Characters of a document whose items are read again when they are asked for, not kept.
LEAN = 4_000_000
_SPACE = re.compile(r"[ \t\r\n]*")


@dataclass
class Piece:
    """One object of a document, and where it stands."""

    value: Any
    line: int | None
    #: Its path in a document, such as `nodes[3]`; empty for an object of its own.
    where: str = ""
    #: `node`, `edge`, `run`, `journal` where the document says so, `about` for the rest.
    section: str = ""


class _Decoder:
    """The standard decoder, with a note of what it would let pass."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object, parse_constant=self._constant
        )

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(n for i, n in enumerate(names) if n in names[:i])
            self.problems.append(f"expected each key once, found {shapes.shown(twice)} twice")
        return found

    def _constant(self, text: str) -> None:
        self.problems.append(f"expected a JSON number, found {text}")

    def value(self, text: str, at: int) -> tuple[Any, int]:
        try:
            return self._decoder.raw_decode(text, at)
        except RecursionError:
            raise JSONDecodeError("nested too deeply", text, at) from None
        except JSONDecodeError:
            raise
        except ValueError as error:  # an integer of more digits than Python reads
            raise JSONDecodeError(str(error).split(";")[0], text, at) from None

    def only(self, text: str) -> Any:
        value, end = self.value(text, 0)
        if (rest := _skip(text, end)) < len(text):
            raise JSONDecodeError("Expecting the end of the line", text, rest)
        return value

    def drain(self) -> list[str]:
        found, self.problems = self.problems, []
        return found


def parses(line: bytes) -> bool:
    """Whether a line is a JSON value by itself."""
    try:
        _Decoder().only(line.decode())
    except ValueError:
        return False
    return True


def one_line(text: str, line: int, report: Report) -> Iterator[Piece]:
    """The object of one line of JSONL, or those in it where it holds lists."""
    decoder = _Decoder()
    try:
        value = decoder.only(text)
    except JSONDecodeError as error:
        report.add(line, None, _reason(error, "line"))
        return
    for problem in decoder.drain():
        report.add(line, _id(value), problem)
    yield from _opened(value, line)


def _opened(value: Any, line: int) -> Iterator[Piece]:
    """An object as it is, or what its lists hold."""
    if not (isinstance(value, dict) and _holds_lists(value)):
        yield Piece(value, line)
        return
    for key, section in SECTIONS.items():
        for i, item in enumerate(_items(value.get(key))):
            yield Piece(item, line, f"{key}[{i}]", section)
    about = {k: v for k, v in value.items() if k not in SECTIONS or not isinstance(v, list)}
    yield Piece(about, line, "", "about")


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _holds_lists(members: dict[str, Any]) -> bool:
    return bool(members.keys() & SECTIONS.keys()) and not members.keys() & _ENTITY


def document(text: str, report: Report) -> Iterable[Piece]:
    """The objects of one JSON document: all is read, and of a large one read again piecewise."""
    walk = _Walk(text, report)
    try:
        return walk.document()
    except JSONDecodeError as error:
        report.add(error.lineno, None, _reason(error, "file"))
        return []


class _Items:
    """The items of one list of a document; of a large document only where each stands."""

    def __init__(self, text: str, path: str, section: str) -> None:
        self._text, self._path, self._section = text, path, section
        self._pieces: list[Piece] | None = None if len(text) > LEAN else []
        self._at, self._lines = array("Q"), array("Q")

    def __len__(self) -> int:
        return len(self._at)

    def add(self, piece: Piece, at: int) -> None:
        """Take in one item that begins here."""
        self._at.append(at)
        self._lines.append(piece.line or 0)
        if self._pieces is not None:
            self._pieces.append(piece)

    def __iter__(self) -> Iterator[Piece]:
        if self._pieces is not None:
            yield from self._pieces
            return
        decoder = _Decoder()
        for i, (at, line) in enumerate(zip(self._at, self._lines, strict=True)):
            value, _ = decoder.value(self._text, at)
            yield Piece(value, line, f"{self._path}[{i}]", self._section)


class _Walk:
    """Reads one document from its beginning to its end."""

    def __init__(self, text: str, report: Report) -> None:
        self.text, self.report = text, report
        self.at, self.line, self._counted = 0, 1, 0
        self.decoder = _Decoder()

    def document(self) -> Iterable[Piece]:
        opening = self._next()
        found: Iterable[Piece]
        if opening == "[":
            found = self._list("", "")
        elif opening == "{":
            found = self._object()
        else:
            found = [self._value("", "")]
        if self._next():
            raise JSONDecodeError("Expecting the end of the file", self.text, self.at)
        return found

    def _next(self) -> str:
        """The next character that is not blank, or nothing at the end."""
        self.at = _skip(self.text, self.at)
        return self.text[self.at : self.at + 1]

    def _value(self, where: str, section: str) -> Piece:
        self._next()
        self.line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        value, self.at = self.decoder.value(self.text, self.at)
        for problem in self.decoder.drain():
            self.report.add(self.line, _id(value), problem, where)
        return Piece(value, self.line, where, section)

    def _list(self, path: str, section: str) -> _Items:
        found = _Items(self.text, path, section)
        self.at += 1
        if self._next() == "]":
            self.at += 1
            return found
        while True:
            self._next()
            begins = self.at
            found.add(self._value(f"{path}[{len(found)}]", section), begins)
            if self._separator("]"):
                return found

    def _separator(self, closing: str) -> bool:
        """Pass a comma, or the end of a list or object, which gives True."""
        found = self._next()
        if found not in (",", closing) or not found:
            raise JSONDecodeError(f"Expecting ',' or '{closing}'", self.text, self.at)
        self.at += 1
        return found == closing

    def _object(self) -> Iterable[Piece]:
        """An object of its own, or the items of its lists where it is a document of lists."""
        first_line = self.line + self.text.count("\n", 0, self.at)
        members, lists = self._members()
        if not _holds_lists(members):
            whole = {
                key: [piece.value for piece in lists[key]] if key in lists else value
                for key, value in members.items()
            }
            return [Piece(whole, first_line)]
        about = {key: value for key, value in members.items() if key not in lists}
        items = (piece for key in SECTIONS for piece in lists.get(key, ()))
        return chain(items, [Piece(about, first_line, "", "about")])

    def _members(self) -> tuple[dict[str, Any], dict[str, _Items]]:
        members: dict[str, Any] = {}
        lists: dict[str, _Items] = {}
        self.at += 1
        if self._next() == "}":
            self.at += 1
            return members, lists
        while True:
            key = self._key()
            if key in members:
                self.report.add(
                    self.line, None, f"expected each key once, found {shapes.shown(key)} twice"
                )
            members[key] = None
            if key in SECTIONS and self._next() == "[":
                lists[key] = self._list(key, SECTIONS[key])
            else:
                members[key] = self._value(key, "").value
            if self._separator("}"):
                return members, lists

    def _key(self) -> str:
        if self._next() != '"':
            raise JSONDecodeError("Expecting a key in double quotes", self.text, self.at)
        key, self.at = self.decoder.value(self.text, self.at)
        if self._next() != ":":
            raise JSONDecodeError("Expecting ':'", self.text, self.at)
        self.at += 1
        return str(key)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _reason(error: JSONDecodeError, whole: str) -> str:
    """What the decoder expected and what stands there, in our words."""
    rest = error.doc[error.pos : error.pos + 20]
    found = shapes.shown(rest) if rest.strip() else f"the end of the {whole}"
    if error.msg.startswith("Unterminated string"):
        found = f"the end of the {whole}"
    return f"expected JSON, found {found} at column {error.colno} ({error.msg})"


def _id(value: Any) -> str | None:
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, str) else None
