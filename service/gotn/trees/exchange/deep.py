"""JSON of any depth: read and written without recursion.

The standard decoder and encoder call themselves for each level; a tree of ten thousand
levels would exhaust the stack. These are slower and only used for what the others refuse.
"""

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import Any

import orjson

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None}
#: Makes an object of its pairs.
Pairs = Callable[[list[tuple[str, Any]]], dict[str, Any]]


class _Open:
    """A list or object that is not closed yet."""

    def __init__(self, closing: str) -> None:
        self.closing = closing
        self.items: list[Any] = []
        self.key: str | None = None


def loads(text: str, pairs: Pairs) -> Any:
    """The value of a JSON text; JSONDecodeError says where it is none."""
    reader = _Reader(text, pairs)
    return reader.document()


class _Reader:
    def __init__(self, text: str, pairs: Pairs) -> None:
        self.text, self.pairs, self.at = text, pairs, 0
        self.stack: list[_Open] = []

    def document(self) -> Any:
        while True:
            opened, value = self._begin()
            if opened:
                continue
            while self.stack:
                closed, value = self._after(value)
                if not closed:
                    break
            else:
                self._skip()
                if self.at < len(self.text):
                    raise JSONDecodeError("Expecting the end of the file", self.text, self.at)
                return value

    def _skip(self) -> str:
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.text[self.at : self.at + 1]

    def _begin(self) -> tuple[bool, Any]:
        """Begin a value: (True, None) where a list or object was opened that holds something."""
        first = self._skip()
        if first in ("[", "{"):
            self.at += 1
            closing = "]" if first == "[" else "}"
            if self._skip() == closing:
                self.at += 1
                return False, ([] if first == "[" else {})
            self.stack.append(_Open(closing))
            if closing == "}":
                self._key()
            return True, None
        return False, self._scalar(first)

    def _scalar(self, first: str) -> Any:
        if first == '"':
            value, self.at = scanstring(self.text, self.at + 1)
            return value
        for word, value in _WORDS.items():
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return value
        found = _NUMBER.match(self.text, self.at)
        if not found:
            raise JSONDecodeError("Expecting value", self.text, self.at)
        self.at = found.end()
        return Decimal(found[0]) if found[1] or found[2] else int(found[0])

    def _key(self) -> None:
        if self._skip() != '"':
            raise JSONDecodeError("Expecting a key in double quotes", self.text, self.at)
        self.stack[-1].key, self.at = scanstring(self.text, self.at + 1)
        if self._skip() != ":":
            raise JSONDecodeError("Expecting ':'", self.text, self.at)
        self.at += 1

    def _after(self, value: Any) -> tuple[bool, Any]:
        """Put a value where it belongs: (True, whole) where that closed the list or object."""
        top = self.stack[-1]
        top.items.append(value if top.closing == "]" else (top.key, value))
        found = self._skip()
        if found == top.closing:
            self.at += 1
            self.stack.pop()
            return True, top.items if top.closing == "]" else self.pairs(top.items)
        if found != ",":
            raise JSONDecodeError(f"Expecting ',' or '{top.closing}'", self.text, self.at)
        self.at += 1
        if top.closing == "}":
            self._key()
        return False, None


def dumps(value: Any, scalar: Callable[[Any], Any]) -> Iterator[str]:
    """A value as JSON text on one line, in pieces; `scalar` is orjson's default."""
    todo: list[Any] = [_Value(value)]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
            continue
        found = item.value
        if isinstance(found, dict) and found:
            todo += reversed(["{", *_joined(_pairs(found)), "}"])
        elif isinstance(found, list) and found:
            todo += reversed(["[", *_joined([_Value(one)] for one in found), "]"])
        else:
            yield orjson.dumps(
                found, default=scalar, option=orjson.OPT_PASSTHROUGH_SUBCLASS
            ).decode()


class _Value:
    """A value that is still to be written; text is there already."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _pairs(found: dict[str, Any]) -> Iterator[list[Any]]:
    for key, value in found.items():
        yield [orjson.dumps(key).decode() + ":", _Value(value)]


def _joined(groups: Any) -> Iterator[Any]:
    for place, group in enumerate(groups):
        if place:
            yield ","
        yield from group
