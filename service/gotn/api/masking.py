"""What of an error reaches a caller: ours as they are, anything else as an id for the log."""

import logging
import re
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from graphql import GraphQLError

from gotn.api.limits import Limits, facts
from gotn.api.rules import INTROSPECTION, NESTING
from gotn.errors import GotnError, ProgrammingError

log = logging.getLogger("gotn.api")
#: How graphql-core says that it stopped at a limit, and which limit that is.
_TOO_MUCH = (
    (re.compile(r"more than \d+ tokens"), "tokens"),
    (re.compile(r"[Ii]ntrospection depth"), "introspection"),
    (re.compile(r"nested too deeply|Validation aborted"), "nesting"),
)
_SCHEMA = (
    f"This operation has more than {INTROSPECTION} lists of the schema about itself in each other "
    f"(fields, inputFields, interfaces, possibleTypes), and may have {INTROSPECTION}."
)
#: Characters that a message quotes of one name or value, and has in all; a caller knows the rest.
_NAME, _MESSAGE = 80, 1000
_LONG = re.compile(rf"[^\s'\"]{{{_NAME + 1},}}")


def shown(error: GraphQLError, limits: Limits) -> GraphQLError:
    """The error as a caller sees it; an unexpected one is logged under the id it carries."""
    error.message = cut(error.message)
    original = error.original_error
    if isinstance(original, GotnError) and not isinstance(original, ProgrammingError):
        return error
    if original is None or isinstance(original, GraphQLError):
        reached = _limit(error, limits)
        if reached.get("what") == "introspection":
            error.message = _SCHEMA
        error.extensions = {"code": "INVALID", **reached, **(error.extensions or {})}
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


def cut(message: str) -> str:
    """The message with what it quotes cut: a name may be as long as a request."""
    text = _LONG.sub(lambda found: f"{found[0][:_NAME]}…", message)
    return text if len(text) <= _MESSAGE else f"{text[:_MESSAGE]}…"


def _instead(error: GraphQLError, message: str, extensions: dict[str, Any]) -> GraphQLError:
    """An error of ours at the same place."""
    return GraphQLError(message, nodes=error.nodes, path=error.path, extensions=extensions)


def _limit(error: GraphQLError, limits: Limits) -> dict[str, Any]:
    """The facts of a limit at which graphql-core itself stopped."""
    reached = {"tokens": limits.tokens, "introspection": INTROSPECTION, "nesting": NESTING}
    for said, what in _TOO_MUCH:
        if said.search(error.message):
            return facts(what, reached[what], None)
    return {}


def masked(errors: Iterable[GraphQLError], limits: Limits) -> list[GraphQLError]:
    """Every error as a caller sees it."""
    return [shown(error, limits) for error in errors]
