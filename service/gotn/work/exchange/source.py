"""A file's bytes, within limits, and whether they are one JSON document or a line each."""

import os
import re
import sys
import tempfile
from codecs import getincrementaldecoder
from collections.abc import Iterator
from itertools import islice
from mmap import ACCESS_READ, MADV_DONTNEED, mmap
from pathlib import Path
from typing import BinaryIO

from gotn import shapes
from gotn.errors import BadDocument, Invalid, LimitExceeded
from gotn.work.exchange import parsing
from gotn.work.exchange.parsing import Piece
from gotn.work.exchange.report import Report

Data = bytes | mmap
#: Bytes of a file.
FILE_BYTES = 256 * 1024 * 1024
#: Bytes that are read at once; a larger file is mapped into memory.
MAPPED = 16 * 1024 * 1024
#: Bytes of one line of JSONL.
LINE_BYTES = 8 * 1024 * 1024
_MARK = b"\xef\xbb\xbf"
_SOMETHING = re.compile(rb"\S")
_NEWLINE = re.compile(rb"\n")
_OTHER_MARKS = {b"\xff\xfe": "UTF-16 or UTF-32", b"\xfe\xff": "UTF-16"}
#: How packed files begin.
_PACKED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "a zip archive",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
#: What version control leaves in a file that it could not merge; no JSON line begins so.
_CONFLICT = re.compile(rb"^(?:<{7}|={7}|>{7}|\|{7})(?: [^\r\n]*)?\r?$", re.MULTILINE)


def load(source: str | Path | BinaryIO, name: str | None = None) -> tuple[str, Data]:
    """What a source is called and its bytes; `-` is standard input.

    A large one is mapped into memory from its file, standard input from a temporary one.
    """
    if source == "-":
        return name or "standard input", _bounded(sys.stdin.buffer, name or "standard input")
    if not isinstance(source, str | Path):
        return name or "the document", _bounded(source, name or "the document")
    path = Path(source)
    try:
        with path.open("rb") as stream:
            return name or path.name, _mapped(stream, name or path.name)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Invalid(f"{path}: cannot be read: {reason}", file=str(path)) from None


def _mapped(stream: BinaryIO, name: str) -> Data:
    """The file as it is; what is no file or is small is read."""
    size = os.fstat(stream.fileno()).st_size
    if size > FILE_BYTES:
        raise _too_large(name)
    if size <= MAPPED:
        return _bounded(stream, name)
    return mmap(stream.fileno(), size, access=ACCESS_READ)


def _bounded(stream: BinaryIO, name: str) -> Data:
    data = stream.read(MAPPED + 1)
    if len(data) > FILE_BYTES:
        raise _too_large(name)
    if len(data) <= MAPPED:
        return data
    with tempfile.TemporaryFile(prefix="gotn-") as file:
        size = 0
        while data:
            size += len(data)
            if size > FILE_BYTES:
                raise _too_large(name)
            file.write(data)
            data = stream.read(MAPPED)
        file.flush()
        return mmap(file.fileno(), size, access=ACCESS_READ)


def _too_large(name: str) -> LimitExceeded:
    return LimitExceeded(
        f"{name}: expected at most {FILE_BYTES} bytes, found more. Split it into several files and "
        "import one after the other: as JSONL, an entity a line, any lines make a file.",
        limit=FILE_BYTES,
    )


def _release(data: Data) -> None:
    """Let go of the pages read so far; what is looked at again is read again."""
    if isinstance(data, mmap) and hasattr(data, "madvise"):
        data.madvise(MADV_DONTNEED)


def pieces(data: Data, report: Report) -> Iterator[Piece]:
    """The objects of a file one by one, JSONL or not; what is wrong goes to the report."""
    if not _is_text(data, report):
        return
    by_line = is_lines(data)
    if conflicts(data, report) and not by_line:
        return
    _release(data)
    if by_line:
        yield from lines(data, report)
        return
    try:
        text = _decoded(data)
    except UnicodeDecodeError as error:
        report.add(_line_of(data, error.start), None, _not_utf8(error))
        return
    yield from parsing.document(text, report)


def _decoded(data: Data) -> str:
    """The text of a whole document, without ever holding its bytes beside it."""
    decoder = getincrementaldecoder("utf-8")()
    text, start = "", len(_MARK) if data[:3] == _MARK else 0
    for at in range(start, len(data), MAPPED):
        last = at + MAPPED >= len(data)
        try:
            text += decoder.decode(data[at : at + MAPPED], last)  # grows in place
        except UnicodeDecodeError as error:
            kept = len(error.object) - len(data[at : at + MAPPED])
            error.start += at - kept
            error.object = data[: error.start + 1]
            raise
        _release(data)
    return text


def _is_text(data: Data, report: Report) -> bool:
    if not _SOMETHING.search(data, len(_MARK) if data[:3] == _MARK else 0):
        report.add(None, None, "expected JSON, found an empty file")
        return False
    if encoding := _OTHER_MARKS.get(data[:2]):
        report.add(1, None, f"expected UTF-8, found {encoding}")
        return False
    for mark, packed in _PACKED.items():
        if data[: len(mark)] == mark:
            report.add(None, None, f"expected JSON, found {packed}; unpack it first")
            return False
    if (at := data.find(b"\0")) >= 0:
        report.add(_line_of(data, at), None, "expected JSON, found binary data (a zero byte)")
        return False
    return True


def conflicts(data: Data, report: Report) -> bool:
    """Whether there are merge-conflict markers; each is reported."""
    found, line, before = False, 1, 0
    for marker in _CONFLICT.finditer(data):
        found = True
        line += sum(1 for _ in _NEWLINE.finditer(data, before, marker.start()))
        before = marker.start()
        report.add(
            line,
            None,
            f"expected JSON, found a merge-conflict marker {shapes.shown(_text(marker[0]))}; "
            "settle the merge first",
        )
    return found


def is_lines(data: Data) -> bool:
    """Whether this is JSONL: its first line is a whole object, or damaged and its second is one.

    A first line that ends in the middle of a list or object begins one document over lines.
    """
    begun = (line for _, line in _raw_lines(data) if not _CONFLICT.match(line))
    heads = list(islice(begun, 2))
    if not heads or not heads[0].startswith(b"{"):
        return bool(heads[1:2]) and not heads[0].startswith(b"[")
    if len(heads) < 2 or parsing.parses(heads[0]):
        return len(heads) > 1
    goes_on = heads[0].endswith((b"{", b"[", b",", b":"))
    return not goes_on and heads[1].startswith(b"{") and parsing.parses(heads[1])


def lines(data: Data, report: Report) -> Iterator[Piece]:
    """The objects of JSONL, each with its line; a line that cannot be read is reported."""
    for number, line in _raw_lines(data):
        if _CONFLICT.match(line):
            continue
        if len(line) > LINE_BYTES:
            report.add(
                number,
                None,
                f"expected at most {LINE_BYTES} bytes in a line, found more; write one entity a "
                "line, or all as one document over several lines",
            )
            continue
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            report.add(number, None, _not_utf8(error))
            continue
        yield from parsing.one_line(text, number, report)


def _raw_lines(data: Data) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, without their ends, numbered from 1.

    Of one that is too long only the beginning is read: enough to tell that it is.
    """
    start, number, released = (len(_MARK) if data[:3] == _MARK else 0), 0, 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        if line := data[start : min(end, start + LINE_BYTES + 1)].strip():
            yield number, line
        start = end + 1
        if start - released > MAPPED:
            _release(data)
            released = start


def _line_of(data: Data, at: int) -> int:
    return 1 + sum(1 for _ in _NEWLINE.finditer(data, 0, at))


def _not_utf8(error: UnicodeDecodeError) -> str:
    return f"expected UTF-8, found the byte 0x{error.object[error.start]:02x} ({error.reason})"


def _text(data: bytes) -> str:
    return data.decode(errors="replace").strip()


def one_document(data: Data, name: str) -> object:
    """The one JSON value of a small file of a folder; BadDocument for anything else."""
    report = Report(name)
    found = [piece.value for piece in pieces(data, report)]
    report.finish()
    if len(found) != 1:
        raise BadDocument(
            f"{name}: expected one object, found {len(found)}", file=name, violations=[]
        )
    return found[0]
