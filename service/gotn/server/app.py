"""create_app: routes, what stands around them, and one place that opens and closes."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from gotn import __version__
from gotn.api.limits import Limits
from gotn.api.live import Live
from gotn.api.schema import schema
from gotn.database.connection import Database
from gotn.errors import DatabaseUnavailable, GotnError
from gotn.feed import Feed
from gotn.graph.hook import quieten
from gotn.server import logs, page
from gotn.server.answers import Json, refused
from gotn.server.auth import Guard
from gotn.server.graphql import Endpoint, Reach
from gotn.server.lingering import Lingering
from gotn.server.metrics import CONTENT_TYPE, Metrics
from gotn.server.readiness import Readiness
from gotn.server.requests import Requests
from gotn.server.size import Most, Size
from gotn.settings import Settings
from gotn.similarity.engine import Engine, Options
from gotn.work.usecases.queue import WriteQueue

Handler = Callable[[Request], Awaitable[Response]]


def create_app(settings: Settings) -> Starlette:
    """The service over the Neo4j of these settings, which may come later than it.

    Raises DatabaseUnavailable where no address of Neo4j is set, or none that can be one.
    """
    logs.setup(settings.log_level)
    quieten()
    database = _opened(settings)
    queue = WriteQueue()
    feed = Feed(database)
    metrics = Metrics()
    database.on_statement = metrics.statement
    readiness = Readiness(database)
    similarity = Engine(
        database,
        Options(
            folder=settings.home / "vectors",
            encoder=settings.encoder,
            model=settings.encoder_model,
            vectors=settings.vectors,
        ),
    )
    return Starlette(
        routes=_routes(settings, database, readiness, metrics, queue, feed, similarity),
        middleware=_around(settings, metrics),
        lifespan=_lifespan(database, readiness, queue, feed, similarity),
        exception_handlers={HTTPException: _http_error},
    )


def _opened(settings: Settings) -> Database:
    if not settings.neo4j_uri:
        raise DatabaseUnavailable("NEO4J_URI is not set; `gotn serve` finds the managed Neo4j.")
    password = settings.neo4j_password
    return Database.open(
        settings.neo4j_uri,
        settings.neo4j_username,
        password.get_secret_value() if password else None,
        settings.neo4j_database,
    )


def _lifespan(
    database: Database, readiness: Readiness, queue: WriteQueue, feed: Feed, similarity: Engine
) -> Any:
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        try:
            await readiness.ensure()
        except GotnError as error:
            logs.log.warning("not ready yet", extra={"reason": error.message})
        try:
            yield
        finally:
            await feed.close()
            await queue.close()
            await similarity.close()
            await database.close()

    return lifespan


def _around(settings: Settings, metrics: Metrics) -> list[Middleware]:
    """From the outside in: answer to the end, measure, refuse by origin, by caller, by size."""
    cors = [
        Middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["POST"],
            allow_headers=["authorization", "content-type", "x-gotn-actor", "x-request-id"],
            expose_headers=["x-request-id"],
        )
    ]
    key = settings.api_key.get_secret_value() if settings.api_key else None
    most = Most(
        bytes=settings.max_request_bytes,
        header_bytes=settings.max_header_bytes,
        body_seconds=settings.max_body_seconds,
    )
    return [
        Middleware(Lingering),
        Middleware(Requests, metrics=metrics, actor=settings.actor),
        *(cors if settings.cors_origins else []),
        Middleware(Guard, api_key=key),
        Middleware(Size, most=most),
    ]


def _routes(
    settings: Settings,
    database: Database,
    readiness: Readiness,
    metrics: Metrics,
    queue: WriteQueue,
    feed: Feed,
    similarity: Engine,
) -> list[BaseRoute]:
    limits = Limits(
        depth=settings.max_depth,
        aliases=settings.max_aliases,
        tokens=settings.max_tokens,
        fields=settings.max_fields,
        complexity=settings.max_complexity,
        seconds=settings.max_seconds,
    )
    asked = schema(limits)
    key = settings.api_key
    live = Live(asked, feed, settings.max_subscriptions)
    metrics.gauge("gotn_subscriptions", "Subscriptions that run now.", lambda: live.count)
    metrics.gauge(
        "gotn_followers", "Subscriptions that follow a journal now.", lambda: feed.followers
    )
    endpoint = Endpoint(
        asked,
        database=database,
        readiness=readiness,
        metrics=metrics,
        actor=settings.actor,
        queue=queue,
        similarity=similarity,
        live=live,
        reach=Reach(
            key=key.get_secret_value() if key else None,
            origins=settings.cors_origins,
            operations=settings.max_connection_subscriptions,
        ),
    )
    return [
        Route("/graphql", endpoint),
        WebSocketRoute("/graphql", endpoint),
        Route("/healthz", _healthz),
        Route("/readyz", _readyz(readiness)),
        Route("/metrics", _metrics(metrics)),
        Route("/version", _version),
        *page.routes(),
    ]


async def _healthz(_: Request) -> Response:
    return Json({"status": "alive"})


def _readyz(readiness: Readiness) -> Handler:
    async def readyz(_: Request) -> Response:
        """200 where Neo4j answers and every migration is applied, else 503 with the reason."""
        error = await readiness.reason()
        if error is None:
            return Json({"status": "ready"})
        return Json(
            {"status": "not ready", "code": error.code, "reason": error.message}, status_code=503
        )

    return readyz


def _metrics(metrics: Metrics) -> Handler:
    async def show(_: Request) -> Response:
        """Counters and timings for Prometheus."""
        return Response(metrics.text(), media_type=CONTENT_TYPE)

    return show


async def _version(_: Request) -> Response:
    return Json({"version": __version__})


async def _http_error(_: Request, error: Exception) -> Response:
    """404, 405 and their like as JSON."""
    if not isinstance(error, HTTPException):
        raise error
    code = HTTPStatus(error.status_code).name
    answer = refused(error.status_code, code, HTTPStatus(error.status_code).phrase)
    answer.headers.update(error.headers or {})
    return answer
