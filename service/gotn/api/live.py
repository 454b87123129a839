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
from gotn.api.schema import Schema, late
from gotn.api.subscriptions import Followed
from gotn.errors import GotnError, LimitExceeded
from gotn.feed import Event, Feed

#: Rendered events that are kept for those who ask the same, characters of all of them, and of one
#: at most. A longer one is shared only while somebody sends it.
RENDERED, RENDERED_CHARACTERS, LONGEST = 4096, 16 * 1024 * 1024, 256 * 1024


@dataclass(frozen=True)
class Asked:
    """An operation as it was sent."""

    query: str
    variables: dict[str, Any] | None = None
    operation_name: str | None = None


@dataclass(frozen=True, slots=True, weakref_slot=True)
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
        self._kept = _Kept()

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
        """Every answer to a subscription; Refused where it is not begun, or cannot go on.

        `after` is the cursor of a subscriber that comes back, whatever its document says.
        """
        if self._count >= self._most:
            raise Refused([_full(self._most)])
        self._count += 1
        try:
            async with aclosing(self._answers(asked, context, after)) as answers:
                async for message in answers:
                    yield message
                    del message  # whoever takes it decides how long it lives
        except GotnError as error:
            raise Refused(masked([_told(error)], self._schema.limits)) from error
        finally:
            self._count -= 1

    async def _answers(
        self, asked: Asked, context: Context, after: int | None
    ) -> AsyncGenerator[Message]:
        followed = await self._begun(asked, context)
        if after is not None:
            cursor = await self.feed.cursor(followed.cursor.project_id, after)
            followed = replace(followed, cursor=cursor)
        renderer = self._renderer(asked, context)
        async with aclosing(self.feed.follow(followed.cursor)) as found:
            async for event in found:
                wanted = followed.wants(event)
                message = await renderer.render(event, followed) if wanted else None
                del event  # a slow reader holds its text alone
                if message is not None:
                    yield message
                del message

    async def _begun(self, asked: Asked, context: Context) -> Followed:
        """What the operation follows, found by its own resolver."""
        context.feed, context.followed = self.feed, []
        try:
            async with asyncio.timeout(self._schema.limits.seconds):
                stream: Any = await self._schema.subscribe(
                    asked.query, asked.variables, context, operation_name=asked.operation_name
                )
                errors = [error async for result in _each(stream) for error in result.errors or ()]
        except TimeoutError:
            raise Refused([late(self._schema.limits.seconds)]) from None
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
            known = self._renderers[key] = _Renderer(
                self._schema, document, asked, context, self._kept
            )
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
    return _told(error)


def _told(error: GotnError) -> GraphQLError:
    return GraphQLError(error.message, original_error=error, extensions=error.extensions)


class _Kept:
    """The latest messages of all renderers, within RENDERED and RENDERED_CHARACTERS."""

    def __init__(self) -> None:
        self._messages: OrderedDict[Any, Message] = OrderedDict()
        self._size = 0

    def add(self, key: Any, message: Message) -> None:
        """Keep a message, unless it is a long one, and forget the oldest."""
        if key in self._messages or len(message.text) > LONGEST:
            return
        self._messages[key] = message
        self._size += len(message.text)
        while len(self._messages) > RENDERED or self._size > RENDERED_CHARACTERS:
            self._size -= len(self._messages.popitem(last=False)[1].text)


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
    """Executes one selection, once for all who ask the same about an event."""

    def __init__(
        self,
        schema: Schema,
        document: DocumentNode,
        asked: Asked,
        context: Context,
        kept: _Kept,
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
        self._kept, self._mark = kept, object()
        #: What is kept, or sent to somebody just now.
        self._messages: WeakValueDictionary[Any, Message] = WeakValueDictionary()

    async def render(self, event: Event, followed: Followed) -> Message:
        """The answer for this event, as JSON."""
        key = (event.project_id, event.entry.seq, followed.run)
        known = self._messages.get(key)
        if known is None:
            text = orjson.dumps(await self._execute(followed.payload(event))).decode()
            known = self._messages[key] = Message(text, event.entry.seq)
            self._kept.add((self._mark, *key), known)
        return known

    async def _execute(self, payload: Any) -> dict[str, Any]:
        result = execute_subscription_event(self._executor.build_per_event_executor(payload))
        if self._executor.is_awaitable(result):
            result = await result  # type: ignore[misc]
        answer: dict[str, Any] = {"data": result.data}  # type: ignore[union-attr]
        if result.errors:  # type: ignore[union-attr]
            errors = masked(result.errors, self._schema.limits)  # type: ignore[union-attr]
            answer["errors"] = [error.formatted for error in errors]
        return answer
