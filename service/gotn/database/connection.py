"""The one place that runs Cypher: sessions, transactions, and the driver's errors in our words."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any, Self, TypeVar

import neo4j
from neo4j import AsyncDriver, AsyncGraphDatabase, AsyncManagedTransaction, exceptions, unit_of_work

from gotn.database import queries
from gotn.errors import (
    Conflict,
    DatabaseUnavailable,
    GotnError,
    LimitExceeded,
    ProgrammingError,
)

T = TypeVar("T")

#: Longest time one transaction may take, in seconds; the server ends it after that.
TRANSACTION_SECONDS = 300.0
#: Seconds after the server should have ended it, when it is given up here: a connection that
#: died without a sign never says so.
_LATE = 5.0
#: Seconds in which the driver tries again what failed for now: whoever asks for a database that is
#: away should hear of it soon.
RETRIED_SECONDS = 5.0
#: Seconds in which a deadlock is tried again beyond those. It says that the database is there and
#: has work to do, and nothing of the transaction is left: on a busy machine 5 s hold few tries.
CONTENDED_SECONDS = 60.0

#: When the work that runs now must be done, by the event loop's clock; None: no such moment.
_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Let every transaction that begins in here end within this time, at the server too.

    For callers with a time limit: a task that they leave behind is ended with its work.
    """
    token = _deadline.set(asyncio.get_running_loop().time() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


def _seconds() -> float:
    """How long a transaction that begins now may take; never 0, which means for ever."""
    until = _deadline.get()
    if until is None:
        return TRANSACTION_SECONDS
    return min(TRANSACTION_SECONDS, max(0.001, until - asyncio.get_running_loop().time()))


#: Driver error -> (ours, message); the first matching class wins, most specific first.
_ERRORS: tuple[tuple[type[Exception], type[GotnError], str], ...] = (
    (exceptions.AuthError, DatabaseUnavailable, "Neo4j refused the name or the password"),
    (exceptions.Forbidden, DatabaseUnavailable, "Neo4j does not let this user do that"),
    (exceptions.ConfigurationError, DatabaseUnavailable, "the address of Neo4j cannot be used"),
    (exceptions.ConstraintError, Conflict, "something of this key is stored already"),
    (
        exceptions.IncompleteCommit,
        DatabaseUnavailable,
        "it is not known whether this was stored (the same idempotencyKey makes sure)",
    ),
    (exceptions.ServiceUnavailable, DatabaseUnavailable, "Neo4j does not answer"),
    (exceptions.SessionExpired, DatabaseUnavailable, "the connection to Neo4j was lost"),
    (exceptions.TransientError, DatabaseUnavailable, "Neo4j could not finish this now"),
    (exceptions.DatabaseUnavailable, DatabaseUnavailable, "the database is not available"),
    (exceptions.Neo4jError, ProgrammingError, "Neo4j refused a statement"),
    (exceptions.DriverError, DatabaseUnavailable, "the connection to Neo4j failed"),
)
_CODES: dict[str, tuple[type[GotnError], str]] = {
    "Neo.TransientError.General.MemoryPoolOutOfMemoryError": (
        LimitExceeded,
        "this is more than Neo4j's memory takes in one transaction",
    ),
    "Neo.ClientError.Transaction.TransactionTimedOut": (
        LimitExceeded,
        "this took longer than it may and was undone",
    ),
    "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration": (
        LimitExceeded,
        "this took longer than it may and was undone",
    ),
    "Neo.ClientError.Statement.EntityNotFound": (
        Conflict,
        "what this was about to change was removed meanwhile; try again",
    ),
    "Neo.TransientError.Transaction.LockAcquisitionTimeout": (
        DatabaseUnavailable,
        "another writer held the project for too long; try again",
    ),
    # The driver names these two so; the server calls them transient.
    "Neo.ClientError.Transaction.LockClientStopped": (
        DatabaseUnavailable,
        "another writer held the project for too long; try again",
    ),
    "Neo.ClientError.Transaction.Terminated": (
        DatabaseUnavailable,
        "Neo4j ended this before it was done, so nothing of it was stored; try again",
    ),
}


_DEADLOCK = "Neo.TransientError.Transaction.DeadlockDetected"

#: How codes begin that a server gives which cannot write: its log or its disk failed, and it
#: refuses everything until it was started again.
_BROKEN = "Neo.DatabaseError.Transaction."

#: What stands between `://` and the last `@`: a name and a password.
_USERINFO = re.compile(r"(://).*@")


def without_credentials(text: str) -> str:
    """An address, or a sentence that quotes one, without the name and password in it."""
    return _USERINFO.sub(r"\1", text)


def translate(error: Exception) -> GotnError:
    """One of our errors for one of the driver's."""
    code = getattr(error, "code", None) or ""
    if known := _CODES.get(code):
        facts = {"what": "time"} if "TimedOut" in code else {}
        return known[0](f"{known[1][0].upper()}{known[1][1:]}.", **facts)
    if code.startswith(_BROKEN):
        return DatabaseUnavailable(
            "Neo4j cannot store anything now, maybe because its disk is full; make room and start "
            f"it again: {_said(error)}"
        )
    for theirs, ours, message in _ERRORS:
        if isinstance(error, theirs):
            return ours(f"{message[0].upper()}{message[1:]}: {_said(error)}")
    return ProgrammingError(str(error))


def unresolved(error: GotnError) -> bool:
    """Whether the connection was lost while a transaction was committed: nobody knows if it was."""
    return isinstance(error.__cause__, exceptions.IncompleteCommit)


def _said(error: Exception) -> str:
    text = getattr(error, "message", None) or str(error) or type(error).__name__
    return f"{text}".splitlines()[0][:300]


@asynccontextmanager
async def _bounded(seconds: float) -> AsyncIterator[None]:
    """Give up what takes longer than this and a little; DatabaseUnavailable."""
    try:
        async with asyncio.timeout(seconds + _LATE) as limit:
            yield
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise DatabaseUnavailable(
            f"Neo4j has said nothing for {seconds + _LATE:.0f} s: a write may be stored or not; "
            "the same idempotencyKey makes it safe to send again."
        ) from error


async def _contending(write: Callable[[], Awaitable[T]]) -> T:
    """What `write` gives, tried again while Neo4j undoes it for a deadlock."""
    clock = asyncio.get_running_loop().time
    until = clock() + min(CONTENDED_SECONDS, _seconds())
    while True:
        try:
            return await write()
        except exceptions.TransientError as error:
            if error.code != _DEADLOCK or clock() > until:
                raise


@contextmanager
def translated() -> Iterator[None]:
    """Let only our errors out; the driver's stays as the cause."""
    try:
        yield
    except (exceptions.Neo4jError, exceptions.DriverError) as error:
        raise translate(error) from error


class _Alone:
    """Runs each statement in a transaction of its own."""

    def __init__(self, session: neo4j.AsyncSession) -> None:
        self._session = session

    async def run(self, text: Any, parameters: dict[str, Any]) -> neo4j.AsyncResult:
        """The statement's result, which must be read before the next one runs."""
        return await self._session.run(neo4j.Query(text, timeout=_seconds()), parameters)


class Tx:
    """A running transaction: named queries with exactly their parameters."""

    def __init__(
        self, transaction: AsyncManagedTransaction | _Alone, count: Callable[[str], None]
    ) -> None:
        self._transaction = transaction
        self._count = count

    async def rows(self, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
        """All rows, as dictionaries. For what is bounded by the query itself."""
        query = queries.named(name)
        query.check(parameters)
        return await self.composed(query.text, parameters, name=name)

    async def composed(
        self, text: str, parameters: dict[str, Any], *, name: str
    ) -> list[dict[str, Any]]:
        """Rows of a statement that gotn.graph composed from declared names; values are bound."""
        self._count(name)
        result = await self._transaction.run(text, parameters)
        return [dict(record) async for record in result]

    async def one(self, name: str, /, **parameters: Any) -> dict[str, Any] | None:
        """The first row, or None where there is none."""
        found = await self.rows(name, **parameters)
        return found[0] if found else None

    async def row(self, name: str, /, **parameters: Any) -> dict[str, Any]:
        """The first row of a statement that always gives one."""
        if (found := await self.one(name, **parameters)) is None:
            raise ProgrammingError(f"{name}: no row came back")
        return found

    async def value(self, name: str, /, **parameters: Any) -> Any:
        """The first column of the first row, or None."""
        row = await self.one(name, **parameters)
        return next(iter(row.values())) if row else None


class Database:
    """Owns the driver. `read` and `write` run a function in one transaction, and may repeat it."""

    def __init__(self, driver: AsyncDriver, database: str | None = None) -> None:
        self.driver = driver
        self.database = database
        #: Called with the name of every statement that runs; tests and metrics count with it.
        self.on_statement: Callable[[str], None] = lambda name: None
        self._bookmarks = AsyncGraphDatabase.bookmark_manager()

    @classmethod
    def open(
        cls, uri: str, user: str | None, password: str | None, database: str | None = None
    ) -> Self:
        """Prepare connections; nothing is sent until the first transaction."""
        with translated_configuration(uri):
            driver = AsyncGraphDatabase.driver(
                uri,
                auth=(user or "neo4j", password) if password else None,
                connection_timeout=5.0,
                connection_acquisition_timeout=20.0,
                max_transaction_retry_time=RETRIED_SECONDS,
                # A writer that is told of a deadlock should not wait a second for that.
                initial_retry_delay=0.02,
                max_connection_pool_size=64,
                notifications_min_severity="OFF",
                user_agent="gotn",
            )
        return cls(driver, database)

    async def close(self) -> None:
        """Close every connection."""
        await self.driver.close()

    async def read(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work` in a read transaction."""
        return await self._run(neo4j.READ_ACCESS, work)

    async def ask(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work`, which reads with one statement, and maybe with another afterwards.

        Each begins and ends its own transaction, which saves two of three round trips; nothing
        is tried again, so use this where a failure leads to `read`.
        """
        async with _bounded(_seconds()):
            with translated():
                async with self.session(neo4j.READ_ACCESS) as session:
                    return await work(Tx(_Alone(session), self._statement))

    async def write(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work` in a write transaction; raising in it undoes everything."""
        return await self._run(neo4j.WRITE_ACCESS, work)

    async def _run(self, access: str, work: Callable[[Tx], Awaitable[T]]) -> T:
        seconds = _seconds()

        @unit_of_work(timeout=seconds)
        async def run(transaction: AsyncManagedTransaction) -> T:
            return await work(Tx(transaction, self._statement))

        async with _bounded(seconds):
            with translated():
                async with self.session(access) as session:
                    if access == neo4j.READ_ACCESS:
                        return await session.execute_read(run)
                    return await _contending(lambda: session.execute_write(run))

    def _statement(self, name: str) -> None:
        self.on_statement(name)

    @asynccontextmanager
    async def session(self, access: str = neo4j.WRITE_ACCESS) -> AsyncIterator[neo4j.AsyncSession]:
        """A raw session, for migrations only: schema changes cannot share a transaction."""
        async with self.driver.session(
            database=self.database,
            default_access_mode=access,
            bookmark_manager=self._bookmarks,
        ) as session:
            yield session

    async def ping(self) -> None:
        """Raise unless Neo4j answers; at once, where a transaction would try for seconds."""
        with translated():
            async with self.session(neo4j.READ_ACCESS) as session:
                await (await session.run(queries.named("schema/ping").text)).consume()

    async def answers(self) -> bool:
        """Whether Neo4j answers right now."""
        try:
            await self.ping()
        except GotnError:
            return False
        return True


@contextmanager
def translated_configuration(uri: str) -> Iterator[None]:
    """A bad address or option is the user's to mend, not a traceback."""
    if _USERINFO.search(uri):
        raise DatabaseUnavailable(
            "NEO4J_URI: the address has a name or a password in it, which Neo4j does not take "
            "there; give them as NEO4J_USERNAME and NEO4J_PASSWORD."
        )
    try:
        yield
    except (exceptions.ConfigurationError, ValueError) as error:
        raise DatabaseUnavailable(
            f"NEO4J_URI: {uri!r} is not an address of Neo4j (bolt://host:7687): {error}"
        ) from error
