"""Servers that do not answer, or do not let us in: our errors, and soon."""

import asyncio
import socket
import time
from typing import Any

import pytest
from chaos.proxy import Line, Proxy
from conftest import Neo4j

from gotn.database import connection
from gotn.database.connection import Database, Tx, without_credentials
from gotn.errors import DatabaseUnavailable, NotFound, ProgrammingError, WrongParameters
from gotn.work.usecases import projects


async def asked(database: Database) -> float:
    """Seconds until it is refused."""
    begun = time.monotonic()
    try:
        with pytest.raises(DatabaseUnavailable):
            await projects.show(database, "p")
        assert not await database.answers()
    finally:
        await database.close()
    return time.monotonic() - begun


async def test_closed_port(neo4j_server: Neo4j) -> None:
    """Nobody listens: told within the time that retries may take."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        assert await asked(Database.open(f"bolt://127.0.0.1:{port}", None, None)) < 30


async def test_wrong_password(neo4j_server: Neo4j) -> None:
    """A wrong password is told at once, and nothing is tried again."""
    if not neo4j_server.password:
        pytest.skip("this server asks for no password")
    database = Database.open(neo4j_server.uri, neo4j_server.user, "wrong")
    assert await asked(database) < 10


async def test_a_password_in_the_address_is_refused_unseen() -> None:
    """The driver takes none there; the error says where it belongs, and does not repeat it."""
    for uri in ("bolt://me:se@cret@127.0.0.1:1", "neo4j+s://me:sec ret@h", "odd://me:secret@h"):
        with pytest.raises(DatabaseUnavailable, match="NEO4J_PASSWORD") as caught:
            Database.open(uri, None, None)
        assert "me:" not in caught.value.message
    assert without_credentials("bolt://me:se@cret@h:1") == "bolt://h:1"
    assert without_credentials("bolt://h:1") == "bolt://h:1"


async def test_deadlocks_outlast_the_drivers_patience(
    neo4j_server: Neo4j, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two writers that lock the same two projects in opposite order, again and again: both end."""
    monkeypatch.setattr(connection, "RETRIED_SECONDS", 0.0)
    database = Database.open(neo4j_server.uri, neo4j_server.user, neo4j_server.password)
    tries = 0

    async def crossing(first: str, second: str, met: asyncio.Barrier) -> None:
        async def work(tx: Tx) -> None:
            nonlocal tries
            tries += 1
            await tx.rows("project/lock_or_create", project=first)
            if tries <= 2:
                await met.wait()
            await tx.rows("project/lock_or_create", project=second)

        await database.write(work)

    a, b = f"{project}-a", f"{project}-b"
    try:
        await asyncio.gather(crossing(a, b, met := asyncio.Barrier(2)), crossing(b, a, met))
    finally:
        await database.close()
    assert tries == 3


async def test_writers_of_several_servers_take_turns(neo4j_server: Neo4j, project: str) -> None:
    """Nine writers over three connections to one project: none is undone.

    The lock is a property set to a constant: set from its own old value, a third of the
    tries was undone for a deadlock, and the unlucky one waited 10 s.
    """
    writers, writes = 9, 20
    opened = [
        Database.open(neo4j_server.uri, neo4j_server.user, neo4j_server.password) for _ in range(3)
    ]
    tries = 0

    async def one(writer: int) -> None:
        for _ in range(writes):

            async def work(tx: Tx) -> None:
                nonlocal tries
                tries += 1
                for _ in range(3):
                    await tx.rows("project/lock_or_create", project=project)

            await opened[writer % 3].write(work)

    try:
        await asyncio.gather(*(one(writer) for writer in range(writers)))
    finally:
        for database in opened:
            await database.close()
    assert tries == writers * writes


async def test_raising_undoes_everything(database: Database, project: str) -> None:
    """What raises inside a transaction leaves nothing behind."""

    async def work(tx: Tx) -> None:
        await tx.rows("project/lock_or_create", project=project)
        raise NotFound("stop")

    with pytest.raises(NotFound, match="stop"):
        await database.write(work)
    with pytest.raises(NotFound):
        await projects.show(database, project)


async def test_read_cannot_write(database: Database, project: str) -> None:
    """A read transaction refuses to change anything."""
    with pytest.raises(ProgrammingError):
        await database.read(lambda tx: tx.rows("project/lock_or_create", project=project))


async def test_a_line_that_died_without_a_sign(
    neo4j_server: Neo4j, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes vanish and no connection breaks: given up soon after the time it may take."""
    monkeypatch.setattr(connection, "_LATE", 0.5)
    proxy = Proxy(int(neo4j_server.uri.rpartition(":")[2]))
    await proxy.open()
    uri = f"bolt://127.0.0.1:{proxy.port}"
    own = Database.open(uri, neo4j_server.user, neo4j_server.password)

    async def cut(tx: Tx) -> Any:
        proxy.cut(Line.DROPPED)
        return await tx.value("project/list", first=1, after="")

    try:
        await own.ping()
        for ask in (own.write, own.ask):
            with connection.within(0.5), pytest.raises(DatabaseUnavailable, match="said nothing"):
                await ask(cut)
            await proxy.open()
            await own.ping()
    finally:
        await own.close()
        await proxy.close()


async def test_statements_are_counted(neo4j_server: Neo4j, database: Database) -> None:
    """Every statement is named to whoever counts; wrong parameters never reach the server."""
    own = Database.open(neo4j_server.uri, neo4j_server.user, neo4j_server.password)
    seen: list[str] = []
    own.on_statement = seen.append
    try:
        await own.read(lambda tx: tx.value("project/list", first=1, after=""))

        async def wrong(tx: Tx) -> Any:
            return await tx.value("project/list", first=1)

        with pytest.raises(WrongParameters):
            await own.read(wrong)
    finally:
        await own.close()
    assert seen == ["project/list"]
