"""The size and pace of a request, refused while it is being read and not after."""

import asyncio
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gotn.server.answers import Json, refused


@dataclass(frozen=True)
class Most:
    """What one request may be."""

    bytes: int = 16 * 1024 * 1024
    #: Of headers, path and query together.
    header_bytes: int = 32 * 1024
    #: For the whole body to arrive.
    body_seconds: float = 30.0


class _Refused(Exception):
    """The request went over a limit; carries the answer."""

    def __init__(self, answer: Json) -> None:
        self.answer = answer
        super().__init__()


class Size:
    """Answers 413 to a large body, 431 to large headers, 408 to a slow body, 415 to a packed one.

    Packed bodies (gzip) are refused, since a small one can hold a thousand times its size.
    """

    def __init__(self, app: ASGIApp, most: Most) -> None:
        self.app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the call on with a body that is counted and timed."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if (answer := self._by_headers(scope)) is not None:
            await answer(scope, receive, send)
            return
        await self._counted(scope, receive, send)

    def _by_headers(self, scope: Scope) -> Json | None:
        size = len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"")
        size += sum(len(name) + len(value) for name, value in scope["headers"])
        if size > (most := self._most.header_bytes):
            return _limit(431, "header_bytes", "bytes of headers and address", most, size)
        headers = Headers(scope=scope)
        packed = headers.get("content-encoding", "identity").strip().lower()
        if packed not in ("", "identity"):
            answer = refused(415, "UNSUPPORTED_MEDIA_TYPE", "Send the body as it is, not packed.")
            answer.headers["accept-encoding"] = "identity"
            return answer
        said = headers.get("content-length", "")
        if said.isascii() and said.isdigit() and (found := int(said[:20])) > self._most.bytes:
            return _limit(413, "request_bytes", "bytes", self._most.bytes, found)
        return None

    async def _counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        read, begun, whole = 0, False, False
        until = asyncio.get_running_loop().time() + self._most.body_seconds

        async def counting() -> Message:
            nonlocal read, whole
            message = await (receive() if whole else self._in_time(receive, until))
            read += len(message.get("body", b""))
            whole = whole or not message.get("more_body", False)
            if read > self._most.bytes:
                raise _Refused(_limit(413, "request_bytes", "bytes", self._most.bytes, read))
            return message

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, counting, sending)
        except _Refused as error:
            if not begun:
                await error.answer(scope, receive, send)

    async def _in_time(self, receive: Receive, until: float) -> Message:
        """The next piece of the body."""
        try:
            async with asyncio.timeout_at(until):
                return await receive()
        except TimeoutError:
            most = self._most.body_seconds
            answer = _limit(408, "body_seconds", "seconds to arrive", most, None)
            answer.headers["connection"] = "close"
            raise _Refused(answer) from None


def _limit(status: int, what: str, said: str, most: float, found: float | None) -> Json:
    """The refusal of a request, with the same facts as an operation's (api.limits)."""
    return refused(
        status,
        "LIMIT",
        f"A request may have {most} {said}.",
        what=what,
        limit=most,
        found=found,
        setting=f"GOTN_MAX_{what.upper()}",
    )
