"""An index in a file: written whole or not at all, and believed only if every byte is right.

    magic and version   8 bytes
    length of header    8 bytes, little endian
    header              JSON: identity, position, kind, ids by place (null: empty), note
    FAISS's own index   as FAISS writes it
    SHA-256             32 bytes, of everything before

A file is written beside the old one, brought to the disk, and put in its place in one step, under
a lock that all processes take. One that follows the journal further is never replaced by one
that is behind.
"""

import fcntl
import hashlib
import json
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from gotn_embeddings import finding
from gotn_embeddings.errors import IndexNotSaved, IndexUnusable
from gotn_embeddings.finding import EXACT, HNSW
from gotn_embeddings.identity import ModelIdentity
from gotn_embeddings.index import FaissIndex
from gotn_embeddings.vectors import Position

MAGIC = b"GOTNVEC\x01"
CHECKSUM = 32
#: Bytes that are hashed or handed to FAISS at once.
PIECE = 1 << 20
#: No header is larger: a million ids of 256 characters.
LARGEST_HEADER = 1 << 28


@dataclass(frozen=True)
class Header:
    """What a file says of itself."""

    identity: dict[str, Any]
    position: Position
    kind: str
    ids: list[str | None]
    #: What whoever keeps the vectors wrote beside them.
    note: str | None


class Loaded(NamedTuple):
    """What a file has."""

    held: FaissIndex
    position: Position
    note: str | None


def save(
    index: FaissIndex,
    path: Path,
    position: Position,
    note: str | None = None,
    *,
    instead: bool = False,
) -> bool:
    """Put the index in its file; False where the file that is there follows further already.

    `instead` of whatever is there it is put in any case. IndexNotSaved where it could not be
    written: the old file then stays as it was.
    """
    new = path.with_name(f"{path.name}.new")
    with _told(path, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path):
            if not instead and _further(path, index.identity, position):
                return False
            try:
                with new.open("wb") as file:
                    _write(file, index, position, note)
                    file.flush()
                    os.fsync(file.fileno())
                new.replace(path)
                _settle(path.parent)
            finally:
                with suppress(OSError):
                    new.unlink(missing_ok=True)
    return True


def load(
    path: Path,
    identity: ModelIdentity,
    *,
    head: Position | None = None,
    switch: int = finding.SWITCH,
) -> Loaded:
    """The index of a file, the journal entry it follows, and its note.

    IndexUnusable with the reason: `missing`, `damaged` (any byte), `foreign` (another model or
    dimension), `stale` (`head`, the journal's last entry, is behind it or another one: this is
    not the journal it followed). One that is merely behind is returned, to be brought up to date.
    """
    try:
        with path.open("rb") as file:
            end = _verified(file, path)
            header = _header(file, path)
            _belongs(header, identity, head, path)
            faiss = _faiss(file, end, path)
    except FileNotFoundError:
        raise IndexUnusable("missing", f"There is no index {path}", file=str(path)) from None
    except OSError as error:
        raise _damaged(path, error.strerror or str(error)) from error
    if (faiss.d, faiss.ntotal) != (identity.dimension, len(header.ids)):
        raise _damaged(path, "its parts do not belong together")
    index = FaissIndex(identity, switch=switch)
    index.restore(header.kind, faiss, header.ids)
    return Loaded(index, header.position, header.note)


def remove(path: Path) -> None:
    """Take the file away; no error where there is none, IndexNotSaved where it stays."""
    with _told(path, "removed"):
        if path.parent.is_dir():
            with _locked(path):
                path.unlink(missing_ok=True)


@contextmanager
def _told(path: Path, what: str) -> Iterator[None]:
    """IndexNotSaved, with the reason, where the system lets the file not be `what`."""
    try:
        yield
    except OSError as error:
        raise IndexNotSaved(
            f"{path} could not be {what}: {error.strerror or error}", file=str(path)
        ) from error


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Alone among all processes; the system frees the lock of one that was killed."""
    with path.with_name(f"{path.name}.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _settle(folder: Path) -> None:
    """Bring the new name to the disk, too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _further(path: Path, identity: ModelIdentity, position: Position) -> bool:
    """Whether a whole file of the same model is there that follows the journal further."""
    try:
        with path.open("rb") as file:
            header = _header(file, path)
            if header.identity != identity.to_dict() or header.position.seq <= position.seq:
                return False
            file.seek(0)
            _verified(file, path)
    except (OSError, IndexUnusable):
        return False
    return True


def _write(file: BinaryIO, index: FaissIndex, position: Position, note: str | None) -> None:
    import faiss

    digest = hashlib.sha256()
    failed: list[OSError] = []

    def put(data: bytes) -> int:
        """Hash and write; FAISS cannot carry an error of ours, so it is kept for afterwards."""
        if not failed:
            try:
                file.write(data)
                digest.update(data)
            except OSError as error:
                failed.append(error)
        return len(data)

    with index.still() as (kind, held, ids):
        header = {
            "identity": index.identity.to_dict(),
            "position": {"seq": position.seq, "hash": position.hash},
            "kind": kind,
            "ids": ids,
            "note": note,
        }
        text = json.dumps(header).encode()
        put(MAGIC + struct.pack("<Q", len(text)) + text)
        writer = faiss.PyCallbackIOWriter(put, PIECE)
        faiss.write_index(held, writer)
    if failed:
        raise failed[0]
    file.write(digest.digest())


def _verified(file: BinaryIO, path: Path) -> int:
    """Where FAISS's part ends, once every byte is known to be right; the file is rewound."""
    end = file.seek(0, os.SEEK_END) - CHECKSUM
    file.seek(0)
    if end < len(MAGIC) or file.read(len(MAGIC)) != MAGIC:
        raise _damaged(path, "it is no index of this version")
    digest, left = hashlib.sha256(MAGIC), end - len(MAGIC)
    while left > 0 and (piece := file.read(min(PIECE, left))):
        digest.update(piece)
        left -= len(piece)
    if left or file.read() != digest.digest():
        raise _damaged(path, "its checksum is wrong")
    file.seek(0)
    return end


def _header(file: BinaryIO, path: Path) -> Header:
    try:
        if file.read(len(MAGIC)) != MAGIC:
            raise _damaged(path, "it is no index of this version")
        (length,) = struct.unpack("<Q", file.read(8))
        if length > LARGEST_HEADER:
            raise _damaged(path, "its header cannot be so large")
        found = json.loads(file.read(length))
        position = Position(int(found["position"]["seq"]), str(found["position"]["hash"]))
        if found["kind"] not in {EXACT, HNSW}:
            raise _damaged(path, f"it is of an unknown kind {found['kind']!r}")
        note = None if found.get("note") is None else str(found["note"])
        return Header(dict(found["identity"]), position, found["kind"], list(found["ids"]), note)
    except (ValueError, KeyError, TypeError, struct.error) as error:
        raise _damaged(path, f"its header cannot be read: {error}") from error


def _belongs(header: Header, identity: ModelIdentity, head: Position | None, path: Path) -> None:
    if header.identity != identity.to_dict():
        raise IndexUnusable(
            "foreign",
            f"{path} has vectors of {header.identity}, this service makes {identity.to_dict()}",
            file=str(path),
        )
    at = header.position
    if head and (at.seq > head.seq or (at.seq == head.seq and at.hash != head.hash)):
        raise IndexUnusable(
            "stale",
            f"{path} follows entry {at.seq} of another journal; this one ends at {head.seq}",
            file=str(path),
        )


def _faiss(file: BinaryIO, end: int, path: Path) -> Any:
    # FAISS would allocate whatever a file says: it is asked only once the checksum is right.
    finding.empty(EXACT, 1)  # says how to install it where it is missing
    import faiss

    def read(size: int) -> bytes:
        return file.read(max(0, min(size, end - file.tell())))

    try:
        return faiss.read_index(faiss.PyCallbackIOReader(read, PIECE))
    except RuntimeError as error:
        raise _damaged(path, f"FAISS cannot read it: {str(error)[:200]}") from error


def _damaged(path: Path, why: str) -> IndexUnusable:
    return IndexUnusable("damaged", f"The index {path} is damaged: {why}", file=str(path))
