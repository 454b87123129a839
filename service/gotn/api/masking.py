"""What of an error reaches a caller: ours as they are, anything else as an id for the log."""

import logging
import re
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from graphql import GraphQLError

from gotn.api.limits import Limits, facts
from gotn.api.rules import NESTING
from gotn.errors import GotnError, ProgrammingError

log = logging.getLogger("gotn.api")
#: How graphql-core says that it stopped at a limit, and which limit that is.
_TOO_MUCH = (
    (re.compile(r"more than \d+ tokens"), "tokens"),
    (re.compile(r"nested too deeply|Validation aborted|[Ii]ntrospection depth"), "nesting"),
)


def shown(error: GraphQLError, limits: Limits) -> GraphQLError:
    """The error as a caller sees it; an unexpected one is logged under the id it carries."""
    original = error.original_error
    if isinstance(original, GotnError) and not isinstance(original, ProgrammingError):
        return error
    if original is None or isinstance(original, GraphQLError):
        error.extensions = {"code": "INVALID", **_limit(error, limits), **(error.extensions or {})}
        return error
    if isinstance(original, RecursionError):
        extensions = facts("nesting", NESTING, None)
        return _instead(error, "This is nested too deeply.", extensions)
    if isinstance(original, ValueError) and "integer string conversion" in str(original):
        return _instead(error, "A number here has too many digits.", {"code": "INVALID"})
    number = uuid4().hex[:12]
    log.error("unexpected error %s", number, exc_info=original, extra={"error_id": number})
    return _instead(
        error,
        f"Something went wrong here; the log has it under {number}.",
        {"code": "INTERNAL", "id": number},
    )


def _instead(error: GraphQLError, message: str, extensions: dict[str, Any]) -> GraphQLError:
    """An error of ours at the same place."""
    return GraphQLError(message, nodes=error.nodes, path=error.path, extensions=extensions)


def _limit(error: GraphQLError, limits: Limits) -> dict[str, Any]:
    """The facts of a limit at which graphql-core itself stopped."""
    for said, what in _TOO_MUCH:
        if said.search(error.message):
            return facts(what, limits.tokens if what == "tokens" else NESTING, None)
    return {}


def masked(errors: Iterable[GraphQLError], limits: Limits) -> list[GraphQLError]:
    """Every error as a caller sees it."""
    return [shown(error, limits) for error in errors]
