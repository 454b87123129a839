"""Neo4j, a proxy before it, the service before that: everything that faults happen to."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from chaos.proxy import Proxy
from chaos.server import Neo4j
from chaos.service import Service
from gotn.database.connection import Database


@dataclass
class World:
    """What runs."""

    neo4j: Neo4j
    proxy: Proxy
    service: Service

    def database(self) -> Database:
        """A connection of the judge's own, past the proxy; to be closed."""
        return Database.open(self.neo4j.uri, self.neo4j.user, self.neo4j.password)


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    """All of it, running; gone afterwards."""
    async with AsyncExitStack() as stack:
        neo4j = Neo4j.made()
        stack.push_async_callback(neo4j.end)
        await neo4j.start()
        proxy = Proxy(neo4j.port)
        await proxy.open()
        stack.push_async_callback(proxy.close)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gotn-chaos-")))
        service = Service(
            folder,
            {
                "NEO4J_URI": f"bolt://127.0.0.1:{proxy.port}",
                "NEO4J_USERNAME": neo4j.user,
                "NEO4J_PASSWORD": neo4j.password,
                "GOTN_LOG_LEVEL": "error",
            },
        )
        stack.push_async_callback(service.kill)
        service.start()
        await service.ready()
        yield World(neo4j, proxy, service)
