"""What is kept of a command's output: its beginning and its end, whatever its size."""

from collections import deque
from typing import Any

#: Bytes kept of the beginning, and of the end.
HEAD = 8 * 1024
TAIL = 8 * 1024


class Kept:
    """Head and tail of a stream; memory does not grow with it."""

    def __init__(self, head: int = HEAD, tail: int = TAIL) -> None:
        self._most_head, self._most_tail = head, tail
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._in_tail = 0
        #: Bytes and line ends seen.
        self.size = 0
        self.lines = 0

    def add(self, piece: bytes) -> None:
        """Take the next bytes."""
        self.size += len(piece)
        self.lines += piece.count(b"\n")
        room = self._most_head - len(self._head)
        if room > 0:
            self._head += piece[:room]
            piece = piece[room:]
        if piece:
            self._tail.append(piece[-self._most_tail :])
            self._in_tail += len(self._tail[-1])
        while self._tail and self._in_tail - len(self._tail[0]) >= self._most_tail:
            self._in_tail -= len(self._tail.popleft())

    @property
    def head(self) -> bytes:
        """The first bytes."""
        return bytes(self._head)

    @property
    def tail(self) -> bytes:
        """The last bytes that are not in the head."""
        return b"".join(self._tail)[-self._most_tail :]

    @property
    def cut(self) -> int:
        """How many bytes between them were dropped."""
        return self.size - len(self._head) - len(self.tail)

    def row(self) -> dict[str, Any]:
        """As a step's outputs keep it: one text where nothing was dropped."""
        if not self.cut:
            return {"text": _text(self.head + self.tail), "bytes": self.size}
        return {
            "head": _text(self.head),
            "tail": _text(self.tail),
            "bytes": self.size,
            "dropped_bytes": self.cut,
        }


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
