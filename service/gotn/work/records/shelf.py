"""Rows of a document that may be large: a list that keeps them as JSON, mostly on disk."""

import os
import tempfile
import weakref
from array import array
from collections.abc import Iterable, Iterator, MutableSequence
from typing import Any, BinaryIO, overload

import orjson

Row = dict[str, Any]
#: Bytes that are kept in memory; what goes beyond is written to a temporary file.
BUFFER = 1 << 20


class Shelf(MutableSequence[Row]):
    """A list of plain rows. A row that is read is a copy: what is changed is put back by index.

    Only where each row stands is kept in memory, 16 bytes a row, so that a file of hundreds
    of megabytes can be read, sorted and stored in bounded memory (decisions, All or nothing).
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._at = array("Q")
        self._length = array("Q")
        self._buffer = bytearray()
        self._written = 0
        self._file: BinaryIO | None = None
        self.extend(rows)

    def __len__(self) -> int:
        return len(self._at)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        row: Row = orjson.loads(self._read(self._at[index], self._length[index]))
        return row

    def __iter__(self) -> Iterator[Row]:
        for index in range(len(self)):
            yield self[index]

    @overload
    def __setitem__(self, index: int, value: Row) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[Row]) -> None: ...
    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            raise TypeError("a shelf takes one row at a time")
        self._at[index], self._length[index] = self._write(value)

    def __delitem__(self, index: int | slice) -> None:
        del self._at[index]
        del self._length[index]

    def insert(self, index: int, value: Row) -> None:
        """Put a row before the one at this index."""
        at, length = self._write(value)
        self._at.insert(index, at)
        self._length.insert(index, length)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Shelf | list):
            return NotImplemented
        return len(self) == len(other) and all(
            one == two for one, two in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # it can change, like a list

    def __repr__(self) -> str:
        return f"Shelf({list(self)!r})"

    def _write(self, row: Row) -> tuple[int, int]:
        data = orjson.dumps(row)
        at = self._written + len(self._buffer)
        self._buffer += data
        if len(self._buffer) > BUFFER:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="gotn-")  # noqa: SIM115
                weakref.finalize(self, self._file.close)
            os.pwrite(self._file.fileno(), self._buffer, self._written)
            self._written += len(self._buffer)
            self._buffer = bytearray()
        return at, len(data)

    def _read(self, at: int, length: int) -> bytes:
        if at >= self._written:
            start = at - self._written
            return bytes(self._buffer[start : start + length])
        assert self._file is not None  # noqa: S101  # it was written to
        return os.pread(self._file.fileno(), length, at)
