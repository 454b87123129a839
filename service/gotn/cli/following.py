"""The API over the managed Neo4j, which may start later than it, and on another port."""

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable
from contextlib import AsyncExitStack

from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from gotn.cli import connecting
from gotn.cli.connecting import Target
from gotn.provision.ports import LOOPBACK
from gotn.settings import Settings

#: Seconds between two looks for a server that was not there.
PAUSE = 1.0


class Following:
    """Passes requests to an app over the managed server, a new one when its address changes."""

    def __init__(
        self, settings: Settings, make: Callable[[Target], Starlette], *, pause: float = PAUSE
    ) -> None:
        self._settings = settings
        self._make = make
        self._pause = pause
        self._target: Target | None = None
        self._app: Starlette | None = None
        self._seen: tuple[int, ...] = ()
        self._looked = 0.0
        self._lock = asyncio.Lock()
        self._opened = AsyncExitStack()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Start and stop with the server; pass any request on."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        app = await self._current()
        await app(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        await self._current()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def close(self) -> None:
        """Close the connections of the app that is served."""
        await self._opened.aclose()

    async def _current(self) -> ASGIApp:
        """The app over the server that runs now, or the last that did."""
        async with self._lock:
            if (app := self._app) is None or self._due():
                app = await self._look()
            return app

    def _due(self) -> bool:
        """Whether the server may have moved: its files changed, or none was found yet."""
        missing = self._target is None and time.monotonic() - self._looked >= self._pause
        return missing or self._seen != connecting.marks(self._settings)

    async def _look(self) -> Starlette:
        """Find the server; open an app over it if it is not the one we have."""
        self._seen, self._looked = connecting.marks(self._settings), time.monotonic()
        found = await asyncio.to_thread(connecting.running, self._settings)
        if (app := self._app) is not None and (found is None or found == self._target):
            return app
        await self._opened.aclose()
        self._opened = AsyncExitStack()
        if found is None:  # no other program's Neo4j may be taken for ours meanwhile
            taken = self._opened.enter_context(contextlib.closing(socket.socket()))
            taken.bind((LOOPBACK, 0))
            app = self._make(_nobody(taken))
        else:
            app = self._make(found)
        await self._opened.enter_async_context(app.router.lifespan_context(app))
        self._app, self._target = app, found
        return app


def _nobody(taken: socket.socket) -> Target:
    """What is worked on before there is a server: a port that is taken and never listens."""
    uri = f"bolt://{LOOPBACK}:{taken.getsockname()[1]}"
    return Target(uri=uri, username="neo4j", password=None, database="neo4j", managed=True)
