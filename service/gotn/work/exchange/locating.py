"""Where the objects of a JSON document stand: the line each begins on, by its path."""

import json
import re
from dataclasses import dataclass

#: Objects deeper than this have no line of their own.
DEPTH = 64
#: A text that does not end is taken to the end, else each of its quotes would be tried.
_SIGN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\Z)|[{}\[\],:\n]')


@dataclass
class _Open:
    """A list or object that is not closed yet."""

    path: str
    #: The place in a list; None in an object.
    index: int | None
    key: str = ""

    def inner(self) -> str:
        """The path of what comes next in it."""
        if self.index is not None:
            return f"{self.path}[{self.index}]"
        return f"{self.path}.{self.key}" if self.path else self.key


class _Locating:
    """Follows the brackets of a text from its beginning to its end."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}
        self._around: list[_Open] = []
        self._line, self._depth, self._text = 1, 0, '""'

    def take(self, sign: str) -> None:
        """Go on by one bracket, comma, colon, text or line end."""
        if sign == "\n":
            self._line += 1
        elif sign in "{[":
            self._open(sign)
        elif sign in "}]":
            self._close()
        elif sign[0] == '"':
            self._text = sign
        elif self._around and self._depth <= DEPTH:
            self._go_on(sign, self._around[-1])

    def _open(self, sign: str) -> None:
        self._depth += 1
        if self._depth > DEPTH:
            return
        path = self._around[-1].inner() if self._around else ""
        if sign == "{":
            self.lines[path] = self._line
        self._around.append(_Open(path, None if sign == "{" else 0))

    def _close(self) -> None:
        if self._depth <= DEPTH and self._around:
            self._around.pop()
        self._depth -= 1

    def _go_on(self, sign: str, inside: _Open) -> None:
        if sign == ":":
            inside.key = json.loads(self._text)
        elif inside.index is not None:
            inside.index += 1


def objects(text: str) -> dict[str, int]:
    """The line of every object of a text that is sound JSON, by paths such as `a.b[3]`."""
    found = _Locating()
    for sign in _SIGN.finditer(text):
        found.take(sign[0])
    return found.lines
