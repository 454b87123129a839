"""/graphql: Strawberry's view with our context, our JSON, and nothing it does not need."""

from dataclasses import dataclass
from datetime import timedelta
from email.message import Message
from typing import Any

import orjson
from cross_web import HTTPException
from graphql import GraphQLError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from strawberry.asgi import GraphQL
from strawberry.exceptions import ConnectionRejectionError
from strawberry.http import GraphQLHTTPResponse
from strawberry.subscriptions import GRAPHQL_TRANSPORT_WS_PROTOCOL
from strawberry.types import ExecutionResult
from strawberry.types.unset import UNSET

from gotn.api.context import Context
from gotn.api.live import Asked, Live
from gotn.api.masking import cut
from gotn.api.schema import Schema
from gotn.database.connection import Database
from gotn.errors import GotnError
from gotn.server import streaming
from gotn.server.answers import refused
from gotn.server.auth import actor_of, is_key
from gotn.server.metrics import Metrics
from gotn.server.readiness import Readiness
from gotn.server.sockets import Socket
from gotn.similarity.engine import Engine
from gotn.work.store.mirror import Mirror
from gotn.work.usecases.queue import WriteQueue

#: Seconds that a WebSocket's client has for its first message.
INIT = 10


@dataclass(frozen=True)
class Reach:
    """Who may open a WebSocket, and what may run over one."""

    key: str | None = None
    #: Web origins besides the server's own.
    origins: tuple[str, ...] = ()
    #: Operations at a time.
    operations: int = 100


class Endpoint(GraphQL[Context, None]):
    """One operation a POST, in JSON; subscriptions as events or over WebSocket."""

    graphql_transport_ws_handler_class = Socket

    def __init__(
        self,
        schema: Schema,
        *,
        database: Database,
        readiness: Readiness,
        metrics: Metrics,
        actor: str,
        queue: WriteQueue,
        similarity: Engine,
        live: Live,
        reach: Reach,
    ) -> None:
        super().__init__(
            schema,
            graphql_ide=None,
            allow_queries_via_get=False,
            subscription_protocols=(GRAPHQL_TRANSPORT_WS_PROTOCOL,),
            connection_init_wait_timeout=timedelta(seconds=INIT),
            max_subscriptions_per_connection=reach.operations,
            allowed_origins=reach.origins,
        )
        self.live = live
        self._key = reach.key
        self._database = database
        self._readiness = readiness
        self._metrics = metrics
        self._actor = actor
        self._queue = queue
        self._similarity = similarity
        self._mirror = Mirror()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; what is no operation at all is refused in our own shape."""
        if scope["type"] == "websocket":
            await super().__call__(scope, receive, send)
            return
        request = Request(scope, receive)
        answer: Response
        if request.method == "GET" and streaming.wanted(request):
            answer = await self._streamed(request, streaming.asked_by_get(request))
        elif request.method != "POST":
            answer = refused(405, "METHOD_NOT_ALLOWED", "Send operations by POST.")
            answer.headers["allow"] = "POST"
        elif not _is_json(request):
            answer = refused(415, "UNSUPPORTED_MEDIA_TYPE", "Send application/json, in UTF-8.")
        else:
            answer = await self._answer(request)
        await answer(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        try:
            await self._readiness.ensure()
            if streaming.wanted(request):
                return await self._streamed(request, await self._read(request))
            return await self.run(request)
        except HTTPException as error:
            return refused(error.status_code, "INVALID", cut(str(error.reason)))
        except GotnError as error:
            self._metrics.error(error.code)
            return _unavailable(error)
        finally:
            if request.scope["state"].get("written"):
                self.live.feed.wake()

    async def _read(self, request: Request) -> Asked | None:
        """The operation in a body."""
        try:
            body: Any = self.decode_json(await request.body())
        except orjson.JSONDecodeError:
            raise HTTPException(400, "Unable to parse request body as JSON") from None
        query, variables = body.get("query"), body.get("variables")
        if not isinstance(query, str) or not isinstance(variables, dict | None):
            return None
        return Asked(query, variables, body.get("operationName"))

    async def _streamed(self, request: Request, asked: Asked | None) -> Response:
        if asked is None:
            return refused(400, "INVALID", "Send `query`, and `variables` as an object.")
        return await streaming.answered(request, self.live, asked, await self.get_context(request))

    async def on_ws_connect(self, context: Context) -> Any:
        """Ask for the key, where there is one: in the handshake or in connection_init."""
        said = {name.lower(): value for name, value in context.connection_params.items()}
        token = str(said.get("authorization", ""))
        if self._key is not None and not context.authorized and not is_key(token, self._key):
            raise ConnectionRejectionError
        await self._readiness.ensure()
        return UNSET

    async def get_context(
        self,
        request: Any,
        response: Any = None,  # noqa: ARG002  # Strawberry's signature
    ) -> Context:
        """What the resolvers of this request share."""
        state = request.scope.setdefault("state", {})
        context = Context(
            database=self._database,
            actor=actor_of(request.headers, self._actor),
            request_id=state.get("request_id", ""),
            authorized=state.get("authorized", False),
            queue=self._queue,
            mirror=self._mirror,
            similarity=self._similarity,
            on_field=self._metrics.root_field,
        )
        state["context"] = context
        return context

    async def process_result(
        self, request: Any, result: ExecutionResult, *args: Any, **kwargs: Any
    ) -> GraphQLHTTPResponse:
        """Count what callers are told, and note it for the log line."""
        codes = [_code(error) for error in result.errors or ()]
        context = request.scope["state"].get("context")
        codes += [error.code for error in context.refused] if context else []
        for code in codes:
            self._metrics.error(code)
        request.scope["state"]["codes"] = codes or None
        return await super().process_result(request, result, *args, **kwargs)

    def decode_json(self, data: str | bytes) -> object:
        """A request's body: one operation. Of a member that comes twice the last counts."""
        body = orjson.loads(data)
        if isinstance(body, list):
            raise HTTPException(400, "Send one operation a request; lists of them are not taken.")
        if not isinstance(body, dict):
            raise HTTPException(400, "Send an object with `query` and `variables`.")
        if not isinstance(body.get("operationName"), str | None):
            raise HTTPException(400, "`operationName` must be a string or null, if provided.")
        return body

    def encode_json(self, data: object) -> bytes:
        """An answer's body."""
        return orjson.dumps(data)


def _is_json(request: Request) -> bool:
    """Whether the body says that it is JSON in UTF-8, the only form that is read."""
    said = Message()
    said["content-type"] = request.headers.get("content-type", "")
    charset = said.get_content_charset("utf-8")
    return said.get_content_type() == "application/json" and charset in ("utf-8", "utf8")


def _code(error: GraphQLError) -> str:
    return str((error.extensions or {}).get("code", "INVALID"))


def _unavailable(error: GotnError) -> Response:
    """In GraphQL's shape, so that a client's usual reading of errors finds it."""
    shown = {"message": error.message, "extensions": {"code": error.code}}
    return Response(
        orjson.dumps({"data": None, "errors": [shown]}),
        status_code=503,
        media_type="application/json",
    )
