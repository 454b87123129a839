"""Neo4j, a proxy before it, the service before that: everything that faults happen to."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from chaos.clock import Clock, NoClock
from chaos.disk import Disk, NoDisk
from chaos.proxy import Proxy
from chaos.server import Neo4j
from chaos.service import Service
from gotn.database.connection import Database

#: Megabytes of Neo4j's disk: an empty database takes 60, and `gotn up` wants 100 free.
DISK = 320


@dataclass
class World:
    """What runs, and what can be done to it."""

    neo4j: Neo4j
    proxy: Proxy
    service: Service
    #: None where the system does not let us have one.
    disk: Disk | None = None
    #: Of Neo4j and of the service.
    clocks: list[Clock] = field(default_factory=list)
    #: Why something is missing, by what needs it: "disk", "clock".
    missing: dict[str, str] = field(default_factory=dict)

    def database(self) -> Database:
        """A connection of the judge's own, past the proxy; to be closed."""
        return Database.open(self.neo4j.uri, self.neo4j.user, self.neo4j.password)


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    """All of it, running; gone afterwards."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gotn-chaos-")))
        missing: dict[str, str] = {}
        clocks = _clocks(folder, missing)
        neo4j = Neo4j.made()
        disk = await _disk(neo4j, missing)
        if disk is not None:
            stack.push_async_callback(disk.end)
            neo4j.inside = disk.inside
        stack.push_async_callback(neo4j.end)
        neo4j.environment = clocks[0].environment if clocks else {}
        await neo4j.start()
        proxy = Proxy(neo4j.port)
        await proxy.open()
        stack.push_async_callback(proxy.close)
        service = Service(folder, _settings(neo4j, proxy, clocks))
        stack.push_async_callback(service.kill)
        service.start()
        await service.ready()
        yield World(neo4j, proxy, service, disk, clocks, missing)


def _clocks(folder: Path, missing: dict[str, str]) -> list[Clock]:
    try:
        return [Clock.made(folder, name) for name in ("neo4j.clock", "service.clock")]
    except NoClock as error:
        missing["clock"] = str(error)
        return []


async def _disk(neo4j: Neo4j, missing: dict[str, str]) -> Disk | None:
    try:
        return await Disk.made(neo4j.data, DISK)
    except NoDisk as error:
        missing["disk"] = str(error)
        return None


def _settings(neo4j: Neo4j, proxy: Proxy, clocks: list[Clock]) -> dict[str, str]:
    return {
        "NEO4J_URI": f"bolt://127.0.0.1:{proxy.port}",
        "NEO4J_USERNAME": neo4j.user,
        "NEO4J_PASSWORD": neo4j.password,
        "GOTN_LOG_LEVEL": "error",
        **(clocks[1].environment if clocks else {}),
    }
