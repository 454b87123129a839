"""What is refused, and how: members of results with their facts, projects apart, masks."""

from itertools import pairwise
from typing import Any

import pytest
from e2e.conftest import Api, edge, node

from gotn.api import client
from gotn.database.connection import Database, Tx
from gotn.errors import CycleRefused, Invalid, NotFound, ProgrammingError, StaleRevision


async def test_every_refusal_is_a_member_of_the_result(api: Api) -> None:
    """One mutation for each error type; code, message and facts are there."""
    await api.graph([node("a"), node("b")], [edge("a", "b")])
    missing = await api.run("NodeUpdate", input={"id": "zz", "summary": "x"})
    assert (missing["__typename"], missing["code"]) == ("NotFound", "NOT_FOUND")
    invalid = await api.run("NodeAdd", input={"node": {"id": "c"}})
    assert (invalid["__typename"], invalid["code"]) == ("InvalidInput", "INVALID")
    assert "summary" in str(invalid["facts"]["violations"])
    other = await api.run("NodeAdd", input={"node": node("a", summary="Other")})
    assert (other["__typename"], other["facts"]["fields"]) == ("Conflict", ["summary"])
    stale = await api.run("NodeUpdate", input={"id": "a", "summary": "x", "expectedRevision": 9})
    assert stale["__typename"] == "StaleRevision"
    assert stale["facts"] == {"expected": 9, "current": 1}
    cycle = await api.run("EdgeAdd", input={"edge": edge("b", "a")})
    assert (cycle["__typename"], cycle["facts"]["path"]) == ("CycleRefused", ["b", "a", "b"])
    await api.run("NodeUpdate", input={"id": "a", "status": "COMPLETED"})
    move = await api.run("NodeUpdate", input={"id": "a", "status": "BLOCKED"})
    assert move["__typename"] == "IllegalMove"
    assert (move["facts"]["before"], move["facts"]["after"]) == ("completed", "blocked")
    kept = await api.run("NodeRemove", input={"id": "a"})
    assert kept["__typename"] == "Conflict"
    assert (await api.run("NodeRemove", input={"id": "a", "cascade": True}))["edges"] == 1


@pytest.mark.parametrize(
    "field",
    [
        "workNodes { totalCount }",
        "workNodes(first: 0) { pageInfo { hasNextPage } }",
        "workEdges { nodes { src } }",
        "workEdges(filter: {type: []}) { totalCount }",
        "ready { nodes { id } }",
        "orphans { totalCount }",
        "runs { totalCount }",
        "journal { totalCount }",
        "cycles { path }",
        "unmet { tag }",
        "digest",
        "journalVerification { entries }",
        'treeOf(id: "a") { depth }',
    ],
)
async def test_a_project_that_is_not_there_is_told(api: Api, field: str) -> None:
    """An empty answer would hide a mistyped name: NOT_FOUND, and of an empty project nothing."""
    name, _, rest = field.partition("(") if "(" in field else field.partition(" ")
    asked = f"{name}(project: $p, {rest}" if "(" in field else f"{name}(project: $p) {rest}"
    answer = await api.post(f"query Q($p: String!) {{ {asked} }}", p=api.project)
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["NOT_FOUND"]
    await api.run("ProjectSettings", input={"settings": {"description": "empty"}})
    if name != "treeOf":
        await api.read(asked)


async def test_facts_are_fields_of_their_error_type(api: Api) -> None:
    """A program can select them by name, without reading `facts`."""
    await api.graph([node("a"), node("b")], [edge("a", "b")])
    answer = await api.post(
        """mutation M($p: String!) {
             addEdge(input: {project: $p, edge: {src: "b", dst: "a"}}) {
               __typename ... on CycleRefused { path tags code message } }
             updateNode(input: {project: $p, id: "a", expectedRevision: 7, summary: "x"}) {
               ... on StaleRevision { expected current } } }""",
        p=api.project,
    )
    assert answer["data"]["addEdge"]["path"] == ["b", "a", "b"]
    assert answer["data"]["updateNode"] == {"expected": 7, "current": 1}


async def test_the_same_key_gives_the_first_answer_again(api: Api) -> None:
    """idempotencyKey: repeated it answers the same, with another input it is a Conflict."""
    given = {"node": node("a"), "idempotencyKey": "k1"}
    first = await api.run("NodeAdd", input=given)
    await api.run("NodeUpdate", input={"id": "a", "summary": "Changed"})
    again = await api.run("NodeAdd", input=given)
    assert again == first
    other = await api.run("NodeAdd", input={"node": node("b"), "idempotencyKey": "k1"})
    assert other["__typename"] == "Conflict"


async def test_absent_members_stay_and_null_clears(api: Api) -> None:
    """UpdateNode tells what was not given from what was given as null."""
    await api.graph([node("a", execTarget="x.py", tags=["t"], parent="b"), node("b")])
    changed = await api.run("NodeUpdate", input={"id": "a", "execTarget": None})
    assert (changed["execTarget"], changed["tags"], changed["parentId"]) == (None, ["t"], "b")
    changed = await api.run("NodeUpdate", input={"id": "a", "parent": None, "tags": None})
    assert (changed["tags"], changed["parentId"], changed["summary"]) == ([], None, "Do a")
    refused = await api.run("NodeUpdate", input={"id": "a", "summary": None})
    assert refused["__typename"] == "InvalidInput"


async def test_projects_do_not_see_each_other(api: Api) -> None:
    """The same ids in two projects: no list, neighbour, question or text finds the other's."""
    await api.graph([node("a", tags=["mine"]), node("b")], [edge("a", "b")])
    here, api.project = api.project, f"{api.project}-x"
    await api.graph([node("a"), node("c", summary="Do a")], [edge("a", "c")])
    assert [n["nodeId"] for n in (await api.run("NodeList"))["nodes"]] == ["a", "c"]
    assert (await api.run("NodeList", filter={"tag": "mine"}))["totalCount"] == 0
    assert (await api.run("NodeList", filter={"text": "do a"}))["totalCount"] == 2
    assert [e["dst"] for e in (await api.run("EdgeList"))["nodes"]] == ["c"]
    shown = await api.run("NodeShow", id="a")
    assert [e["node"]["nodeId"] for e in shown["dependants"]["edges"]] == ["c"]
    assert await api.run("NodeShow", id="b") is None
    both = await api.post(
        'query B($p: String!, $q: String!) { p: workNode(project: $p, id: "a") '
        '{ dependants { nodes { nodeId } } } q: workNode(project: $q, id: "a") '
        "{ dependants { nodes { nodeId } } } }",
        p=here,
        q=api.project,
    )
    found = [both["data"][name]["dependants"]["nodes"][0]["nodeId"] for name in ("p", "q")]
    assert found == ["b", "c"]


async def test_a_foreign_edge_is_not_followed(api: Api, database: Database) -> None:
    """Even a relationship that crosses two projects, which nothing writes, leads nowhere."""
    await api.graph([node("a")])
    here, api.project = api.project, f"{api.project}-x"
    await api.graph([node("z")])
    text = (
        "MATCH (a:WorkNode {key: $a}), (z:WorkNode {key: $z}) "
        "CREATE (a)-[:HARD_REQUIRES {project_id: 'x'}]->(z) RETURN 1 AS one"
    )
    keys = {"a": f"{here}/a", "z": f"{api.project}/z"}
    await database.write(lambda tx: tx.composed(text, keys, name="test"))
    api.project = here
    shown = await api.run("NodeShow", id="a")
    assert shown["dependants"] == {"totalCount": 0, "edges": []}
    assert (await api.run("EdgeList"))["totalCount"] == 0


NESTED = """workNodes(project: $p, first: 50) { totalCount pageInfo { endCursor } nodes {
  id kind requires produces tags parentId childIds
  parent { nodeId summary }
  children(first: 5) { nodes { nodeId tags } }
  prerequisites(first: 5) { totalCount edges { origin tags node { nodeId
    dependants(first: 5) { nodes { nodeId } } } } }
  runs(first: 2) { nodes { runId } } } }"""


@pytest.mark.parametrize("count", [3, 30])
async def test_statements_do_not_grow_with_rows(api: Api, count: int) -> None:
    """A nested query is one statement a root field, for three nodes as for thirty."""
    ids = [f"n{i:02}" for i in range(count)]
    nodes = [node(id_, tags=["t"], parent=None if i == 0 else "n00") for i, id_ in enumerate(ids)]
    await api.graph(nodes, [edge(a, b) for a, b in pairwise(ids)])
    await api.run("Plan", input={})
    found = await api.read(NESTED)
    assert found["workNodes"]["totalCount"] == count
    assert len(found["workNodes"]["nodes"]) == count
    assert found["workNodes"]["nodes"][0]["children"]["nodes"][0]["tags"] == ["t"]
    assert api.statements == ["graph/Query.workNodes"]


async def test_one_statement_answers_no_more_than_its_limit(api: Api) -> None:
    """Owners times rows of each is bounded, with an error that says so."""
    ids = [f"n{i:03}" for i in range(250)]
    await api.graph([node(id_) for id_ in ids])
    answer = await api.post(
        "query Q($p: String!) { workNodes(project: $p, first: 500) "
        "{ nodes { prerequisites(first: 500) { nodes { id } } } } }",
        p=api.project,
    )
    assert answer["errors"][0]["extensions"]["code"] == "LIMIT"
    wide = await api.post("{ workNodes(first: 501) { nodes { id } } }")
    assert wide["errors"][0]["extensions"] == {"code": "INVALID", "field": "first"}


async def test_introspection_works(api: Api) -> None:
    """The usual introspection query of tools is within the limits."""
    from graphql import build_client_schema, get_introspection_query, print_schema  # noqa: PLC0415

    answer = await api.post(get_introspection_query())
    assert "type WorkNode implements Node" in print_schema(build_client_schema(answer["data"]))


async def test_what_was_not_expected_is_masked(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller gets an id and no word of the cause; the log has both."""

    async def broken(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("the secret cause")

    monkeypatch.setattr(Tx, "composed", broken)
    records: list[Any] = []
    monkeypatch.setattr("gotn.api.masking.log.error", lambda *a, **k: records.append((a, k)))
    answer = await api.post('{ workNode(id: "a") { id } }')
    error = answer["errors"][0]
    assert "secret" not in str(answer)
    assert error["extensions"]["code"] == "INTERNAL"
    assert error["extensions"]["id"] in error["message"]
    ((given, more),) = records
    assert error["extensions"]["id"] in given
    assert str(more["exc_info"]) == "the secret cause"


async def test_the_command_line_gets_our_error_classes(database: Database, project: str) -> None:
    """client.run gives data, or raises what a result, a field or GraphQL itself refused."""
    run = client.run
    first = {"project": project, "node": node("a")}
    data = await run(database, "NodeAdd", {"input": first}, "me")
    assert data["addNode"]["nodeId"] == "a"
    await run(database, "NodeAdd", {"input": {"project": project, "node": node("b")}})
    join = {"project": project, "edge": edge("a", "b")}
    await run(database, "EdgeAdd", {"input": join})
    with pytest.raises(CycleRefused) as cycle:
        await run(database, "EdgeAdd", {"input": {"project": project, "edge": edge("b", "a")}})
    assert cycle.value.facts["path"] == ["b", "a", "b"]
    change = {"project": project, "id": "a", "summary": "x", "expectedRevision": 5}
    with pytest.raises(StaleRevision):
        await run(database, "NodeUpdate", {"input": change})
    with pytest.raises(NotFound):
        await run(database, "Impact", {"project": project, "id": "zz"})
    with pytest.raises(Invalid):
        await run(database, "NodeList", {"project": project, "first": "many"})
    with pytest.raises(ProgrammingError):
        await run(database, "NoSuchOperation")


async def test_every_composed_statement_has_its_index(api: Api, database: Database) -> None:
    """EXPLAIN of what named operations run: no label or whole-store scan, pages in index order."""
    await api.graph([node("a"), node("b")], [edge("a", "b")])
    run_id = (await api.run("Plan", input={}))["runId"]
    seen: dict[str, tuple[str, dict[str, Any]]] = {}
    keep = Tx.composed

    async def noting(self: Tx, text: str, parameters: dict[str, Any], *, name: str) -> Any:
        if name.startswith("graph/"):
            seen.setdefault(text, (name, parameters))
        return await keep(self, text, parameters, name=name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tx, "composed", noting)
        await _everything(api, run_id)
    assert len(seen) > 20
    for text, (name, parameters) in seen.items():
        operators = await _plan(database, text, parameters)
        scans = [o for o in operators if o.startswith(("NodeByLabelScan", "AllNodesScan"))]
        assert not scans, (name, scans, text)
        if name in {"graph/Query.workNodes", "graph/Query.journal"} and "USING INDEX" in text:
            assert not [o for o in operators if o.startswith(("Top", "PartialTop"))], text


async def _everything(api: Api, run_id: str) -> None:
    """Every read of the named operations that composes statements, with and without cursors."""
    for name in ("EdgeList", "Ready", "Orphans", "RunList", "JournalTail"):
        page = await api.run(name, first=1)
        if page["pageInfo"]["endCursor"]:
            await api.run(name, first=1, after=page["pageInfo"]["endCursor"])
    for order in ("ID", "NEWEST", "OLDEST", "UPDATED", "STATUS", "KIND"):
        page = await api.run("NodeList", first=1, orderBy=order)
        await api.run("NodeList", first=1, orderBy=order, after=page["pageInfo"]["endCursor"])
    nodes: list[dict[str, Any]] = [
        {"text": "do"},
        {"status": ["READY"]},
        {"tag": "x"},
        {"parent": "x"},
    ]
    edges: list[dict[str, Any]] = [{"src": "a"}, {"dst": "b"}, {"pending": True}]
    for given in nodes:
        await api.run("NodeList", filter=given)
    for given in edges:
        await api.run("EdgeList", filter=given)
    for name in ("ProjectShow", "ProjectList"):
        await api.run(name)
    await api.run("NodeShow", id="a")
    await api.run("RunShow", id=run_id)


async def _plan(database: Database, text: str, parameters: dict[str, Any]) -> list[str]:
    """Names of the operators of a statement's plan."""
    async with database.session() as session:
        result = await session.run(f"EXPLAIN {text}", parameters)
        plan: Any = (await result.consume()).plan
    todo, found = [plan], []
    while todo:
        one = todo.pop()
        found.append(one["operatorType"])
        todo.extend(one.get("children", []))
    return found
