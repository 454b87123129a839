"""The schema, put together: `python -m gotn.api.schema` prints its SDL."""

import asyncio
import sys
from functools import cache
from typing import Any

import strawberry
from graphql import GraphQLError
from strawberry.schema.config import StrawberryConfig
from strawberry.schema.exceptions import InvalidOperationTypeError
from strawberry.types.execution import ExecutionContext, ExecutionResult
from strawberry.types.graphql import OperationType

from gotn.across import contexts  # noqa: F401  # makes every context known
from gotn.api import limiting
from gotn.api.errors import HANDLERS
from gotn.api.history import JournalEntry
from gotn.api.limits import Limits, facts
from gotn.api.masking import masked
from gotn.api.mutations import Mutation
from gotn.api.nodes import WorkNode
from gotn.api.projects import Project
from gotn.api.queries import Query
from gotn.api.runs import Run
from gotn.api.scalars import SCALARS
from gotn.api.subscriptions import Subscription
from gotn.api.tasks import Document, Task, TaskTree
from gotn.database.connection import within
from gotn.graph.hook import compiling

#: What has one answer.
_ANSWERED = {"allowed_operation_types": (OperationType.QUERY, OperationType.MUTATION)}


class Schema(strawberry.Schema):
    """Strawberry's schema with a time for the whole operation, and errors masked."""

    def __init__(self, limits: Limits, *, compiled: bool = True) -> None:
        self.limits = limits
        executor, documents = compiling()
        super().__init__(
            Query,
            Mutation,
            Subscription,
            types=[WorkNode, Run, JournalEntry, Project, TaskTree, Task, Document],
            config=StrawberryConfig(scalar_map=SCALARS),
            extensions=[documents, *limiting.extensions(limits)],
            execution_context_class=executor if compiled else None,
            exception_handlers=HANDLERS,
        )

    async def execute(self, *args: Any, **kwargs: Any) -> Any:
        """Run one operation; LIMIT where it takes longer than it may.

        Its statements end by the same moment, also those of loaders, which the caller's end
        does not reach.
        """
        try:
            async with asyncio.timeout(self.limits.seconds):
                with within(self.limits.seconds + 1.0):
                    result = await super().execute(*args, **kwargs | _ANSWERED)
        except TimeoutError:
            return ExecutionResult(data=None, errors=[late(self.limits.seconds)])
        except InvalidOperationTypeError:
            return ExecutionResult(data=None, errors=[_followed()])
        if result.errors:
            result.errors = masked(result.errors, self.limits)
        return result

    def process_errors(
        self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None
    ) -> None:
        """Nothing here: `masked` logs what was not expected, and only that."""


def _followed() -> GraphQLError:
    return GraphQLError(
        "A subscription has more than one answer: ask for it as server-sent events, with the "
        "header `accept: text/event-stream`, or over WebSocket (graphql-transport-ws).",
        extensions={"code": "INVALID"},
    )


def late(seconds: float) -> GraphQLError:
    """What a caller is told whose operation took too long."""
    return GraphQLError(
        f"This operation took longer than {seconds:g} s and was stopped. Of a mutation it is not "
        "known whether it was stored; the same idempotencyKey makes it safe to send again.",
        extensions=facts("time", seconds, None),
    )


@cache
def schema(limits: Limits = Limits()) -> Schema:  # noqa: B008  # a frozen value
    """The schema under these limits."""
    return Schema(limits)


def main() -> None:
    """Print the SDL."""
    sys.stdout.write(schema().as_str() + "\n")


if __name__ == "__main__":
    main()
