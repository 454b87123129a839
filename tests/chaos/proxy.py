"""A TCP proxy between the service and Neo4j that does to the network what a scenario says."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum

_CHUNK = 65536


class Line(Enum):
    """What becomes of bytes and of new connections."""

    #: Everything arrives.
    OPEN = "open"
    #: Nothing listens: who connects is refused.
    CLOSED = "closed"
    #: Bytes wait here and arrive once the line is open again, as after lost packets.
    HELD = "held"
    #: Bytes vanish. Connections that lost any stay dead without a sign, as behind a router
    #: that forgot them.
    DROPPED = "dropped"
    #: What the service sends arrives; what Neo4j answers vanishes.
    DEAF = "deaf"


@dataclass(eq=False)
class _Pair:
    """One connection and its other half."""

    near: asyncio.StreamWriter
    far: asyncio.StreamWriter
    #: Whether bytes of it were lost, after which nothing more may pass.
    dead: bool = False


@dataclass
class Proxy:
    """Leads to `port` on loopback, from a port of its own that stays the same."""

    target: int
    port: int = 0
    line: Line = Line.OPEN
    #: Seconds that each chunk of bytes is late.
    delay: float = 0.0
    _server: asyncio.Server | None = None
    _pairs: set[_Pair] = field(default_factory=set)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _moving: asyncio.Event = field(default_factory=asyncio.Event)
    #: Set once bytes were lost since the line was cut.
    lost: asyncio.Event = field(default_factory=asyncio.Event)

    async def open(self) -> None:
        """Listen, on the same port each time, and let everything pass."""
        self.line, self.delay = Line.OPEN, 0.0
        self._moving.set()
        if self._server is None:
            self._server = await asyncio.start_server(
                self._join, "127.0.0.1", self.port, reuse_address=True
            )
            self.port = self._server.sockets[0].getsockname()[1]

    def cut(self, line: Line) -> None:
        """Do this to the bytes from now on; `open` ends it."""
        self.line = line
        self.lost.clear()
        if line is Line.HELD:
            self._moving.clear()
        if line is Line.CLOSED and self._server is not None:
            self._server.close()
            self._server = None

    def reset(self) -> None:
        """Break every connection there is, with an RST."""
        for pair in list(self._pairs):
            self._end(pair)

    async def close(self) -> None:
        """End it."""
        self.cut(Line.CLOSED)
        self._moving.set()
        self.reset()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0)  # in which aborted connections close

    def _end(self, pair: _Pair) -> None:
        self._pairs.discard(pair)
        pair.near.transport.abort()
        pair.far.transport.abort()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:  # Neo4j is away
            writer.transport.abort()
            return
        pair = _Pair(writer, far)
        self._pairs.add(pair)
        for task in (
            asyncio.create_task(self._pipe(pair, reader, far, answers=False)),
            asyncio.create_task(self._pipe(pair, far_reader, writer, answers=True)),
        ):
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pipe(
        self,
        pair: _Pair,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        answers: bool,
    ) -> None:
        try:
            while data := await reader.read(_CHUNK):
                if await self._passes(pair, answers=answers):
                    writer.write(data)
                    await writer.drain()
            await self._passes(pair, answers=answers)  # an end travels as bytes do
        except OSError:
            pass
        finally:
            if not pair.dead:
                self._end(pair)

    async def _passes(self, pair: _Pair, *, answers: bool) -> bool:
        """Wait as long as bytes are late or held; whether they arrive at all."""
        if self.delay:
            await asyncio.sleep(self.delay)
        await self._moving.wait()
        if self.line is Line.DROPPED or (self.line is Line.DEAF and answers):
            pair.dead = True
            self.lost.set()
        return not pair.dead


async def listening(port: int) -> bool:
    """Whether something takes connections on this loopback port."""
    with suppress(OSError):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        return True
    return False
