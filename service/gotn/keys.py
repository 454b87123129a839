"""Keys of stored entities, and calls in bounded batches."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from typing import Any, TypeVar

T = TypeVar("T")
#: Bytes of a key, at most; Neo4j's indexes refuse more than 8,167.
KEY_BYTES = 4000
#: Rows sent in one statement.
BATCH = 5000


def part(name: str) -> str:
    """An id as part of a key, so that two paths never give one key."""
    return name.replace("%", "%25").replace("/", "%2F")


def key(project_id: str, *names: Any) -> str:
    """The key of an entity: its project and its own names, hashed where an index is too small."""
    whole = "/".join((project_id, *(part(str(name)) for name in names)))
    if len(whole) <= KEY_BYTES // 4 or len(whole.encode()) <= KEY_BYTES:
        return whole
    return f"{project_id}/#{sha256(whole.encode()).hexdigest()}"


def streamed(rows: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """The same of rows that come one by one."""
    rest = iter(rows)
    while some := list(islice(rest, size)):
        yield some


def batches(rows: Sequence[T], size: int = BATCH) -> Iterator[Sequence[T]]:
    """The rows in slices of a size one statement takes well."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
