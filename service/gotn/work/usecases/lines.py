"""An exported journal as a file: read twice rather than held, every damaged line named."""

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from gotn import journal, shapes
from gotn.errors import Invalid
from gotn.journal import Entry
from gotn.work.records import Unknown
from gotn.work.usecases.chain import Chain, newness

#: Bytes of one line, at most.
LINE_BYTES = 64 * 1024 * 1024
#: Damages that are listed; more are counted.
LISTED = 1000
_CONFLICT = (b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")
_ORIGINAL = frozenset(("event", "timestamp", "data"))


class Lines:
    """The lines of one exported journal: where each readable entry begins, and what is damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.chain = Chain()
        #: The first damages, each with its line and reason.
        self.damaged: list[Unknown] = []
        #: How many there are in all.
        self.damages = 0
        #: How many of them are entries that a newer program wrote; those are never taken.
        self.newer = 0
        self._seqs, self._offsets = array("q"), array("q")

    def scan(self) -> Iterator[Entry]:
        """Every readable entry in the file's order, checked on the way; the first pass."""
        with _opened(self.path) as file:
            for number, offset, line in _lines(file):
                try:
                    entry = _entry(line, first=number == 1)
                except Invalid as error:
                    self._note(number, None, error.message)
                    continue
                if newer := newness(entry):
                    self.newer += 1
                    self._note(number, entry.seq, newer)
                    self.chain.pass_by(entry)
                    continue
                for reason in self.chain.check(entry):
                    self._note(number, entry.seq, reason)
                self._seqs.append(entry.seq)
                self._offsets.append(offset)
                yield entry

    def _note(self, line: int, seq: int | None, reason: str) -> None:
        self.damages += 1
        if len(self.damaged) < LISTED:
            id_ = str(seq) if seq else None
            self.damaged.append(Unknown(line=line, id=id_, reason=reason))

    def by_seq(self) -> Iterator[Entry]:
        """The same entries in the order of their seq, read again."""
        order = sorted(range(len(self._seqs)), key=lambda at: self._seqs[at])
        with _opened(self.path) as file:
            for at in order:
                file.seek(self._offsets[at])
                yield _entry(file.readline(LINE_BYTES + 1), first=self._offsets[at] == 0)


def is_original(path: Path) -> bool:
    """Whether this is a folder or journal of the original program (001), not one of ours."""
    if path.is_dir():
        return True
    with _opened(path) as file:
        for number, _, line in _lines(file):
            found = _object(line, first=number == 1)
            if found is not None:
                return found.keys() >= _ORIGINAL and "hash" not in found
            if number >= 20:
                return False
    return False


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise Invalid(f"{path}: cannot be read: {error.strerror}", file=str(path)) from None


def _lines(file: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """(number, offset, line) of every line that is not blank; of a longer one only a part."""
    number, offset = 0, 0
    while line := file.readline(LINE_BYTES + 1):
        number += 1
        length = len(line)
        more = line
        while len(more) > LINE_BYTES and not more.endswith(b"\n"):
            more = file.readline(LINE_BYTES + 1)
            length += len(more)
        if line.strip():
            yield number, offset, line
        offset += length


def _object(line: bytes, *, first: bool) -> dict[str, Any] | None:
    try:
        found = shapes.loads(line.removeprefix(b"\xef\xbb\xbf") if first else line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _entry(line: bytes, *, first: bool) -> Entry:
    """The entry of one line; Invalid says what is wrong with it."""
    if len(line) > LINE_BYTES:
        raise Invalid(f"expected at most {LINE_BYTES} bytes, found more")
    if line.startswith(_CONFLICT):
        raise Invalid("a merge-conflict marker; settle the merge first")
    if b"\0" in line:
        raise Invalid("binary data (a zero byte)")
    found = _object(line, first=first)
    if found is None:
        raise Invalid("not a JSON object: cut short or damaged")
    return journal.entry_from(found)
