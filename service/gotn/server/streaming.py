"""Subscriptions as server-sent events: GraphQL over SSE, one connection an operation.

Each answer is an event `next` with its seq as the id; a client that comes back with
Last-Event-ID (browsers do) gets what follows that seq. `complete` ends it.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from gotn.api.context import Context
from gotn.api.live import Asked, Live, Message, Refused
from gotn.server.answers import refused

#: Seconds of silence after which a comment tells that the connection lives.
KEEP_ALIVE = 12.0
KIND = "text/event-stream"
#: Characters of an event that are sent at once.
PART = 64 * 1024


def wanted(request: Request) -> bool:
    """Whether the caller wants events; for GET, which carries nothing else."""
    return KIND in request.headers.get("accept", "").lower()


def asked_by_get(request: Request) -> Asked | None:
    """The operation in an address; None where there is none that can be read."""
    query = request.query_params.get("query")
    if not query:
        return None
    try:
        variables = orjson.loads(request.query_params.get("variables") or "null")
    except orjson.JSONDecodeError:
        return None
    if not isinstance(variables, dict | None):
        return None
    return Asked(query, variables, request.query_params.get("operationName") or None)


async def answered(request: Request, live: Live, asked: Asked, context: Context) -> Response:
    """A stream of events; an operation that is refused is one event and the end."""
    last = request.headers.get("last-event-id", "").strip()
    if last and not (last.isascii() and last.isdigit() and len(last) < 19):
        return refused(400, "INVALID", "Last-Event-ID: expected a seq.")
    if not live.is_subscription(asked):
        return refused(400, "INVALID", "Only subscriptions are answered as events.")
    messages = live.run(asked, context, int(last) if last else None)
    return StreamingResponse(
        _events(messages),
        media_type=KIND,
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )


async def _events(messages: AsyncGenerator[Message]) -> AsyncIterator[str]:
    """The text of the stream."""
    yield ":\n\n"  # the caller sees that it is connected, before anything happens
    async with aclosing(messages):
        try:
            async for message in _kept_alive(messages):
                if message is None:
                    yield ":\n\n"
                    continue
                for part in _next(message):
                    yield part
                del message  # not while the next one is waited for
        except Refused as refusal:
            errors = [error.formatted for error in refusal.errors]
            for part in _next(Message(orjson.dumps({"errors": errors}).decode())):
                yield part
    yield "event: complete\ndata:\n\n"


def _next(message: Message) -> Iterator[str]:
    """One event, in parts: all who ask the same share the text, and each has one part on its way.

    A long text would be copied for each of them otherwise, for as long as they do not read.
    """
    number = "" if message.seq is None else f"id: {message.seq}\n"
    text = message.text
    head = f"event: next\n{number}data: "
    if len(text) <= PART:
        yield f"{head}{text}\n\n"
        return
    yield head
    for start in range(0, len(text), PART):
        yield text[start : start + PART]
    yield "\n\n"


async def _kept_alive(messages: AsyncGenerator[Message]) -> AsyncIterator[Message | None]:
    """The messages, and None after each time of silence."""
    coming: asyncio.Future[Any] = asyncio.ensure_future(anext(messages, None))
    try:
        while True:
            done, _ = await asyncio.wait([coming], timeout=KEEP_ALIVE)
            if not done:
                yield None
                continue
            if coming.result() is None:
                return
            yield coming.result()
            coming = asyncio.ensure_future(anext(messages, None))
    finally:
        if not coming.done():
            coming.cancel()
            await asyncio.wait([coming])
