"""Small writes of one project in one transaction, each as if it were alone.

Every write keeps its own journal entries, its own answer and its own error. One that is
refused before it wrote anything leaves the others as they are; one that is refused later
spoils the transaction, which is undone and done again without it.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from gotn import idempotency, journal, shapes
from gotn.database.connection import Database, Tx, unresolved, within
from gotn.errors import DatabaseUnavailable, GotnError, LimitExceeded
from gotn.idempotency import Answers
from gotn.journal import Ledger
from gotn.work.store import grouping as store
from gotn.work.store.touches import Touches
from gotn.work.store.window import Window

R = TypeVar("R")
T = TypeVar("T")
#: How often a write is tried whose commit nobody answered.
TRIES = 3
#: Writes of one transaction, at most: of callers that wait for each other, and of one batch.
GROUP = 64
BATCH = 500
#: Characters of their texts, about.
GROUP_TEXT = 8_000_000
#: Seconds of a transaction of small writes: longer no caller of the API waits, and one that lost
#: its connection holds the project's lock no longer than that.
SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class Write(Generic[R]):
    """A write that is asked for: who, where, and what to do under the project's lock."""

    project_id: str
    actor: str
    #: Idempotency key, and the fingerprint of the input it goes with.
    key: str | None
    fingerprint: str
    answer: type[R]
    #: What to do; it may run twice, so it touches nothing outside the transaction.
    work: Callable[[Tx, Ledger], Awaitable[R]]
    #: Whether a project that is not there is created.
    create: bool
    #: What it looks at, for a small write; None for one that wants a transaction of its own.
    touches: Touches | None = None
    #: Characters of its input.
    size: int = 0


@dataclass(frozen=True)
class Outcome(Generic[R]):
    """What became of a write."""

    answer: R | None = None
    error: Exception | None = None
    #: The project's seq after it; None where it changed nothing.
    seq: int | None = None

    def unwrapped(self) -> R:
        """The answer; raises the error."""
        if self.error is not None:
            raise self.error
        return self.answer  # type: ignore[return-value]  # an answer may be of any type


class _Spoiled(Exception):
    """A write of a group was refused when it had written already."""

    def __init__(self, at: int) -> None:
        self.at = at
        super().__init__()


async def together(database: Database, writes: Sequence[Write[Any]]) -> list[Outcome[Any]]:
    """What became of each write, in their order; all are of one project."""
    outcomes: list[Outcome[Any]] = []
    while len(outcomes) < len(writes):
        outcomes += await some(database, _group(writes[len(outcomes) : len(outcomes) + BATCH]))
    return outcomes


def _group(writes: Sequence[Write[Any]]) -> Sequence[Write[Any]]:
    """The first of these writes that one transaction takes well: one at least."""
    count = size = 0
    for write in writes:
        size += write.size
        if count and (write.touches is None or size > GROUP_TEXT):
            break
        count += 1
        if write.touches is None:
            break
    return writes[:count]


async def some(database: Database, writes: Sequence[Write[Any]]) -> list[Outcome[Any]]:
    """What became of the first of these writes, in their order: of one at least."""
    while len(writes) > 1:
        try:
            with _soon(writes):
                return await _Once(database, writes[0].project_id).run(
                    lambda tx, these=writes: _shared(tx, these)  # type: ignore[misc]
                )
        except _Spoiled as spoiled:
            writes = writes[: max(spoiled.at, 1)]
        except DatabaseUnavailable as error:
            return [Outcome(error=error)] * len(writes)
        except Exception as error:  # noqa: BLE001  # whose it is shows in halves of the group
            if _late(error):
                return [Outcome(error=error)] * len(writes)
            writes = writes[: len(writes) // 2]
    try:
        with _soon(writes[:1]):
            return [await alone(database, writes[0])]
    except Exception as error:  # noqa: BLE001  # the caller who asked for this write gets it
        return [Outcome(error=error)]


def _soon(writes: Sequence[Write[Any]]) -> AbstractContextManager[None]:
    """The time that a group of small writes may take; a batch, or a large one, takes its own."""
    small = len(writes) <= GROUP and writes[0].touches is not None
    return within(SECONDS) if small else nullcontext()


def _late(error: Exception) -> bool:
    """Whether a transaction was ended because of its time: half of it would only wait as long."""
    return isinstance(error, LimitExceeded) and error.facts.get("what") == "time"


async def alone(database: Database, write: Write[R]) -> Outcome[R]:
    """The write in a transaction of its own; raises its error."""

    async def run(tx: Tx) -> tuple[Outcome[R], Ledger]:
        ledger, used = await _begun(tx, write)
        answers = await idempotency.recall(tx, write.project_id, [write.key])
        outcome = await _one(used, ledger, answers, write)
        await _end(used, ledger, answers)
        return outcome, ledger

    return await _Once(database, write.project_id).run(run)


class _Once:
    """A transaction whose effect is there once, also where the answer to its commit was lost.

    The driver may run it again, and so do we where nobody knows whether it was committed. Then
    the journal tells, under the project's lock: an entry of the first try stands there, hash
    and all, or it never will.
    """

    def __init__(self, database: Database, project_id: str) -> None:
        self._database = database
        self._project_id = project_id
        #: What the try before gave, and its last entry; None where it wrote none.
        self._made: tuple[Any, int, str] | None = None

    async def run(self, work: Callable[[Tx], Awaitable[tuple[T, Ledger]]]) -> T:
        """What the work gave."""
        for left in reversed(range(TRIES)):
            try:
                return await self._database.write(lambda tx: self._try(tx, work))
            except DatabaseUnavailable as error:
                if not left or not unresolved(error):
                    raise
        raise DatabaseUnavailable  # the last try has raised

    async def _try(self, tx: Tx, work: Callable[[Tx], Awaitable[tuple[T, Ledger]]]) -> T:
        if self._made is not None:
            answer, seq, hash_ = self._made
            await tx.one("project/lock", project=self._project_id)
            if await journal.holds(tx, self._project_id, seq, hash_):
                return answer  # type: ignore[no-any-return]  # what this very work gave before
        found, ledger = await work(tx)
        self._made = (found, ledger.seq, ledger.head) if ledger.entries else None
        return found


async def _begun(tx: Tx, write: Write[Any]) -> tuple[Ledger, Tx]:
    """The project's lock, and what the write works on; a small one looks through a window."""
    project_id, actor = write.project_id, write.actor
    if write.touches is None:
        return await journal.begin(tx, project_id, actor, create=write.create), tx
    head, window = await store.locked(tx, project_id, [write.touches])
    if head is None and write.create:
        return await journal.begin(tx, project_id, actor), window
    return journal.opened(head, project_id, actor), window


async def _shared(tx: Tx, writes: Sequence[Write[Any]]) -> tuple[list[Outcome[Any]], Ledger]:
    """Every write in this transaction; a refused one that wrote nothing is no obstacle."""
    project_id = writes[0].project_id
    touches = [write.touches for write in writes if write.touches]
    head, window = await store.locked(tx, project_id, touches)
    ledger = journal.opened(head, project_id, writes[0].actor)
    if ledger.created:
        raise _Spoiled(0)  # who creates the project stands in its first entry
    answers = await idempotency.recall(tx, project_id, [write.key for write in writes])
    outcomes: list[Outcome[Any]] = []
    for at, write in enumerate(writes):
        if window.stale:
            await store.fill(window, [one.touches for one in writes[at:] if one.touches])
        before = replace(ledger)
        try:
            outcomes.append(await _one(window, ledger, answers, write))
        except GotnError as error:
            if window.touched:
                raise _Spoiled(at) from error
            _restore(ledger, before)
            outcomes.append(Outcome(error=error))
    await _end(window, ledger, answers)
    return outcomes, ledger


def _restore(ledger: Ledger, before: Ledger) -> None:
    """Take back what a refused write noted; `before` shares the list of entries."""
    ledger.seq, ledger.head, ledger.ordinal = before.seq, before.head, before.ordinal
    ledger.graph_seq = before.graph_seq
    while ledger.entries and ledger.entries[-1].seq > before.seq:
        ledger.entries.pop()


async def _one(tx: Tx, ledger: Ledger, answers: Answers, write: Write[R]) -> Outcome[R]:
    ledger.actor = write.actor
    if isinstance(tx, Window):
        tx.touched = False
    known = answers.of(write.key, write.fingerprint)
    if known is not None:
        return Outcome(shapes.build(write.answer, known))
    before = ledger.seq
    result = await write.work(tx, ledger)
    if write.key is not None:
        answers.note(write.key, write.fingerprint, shapes.plain(result))
    return Outcome(result, seq=ledger.seq if ledger.seq > before or ledger.created else None)


async def _end(tx: Tx, ledger: Ledger, answers: Answers) -> None:
    """Send what was put off, append the entries, keep the answers."""
    if isinstance(tx, Window):
        await tx.flush()
        tx = tx.plain
    await journal.commit(tx, ledger)
    await idempotency.remember(tx, answers)
