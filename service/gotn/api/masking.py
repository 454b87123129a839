"""What of an error reaches a caller: ours as they are, anything else as an id for the log."""

import logging
import re
from collections.abc import Iterable
from uuid import uuid4

from graphql import GraphQLError

from gotn.errors import GotnError, ProgrammingError

log = logging.getLogger("gotn.api")
#: How graphql-core's parser says that it stopped at a limit.
_TOO_MUCH = re.compile(r"more than \d+ tokens|nested too deeply|Validation aborted")


def shown(error: GraphQLError) -> GraphQLError:
    """The error as a caller sees it; an unexpected one is logged under the id it carries."""
    original = error.original_error
    if isinstance(original, GotnError) and not isinstance(original, ProgrammingError):
        return error
    if original is None or isinstance(original, GraphQLError):
        code = "LIMIT" if _TOO_MUCH.search(error.message) else "INVALID"
        error.extensions = {"code": code, **(error.extensions or {})}
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
