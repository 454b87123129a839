"""One entry of the journal: its members, its hash, how it is read and printed."""

import hashlib
from dataclasses import dataclass
from typing import Any

from gotn import shapes
from gotn.canonical import canonical
from gotn.errors import Invalid

#: Version of the entries' shape; a reader refuses newer ones.
SCHEMA_VERSION = 1


@dataclass(kw_only=True)
class Entry:
    """One journal entry; `data` is {"items": […]} plus what the event adds."""

    seq: int
    event: str
    #: ISO 8601 in UTC, never below the entry before.
    timestamp: str
    actor: str
    schema_version: int
    data: Any
    previous_hash: str
    hash: str

    def digest(self) -> str:
        """What `hash` must be: SHA-256 of the RFC 8785 JSON of everything else."""
        body = {
            "seq": self.seq,
            "event": self.event,
            "timestamp": self.timestamp,
            "actor": self.actor,
            "schema_version": self.schema_version,
            "data": self.data,
            "previous_hash": self.previous_hash,
        }
        return hashlib.sha256(canonical(body)).hexdigest()

    def items(self) -> list[dict[str, Any]]:
        """What this entry changed, one object an entity."""
        found = self.data.get("items", []) if isinstance(self.data, dict) else []
        return found if isinstance(found, list) else []

    @property
    def staged(self) -> int | None:
        """The number of the large import that this entry is a part of, or finishes."""
        found = self.data.get("import") if isinstance(self.data, dict) else None
        return found if isinstance(found, int) else None


def line(entry: Entry) -> str:
    """An entry as `gotn journal export` prints it: one JSON object with all fields."""
    return shapes.dumps(vars(entry)) + "\n"


def fingerprint(original: Any) -> str:
    """What tells an imported entry of another tool's journal from others: SHA-256 of its JSON."""
    return hashlib.sha256(canonical(original)).hexdigest()


#: The members of a row that `page_entries` gives, in their order.
_FIELDS = tuple(Entry.__dataclass_fields__)
#: Where `data` stands in a row.
DATA = _FIELDS.index("data")


def entry_from(stored: dict[str, Any]) -> Entry:
    """An entry as the database or an exported line has it; Invalid names what is wrong."""
    try:
        found = Entry(**{name: stored[name] for name in Entry.__dataclass_fields__})
    except KeyError as missing:
        raise Invalid(f"a journal entry without {missing.args[0]}") from None
    _check(found)
    return found


def read(stored: list[Any]) -> Entry:
    """An entry as `page_entries` gives it."""
    try:
        found = Entry(**dict(zip(_FIELDS, stored, strict=True)))
        found.timestamp = shapes.instant(found.timestamp)
        found.data = shapes.loads(found.data)
    except (TypeError, ValueError):
        raise Invalid(f"seq {shapes.shown(stored[0])}: its time or data cannot be read") from None
    _check(found)
    return found


def _check(entry: Entry) -> None:
    """Raise Invalid where a member has another type than `Entry` says."""
    for name in ("seq", "schema_version"):
        value = getattr(entry, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise Invalid(f"{name}: expected a number from 1, found {shapes.shown(value)}")
    for name in ("event", "timestamp", "actor", "previous_hash", "hash"):
        if not isinstance(value := getattr(entry, name), str):
            raise Invalid(f"{name}: expected text, found {shapes.shown(value)}")
    shapes.moment(entry.timestamp, "timestamp")
    if any(not isinstance(item, dict) for item in entry.items()):
        raise Invalid("data: expected a list of objects in items")
