"""What happens in projects, as it happens: one reader a server for any number of followers.

The journal is the only source: whoever wrote, in this process or another, each entry is seen
once and in order (decisions, Journal). A follower is a cursor and nothing more. Those who are up
to date share the latest entries in memory; one that is behind reads its own pages from the
database until it has caught up. What was handed on is let go of: a slow follower costs a cursor
and less than PAGE_BYTES of entries, or the one long entry beyond, whatever happens meanwhile.
"""

import asyncio
import contextvars
import logging
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from gotn.database.connection import Database
from gotn.errors import GotnError, Invalid, LimitExceeded, NotFound
from gotn.journal import Entry, paging

log = logging.getLogger("gotn.feed")
#: Seconds between two looks at the journals that are followed; own writes are seen at once.
INTERVAL = 0.1
#: Seconds between two looks while the database is away, at most.
AWAY = 2.0
#: Entries of a project in memory, and bytes of them, about.
WINDOW = 2_000
WINDOW_BYTES = 16 * 1024 * 1024
#: Events that a follower holds, at most, and bytes of their data after which it takes no more.
BATCH = 100
PAGE_BYTES = 256 * 1024
#: Followers that read pages of their own at the same time.
READERS = 8


@dataclass(frozen=True, slots=True)
class Event:
    """One journal entry, and what is looked for in it."""

    project_id: str
    entry: Entry
    #: Ids of the runs that it says something of.
    runs: frozenset[str]
    #: Length of its data, as it is stored.
    size: int


def event(project_id: str, entry: Entry, size: int) -> Event:
    """The event that an entry is."""
    runs = set()
    for item in entry.items():
        if isinstance(run := item.get("run"), dict):
            runs.add(str(run.get("id")))
        if isinstance(step := item.get("step"), dict):
            runs.add(str(step.get("run")))
    return Event(project_id, entry, frozenset(runs), size)


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
    window: deque[Event] = field(default_factory=deque)
    bytes: int = 0
    followers: int = 0
    gone: bool = False
    #: Set, and replaced, whenever something happens.
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, events: Sequence[Event]) -> None:
        """Take in the next events, and forget the oldest."""
        self.window.extend(events)
        self.bytes += sum(event.size for event in events)
        while len(self.window) > WINDOW or (self.bytes > WINDOW_BYTES and len(self.window) > 1):
            self.bytes -= self.window.popleft().size
        self.head = events[-1].entry.seq
        self.tell()

    def end(self) -> None:
        """The project is no more."""
        self.gone = True
        self.tell()

    def tell(self) -> None:
        """Wake whoever waits."""
        self.changed.set()
        self.changed = asyncio.Event()

    def since(self, after: int) -> deque[Event] | None:
        """The next events after a cursor; None where they are not in memory any more."""
        if after >= self.head:
            return deque()
        first = self.window[0].entry.seq if self.window else self.head + 1
        if after + 1 < first:
            return None
        found: deque[Event] = deque()
        size, start = 0, after + 1 - first
        for i in range(start, min(start + BATCH, len(self.window))):
            found.append(self.window[i])
            size += self.window[i].size
            if size > PAGE_BYTES:
                break
        return found


class Feed:
    """Follows journals for as long as somebody listens."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._watches: dict[str, _Watch] = {}
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._reading = asyncio.Semaphore(READERS)
        #: Pages that are read just now, by project and the seq before them.
        self._pages: dict[tuple[str, int], asyncio.Task[Sequence[Event]]] = {}

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

    async def follow(self, cursor: Cursor) -> AsyncGenerator[Event]:
        """Every event after the cursor, in order, each once; ends where the project is removed.

        While the database is away this waits, and goes on where it was; an entry that cannot be
        read is Invalid.
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
                    while found:  # nothing here refers to what was handed on
                        yield found.popleft()
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
        while watch.head < until and (found := await self._next(watch, watch.head)):
            while found[-1].entry.seq > until:  # no further than the head that was seen
                found.pop()
            watch.add(found)

    async def _page(self, watch: _Watch, after: int) -> deque[Event]:
        """The next events of a follower that is behind the window."""
        pause = INTERVAL
        while True:
            try:
                return deque(await asyncio.shield(self._asked(watch, after)))
            except GotnError as error:
                if isinstance(error, Invalid) and not isinstance(error, LimitExceeded):
                    raise  # an entry that cannot be read: it will not be later
                await asyncio.sleep(pause)
                pause = min(pause * 2, AWAY)

    def _asked(self, watch: _Watch, after: int) -> asyncio.Task[Sequence[Event]]:
        """The page that is being read for all who ask for it now."""
        key = (watch.project_id, after)
        if (task := self._pages.get(key)) is None:
            reading = self._read_page(watch, after)
            task = asyncio.create_task(reading, context=contextvars.Context())
            self._pages[key] = task
            task.add_done_callback(lambda done: self._done(key, done))
        return task

    def _done(self, key: tuple[str, int], task: asyncio.Task[Sequence[Event]]) -> None:
        del self._pages[key]
        if not task.cancelled():
            task.exception()  # seen, also where nobody waits for it any more

    async def _read_page(self, watch: _Watch, after: int) -> Sequence[Event]:
        async with self._reading:
            return await self._next(watch, after)

    async def _next(self, watch: _Watch, after: int) -> deque[Event]:
        project_id = watch.project_id
        found = await paging.page(
            self._database, project_id, after=after, first=BATCH, size=PAGE_BYTES
        )
        return deque(event(project_id, entry, size) for entry, size in found)

    async def _heads(self, projects: list[str]) -> list[tuple[str, int, bool]]:
        found = await self._database.read(lambda tx: tx.value("journal/heads", projects=projects))
        return [tuple(row) for row in found or ()]
