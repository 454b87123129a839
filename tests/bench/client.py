"""A client that costs next to nothing: on two cores it takes from what it measures."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import orjson

from bench.timing import Series


@dataclass(frozen=True)
class Side:
    """A server, and what is asked of it."""

    url: str
    body: bytes


class Connection:
    """One HTTP/1.1 connection that stays open."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port, self._path = parts.hostname or "", parts.port or 80, parts.path
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, body: bytes) -> bytes:
        """The body of the answer to a JSON body; it must be 200."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port, limit=2**20)
        reader, writer = self._streams
        head = (
            f"POST {self._path} HTTP/1.1\r\nhost: {self._host}:{self._port}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(answer.partition(b"content-length:")[2].partition(b"\r\n")[0])
        found = await reader.readexactly(length)
        if b" 200 " not in answer.partition(b"\r\n")[0]:
            raise AssertionError(f"{answer[:80]!r}: {found[:300]!r}")
        return found

    def close(self) -> None:
        """End it."""
        if self._streams is not None:
            self._streams[1].close()


async def asked(side: Side) -> object:
    """One answer, read."""
    connection = Connection(side.url)
    try:
        return orjson.loads(await connection.post(side.body))
    finally:
        connection.close()


async def load(url: str, bodies: Iterator[bytes], clients: int, series: Series | None) -> None:
    """Send every body, so many clients at once each waiting for its answer; notes seconds."""

    async def client() -> None:
        connection = Connection(url)
        for body in bodies:
            begin = time.perf_counter()
            found = await connection.post(body)
            took = time.perf_counter() - begin
            if b'"errors"' in found[:200] or b'"errors":[' in found[-2000:]:
                raise AssertionError(found[:500])
            if series is not None:
                series.seconds.append(took)
        connection.close()

    await asyncio.gather(*(client() for _ in range(clients)))
