"""The journal: every change of a project, in order, in the transaction that makes it.

`begin` takes the project's lock first of all and gives a `Ledger`; a use case records what
it changes in it; `commit` appends the entries. An entry's hash covers the entry and the
hash before it, so nothing can be changed, lost or put in between unseen
(decisions, Journal). The state of a project is what `work.fold` makes of its entries.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from gotn import shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Conflict, Invalid, NotFound
from gotn.journal.entry import DATA, SCHEMA_VERSION, Entry, entry_from, fingerprint, line, read

__all__ = ["SCHEMA_VERSION", "Entry", "entry_from", "fingerprint", "line"]

#: Items in one entry, at most.
ITEMS = 1000
#: Bytes of one entry's items where there is more than one, about; longer ones are split.
ENTRY_BYTES = 4 * 1024 * 1024
#: Entries written and read at once, at most, and bytes of their data, about.
PAGE = 500
READ = 5000
PAGE_BYTES = 16 * 1024 * 1024
#: Entries in the first page, whose size nobody knows.
FIRST_PAGE = 20
#: Bytes of an actor's name.
ACTOR_BYTES = 1000
#: The hash before the first entry.
GENESIS = "0" * 64
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: Events after which what can be claimed in a run must be looked at anew. Executing runs has
#: events of its own, and keeps that up to date itself.
_GRAPH = frozenset(("remove_node", "add_edge", "update_edge", "remove_edge", "finish_import"))
#: Where `commit` notes the last seq of each project it wrote, if somebody asks for it.
last_seq: ContextVar[dict[str, int] | None] = ContextVar("last_seq", default=None)


@dataclass
class Ledger:
    """What one write transaction changes, before it is appended."""

    project_id: str
    actor: str
    seq: int
    head: str
    #: This transaction's time, for every created_at and updated_at in it.
    now: datetime
    created: bool
    #: The next place in the order in which a project's nodes and edges came.
    ordinal: int = 0
    #: The last of its entries that changed hard edges, or a node's status other than in a run.
    graph_seq: int | None = None
    entries: list[Entry] = field(default_factory=list)
    #: What the statement that took the lock read beside the head, if anything.
    found: dict[str, Any] = field(default_factory=dict)

    @property
    def time(self) -> str:
        """`now` as rows keep it."""
        return shapes.iso(self.now)

    def ordinals(self, count: int) -> range:
        """The next `count` places in the order of arrival, which exports keep."""
        taken = range(self.ordinal, self.ordinal + count)
        self.ordinal += count
        return taken

    def record(self, event: str, items: list[dict[str, Any]], **more: Any) -> None:
        """Note what changed: an entry for each 1,000 items of one event, fewer of long ones."""
        for start in range(0, len(items), ITEMS):
            for some in _sized(items[start : start + ITEMS]):
                self.note(event, {"items": some, **more})

    def note(self, event: str, data: dict[str, Any]) -> None:
        """Note one entry with just this data."""
        entry = Entry(
            seq=self.seq + 1,
            event=event,
            timestamp=self.time,
            actor=self.actor,
            schema_version=SCHEMA_VERSION,
            data=data,
            previous_hash=self.head,
            hash="",
        )
        entry.hash = entry.digest()
        self.seq, self.head = entry.seq, entry.hash
        self.entries.append(entry)
        if _moves_graph(entry):
            self.graph_seq = entry.seq


def _moves_graph(entry: Entry) -> bool:
    """Whether an entry may change what can be claimed in a run."""
    if entry.event == "update_node":
        return any("status" in item.get("node", ()) for item in entry.items())
    return entry.event in _GRAPH


def _sized(items: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The items, halved until each part is short enough to travel."""
    if len(items) > 1 and len(shapes.dumps(items)) > ENTRY_BYTES:
        half = len(items) // 2
        yield from _sized(items[:half])
        yield from _sized(items[half:])
    else:
        yield items


async def begin(tx: Tx, project_id: str, actor: str, *, create: bool = True) -> Ledger:
    """Take the project's lock and read its head; the first statement of every write.

    A project that does not exist is created, or is NotFound where `create` is false; one
    whose removal was begun is a Conflict.
    """
    name = "project/lock_or_create" if create else "project/lock"
    return opened(await tx.one(name, project=project_id), project_id, actor)


def opened(head: dict[str, Any] | None, project_id: str, actor: str) -> Ledger:
    """The ledger that continues after this head, which was read under the project's lock."""
    shapes.check_text(actor, "actor")
    if len(actor.encode()) > ACTOR_BYTES:
        raise Invalid(f"actor: expected at most {ACTOR_BYTES} bytes", field="actor")
    if head is None:
        raise NotFound(f"There is no project {project_id!r}.", project=project_id)
    if head["seq"] is None:  # found by its key, and deleted while this waited for its lock
        raise Conflict(
            f"Project {project_id!r} was removed just now; try again.", project=project_id
        )
    if head["removing"]:
        raise Conflict(
            f"Project {project_id!r} is being removed; ask for the removal again.",
            project=project_id,
        )
    last = shapes.native(head["timestamp"]) if head["timestamp"] else EPOCH
    ledger = Ledger(
        project_id=project_id,
        actor=actor,
        seq=head["seq"],
        head=head["head"],
        now=max(last, shapes.native(head["now"])),
        created=head["seq"] == 0,
        ordinal=head["ordinal"],
    )
    if ledger.created:
        ledger.note("workspace_initialized", {"items": [], "project": project_id})
    return ledger


async def commit(tx: Tx, ledger: Ledger) -> None:
    """Append what the ledger holds; the last statement of every write."""
    if not ledger.entries:
        return
    *pages, last = _pages(ledger.project_id, ledger.entries)
    for page in pages:
        await tx.rows("journal/append_entries", entries=page)
    await tx.rows(
        "journal/append_and_move_head",
        entries=last,
        graph_seq=ledger.graph_seq,
        **_head(ledger),
    )
    note_seq(ledger)


async def holds(tx: Tx, project_id: str, seq: int, hash_: str) -> bool:
    """Whether the journal has this very entry; call it under the project's lock."""
    found = await tx.value("journal/hash_of", key=f"{project_id}/{seq}")
    return bool(found == hash_)


def note_seq(ledger: Ledger) -> None:
    """Tell whoever asked for it how far the project's journal goes now."""
    if (noted := last_seq.get()) is not None:
        noted[ledger.project_id] = ledger.seq


async def take_over(tx: Tx, ledger: Ledger, source: AsyncIterator[Entry]) -> None:
    """Make another journal's entries this project's own, as they are; `ledger` has none yet."""
    page = _Page(ledger.project_id)
    last: Entry | None = None
    async for entry in source:
        last = entry
        if page.add(entry):
            await tx.rows("journal/append_entries", entries=page.taken())
    await tx.rows("journal/append_entries", entries=page.taken())
    if last is not None:
        await continue_after(tx, ledger, last)


async def append_ahead(
    database: Database, project_id: str, source: AsyncIterator[Entry], token: str
) -> Entry | None:
    """The same without the head, a page a transaction, for a project closed under this token.

    Returns the last entry, after which `continue_after` sets the head.
    """
    page = _Page(project_id)
    last: Entry | None = None
    async for last in source:
        if page.add(last):
            await _append_page(database, project_id, page.taken(), token)
    await _append_page(database, project_id, page.taken(), token)
    return last


async def _append_page(
    database: Database, project_id: str, rows: list[dict[str, Any]], token: str
) -> None:
    async def append(tx: Tx) -> None:
        if not await tx.value("project/is_closed", project=project_id, token=token):
            raise Conflict(
                f"Project {project_id!r} was removed while a journal was replayed into it.",
                project=project_id,
            )
        await tx.rows("journal/append_entries", entries=rows)

    await database.write(append)


async def continue_after(tx: Tx, ledger: Ledger, last: Entry) -> None:
    """Move the project's head to an entry that was taken over."""
    ledger.seq, ledger.head = last.seq, last.hash
    ledger.now = shapes.moment(last.timestamp)
    await _set_head(tx, ledger)


class _Page:
    """Entries as they are stored, as many as travel well in one statement."""

    def __init__(self, project_id: str) -> None:
        self._project_id = project_id
        self._rows: list[dict[str, Any]] = []
        self._size = 0

    def add(self, entry: Entry) -> bool:
        """Take an entry; whether the page is full now."""
        self._rows.append(_stored(self._project_id, entry))
        self._size += len(self._rows[-1]["data"])
        return len(self._rows) == PAGE or self._size > PAGE_BYTES

    def taken(self) -> list[dict[str, Any]]:
        """What it holds; it is empty afterwards."""
        rows, self._rows, self._size = self._rows, [], 0
        return rows


def _pages(project_id: str, found: list[Entry]) -> Iterator[list[dict[str, Any]]]:
    page = _Page(project_id)
    for entry in found:
        if page.add(entry):
            yield page.taken()
    if rows := page.taken():
        yield rows


async def _set_head(tx: Tx, ledger: Ledger) -> None:
    await tx.rows("project/set_head", **_head(ledger))


def _head(ledger: Ledger) -> dict[str, Any]:
    return {
        "project": ledger.project_id,
        "seq": ledger.seq,
        "head": ledger.head,
        "timestamp": ledger.now,
        "ordinal": ledger.ordinal,
    }


def _stored(project_id: str, entry: Entry) -> dict[str, Any]:
    row = dict(vars(entry))
    row["data"] = shapes.dumps(entry.data)
    row["project_id"] = project_id
    row["key"] = f"{project_id}/{entry.seq}"
    row["caption"] = f"{entry.seq} {entry.event}"
    if isinstance(entry.data, dict) and "original" in entry.data:
        row["original"] = fingerprint(entry.data["original"])
    return row


async def known(tx: Tx, project_id: str, fingerprints: list[str]) -> dict[str, int]:
    """How many entries of each of these originals the journal has taken over already."""
    found: dict[str, int] = {}
    for start in range(0, len(fingerprints), PAGE):
        some = fingerprints[start : start + PAGE]
        found |= dict(await tx.value("journal/known_originals", project=project_id, originals=some))
    return found


async def entries(
    database: Database, project_id: str, after: int = 0, until: int | None = None
) -> AsyncGenerator[Entry]:
    """Every entry above `after`, up to `until`, in order; fewer at once of long ones."""
    first = FIRST_PAGE
    while True:
        rows = await database.read(
            lambda tx, a=after, n=first: tx.value(  # type: ignore[misc]
                "journal/page_entries", project=project_id, after=a, first=n
            )
        )
        for row in rows or ():
            entry = read(row)
            if until is not None and entry.seq > until:
                return
            yield entry
        if len(rows or ()) < first:
            return
        after = rows[-1][0]
        size = max(1, sum(len(row[DATA]) for row in rows))
        first = min(READ, max(1, PAGE_BYTES * first // (2 * size)))
