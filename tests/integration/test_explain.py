"""Every query on the real server: it plans, its header can be pasted, no index is passed by."""

import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from factories import make_edge, make_node

from gotn.database import queries
from gotn.database.connection import Database
from gotn.work.usecases import bulk, link, planning, projects
from gotn.work.usecases.writing import Request

#: Operators that read a whole label, type or store.
SCANS = ("NodeByLabelScan", "AllNodesScan", "RelationshipTypeScan", "AllRelationshipsScan")
#: Queries that may scan, and why.
MAY_SCAN = {
    "schema/list_migrations": "a handful of nodes, and all of them are wanted",
}
#: Statements that EXPLAIN does not take.
NOT_EXPLAINED = {"schema/list_schema": "SHOW INDEXES is a command of its own"}
NODES = 3000


@pytest.fixture(scope="module")
async def filled(database: Database) -> AsyncIterator[str]:
    """A project large enough for the planner to see what indexes are worth."""
    request = Request(project_id="t-explain", actor="tester")
    await projects.settings(database, request, {"description": "explained"})
    await projects.remove(database, request)
    made = [
        make_node(f"n{i:05}", produces=(f"t{i}",), requires=(f"t{i - 1}",) if i else ())
        for i in range(NODES)
    ]
    joined = [make_edge(f"n{i:05}", f"n{i + 7:05}") for i in range(0, NODES - 7, 3)]
    await bulk.add_graph(database, request, made, joined, link=True)
    await planning.plan(database, request)
    await link.link(database, request, whole=True)
    await database.read(lambda tx: tx.value("project/list", first=1, after=""))
    async with database.session() as session:
        await (await session.run("CALL db.prepareForReplanning(60)")).consume()
    yield request.project_id
    await projects.remove(database, request)


def pasted(query: queries.Query) -> str:
    """The map of the header's `:param` line."""
    found = re.search(r"^// :param (\{.*\})$", query.text, re.MULTILINE)
    return found[1] if found else "{}"


async def values(database: Database, query: queries.Query) -> dict[str, Any]:
    """The header's values, as Neo4j itself reads them."""
    async with database.session() as session:
        text = queries.trusted(f"RETURN {pasted(query)} AS given")
        row = await (await session.run(text)).single()
    assert row is not None
    found: dict[str, Any] = row["given"]
    return found


def operators(plan: dict[str, Any]) -> Iterator[str]:
    """Every operator of a plan."""
    yield plan["operatorType"].split("@")[0]
    for child in plan.get("children", ()):
        yield from operators(child)


@pytest.mark.parametrize("name", queries.table())
async def test_query_is_explained(database: Database, filled: str, name: str) -> None:
    """It can be pasted with its header's values, and no index is passed by."""
    query = queries.named(name)
    given = await values(database, query)
    assert given.keys() == query.parameters
    if name in NOT_EXPLAINED:
        return
    async with database.session() as session:
        text = queries.trusted(f"EXPLAIN {query.text}")
        summary = await (await session.run(text, given)).consume()
    assert summary.plan
    scans = sorted({one for one in operators(summary.plan) if one.endswith(SCANS)})
    if name in MAY_SCAN:
        assert scans, "it need not be an exception any more"
    else:
        assert scans == []


def test_exceptions_are_queries() -> None:
    """No exception outlives its query."""
    assert (MAY_SCAN.keys() | NOT_EXPLAINED.keys()) <= queries.table().keys()
