"""Named operations of the API (graphql/operations), and their answers as plain data.

Answers come with GraphQL's spelling; programs that read `--json` get the documents' own:
snake_case keys, statuses and types in lower case. What users stored is left as it is.
"""

import re
from typing import Any

from gotn import errors
from gotn.api import client
from gotn.database.connection import Database

#: Rows the API gives at once, at most.
PAGE = 500
#: Members whose content is the user's own JSON.
_OPAQUE = frozenset(
    ("artifacts", "data", "embeddingRef", "extra", "guards", "provenance", "settings",
     "successCriteria")
)  # fmt: skip
#: Members whose value is an enum.
_ENUMS = frozenset(("status", "type", "origin"))
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


async def ask(database: Database, operation: str, variables: dict[str, Any], actor: str) -> Any:
    """The answer of an operation's one root field; its errors are raised as ours."""
    data = await client.run(database, operation, variables, actor)
    return plain(_answer(data))


def _answer(data: dict[str, Any]) -> Any:
    """The one root field's value; an error out of a result union is raised."""
    (value,) = data.values()
    if isinstance(value, dict) and "code" in value and "message" in value:
        raise raised(value)
    return value


def raised(error: dict[str, Any]) -> errors.GotnError:
    """The error of this code, with its facts."""
    facts = {k: v for k, v in plain(error).items() if k not in ("code", "message")}
    known = _classes().get(error["code"], errors.GotnError)
    return known(error["message"], **facts)


def _classes() -> dict[str, type[errors.GotnError]]:
    found = [value for value in vars(errors).values() if isinstance(value, type)]
    return {kind.code: kind for kind in found if issubclass(kind, errors.GotnError)}


async def pages(
    database: Database,
    operation: str,
    variables: dict[str, Any],
    actor: str,
    limit: int,
    name: str,
) -> dict[str, Any]:
    """At most `limit` rows of a connection under `name`, the total, and whether there are more."""
    rows: list[Any] = []
    after, total, more = None, None, True
    while more and len(rows) < limit:
        given = variables | {"first": min(limit - len(rows), PAGE), "after": after}
        page = await ask(database, operation, given, actor)
        found = _rows(page)
        rows += found
        total = page.get("total_count", total)
        after, more = page["page_info"]["end_cursor"], page["page_info"]["has_next_page"]
        if not found:
            break
    return {name: rows, "total": total, "more": more}


def _rows(page: dict[str, Any]) -> list[Any]:
    """The rows of a page: its nodes, or its edges with what they know beside the node."""
    if "nodes" in page:
        return list(page["nodes"])
    edges = ({k: v for k, v in edge.items() if k != "cursor"} for edge in page["edges"])
    return [(edge.pop("node", None) or {}) | edge for edge in edges]


def plain(value: Any) -> Any:
    """GraphQL's spelling as the documents': iterative enough, since answers are shallow."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        _snake(key): _member(key, item) for key, item in value.items() if key != "__typename"
    }


def _member(key: str, value: Any) -> Any:
    if key in _OPAQUE:
        return value
    if key in _ENUMS and isinstance(value, str):
        return value.lower()
    return plain(value)


def _snake(name: str) -> str:
    return _HUMP.sub("_", name).lower()
