"""What compiled answers promise beside being right: scope, one statement, bounds, ways back."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from factories import make_edge, make_node
from strawberry.extensions import FieldExtension

from gotn.api.context import Context
from gotn.api.limits import Limits
from gotn.api.schema import Schema
from gotn.database import queries
from gotn.database.connection import Database, Tx
from gotn.graph import hook
from gotn.graph.kept import Recent, extent, form
from gotn.work.records import EdgeType, NodeStatus
from gotn.work.usecases import bulk, planning
from gotn.work.usecases.writing import Request

#: Every relation of the graph, three levels down.
EVERYTHING = """query Q($p: String!) {
  workNodes(project: $p) { totalCount nodes { nodeId tags requires childIds parentId
    parent { nodeId children { nodes { nodeId } } }
    children { totalCount nodes { nodeId } }
    prerequisites { totalCount nodes { nodeId prerequisites { nodes { nodeId } } } }
    dependants { nodes { nodeId dependants { nodes { nodeId } } } }
    softNeighbours { nodes { nodeId } }
    related { nodes { nodeId runs { nodes { runId } } } }
    runs { nodes { runId stepCount steps { totalCount nodes { nodeId } } } }
  } } }"""

#: Both ends of every relationship, those that wait included.
ENDS = """query Q($p: String!) { workEdges(project: $p) { totalCount edges { node { src dst pending
  srcNode { nodeId parent { nodeId } } dstNode { nodeId runs(first: 2) { totalCount } } } } } }"""


class Asking:
    """Sends documents to a schema of its own, and notes what that takes."""

    def __init__(self, database: Database, *, compiled: bool = True) -> None:
        self.database = database
        self.schema = Schema(Limits(complexity=10**10), compiled=compiled)
        self.ways: list[tuple[str, str]] = []
        self.statements: list[tuple[str, dict[str, Any]]] = []

    async def whole(self, text: str, **values: Any) -> Any:
        """The result with its errors."""
        self.ways.clear()
        self.statements.clear()
        context = Context(
            self.database, on_field=lambda way, reason: self.ways.append((way, reason))
        )
        return await self.schema.execute(text, values, context)

    async def __call__(self, text: str, **values: Any) -> Any:
        """The data, which must be whole."""
        result = await self.whole(text, **values)
        assert not result.errors, result.errors
        return result.data

    @property
    def plans(self) -> int:
        """How many plans are kept."""
        executor: Any = self.schema.execution_context_class
        return len(executor.plans)


MakeAsking = Callable[..., Asking]


@pytest.fixture
def make_asking(database: Database, monkeypatch: pytest.MonkeyPatch) -> MakeAsking:
    """Schemas whose statements are noted."""
    made: list[Asking] = []
    keep = Tx.composed

    async def noting(self: Tx, text: str, parameters: dict[str, Any], *, name: str) -> Any:
        if name.startswith("graph/"):
            for one in made:
                one.statements.append((text, parameters))
        return await keep(self, text, parameters, name=name)

    monkeypatch.setattr(Tx, "composed", noting)

    def make(*, compiled: bool = True) -> Asking:
        made.append(Asking(database, compiled=compiled))
        return made[-1]

    return make


@pytest.fixture
async def graph(database: Database, request_: Request) -> str:
    """Three nodes in every relation."""
    await bulk.add_graph(
        database,
        request_,
        [
            make_node("a", tags=("x",), produces=("A",)),
            make_node("b", requires=("A",), parent="a"),
            make_node("c", parent="a", status=NodeStatus.COMPLETED),
        ],
        [
            make_edge("b", "c"),
            make_edge("a", "c", type=EdgeType.SOFT_SEMANTIC, score=0.5),
            make_edge("b", "a", type=EdgeType.RELATED, kind="see"),
        ],
        link=True,
    )
    await planning.plan(database, request_)
    return request_.project_id


async def by_hand(database: Database, text: str, **parameters: Any) -> None:
    """What somebody might do in Neo4j's own browser."""
    async with database.session() as session:
        await (await session.run(queries.trusted(text), parameters)).consume()


@pytest.mark.parametrize("compiled", [True, False])
async def test_an_edge_into_another_project_is_unseen(
    database: Database, graph: str, request_: Request, make_asking: MakeAsking, compiled: bool
) -> None:
    """Every level is scoped: edges made by hand to another project's nodes lead nowhere."""
    ask = make_asking(compiled=compiled)
    before = [await ask(text, p=graph) for text in (EVERYTHING, ENDS)]
    other = Request(project_id=f"{graph}-x", actor="tester")
    await bulk.add_graph(database, other, [make_node("foreign", tags=("y",))], [])
    await planning.plan(database, other)
    await by_hand(
        database,
        "MATCH (f:WorkNode {project_id: $other}), (n:WorkNode {project_id: $p}) "
        "MATCH (r:Run {project_id: $other}), (mine:Run {project_id: $p}) "
        "CREATE (f)-[:HARD_REQUIRES]->(n), (n)-[:HARD_REQUIRES]->(f), (f)-[:DERIVED_FROM]->(n), "
        "(n)-[:SOFT_SEMANTIC]->(f), (f)-[:RELATED {kind: 'a'}]->(n), (r)-[:STEP]->(n), "
        "(mine)-[:STEP]->(f), (n)-[:TAGGED]->(:Keyword {project_id: $other, name: 'foreign'})",
        p=graph,
        other=other.project_id,
    )
    after = [await ask(text, p=graph) for text in (EVERYTHING, ENDS)]
    assert before == after
    assert after[0]["workNodes"]["totalCount"] == 3
    found = await ask("query Q($i: ID!) { node(id: $i) { id } }", i=f"WorkNode:{graph}/foreign")
    assert found["node"] is None


async def test_a_root_field_is_one_statement(graph: str, make_asking: MakeAsking) -> None:
    """Whatever it selects; normal execution takes one a relation, and says the same."""
    ask, normally = make_asking(), make_asking(compiled=False)
    data = await ask(EVERYTHING, p=graph)
    assert (len(ask.statements), ask.ways) == (1, [("compiled", "")])
    assert data == await normally(EVERYTHING, p=graph)
    assert len(normally.statements) > 10
    assert normally.ways == []
    two = (
        "query Q($p: String!) { a: workNodes(project: $p) { totalCount } "
        "runs(project: $p) { nodes { id } } }"
    )
    await ask(two, p=graph)
    assert len(ask.statements) == 2


@pytest.mark.parametrize("compiled", [True, False])
async def test_statements_have_their_index(
    database: Database, graph: str, make_asking: MakeAsking, compiled: bool
) -> None:
    """EXPLAIN of what these documents run: no label or whole-store scan, on either way."""
    ask = make_asking(compiled=compiled)
    for text in (EVERYTHING, ENDS):
        await ask(text, p=graph)
        for statement, given in list(ask.statements):
            async with database.session() as session:
                explained = queries.trusted(f"EXPLAIN {statement}")
                plan = (await (await session.run(explained, given)).consume()).plan
            known = {"NodeByLabelScan", "AllNodesScan", "UndirectedAllRelationshipsScan"}
            assert known.isdisjoint(operators(plan)), statement


def operators(plan: Any) -> Iterator[str]:
    """Every operator of a plan."""
    yield plan["operatorType"].split("@")[0]
    for child in plan.get("children", ()):
        yield from operators(child)


async def test_values_are_parameters(graph: str, make_asking: MakeAsking) -> None:
    """No text that a caller gives becomes part of a statement."""
    ask = make_asking()
    evil = "x'}) DETACH DELETE n //"
    text = (
        "query Q($p: String!, $e: String!) { workNodes(project: $p, filter: {kind: $e, tag: $e, "
        'parent: $e, text: $e}) { nodes { children(filter: {tag: "x\'}) //"}) { totalCount } } } '
        "workNode(project: $p, id: $e) { id } }"
    )
    assert await ask(text, p=graph, e=evil) == {"workNodes": {"nodes": []}, "workNode": None}
    assert ask.ways == [("compiled", ""), ("compiled", "")]
    assert [one for one, _ in ask.statements if "//" in one or "DETACH" in one] == []
    assert any(evil in given.values() for _, given in ask.statements)


async def test_plans_are_kept_by_the_form_of_variables(graph: str, make_asking: MakeAsking) -> None:
    """Ten requests of two forms are two plans; values alone make none, and no answer is wrong."""
    ask = make_asking()
    text = (
        "query Q($p: String!, $n: Int!, $a: String, $f: WorkNodeFilter) { "
        "workNodes(project: $p, first: $n, after: $a, filter: $f) "
        "{ nodes { nodeId } pageInfo { endCursor hasPreviousPage } } }"
    )
    for first in range(1, 6):
        page = (await ask(text, p=graph, n=first))["workNodes"]
        assert [one["nodeId"] for one in page["nodes"]] == ["a", "b", "c"][:first]
        after = page["pageInfo"]["endCursor"]
        rest = (await ask(text, p=graph, n=5, a=after))["workNodes"]
        assert [one["nodeId"] for one in rest["nodes"]] == ["a", "b", "c"][first:]
        assert rest["pageInfo"]["hasPreviousPage"]
    assert ask.plans == 2
    assert (await ask(text, p=graph, n=5, f={"root": False}))["workNodes"]["nodes"] == [
        {"nodeId": "b"},
        {"nodeId": "c"},
    ]
    assert (await ask(text, p=graph, n=5, f={"root": True}))["workNodes"]["nodes"] == [
        {"nodeId": "a"}
    ]
    assert ask.plans == 4


async def test_caches_are_bounded(
    graph: str, make_asking: MakeAsking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plans and documents beyond the bound are forgotten, the oldest first."""
    monkeypatch.setattr(hook, "PLANS", 3)
    ask = make_asking()
    for number in range(9):
        await ask(
            f"query Q($p: String!) {{ a{number}: workNodes(project: $p) {{ totalCount }} }}",
            p=graph,
        )
    assert ask.plans == 3
    kept: Recent[int] = Recent(2)
    for key in ("a", "b", "a", "c"):
        if kept.get(key) is None:
            kept.put(key, 1)
    assert [kept.get("a"), kept.get("b"), kept.get("c")] == [1, None, 1]
    heavy: Recent[int] = Recent(100, room=640)
    for number in range(88):
        heavy.put(number, number, 10)
    heavy.put("too heavy", 1, 11)
    heavy.put(87, 40, 10)
    assert len(heavy) == 64
    assert [heavy.get(23), heavy.get(24), heavy.get(87), heavy.get("too heavy")] == [
        None,
        24,
        40,
        None,
    ]


async def test_what_is_huge_is_answered_and_not_kept(graph: str, make_asking: MakeAsking) -> None:
    """A long document or a long list of enums is compiled, and no memory is held for it."""
    ask = make_asking()
    text = (
        "query Q($p: String!, $s: [NodeStatus!]) "
        "{ workNodes(project: $p, filter: {status: $s}) { totalCount } }"
    )
    for given, asked in ((text, ["READY"] * 300_000), (f"{text}\n#{'x' * 300_000}", ["READY"])):
        assert await ask(given, p=graph, s=asked) == {"workNodes": {"totalCount": 2}}
        assert (ask.ways, ask.plans) == ([("compiled", "")], 0)
    assert extent(form({"s": [NodeStatus.READY] * 5})) == 9


def test_the_form_of_a_value_is_what_can_change_a_text() -> None:
    """Names, nulls, booleans and enums; no text and no number."""
    given = {"a": "x", "b": None, "c": {"d": True, "e": [NodeStatus.READY]}, "f": [1]}
    same = {"a": "y", "b": None, "c": {"d": True, "e": [NodeStatus.READY]}, "f": [2, 3]}
    assert form(given) == form(same)
    assert form(given) != form(same | {"b": "x"})
    assert form(given) != form(same | {"c": {"d": False, "e": [NodeStatus.READY]}})
    assert form(given) != form(same | {"c": {"d": True, "e": [NodeStatus.FAILED]}})


async def test_operations_that_share_a_fragment_have_plans_of_their_own(
    database: Database, graph: str
) -> None:
    """The first field is the same node of the document; what is merged with it is not."""
    schema = Schema(Limits())
    text = (
        "query A($p: String!) { ...F } "
        "query B($p: String!) { ...F workNodes(project: $p) { nodes { tags } } } "
        "fragment F on Query { workNodes(project: $p) { nodes { nodeId } } }"
    )
    for name, fields in (("A", ["nodeId"]), ("B", ["nodeId", "tags"]), ("A", ["nodeId"])):
        result = await schema.execute(text, {"p": graph}, Context(database), operation_name=name)
        found: Any = result.data
        assert list(found["workNodes"]["nodes"][0]) == fields


async def test_what_is_not_compiled_stands_beside_what_is(
    graph: str, make_asking: MakeAsking
) -> None:
    """Questions, other fields and introspection are executed as ever, in the order asked for."""
    ask = make_asking()
    text = (
        "query Q($p: String!) { __typename unmet(project: $p) { tag } "
        "workNodes(project: $p) { totalCount } version }"
    )
    assert list(await ask(text, p=graph)) == ["__typename", "unmet", "workNodes", "version"]
    assert sorted(ask.ways) == [
        ("compiled", ""),
        ("normal", "undeclared"),
        ("normal", "undeclared"),
    ]


async def test_a_field_that_something_stands_around_is_not_compiled(
    graph: str, make_asking: MakeAsking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Extensions and permissions would not be asked, so such a field runs normally."""
    for name, place, around in (
        ("WorkNode", "summary", "extensions"),
        ("WorkNode", "tags", "permission_classes"),
        ("WorkEdge", "src", "permission_classes"),
        ("WorkEdge", "dstNode", "extensions"),
        ("WorkNodeConnection", "nodes", "extensions"),
        ("PageInfo", "hasNextPage", "permission_classes"),
    ):
        ask = make_asking()
        kind: Any = ask.schema._schema.type_map[name]
        field = kind.fields[place].extensions["strawberry-definition"]
        text = (
            "query Q($p: String!) { "
            "workNodes(project: $p) { nodes { summary tags } pageInfo { hasNextPage } } "
            "workEdges(project: $p) { nodes { src dstNode { nodeId } } } }"
        )
        with monkeypatch.context() as patch:
            patch.setattr(field, around, [FieldExtension()])
            await ask(text, p=graph)
        assert ("normal", "undeclared") in ask.ways


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ("SET n.summary = 5", "summary", "type"),
        ("SET n.status = 'lost'", "status", "enum"),
        ("SET n.guards = '{'", "guards", "json"),
        ("SET n.revision = 3000000000", "revision", "type"),
        ("SET n.created_at = 'yesterday'", "createdAt", "argument"),
        (
            "CREATE (n)-[:TAGGED {position: 0}]->(:Keyword {project_id: n.project_id})",
            "tags",
            "null",
        ),
    ],
)
async def test_spoiled_data_is_answered_normally(
    database: Database, graph: str, make_asking: MakeAsking, change: str, field: str, reason: str
) -> None:
    """What was changed by hand into what cannot be gives normal execution's answer, counted."""
    await by_hand(database, f"MATCH (n:WorkNode {{key: $key}}) {change}", key=f"{graph}/a")
    ask, normally = make_asking(), make_asking(compiled=False)
    text = f"query Q($p: String!) {{ workNodes(project: $p) {{ nodes {{ nodeId {field} }} }} }}"
    found, known = await ask.whole(text, p=graph), await normally.whole(text, p=graph)
    assert found.data == known.data
    assert bool(found.errors) == bool(known.errors)
    assert [path.path for path in found.errors or ()] == [path.path for path in known.errors or ()]
    assert [why for _, why in ask.ways] == [reason]


async def test_an_absent_project_is_not_found(graph: str, make_asking: MakeAsking) -> None:
    """An empty list and no such project are told apart, as in normal execution."""
    text = "query Q($p: String!) { runs(project: $p, filter: {status: [FAILED]}) { nodes { id } } }"
    answers = []
    for ask in (make_asking(), make_asking(compiled=False)):
        assert await ask(text, p=graph) == {"runs": {"nodes": []}}
        refused = await ask.whole(text, p=f"{graph}-none")
        answers.append([(one.message, one.path, one.extensions) for one in refused.errors])
        assert refused.data is None
    assert answers[0] == answers[1]


async def test_lists_in_lists_have_a_limit(graph: str, make_asking: MakeAsking) -> None:
    """More rows than one statement may have are normal execution's to refuse or to find fewer."""
    ask = make_asking()
    text = (
        "query Q($p: String!) { workNodes(project: $p, first: 500) { nodes { "
        "dependants(first: 500) { nodes { dependants(first: 500) { totalCount } } } } } }"
    )
    assert len((await ask(text, p=graph))["workNodes"]["nodes"]) == 3
    assert ask.ways == [("refused", "size")]
