"""`VectorStore` over FAISS files: a file a project, in one folder."""

import asyncio
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from gotn_embeddings import files
from gotn_embeddings.errors import IndexNotSaved
from gotn_embeddings.finding import SWITCH
from gotn_embeddings.identity import ModelIdentity, Vectors
from gotn_embeddings.index import FaissIndex
from gotn_embeddings.vectors import Hit, Neighbours, Position

T = TypeVar("T")


@dataclass
class _Open:
    """A collection in memory."""

    index: FaissIndex
    position: Position
    note: str | None = None
    #: Whether it has changed since its file was written.
    unsaved: bool = False
    #: Whether its file is to take the place of any other, also of one that follows further.
    instead: bool = False
    #: Makes the graph of an index that has outgrown exact search.
    growing: Future[None] | None = None
    #: Taken while it changes and while it is saved, so that a file's parts belong together.
    lock: threading.Lock = field(default_factory=threading.Lock)


class FaissStore:
    """Vectors in memory and in files; changes reach the files by `save` and `close`.

    Between them a killed process loses nothing: the file says which journal entry it follows,
    and whoever opens it brings it up to date from there. Work is done in threads.
    """

    def __init__(self, folder: Path, identity: ModelIdentity, *, switch: int = SWITCH) -> None:
        self.folder = folder
        self._identity = identity
        self._switch = switch
        self._opened: dict[str, _Open] = {}
        self._lock = threading.RLock()
        # One graph at a time, and not on the threads that questions are answered by.
        self._gardener = ThreadPoolExecutor(1, "gotn-graph")

    @property
    def identity(self) -> ModelIdentity:
        """The one model whose vectors it keeps."""
        return self._identity

    def path(self, project: str) -> Path:
        """The file of a project's vectors."""
        return self.folder / f"{quote(project, safe='')}.vectors"

    async def position(self, project: str) -> Position:
        """The journal entry the collection follows; IndexUnusable where it must be built anew."""
        return (await self._open(project)).position

    async def open(self, project: str, head: Position) -> Position:
        """The same, and IndexUnusable where `head` shows that it followed another journal."""
        return (await self._open(project, head)).position

    async def replace(
        self, project: str, vectors: Mapping[str, Vectors], position: Position
    ) -> None:
        """Make this the whole collection, whatever was there, damaged or foreign; and save it."""

        def work() -> None:
            index = FaissIndex(self._identity, switch=self._switch)
            index.put(vectors)
            with self._lock, self._ended(project):
                self._opened[project] = _Open(index, position, unsaved=True, instead=True)
            self._save(project)

        await asyncio.to_thread(work)

    async def put(self, project: str, vectors: Mapping[str, Vectors], position: Position) -> None:
        """Add vectors, or replace those of the same id, and follow the journal to `position`."""
        await self._change(project, position, lambda index: index.put(vectors))

    async def remove(self, project: str, ids: Collection[str], position: Position) -> None:
        """Take vectors out; ids that are not there are no error."""
        await self._change(project, position, lambda index: index.remove(ids))

    async def note(self, project: str) -> str | None:
        """What `set_note` left, as long as nothing has changed since."""
        return (await self._open(project)).note

    async def set_note(self, project: str, note: str, position: Position) -> None:
        """Keep a text beside the vectors until they change; none where they are elsewhere now."""

        def work() -> None:
            opened = self._loaded(project)
            with opened.lock:
                if opened.position == position and opened.note != note:
                    opened.note, opened.unsaved = note, True

        await asyncio.to_thread(work)

    async def get(self, project: str, ids: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of those ids that there are."""
        return await self._ask(project, lambda index: index.get(ids))

    async def ids(self, project: str) -> set[str]:
        """Every id of the collection."""
        return await self._ask(project, FaissIndex.ids)

    async def search(
        self, project: str, queries: Vectors, k: int, among: Collection[str] | None = None
    ) -> list[list[Hit]]:
        """The k nearest of each query, best first, of `among` alone where it is given."""

        def work() -> list[list[Hit]]:
            opened = self._loaded(project)
            found = opened.index.search(queries, k, among)
            if opened.index.outgrown and (opened.growing is None or opened.growing.done()):
                opened.growing = self._gardener.submit(self._grow, opened)
            return found

        return await asyncio.to_thread(work)

    async def neighbours(self, project: str, k: int) -> Neighbours:
        """The k nearest others of every vector."""
        return await self._ask(project, lambda index: index.neighbours(k))

    async def save(self, project: str) -> bool:
        """Write what has changed; False where another process's file follows further already."""
        return await asyncio.to_thread(self._save, project)

    async def close(self) -> None:
        """Write every collection that has changed; IndexNotSaved if one could not be."""
        for opened in list(self._opened.values()):
            opened.index.stop()
        await self.settled()
        failed: IndexNotSaved | None = None
        for project in list(self._opened):
            try:
                await self.save(project)
            except IndexNotSaved as error:
                failed = failed or error
        if failed:
            raise failed

    async def drop(self, project: str) -> None:
        """Forget the collection; no error where there is none."""

        def work() -> None:
            with self._lock, self._ended(project):
                self._opened.pop(project, None)
                files.remove(self.path(project))

        await asyncio.to_thread(work)

    async def settled(self) -> None:
        """Wait until no graph is being made; without one that could not be, search is exact."""
        growing = [one.growing for one in list(self._opened.values()) if one.growing]
        await asyncio.gather(*map(asyncio.wrap_future, growing), return_exceptions=True)

    @contextmanager
    def _ended(self, project: str) -> Iterator[None]:
        """While nobody saves what is about to go, or makes its graph."""
        opened = self._opened.get(project)
        if opened is None:
            yield
            return
        opened.index.stop()
        with opened.lock:
            opened.unsaved = False
            yield

    def _grow(self, opened: _Open) -> None:
        """Let the index have its graph, and its file, too, the next time it is written."""
        if opened.index.grow():
            with opened.lock:
                opened.unsaved = True

    async def _open(self, project: str, head: Position | None = None) -> _Open:
        return await asyncio.to_thread(self._loaded, project, head)

    async def _ask(self, project: str, question: Callable[[FaissIndex], T]) -> T:
        return await asyncio.to_thread(lambda: question(self._loaded(project).index))

    async def _change(
        self, project: str, position: Position, change: Callable[[FaissIndex], None]
    ) -> None:
        def work() -> None:
            opened = self._loaded(project)
            with opened.lock:
                opened.note = None
                change(opened.index)
                opened.position = max(opened.position, position, key=lambda at: at.seq)
                opened.unsaved = True

        await asyncio.to_thread(work)

    def _loaded(self, project: str, head: Position | None = None) -> _Open:
        with self._lock:
            if project not in self._opened:
                found = files.load(
                    self.path(project), self._identity, head=head, switch=self._switch
                )
                self._opened[project] = _Open(*found)
            return self._opened[project]

    def _save(self, project: str) -> bool:
        with self._lock:
            opened = self._opened.get(project)
        if opened is None:
            return True
        with opened.lock:
            if not opened.unsaved:
                return True
            path = self.path(project)
            done = files.save(
                opened.index, path, opened.position, opened.note, instead=opened.instead
            )
            opened.unsaved = opened.instead = False
            return done
