"""An answer given before the request is read whole still reaches whoever is sending it.

Closing a connection with unread bytes resets it, and the answer is lost with it: clients that
read only after they have sent everything would see a reset instead of a 413. So the answer goes
out first, and what still arrives is dropped, for a while.
"""

import asyncio
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Bytes that are dropped at most, and seconds that this takes at most.
DROPPED, SECONDS = 128 * 1024 * 1024, 10.0
_CLOSE = (b"connection", b"close")


class Lingering:
    """Holds an early answer's connection open until its request has arrived, within bounds."""

    def __init__(self, app: ASGIApp, most: int = DROPPED, seconds: float = SECONDS) -> None:
        self.app = app
        self._most = most
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the call on; what it left unread is read and dropped after its answer."""
        if scope["type"] != "http" or not _sends(Headers(scope=scope)):
            await self.app(scope, receive, send)
            return
        whole = early = ended = False

        async def receiving() -> Message:
            nonlocal whole
            message = await receive()
            whole = not message.get("more_body", False)
            return message

        async def sending(message: Message) -> None:
            nonlocal early, ended
            if message["type"] == "http.response.start" and not whole:
                headers = list(message.get("headers", ()))
                early = _CLOSE not in headers  # who says so wants no more of this
                message = {**message, "headers": [*headers, *[_CLOSE] * early]}
            elif early and not message.get("more_body", False):
                ended = True
                message = {**message, "more_body": True}
            await send(message)

        await self.app(scope, receiving, sending)
        if ended:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._seconds):
                    await self._drop(receive)
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _drop(self, receive: Receive) -> None:
        dropped, more = 0, True
        while more and dropped < self._most:
            message = await receive()
            dropped += len(message.get("body", b""))
            more = message.get("more_body", False)


def _sends(headers: Headers) -> bool:
    """Whether a body comes by itself, and not only once the caller is told to go on."""
    body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    return body and "expect" not in headers
