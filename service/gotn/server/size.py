"""The size of a request, refused while it is being read and not after."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gotn.server.answers import Json, refused


class _TooLarge(Exception):
    """The body went over the limit."""


class Size:
    """Answers 413 to a body above the limit, whether or not it says its length."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self.app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the call on with a body that is counted."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        said = Headers(scope=scope).get("content-length", "")
        if said.isdigit() and int(said) > self._limit:
            await self._refusal()(scope, receive, send)
            return
        await self._counted(scope, receive, send)

    async def _counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        read, begun = 0, False

        async def counting() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._limit:
                raise _TooLarge
            return message

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, counting, sending)
        except _TooLarge:
            if not begun:
                await self._refusal()(scope, receive, send)

    def _refusal(self) -> Json:
        return refused(413, "LIMIT", f"A request may have {self._limit} bytes.", limit=self._limit)
