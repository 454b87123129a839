"""Around every request: an id, a log line, a measurement, and no traceback for anyone."""

import logging
import re
import time
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gotn import journal
from gotn.server.answers import refused
from gotn.server.auth import actor_of
from gotn.server.metrics import Metrics

log = logging.getLogger("gotn.server")
#: A caller's own id, where it is harmless.
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
#: Paths that are counted by name; any other is counted as one.
ROUTES = frozenset(("/graphql", "/graphiql", "/healthz", "/readyz", "/metrics", "/version"))


class Requests:
    """Gives each request an id, measures it, logs it, and masks what was not expected."""

    def __init__(self, app: ASGIApp, metrics: Metrics, actor: str) -> None:
        self.app = app
        self._metrics = metrics
        self._actor = actor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, whatever happens."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        number = given if _ID.fullmatch(given) else uuid4().hex[:16]
        scope.setdefault("state", {})["request_id"] = number
        start, status = time.perf_counter(), 0
        token = journal.last_seq.set(scope["state"].setdefault("written", {}))

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["x-request-id"] = number
            await send(message)

        try:
            await self.app(scope, receive, sending)
        except ClientDisconnect:
            status = 499  # nobody is there to read an answer; the number is nginx's for this
        except Exception:
            log.exception("unexpected error", extra={"request_id": number})
            if status == 0:
                answer = refused(500, "INTERNAL", "Something went wrong here.", id=number)
                await answer(scope, receive, sending)
        finally:
            journal.last_seq.reset(token)
            self._note(scope, status, time.perf_counter() - start)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope["path"] if scope["path"] in ROUTES else "other"
        self._metrics.request(route, scope["method"], status, seconds)
        state = scope["state"]
        project, seq = next(reversed(state["written"].items()), (None, None))
        log.info(
            "request",
            extra={
                "request_id": state["request_id"],
                "actor": actor_of(Headers(scope=scope), self._actor),
                "method": scope["method"],
                "route": route,
                "status": status,
                "ms": round(seconds * 1000, 1),
                "project": project,
                "seq": seq,
                "codes": state.get("codes"),
            },
        )
