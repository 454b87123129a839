"""Input that cannot be taken: a clear error each, and nothing half-written."""

import json
from typing import Any

import pytest
from e2e.conftest import Api, edge, node

from gotn.api import operations

DEEP: Any = "x"
for _ in range(100):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "given",
    [
        node(""),
        node(" \n"),
        node("x" * 1001),
        node("é" * 501),
        node("a", promptText="x" * (1024 * 1024 + 1)),
        node("a", tags=[f"t{i}" for i in range(10_000)]),
        node("a", requires=["ok", ""]),
        node("a", guards={"not": "a list"}),
        node("a", guards=[{"type": 1}]),
        node("a", extra=[1]),
        node("a", extra={"n": 2**60}),
        node("a", extra={"deep": DEEP}),
        node("a", parent="a"),
        node("a", children=["b", "b"]),
        node("a", version=2),
        {"id": "a", "kind": "k", "summary": " ", "promptText": "p"},
    ],
)
async def test_a_node_that_cannot_be_taken(api: Api, given: dict[str, Any]) -> None:
    """The field is named, and the project stays without the node."""
    found = await api.run("NodeAdd", input={"node": given})
    assert (found.get("__typename"), found.get("code")) == ("InvalidInput", "INVALID")
    assert len(found["message"]) < 2000
    assert not await api.exists()


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (edge("a", "a"), "INVALID"),
        (edge("a", "nowhere"), "NOT_FOUND"),
        (edge("b", "a"), "CYCLE"),
        (edge("a", "b", score=2.0, type="SOFT_SEMANTIC"), "INVALID"),
        (edge("a", "", type="RELATED"), "INVALID"),
    ],
)
async def test_one_bad_edge_stops_the_whole_graph(
    api: Api, given: dict[str, Any], code: str
) -> None:
    """Everything of an addGraph is undone, nodes, edges and journal."""
    nodes = [node("a"), node("b")]
    found = await api.run("GraphAdd", input={"nodes": nodes, "edges": [edge("a", "b"), given]})
    assert found.get("code") == code, found
    assert not await api.exists()


@pytest.mark.parametrize(
    "given",
    [
        {"node": {"id": 5, "kind": "k", "summary": "s", "promptText": "p"}},
        {"node": node("a", status="NEARLY")},
        {"node": node("a", colour="red")},
        {"node": node("a", createdAt="2025-01-27T10:30:00")},
        {"node": node("a", createdAt="yesterday")},
        {"node": None},
        {"node": node("a"), "project": "Not A Project"},
        {"node": node("a"), "project": "x" * 65},
        {"node": node("a"), "idempotencyKey": "k" * 257},
    ],
)
async def test_wrong_types_never_reach_the_graph(api: Api, given: dict[str, Any]) -> None:
    """GraphQL's own types, moments, project ids and keys are refused with a code."""
    answer = await api.post(operations.text("NodeAdd"), input={"project": api.project} | given)
    if "errors" in answer:
        assert {e["extensions"]["code"] for e in answer["errors"]} == {"INVALID"}, answer
    else:
        assert answer["data"]["addNode"]["code"] == "INVALID"
    assert not await api.exists()


@pytest.mark.parametrize(
    "id_",
    [
        "a/b",
        "a%2Fb",
        "a%b",
        "日本語",
        "😀",
        "WorkNode:x/y",
        "a'b\"c`d",
        "$project",
        "{}",
        "-",
        "a b",
    ],
)
async def test_any_text_can_be_an_id(api: Api, id_: str) -> None:
    """Ids with any sign are stored, listed, joined, found by words and by their global id."""
    await api.graph([node(id_), node("z")], [edge(id_, "z")])
    shown = await api.run("NodeShow", id=id_)
    assert shown["nodeId"] == id_
    assert [e["node"]["nodeId"] for e in shown["dependants"]["edges"]] == ["z"]
    answer = await api.post("query N($i: ID!) { node(id: $i) { id } }", i=shown["id"])
    assert answer["data"]["node"]["id"] == shown["id"]
    assert (await api.run("Dependants", id=id_))["edges"][0]["node"]["nodeId"] == "z"
    assert (await api.run("EdgeList", filter={"src": id_}))["totalCount"] == 1
    found = await api.post(
        "query T($p: String!, $t: String!) "
        "{ workNodes(project: $p, filter: {text: $t}) { nodes { nodeId } } }",
        p=api.project,
        t=id_,
    )
    assert "errors" not in found


async def test_half_a_character_is_no_json(api: Api) -> None:
    """A lone surrogate is refused before GraphQL sees it."""
    body = {"query": operations.text("NodeAdd"), "variables": {"input": {"node": node("a")}}}
    text = json.dumps(body).replace('"a"', '"\\ud800"')
    headers = {"content-type": "application/json"}
    answer = await api.client.post("/graphql", content=text.encode(), headers=headers)
    assert answer.status_code == 400


@pytest.mark.parametrize("text", ["", " ", "x " * 21, "y" * 1001])
async def test_words_that_cannot_be_looked_for(api: Api, text: str) -> None:
    """Too many, too long, or none: Invalid."""
    answer = await api.post(
        "query T($t: String!) { workNodes(filter: {text: $t}) { nodes { id } } }", t=text
    )
    assert answer["errors"][0]["extensions"] == {"code": "INVALID", "field": "text"}
