"""What of an error reaches a caller: ours as they are, anything else as an id for the log."""

import logging
from collections.abc import Iterable
from uuid import uuid4

from graphql import GraphQLError

from gotn.errors import GotnError, ProgrammingError

log = logging.getLogger("gotn.api")


def shown(error: GraphQLError) -> GraphQLError:
    """The error as a caller sees it; an unexpected one is logged under the id it carries."""
    original = error.original_error
    if original is None:
        if "code" not in (error.extensions or {}):
            error.extensions = {"code": "INVALID", **(error.extensions or {})}
        return error
    if isinstance(original, GotnError) and not isinstance(original, ProgrammingError):
        return error
    if isinstance(original, GraphQLError):
        error.extensions = {"code": "INVALID", **(error.extensions or {})}
        return error
    number = uuid4().hex[:12]
    log.error("unexpected error %s", number, exc_info=original, extra={"error_id": number})
    return GraphQLError(
        f"Something went wrong here; the log has it under {number}.",
        nodes=error.nodes,
        path=error.path,
        extensions={"code": "INTERNAL", "id": number},
    )


def masked(errors: Iterable[GraphQLError]) -> list[GraphQLError]:
    """Every error as a caller sees it."""
    return [shown(error) for error in errors]
