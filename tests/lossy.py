"""A way to Neo4j that loses the answer to a commit: the server has stored it, nobody is told."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

#: Bolt's COMMIT, as one message of one chunk.
COMMIT = b"\x00\x02\xb0\x12\x00\x00"


class Lossy:
    """Passes bytes on between a driver and Neo4j; `lose` more answers to commits are swallowed."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self.lose = 0
        self.lost = 0
        self.address = ""
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        to_read, to_write = await asyncio.open_connection(self.host, self.port)
        back = asyncio.create_task(self._back(to_read, writer))
        self._tasks.add(back)
        try:
            while data := await reader.read(65536):
                drop = self.lose and COMMIT in data
                if drop:
                    back.cancel()
                    await asyncio.wait([back])
                to_write.write(data)
                await to_write.drain()
                if drop:
                    self.lose -= 1
                    await to_read.read(65536)  # it was committed
                    self.lost += 1
                    break
        except OSError:
            pass
        finally:
            back.cancel()
            await asyncio.wait([back])
            self._tasks.discard(back)
            for one in (to_write, writer):
                one.close()
                with suppress(OSError):
                    await one.wait_closed()

    async def _back(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()


@asynccontextmanager
async def lossy(uri: str) -> AsyncIterator[Lossy]:
    """A proxy before a Neo4j without encryption."""
    host, _, port = uri.partition("://")[2].partition(":")
    proxy = Lossy(host, int(port))
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.address = f"bolt://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        server.close()
