"""The floor of the API: the same JSON by hand, in the same Starlette and uvicorn.

Run as `uvicorn bench.rest:app`; BENCH_NEO4J_URI and its like tell where Neo4j is.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
from neo4j import AsyncDriver, AsyncGraphDatabase, AsyncManagedTransaction
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bench import statements


def _driver() -> AsyncDriver:
    password = os.environ.get("BENCH_NEO4J_PASSWORD")
    auth = (os.environ.get("BENCH_NEO4J_USER", "neo4j"), password) if password else None
    return AsyncGraphDatabase.driver(
        os.environ["BENCH_NEO4J_URI"],
        auth=auth,
        max_connection_pool_size=64,
        notifications_min_severity="OFF",
    )


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    async with _driver() as driver:
        app.state.driver = driver
        yield


async def _value(request: Request, statement: str, **parameters: Any) -> Any:
    async def work(tx: AsyncManagedTransaction) -> Any:
        record = await (await tx.run(statement, parameters)).single()
        return record[0] if record else None

    async with request.app.state.driver.session(default_access_mode="READ") as session:
        return await session.execute_read(work)


def _answer(data: dict[str, Any]) -> Response:
    return Response(orjson.dumps({"data": data}), media_type="application/json")


async def _list(request: Request) -> Response:
    asked = orjson.loads(await request.body())
    page = asked["first"]
    found = await _value(request, statements.LIST, project=asked["project"], first=2 * page)
    return _answer({"head": {"nodes": found[:page]}, "tail": {"nodes": found[page:]}})


async def _one(request: Request) -> Response:
    asked = orjson.loads(await request.body())
    return _answer({"workNode": await _value(request, statements.ONE, key=asked["key"])})


async def _ready(_: Request) -> Response:
    return _answer({})


app = Starlette(
    routes=[
        Route("/list", _list, methods=["POST"]),
        Route("/one", _one, methods=["POST"]),
        Route("/readyz", _ready),
    ],
    lifespan=_lifespan,
)
