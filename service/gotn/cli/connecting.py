"""Where Neo4j comes from (interfaces, Configuration), and running work on it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from gotn.across import contexts  # noqa: F401  # makes every context known
from gotn.cli import garbage
from gotn.database import schema
from gotn.database.connection import Database, without_credentials
from gotn.errors import DatabaseUnavailable
from gotn.settings import Settings

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Target:
    """A Neo4j to work on."""

    uri: str = field(repr=False)
    username: str
    password: str | None = field(repr=False)
    database: str | None
    #: Whether it is the managed one of this user's home.
    managed: bool

    @property
    def shown(self) -> str:
        """The address as it may be printed: without a name or password in it."""
        return without_credentials(self.uri)

    def open(self) -> Database:
        """Prepare connections; the caller closes them."""
        return Database.open(self.uri, self.username, self.password, self.database)


def given(settings: Settings) -> Target | None:
    """The Neo4j of NEO4J_URI, where that is set."""
    if not settings.neo4j_uri:
        return None
    password = settings.neo4j_password
    return Target(
        uri=settings.neo4j_uri,
        username=settings.neo4j_username,
        password=password.get_secret_value() if password else None,
        database=settings.neo4j_database,
        managed=False,
    )


def target(settings: Settings) -> Target:
    """NEO4J_URI, else the managed server if it runs; DatabaseUnavailable says what to do."""
    return given(settings) or _managed(settings)


def _managed(settings: Settings) -> Target:
    if (found := running(settings)) is None:
        raise DatabaseUnavailable(
            "Neo4j does not run: run `gotn up` to start the managed one, "
            "or name another with NEO4J_URI.",
            home=str(settings.home),
        )
    return found


def running(settings: Settings) -> Target | None:
    """The managed server, if it runs and answers now; it may move to another port."""
    from gotn import provision  # noqa: PLC0415  # not needed with NEO4J_URI

    status = provision.status(settings.home)
    if not (status.answering and status.bolt_uri):
        return None
    return Target(
        uri=status.bolt_uri,
        username="neo4j",
        password=provision.read_password(settings.home),
        database="neo4j",
        managed=True,
    )


def marks(settings: Settings) -> tuple[int, ...]:
    """When the managed server's state and password were last written, 0 for never; cheap."""
    from gotn.provision import Paths  # noqa: PLC0415  # not needed with NEO4J_URI

    paths, found = Paths(settings.home), []
    for path in (paths.state, paths.password):
        try:
            found.append(path.stat().st_mtime_ns)
        except OSError:
            found.append(0)
    return tuple(found)


def run(target: Target, work: Callable[[Database], Awaitable[T]], *, migrations: bool = True) -> T:
    """Open the database, check its schema, run `work`, close."""
    logging.getLogger("neo4j").addHandler(logging.NullHandler())  # what matters is raised

    async def opened() -> T:
        database = target.open()
        try:
            await database.ping()
            if migrations:
                await ready(database)
            garbage.working()
            return await work(database)
        finally:
            await database.close()

    return asyncio.run(opened())


async def ready(database: Database) -> None:
    """Migrate a database that is still empty; SchemaPending for one that lags behind."""
    if not await schema.applied(database):
        await schema.migrate(database)
        return
    await schema.require_current(database)
