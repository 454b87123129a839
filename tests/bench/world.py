"""What all measurements share: the database, how much is measured, and graphs loaded once."""

import sys
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import neo4j
from neo4j import AsyncDriver, AsyncGraphDatabase, AsyncManagedTransaction

from bench import servers, statements
from bench.goals import DEEP, RANDOM
from bench.sample import Graph, name, number, short
from bench.servers import Neo4j
from gotn.database import schema
from gotn.database.connection import Database
from gotn.work.usecases import bulk
from gotn.work.usecases.drafting import drafted
from gotn.work.usecases.writing import Request

#: Rows of one transaction of a floor that writes many.
ROWS = 20_000


@dataclass(frozen=True)
class Options:
    """How much is measured."""

    #: Nodes of the graphs; the lists and small operations use the first.
    sizes: tuple[int, ...] = (10_000, 100_000)
    #: Nodes of the graphs that only planning sees, and entries of journals.
    large: tuple[int, ...] = ()
    #: Rounds of what takes seconds; more of what takes less.
    rounds: int = 5
    #: Rounds before those that count.
    warm: int = 1
    #: Single operations of one kind.
    operations: int = 300
    #: Requests of one client in one round.
    requests: int = 20
    #: Names of measures; empty for all.
    only: frozenset[str] = frozenset()
    peers: bool = True

    def wanted(self, measure: str) -> bool:
        """Whether this measure is asked for."""
        return not self.only or measure in self.only


@dataclass
class Loaded:
    """A graph and the project that holds it."""

    graph: Graph
    project: str

    def key(self, node: int) -> str:
        """A node's key in the database."""
        return f"{self.project}/{name(node)}"


@dataclass
class World:
    """The measured database, over our own door and over a bare driver."""

    server: Neo4j
    options: Options
    database: Database
    driver: AsyncDriver
    _projects: list[str] = field(default_factory=list)
    _loaded: dict[tuple[str, int], Loaded] = field(default_factory=dict)
    _running: ExitStack = field(default_factory=ExitStack)

    @cached_property
    def api(self) -> str:
        """The address of our GraphQL; `gotn serve` begins when it is first asked for."""
        return self._running.enter_context(servers.api(self.server))

    @cached_property
    def rest(self) -> str:
        """The address of the floor's server, which begins likewise."""
        return self._running.enter_context(servers.rest(self.server))

    @classmethod
    async def open(cls, server: Neo4j, options: Options) -> "World":
        """Connect and bring the schema up to date."""
        database = Database.open(server.uri, server.user, server.password)
        await schema.migrate(database)
        auth = (server.user, server.password) if server.password else None
        driver = AsyncGraphDatabase.driver(
            server.uri, auth=auth, max_connection_pool_size=64, notifications_min_severity="OFF"
        )
        return cls(server, options, database, driver)

    async def close(self) -> None:
        """End what was started, remove what was made where the Neo4j stays, and disconnect."""
        self._running.close()
        if not self.server.throw_away:
            for project in self._projects:
                while await self.write(statements.REMOVE, project=project):
                    pass
        await self.driver.close()
        await self.database.close()

    def say(self, text: str) -> None:
        """One line on what is going on."""
        print(text, file=sys.stderr, flush=True)

    def project(self) -> str:
        """A project that nobody else has."""
        found = f"bench-{uuid.uuid4().hex[:16]}"
        self._projects.append(found)
        return found

    def request(self, project: str) -> Request:
        """A write by us."""
        return Request(project_id=project, actor="bench")

    async def write(self, statement: str, /, **parameters: Any) -> Any:
        """The one value of a statement in a write transaction of its own."""
        return await self._run(neo4j.WRITE_ACCESS, statement, parameters)

    async def read(self, statement: str, /, **parameters: Any) -> Any:
        """The one value of a statement in a read transaction of its own."""
        return await self._run(neo4j.READ_ACCESS, statement, parameters)

    async def _run(self, access: str, statement: str, parameters: dict[str, Any]) -> Any:
        async def work(tx: AsyncManagedTransaction) -> Any:
            record = await (await tx.run(statement, parameters)).single()
            return record[0] if record else None

        async with self.driver.session(default_access_mode=access) as session:
            if access == neo4j.READ_ACCESS:
                return await session.execute_read(work)
            return await session.execute_write(work)

    async def write_all(self, statement: str, rows: Sequence[Any], **parameters: Any) -> None:
        """The same statement over many rows, 20,000 a transaction."""
        for start in range(0, len(rows), ROWS):
            await self.write(statement, rows=rows[start : start + ROWS], **parameters)

    async def loaded(self, kind: str, count: int) -> Loaded:
        """A project with this graph, imported once by our own functions."""
        if not self.has(kind, count):
            self.say(f"Loading the {kind} graph of {short(count)} nodes …")
            graph = Graph(kind, count)
            project = self.project()
            draft = drafted(graph.nodes(), graph.edges())
            await bulk.import_graph(self.database, self.request(project), draft)
            self.keep(graph, project)
        return self._loaded[kind, count]

    def has(self, kind: str, count: int) -> bool:
        """Whether this graph is loaded."""
        return (kind, count) in self._loaded

    def keep(self, graph: Graph, project: str) -> None:
        """Use this project wherever this graph is needed."""
        self._loaded[graph.kind, graph.count] = Loaded(graph, project)

    async def ranked(self, held: Loaded) -> list[int]:
        """A loaded graph's nodes in their stored order."""
        return [number(id_) for id_ in await self.read(statements.RANKS, project=held.project)]


def case(kind: str, count: int, *more: str) -> str:
    """What a row of the table is about: `deep, 100k`."""
    return ", ".join([kind, short(count), *more])


KINDS = (RANDOM, DEEP)
