"""What is refused before it was sent whole is still answered, over real sockets."""

import asyncio
import http.client
import json
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing

import pytest
import uvicorn
from e2e.conftest import MakeApp
from starlette.types import ASGIApp, Receive, Scope, Send

from gotn.server.lingering import Lingering

MIB = 1024 * 1024
#: The head of a request without its body.
HEAD = "POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


@asynccontextmanager
async def listening(app: ASGIApp) -> AsyncIterator[int]:
    """The app served as `gotn serve` does it; gives its port."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", server_header=False))
        serving = asyncio.create_task(server.serve([bound]))
        try:
            yield bound.getsockname()[1]
        finally:
            server.should_exit = True
            await serving


def post(port: int, size: int, kept: str) -> tuple[int, int, bytes]:
    """Send a body whole and only then read, as most clients do."""
    headers = {"content-type": "application/json", "connection": kept}
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("POST", "/graphql", body=b" " * size, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
    return answer.status, json.loads(body).get("limit"), body


def exchanged(port: int, sent: str) -> tuple[bytes, float]:
    """What comes back for this until the connection ends, and after how many seconds."""
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(sent.encode())
        found = b"".join(iter(lambda: client.recv(4096), b""))
    return found, time.monotonic() - begun


@pytest.mark.parametrize("kept", ["close", "keep-alive"])
async def test_who_sends_too_much_reads_the_refusal(make_app: MakeApp, kept: str) -> None:
    """A body of 17 MiB is answered with 413, not with a reset."""
    async with listening(make_app(max_request_bytes=16 * MIB)) as port:
        status, limit, body = await asyncio.to_thread(post, port, 17 * MIB, kept)
    assert (status, limit) == (413, 16 * MIB)
    assert b"GOTN_MAX_REQUEST_BYTES" in body


async def refusing(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that answers without reading."""
    assert scope["type"] == "http"
    await send({"type": "http.response.start", "status": 413, "headers": []})
    await send({"type": "http.response.body", "body": b"no"})


@pytest.mark.parametrize("length", ["Content-Length: 9000000", "Transfer-Encoding: chunked"])
async def test_who_never_ends_is_left(length: str) -> None:
    """A body that does not come ends with its time, after the answer."""
    async with listening(_http(Lingering(refusing, seconds=0.2))) as port:
        found, seconds = await asyncio.to_thread(exchanged, port, f"{HEAD}{length}\r\n\r\n")
    assert found.startswith(b"HTTP/1.1 413")
    assert b"connection: close" in found
    assert 0.2 <= seconds < 10


async def test_who_asks_first_is_answered_at_once() -> None:
    """A caller that waits for 100 Continue sends nothing, so nothing is waited for."""
    ended = asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await Lingering(refusing, seconds=60)(scope, receive, send)
        ended.set()

    asked = f"{HEAD}Expect: 100-continue\r\nConnection: close\r\nContent-Length: 9000000\r\n\r\n"
    async with listening(_http(app)) as port:
        found, seconds = await asyncio.to_thread(exchanged, port, asked)
        await ended.wait()
    assert found.startswith(b"HTTP/1.1 413")
    assert b"100 Continue" not in found
    assert seconds < 10


def _http(app: ASGIApp) -> ASGIApp:
    """The app without a beginning and an end of its own."""

    async def called(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return
        await app(scope, receive, send)

    return called
