"""What happens in projects, as it happens: one reader a server for any number of followers.

The journal is the only source: whoever wrote, in this process or another, each entry is seen
once and in order (decisions, Journal). A follower is a cursor and nothing more. Those who are up
to date share the latest entries in memory; one that is behind reads its own pages from the
database until it has caught up, so a slow follower costs a cursor, whatever happens meanwhile.
"""

import asyncio
import contextvars
import logging
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field

from gotn import journal
from gotn.database.connection import Database
from gotn.errors import GotnError, Invalid, NotFound
from gotn.journal import Entry

log = logging.getLogger("gotn.feed")
#: Seconds between two looks at the journals that are followed; own writes are seen at once.
INTERVAL = 0.1
#: Seconds between two looks while the database is away, at most.
AWAY = 2.0
#: Entries of a project in memory, and bytes of them, about.
WINDOW = 2_000
WINDOW_BYTES = 16 * 1024 * 1024
#: Events given to a follower at once.
BATCH = 100
#: Followers that read pages of their own at the same time.
READERS = 8


@dataclass(frozen=True, slots=True)
class Event:
    """One journal entry, and what is looked for in it."""

    project_id: str
    entry: Entry
    #: Ids of the runs that it says something of.
    runs: frozenset[str]


def event(project_id: str, entry: Entry) -> Event:
    """The event that an entry is."""
    runs = set()
    for item in entry.items():
        if isinstance(run := item.get("run"), dict):
            runs.add(str(run.get("id")))
        if isinstance(step := item.get("step"), dict):
            runs.add(str(step.get("run")))
    return Event(project_id, entry, frozenset(runs))


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a follower begins: after this seq, in a journal that went that far."""

    project_id: str
    after: int
    head: int


@dataclass
class _Watch:
    """A project that somebody follows."""

    project_id: str
    #: The last entry that was seen; the window ends with it.
    head: int
    window: deque[tuple[Event, int]] = field(default_factory=deque)
    bytes: int = 0
    followers: int = 0
    gone: bool = False
    #: Set, and replaced, whenever something happens.
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, entries: Sequence[Entry]) -> None:
        """Take in the next entries, and forget the oldest."""
        for entry in entries:
            size = len(str(entry.data))
            self.window.append((event(self.project_id, entry), size))
            self.bytes += size
        while len(self.window) > WINDOW or (self.bytes > WINDOW_BYTES and len(self.window) > 1):
            self.bytes -= self.window.popleft()[1]
        self.head = entries[-1].seq
        self.tell()

    def end(self) -> None:
        """The project is no more."""
        self.gone = True
        self.tell()

    def tell(self) -> None:
        """Wake whoever waits."""
        self.changed.set()
        self.changed = asyncio.Event()

    def since(self, after: int) -> list[Event] | None:
        """The next events after a cursor; None where they are not in memory any more."""
        if after >= self.head:
            return []
        first = self.window[0][0].entry.seq if self.window else self.head + 1
        if after + 1 < first:
            return None
        start = after + 1 - first
        return [self.window[i][0] for i in range(start, min(start + BATCH, len(self.window)))]


class Feed:
    """Follows journals for as long as somebody listens."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._watches: dict[str, _Watch] = {}
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._reading = asyncio.Semaphore(READERS)

    @property
    def followers(self) -> int:
        """How many follow anything now."""
        return sum(watch.followers for watch in self._watches.values())

    async def cursor(self, project_id: str, after: int | None) -> Cursor:
        """Where to begin: after this seq, or from now on; NotFound, or Invalid for no such seq."""
        found = {id_: seq for id_, seq, _ in await self._heads([project_id])}
        if (head := found.get(project_id)) is None:
            raise NotFound(f"There is no project {project_id!r}.", project=project_id)
        if after is not None and not 0 <= after <= head:
            raise Invalid(
                f"after: expected 0 to {head}, the last seq, found {after}", field="after"
            )
        return Cursor(project_id, head if after is None else after, head)

    async def follow(self, cursor: Cursor) -> AsyncGenerator[list[Event]]:
        """Every event after the cursor, in order, each once; ends where the project is removed.

        While the database is away this waits, and goes on where it was.
        """
        watch, after = self._join(cursor), cursor.after
        try:
            while True:
                changed = watch.changed
                found = watch.since(after)
                if found is None:
                    found = await self._page(watch, after)
                if found:
                    after = found[-1].entry.seq
                    yield found
                elif watch.gone:
                    return
                else:
                    await changed.wait()
        finally:
            watch.followers -= 1
            if not watch.followers and self._watches.get(cursor.project_id) is watch:
                del self._watches[cursor.project_id]

    def wake(self) -> None:
        """Somebody wrote: look now."""
        self._wake.set()

    async def close(self) -> None:
        """End it; whoever follows comes to the end."""
        for watch in self._watches.values():
            watch.end()
        self._watches.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def _join(self, cursor: Cursor) -> _Watch:
        watch = self._watches.get(cursor.project_id)
        if watch is None:
            watch = _Watch(cursor.project_id, head=cursor.head)
            self._watches[cursor.project_id] = watch
        watch.followers += 1
        self.wake()
        if self._task is None or self._task.done():
            # Its own context: the deadline of whoever came first is none of its business.
            context = contextvars.Context()
            self._task = asyncio.create_task(self._run(), context=context)
        return watch

    async def _run(self) -> None:
        """Look again and again while somebody listens."""
        pause = INTERVAL
        while self._watches:
            self._wake.clear()
            try:
                await self._look()
                pause = INTERVAL
            except GotnError as error:
                log.warning("cannot look", extra={"reason": error.message})
                pause = min(pause * 2, AWAY)
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._wake.wait()

    async def _look(self) -> None:
        """See how far each journal goes, and read what is new."""
        heads = {id_: (seq, gone) for id_, seq, gone in await self._heads(list(self._watches))}
        for project_id, watch in list(self._watches.items()):
            seq, removing = heads.get(project_id, (-1, True))
            if removing or seq < watch.head:  # also one that was removed and made anew
                del self._watches[project_id]
                watch.end()
            elif seq > watch.head:
                await self._read(watch, seq)

    async def _read(self, watch: _Watch, until: int) -> None:
        page: list[Entry] = []
        found = journal.entries(self._database, watch.project_id, after=watch.head, until=until)
        async with aclosing(found):
            async for entry in found:
                page.append(entry)
                if len(page) == BATCH:
                    watch.add(page)
                    page = []
        if page:
            watch.add(page)

    async def _page(self, watch: _Watch, after: int) -> list[Event]:
        """The next events of a follower that is behind the window."""
        found: list[Event] = []
        pause = INTERVAL
        while True:
            try:
                async with self._reading:
                    entries = journal.entries(self._database, watch.project_id, after=after)
                    async with aclosing(entries):
                        async for entry in entries:
                            found.append(event(watch.project_id, entry))
                            if len(found) == journal.FIRST_PAGE:
                                break
            except GotnError:
                found.clear()
                await asyncio.sleep(pause)
                pause = min(pause * 2, AWAY)
            else:
                return found

    async def _heads(self, projects: list[str]) -> list[tuple[str, int, bool]]:
        found = await self._database.read(lambda tx: tx.value("journal/heads", projects=projects))
        return [tuple(row) for row in found or ()]
