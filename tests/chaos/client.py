"""A caller who takes no failure for an answer: the same request, with the same key, until it is."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import orjson

#: Seconds a caller waits for one answer before it asks again: the service answers within 30.
PATIENCE = 40.0
#: Seconds between two tries, growing by half up to the second number.
_PAUSE = (0.05, 1.0)
#: Codes of errors after which the same request may be sent again.
_AGAIN = frozenset({"DATABASE_UNAVAILABLE", "SCHEMA_PENDING", "UNAVAILABLE", "INTERNAL"})


class Lost(Exception):
    """No answer came: it is not known what became of the request."""


class Unavailable(Exception):
    """The service answered that it could not say, or not now."""


class Wrong(Exception):
    """The service answered with an error that a correct request never gets."""


class Gate:
    """Stops every caller between two tries, so that what is stored can be looked at in peace."""

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self._inside = 0
        self._empty = asyncio.Event()
        self._empty.set()

    @asynccontextmanager
    async def passed(self) -> AsyncIterator[None]:
        """Wait until the gate is open, and count as inside."""
        await self._open.wait()
        self._inside += 1
        self._empty.clear()
        try:
            yield
        finally:
            self._inside -= 1
            if not self._inside:
                self._empty.set()

    def open(self) -> None:
        """Let callers try."""
        self._open.set()

    async def close(self) -> None:
        """Let no new try begin, and wait for those under way."""
        self._open.clear()
        await self._empty.wait()


class Connection:
    """One HTTP/1.1 connection, opened anew where it was lost."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, body: bytes) -> tuple[int, bytes]:
        """Status and body of the answer; Lost where there is none."""
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._ask(body)
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError) as error:
            self.close()
            raise Lost(f"{type(error).__name__}: {error}") from error

    async def _ask(self, body: bytes) -> tuple[int, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        head = (
            f"POST /graphql HTTP/1.1\r\nhost: 127.0.0.1:{self._port}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        said = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(said.partition(b"content-length:")[2].partition(b"\r\n")[0])
        found = await reader.readexactly(length)
        return int(said.split(None, 2)[1]), found

    def close(self) -> None:
        """End it."""
        if self._streams is not None:
            with suppress(OSError):
                self._streams[1].transport.abort()
            self._streams = None


class Caller:
    """Sends one request at a time, again and again until it is answered."""

    def __init__(self, port: int, gate: Gate, told: Callable[[str], None]) -> None:
        self._connection = Connection(port)
        self._gate = gate
        #: Told of every try that failed, and how.
        self._told = told

    async def answer(self, document: str, variables: dict[str, Any]) -> Any:
        """The value of the one root field; raises Wrong."""
        body = orjson.dumps({"query": document, "variables": variables})
        for number in itertools.count():
            async with self._gate.passed():
                try:
                    return await self.once(body)
                except (Lost, Unavailable) as error:
                    self._told(str(error))
            await asyncio.sleep(min(_PAUSE[1], _PAUSE[0] * 1.5 ** min(number, 20)))
        raise AssertionError

    async def once(self, body: bytes) -> Any:
        """One try; raises Lost, Unavailable or Wrong."""
        status, found = await self._connection.ask(body)
        try:
            answer = orjson.loads(found)
        except orjson.JSONDecodeError as error:
            raise Wrong(f"{status}: {found[:200]!r}") from error
        for said in answer.get("errors") or ():
            code = said.get("extensions", {}).get("code", "")
            text = f"{status} {code}: {said.get('message')}"
            again = code in _AGAIN or said.get("extensions", {}).get("what") == "time"
            raise (Unavailable if again else Wrong)(text)
        if status != 200 or not isinstance(answer.get("data"), dict):
            raise Wrong(f"{status}: {found[:200]!r}")
        (value,) = answer["data"].values()
        return value

    def close(self) -> None:
        """End it."""
        self._connection.close()
