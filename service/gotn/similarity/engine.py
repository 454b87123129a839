"""The encoder and the store of vectors of one process, made when they are first needed."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from gotn.database.connection import Database
from gotn.errors import EncoderUnavailable, GotnError, Invalid, ProgrammingError, Unavailable

if TYPE_CHECKING:
    from gotn_embeddings import EmbeddingError, Encoder, Position, VectorStore
    from gotn_embeddings.identity import Vectors

T = TypeVar("T")
log = logging.getLogger("gotn.similarity")
#: Told as texts are encoded: how many characters are done, of how many.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Options:
    """Which encoder, and where vectors are kept."""

    #: The folder of index files.
    folder: Path
    #: `auto`, `sentence-transformers` or `onnx`.
    encoder: str = "auto"
    #: A sentence-transformers model or its folder; None: the built-in one.
    model: str | None = None
    #: `faiss`: files of the folder; `neo4j`: in the database, shared by several servers.
    vectors: str = "faiss"
    #: Told as texts are encoded; for a progress bar.
    progress: Progress | None = field(default=None, compare=False)


@dataclass
class Known:
    """What this process knows of a project's vectors."""

    #: Vector ids by node id.
    vectors: dict[str, str] = field(default_factory=dict)
    position: "Position | None" = None
    #: The entry since which `old`, `nodes` and `ends` tell all that changed; None: nobody knows.
    since: "Position | None" = None
    #: Vectors that were there and are not any more.
    old: "list[Vectors]" = field(default_factory=list)
    #: Nodes whose vector is new, or gone.
    nodes: set[str] = field(default_factory=set)
    #: Nodes one of whose soft edges somebody else changed.
    ends: set[str] = field(default_factory=set)
    #: Texts that were encoded in this process.
    encoded: int = 0
    #: Characters of them since vectors were last saved.
    unsaved: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    #: What brings the vectors in step at this moment.
    task: asyncio.Task[None] | None = None

    def at(self) -> "Position":
        """The journal entry that the vectors follow, once they do."""
        if self.position is None:
            raise ProgrammingError("vectors were asked for before they were there")
        return self.position

    def forget(self, since: "Position | None") -> None:
        """Begin to tell changes anew from this entry."""
        self.since = since
        self.old.clear()
        self.nodes.clear()
        self.ends.clear()


class Engine:
    """An encoder, a store and what is known of each project's vectors."""

    def __init__(self, database: Database, options: Options) -> None:
        self.database = database
        self.options = options
        self._encoder: Encoder | None = None
        self._store: VectorStore | None = None
        self._making = asyncio.Lock()
        self._known: dict[str, Known] = {}
        #: Files that could not be written, which is said once.
        self._unwritten: set[str] = set()

    def known(self, project: str) -> Known:
        """What is known of a project's vectors."""
        return self._known.setdefault(project, Known())

    def forget(self, project: str) -> None:
        """Know nothing of a project any more."""
        self._known.pop(project, None)

    async def encoder(self) -> "Encoder":
        """The encoder; EncoderUnavailable says how to install one."""
        async with self._making:
            if self._encoder is None:
                self._encoder = await asyncio.to_thread(_told(self._made_encoder))
            return self._encoder

    async def store(self) -> "VectorStore":
        """The store of the encoder's vectors."""
        encoder = await self.encoder()
        async with self._making:
            if self._store is None:
                identity = await asyncio.to_thread(_told(lambda: encoder.identity))
                self._store = self._made_store(identity)
            return self._store

    async def encode(self, texts: Sequence[str]) -> "Vectors":
        """One vector a text; equal texts are encoded once."""
        encoder = await self.encoder()
        left = threading.Event()

        def tell(done: int, total: int) -> None:
            if left.is_set():
                raise ProgrammingError("nobody waits for these vectors")
            if self.options.progress:
                self.options.progress(done, total)

        try:
            found = await asyncio.to_thread(_told(lambda: encoder.encode(texts, tell)))
        except asyncio.CancelledError:
            left.set()  # a thread cannot be cancelled: it ends with its batch
            raise
        return found.vectors

    def words(self) -> frozenset[str]:
        """Words that the model's files list; none where there are no files."""
        from gotn_embeddings import EmbeddingError, models  # noqa: PLC0415  # only where it is used

        try:
            return models.find(self.options.model).words
        except EmbeddingError:
            return frozenset()

    async def close(self) -> None:
        """Write what has changed; a store that cannot is only said, since it can be rebuilt."""
        close: Callable[[], Awaitable[None]] | None = getattr(self._store, "close", None)
        if close is None:
            return
        from gotn_embeddings import EmbeddingError  # noqa: PLC0415  # only where it was used

        try:
            await close()
        except EmbeddingError as error:
            self.not_saved(error)

    def not_saved(self, error: "EmbeddingError") -> None:
        """Say, once a file, that vectors stay in memory alone; they can be made again."""
        file = str(error.facts.get("file"))
        if file not in self._unwritten:
            log.warning("vectors are kept in memory alone: %s", error.message)
            self._unwritten.add(file)

    def saved(self) -> None:
        """Files can be written again: the next that cannot is said."""
        self._unwritten.clear()

    def _made_encoder(self) -> "Encoder":
        from gotn_embeddings import encoder  # noqa: PLC0415  # numpy; engines come later

        return encoder(self.options.encoder, self.options.model)

    def _made_store(self, identity: Any) -> "VectorStore":
        if self.options.vectors == "neo4j":
            from gotn.similarity.shared import DatabaseStore  # noqa: PLC0415  # numpy

            return DatabaseStore(self.database, identity)
        from gotn_embeddings import FaissStore  # noqa: PLC0415  # FAISS comes later

        return FaissStore(self.options.folder, identity)


def _told(work: Callable[[], T]) -> Callable[[], T]:
    """The same work, raising our errors."""

    def run() -> T:
        with translated():
            return work()

    return run


@contextmanager
def translated() -> Iterator[None]:
    """Let only our errors out of what the embeddings do; theirs stays as the cause."""
    from gotn_embeddings import EmbeddingError  # noqa: PLC0415  # only where it is used

    try:
        yield
    except EmbeddingError as error:
        raise _ours(error) from error


def _ours(error: Any) -> GotnError:
    if error.code in ("NO_ENCODER", "NO_MODEL"):
        return EncoderUnavailable(error.message, **error.facts)
    if error.code in ("BAD_TEXT", "BAD_VECTOR"):
        return Invalid(error.message)
    return Unavailable(error.message)
