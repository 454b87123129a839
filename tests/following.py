"""A real `gotn serve`, and a client that follows it over WebSocket."""

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bench import servers
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

WS = Subprotocol("graphql-transport-ws")
#: Seconds that a message may take.
PATIENCE = 30.0


def serving(environment: dict[str, str], **more: str) -> Any:
    """A server process while it is used."""
    port = servers.free_port()
    command = [sys.executable, "-m", "gotn", "serve", "--port", str(port)]
    home = tempfile.mkdtemp(prefix="gotn-test-")
    return servers.running(command, environment | more | {"GOTN_HOME": home}, port)


class Client:
    """One WebSocket connection that has said hello."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def subscribe(self, id_: str, query: str, **variables: Any) -> None:
        """Begin an operation."""
        payload = {"query": query, "variables": variables}
        await self.send({"id": id_, "type": "subscribe", "payload": payload})

    async def send(self, message: dict[str, Any]) -> None:
        """One message."""
        await self.socket.send(json.dumps(message))

    async def read(self) -> dict[str, Any]:
        """The next message."""
        async with asyncio.timeout(PATIENCE):
            found: dict[str, Any] = json.loads(await self.socket.recv())
        return found

    async def seqs(self, count: int) -> list[int]:
        """The seqs of the next entries of a journal."""
        found = [await self.read() for _ in range(count)]
        return [one["payload"]["data"]["journalEvents"]["seq"] for one in found]


@asynccontextmanager
async def connected(url: str, payload: Any = None, **options: Any) -> AsyncIterator[Client]:
    """A connection that was acknowledged."""
    address = url.replace("http://", "ws://") + "/graphql"
    async with connect(address, subprotocols=[WS], **options) as socket:
        client = Client(socket)
        await client.send({"type": "connection_init"} | ({"payload": payload} if payload else {}))
        assert await client.read() == {"type": "connection_ack"}
        yield client
