"""Named operations of the API (graphql/operations), and their answers as plain data.

Answers come with GraphQL's spelling; programs that read `--json` get the documents' own:
snake_case keys, 001's ids, statuses and types in lower case, a connection as a list. What
users stored is left as it is.
"""

import re
from typing import Any

from gotn.api import client
from gotn.database.connection import Database
from gotn.errors import NotFound
from gotn.similarity.engine import Options

Row = dict[str, Any]

#: Rows the API gives at once, at most.
PAGE = 500
#: Members whose content is the user's own JSON.
_OPAQUE = frozenset(
    (
        "artifacts", "attempts", "counts", "data", "differing", "embeddingRef", "extra", "guards",
        "outputs", "provenance", "settings", "successCriteria",
    )
)  # fmt: skip
#: Members whose value is an enum.
_ENUMS = frozenset(("status", "type", "origin", "onFailure", "keepStatus", "goneStatus"))
#: Members that the documents know under another name.
_NAMES = {"parentId": "parent", "childIds": "children"}
_CONNECTION = frozenset(("edges", "nodes", "pageInfo", "totalCount"))
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


async def ask(
    database: Database,
    operation: str,
    variables: Row,
    actor: str,
    similarity: Options | None = None,
) -> Any:
    """The plain answer of an operation's one root field."""
    return plain(await _answer(database, operation, variables, actor, similarity))


async def _answer(
    database: Database,
    operation: str,
    variables: Row,
    actor: str,
    similarity: Options | None = None,
) -> Any:
    """The value of an operation's one root field; NotFound where it is null."""
    (value,) = (await client.run(database, operation, variables, actor, similarity)).values()
    if value is None:
        project, name = variables.get("project"), variables.get("id")
        if "src" in variables:
            name = f"{variables['src']} → {variables['dst']}"
        where = f" in project {project!r}" if name is not None else ""
        raise NotFound(
            f"There is no {operation.removesuffix('Show').lower()} "
            f"{(name if name is not None else project)!r}{where}.",
            id=name,
        )
    return value


async def pages(
    database: Database, operation: str, variables: Row, actor: str, limit: int, name: str
) -> Row:
    """At most `limit` rows of a connection under `name`, the total, and whether there are more."""
    rows: list[Row] = []
    total, more, after = None, True, None
    while more and len(rows) < limit:
        given = variables | {"first": min(limit - len(rows), PAGE), "after": after}
        page = _connection(await _answer(database, operation, given, actor))
        found = _rows(page)
        rows += found
        total = page.get("totalCount", total)
        after = page["pageInfo"]["endCursor"]
        more = page["pageInfo"]["hasNextPage"] and bool(found)
    return {name: rows, "total": total, "more": more}


def _connection(value: Row) -> Row:
    """The connection itself, or the one inside an entity."""
    if "pageInfo" in value:
        return value
    inside: Row = next(v for v in value.values() if isinstance(v, dict) and "pageInfo" in v)
    return inside


def _rows(page: Row) -> list[Row]:
    """The rows of a page: its nodes, or its edges, what they know over what their node knows."""
    if "nodes" in page:
        return [plain(node) for node in page["nodes"]]
    return [_row(edge) for edge in page["edges"]]


def _row(edge: Row) -> Row:
    """An edge of a connection; what both it and its node have, the node has as `node_…`."""
    node = plain(edge.get("node") or {})
    facts: Row = plain({k: v for k, v in edge.items() if k not in ("node", "cursor")})
    return {f"node_{k}" if k in facts else k: v for k, v in node.items()} | facts


def plain(value: Any) -> Any:
    """GraphQL's spelling as the documents'; recursion is as deep as the operation's text."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    found: Row = {}
    own = _own_id(value)
    for key, item in value.items():
        if key == "__typename" or (own and key in ("id", own)):
            continue
        if isinstance(item, dict) and item and item.keys() <= _CONNECTION:
            found[_snake(key)] = _rows(item)
            found[f"{_snake(key)}_total"] = item.get("totalCount")
        else:
            found[_NAMES.get(key) or _snake(key)] = _member(key, item)
    return {"id": value[own]} | found if own else found


def _own_id(value: Row) -> str | None:
    """The member with the id people know, where this is an entity."""
    if "nodeId" in value:
        return "nodeId"
    if "runId" in value and "criticalPath" not in value:  # a plan names the run it is kept as
        return "runId"
    return "projectId" if {"projectId", "settings"} <= value.keys() else None


def _member(key: str, value: Any) -> Any:
    if key in _OPAQUE:
        return value
    if key in _ENUMS and isinstance(value, str):
        return value.lower()
    return plain(value)


def _snake(name: str) -> str:
    return _HUMP.sub("_", name).lower()
