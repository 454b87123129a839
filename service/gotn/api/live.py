"""Subscriptions for many: an event is executed and encoded once for all who ask the same.

A subscription is validated, limited and started like any operation. What it follows is then read
from the feed, and its selection executed once an event: subscribers whose documents and variables
agree, wherever they begin, share the text that is sent (performance, 8).
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakValueDictionary

import orjson
from graphql import (
    DocumentNode,
    GraphQLError,
    OperationDefinitionNode,
    OperationType,
    execute_subscription_event,
    get_operation_ast,
    parse,
)
from graphql.language import VariableNode, Visitor, visit
from strawberry.types.execution import ExecutionResult

from gotn.api.context import Context
from gotn.api.masking import masked
from gotn.api.schema import Schema
from gotn.api.subscriptions import Followed
from gotn.errors import LimitExceeded
from gotn.feed import Event, Feed

#: Rendered events that one document keeps for those who ask the same.
RENDERED = 256


@dataclass(frozen=True)
class Asked:
    """An operation as it was sent."""

    query: str
    variables: dict[str, Any] | None = None
    operation_name: str | None = None


@dataclass(frozen=True)
class Message:
    """One answer, as JSON text; `seq` is the cursor of an event."""

    text: str
    seq: int | None = None


class Refused(Exception):  # not an error of ours: what a caller is told
    """The operation was refused before anything was followed."""

    def __init__(self, errors: list[GraphQLError]) -> None:
        self.errors = errors
        super().__init__()


class Live:
    """Runs subscriptions over one feed."""

    def __init__(self, schema: Schema, feed: Feed, most: int) -> None:
        self._schema = schema
        self.feed = feed
        self._most = most
        self._count = 0
        self._renderers: WeakValueDictionary[Any, _Renderer] = WeakValueDictionary()

    @property
    def count(self) -> int:
        """How many subscriptions run now."""
        return self._count

    def is_subscription(self, asked: Asked) -> bool:
        """Whether this operation is one; what cannot be read is none."""
        document = self._document(asked)
        operation = document and get_operation_ast(document, asked.operation_name)
        return bool(operation) and operation.operation is OperationType.SUBSCRIPTION  # type: ignore[union-attr]

    async def run(
        self, asked: Asked, context: Context, after: int | None = None
    ) -> AsyncGenerator[Message]:
        """Every answer to a subscription; Refused where it is not begun.

        `after` is the cursor of a subscriber that comes back, whatever its document says.
        """
        if self._count >= self._most:
            raise Refused([_full(self._most)])
        self._count += 1
        try:
            followed = await self._begun(asked, context)
            if after is not None:
                cursor = await self.feed.cursor(followed.cursor.project_id, after)
                followed = replace(followed, cursor=cursor)
            renderer = self._renderer(asked, context)
            async with aclosing(self.feed.follow(followed.cursor)) as found:
                async for events in found:
                    for event in events:
                        if followed.wants(event):
                            text = await renderer.render(event, followed)
                            yield Message(text, event.entry.seq)
        finally:
            self._count -= 1

    async def _begun(self, asked: Asked, context: Context) -> Followed:
        """What the operation follows, found by its own resolver."""
        context.feed, context.followed = self.feed, []
        seconds = self._schema.limits.seconds
        async with asyncio.timeout(seconds):
            stream: Any = await self._schema.subscribe(
                asked.query, asked.variables, context, operation_name=asked.operation_name
            )
            errors = [error async for result in _each(stream) for error in result.errors or ()]
        if errors or not context.followed:
            raise Refused(masked(errors, self._schema.limits))
        found: Followed = context.followed[0]
        return found

    def _renderer(self, asked: Asked, context: Context) -> "_Renderer":
        document = self._document(asked)
        assert document is not None  # noqa: S101  # it was executed
        operation = get_operation_ast(document, asked.operation_name)
        assert operation is not None  # noqa: S101
        names = _inside(document, operation)
        given = asked.variables or {}
        key = (
            asked.query,
            asked.operation_name,
            orjson.dumps([[name, given.get(name), name in given] for name in names]),
        )
        known = self._renderers.get(key)
        if known is None:
            known = self._renderers[key] = _Renderer(self._schema, document, asked, context)
        return known

    def _document(self, asked: Asked) -> DocumentNode | None:
        try:
            return parse(asked.query, no_location=False, max_tokens=self._schema.limits.tokens)
        except (GraphQLError, RecursionError):
            return None


async def _each(stream: Any) -> AsyncIterator[ExecutionResult]:
    async with aclosing(stream):
        async for result in stream:
            yield result


def _full(most: int) -> GraphQLError:
    error = LimitExceeded(
        f"This server has {most} subscriptions already; try again later.",
        limit=most,
        what="subscriptions",
        setting="GOTN_MAX_SUBSCRIPTIONS",
    )
    return GraphQLError(error.message, original_error=error, extensions=error.extensions)


class _Names(Visitor):
    """The variables that stand somewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def enter_variable(self, node: VariableNode, *_: Any) -> None:
        """Note a name."""
        self.found.add(node.name.value)


def _inside(document: DocumentNode, operation: OperationDefinitionNode) -> list[str]:
    """The variables that can change what an event looks like: all but the root's arguments."""
    names = _Names()
    for definition in document.definitions:
        if definition is not operation:
            visit(definition, names)
    for selection in operation.selection_set.selections:
        for part in ("directives", "selection_set"):
            found = getattr(selection, part, None)
            for node in found if isinstance(found, tuple | list) else [found] if found else []:
                visit(node, names)
    return sorted(names.found)


class _Renderer:
    """Executes one selection, and keeps the texts of the latest events."""

    def __init__(
        self, schema: Schema, document: DocumentNode, asked: Asked, context: Context
    ) -> None:
        self._schema = schema
        executor: Any = schema.execution_context_class
        self._executor = executor.build(
            schema._schema,  # noqa: SLF001  # graphql-core's own
            document,
            None,
            replace(context, loaders={}, refused=[]),
            asked.variables,
            asked.operation_name,
        )
        self._texts: OrderedDict[tuple[str, int, str | None], str] = OrderedDict()

    async def render(self, event: Event, followed: Followed) -> str:
        """The answer for this event, as JSON."""
        key = (event.project_id, event.entry.seq, followed.run)
        known = self._texts.get(key)
        if known is not None:
            return known
        text = orjson.dumps(await self._execute(followed.payload(event))).decode()
        self._texts[key] = text
        while len(self._texts) > RENDERED:
            self._texts.popitem(last=False)
        return text

    async def _execute(self, payload: Any) -> dict[str, Any]:
        result = execute_subscription_event(self._executor.build_per_event_executor(payload))
        if self._executor.is_awaitable(result):
            result = await result  # type: ignore[misc]
        answer: dict[str, Any] = {"data": result.data}  # type: ignore[union-attr]
        if result.errors:  # type: ignore[union-attr]
            errors = masked(result.errors, self._schema.limits)  # type: ignore[union-attr]
            answer["errors"] = [error.formatted for error in errors]
        return answer
