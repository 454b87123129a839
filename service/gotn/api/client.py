"""Named operations in this process, for the command line: data, or one of our errors."""

from typing import Any

from graphql import GraphQLError

from gotn import errors
from gotn.api import operations
from gotn.api.context import Context
from gotn.api.limits import Limits
from gotn.api.schema import schema
from gotn.database.connection import Database
from gotn.errors import GotnError
from gotn.similarity.engine import Engine, Options

#: The command line waits as long as the caller does.
LIMITS = Limits(seconds=24 * 3600.0, tokens=1_000_000, complexity=10**9)


async def run(
    database: Database,
    operation_name: str,
    variables: dict[str, Any] | None = None,
    actor: str = "unknown",
    similarity: Options | None = None,
) -> dict[str, Any]:
    """The data of a named operation; raises the error that a result or the operation has."""
    engine = Engine(database, similarity) if similarity is not None else None
    context = Context(database=database, actor=actor, similarity=engine)
    try:
        result = await schema(LIMITS).execute(
            operations.text(operation_name),
            variable_values=variables,
            context_value=context,
            operation_name=operation_name,
        )
    finally:
        if engine is not None:
            await engine.close()
    if context.refused:
        raise context.refused[0]
    if result.errors:
        raise _raised(result.errors[0])
    data: dict[str, Any] = result.data or {}
    return data


def _raised(error: GraphQLError) -> GotnError:
    """One of ours as it was raised; what GraphQL itself refuses is Invalid."""
    if isinstance(error.original_error, GotnError):
        return error.original_error
    facts = dict(error.extensions or {})
    cls = _classes().get(str(facts.pop("code", "INVALID")), errors.Invalid)
    return cls(error.message, **facts)


def _classes() -> dict[str, type[GotnError]]:
    """Our error classes by code."""
    found: dict[str, type[GotnError]] = {}
    todo: list[type[GotnError]] = [GotnError]
    while todo:
        cls = todo.pop()
        found.setdefault(cls.code, cls)
        todo.extend(cls.__subclasses__())
    return found
