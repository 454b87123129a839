"""Hostile documents, values and cursors: each refused at once with a known error, none a crash."""

import json
import time
from base64 import urlsafe_b64encode
from typing import Any

import pytest
from e2e.conftest import Api, node

from gotn.api import masking, operations

MEGA = 1_000_000
JSON = {"content-type": "application/json"}


@pytest.fixture(autouse=True)
def nothing_unexpected(monkeypatch: pytest.MonkeyPatch) -> Any:
    """No test here may lead to an error that had to be masked."""
    causes: list[Any] = []
    monkeypatch.setattr(masking.log, "error", lambda *_, exc_info, **__: causes.append(exc_info))
    yield
    assert causes == []


async def codes(api: Api, query: str, **variables: Any) -> set[str]:
    """The codes of the errors that a document is answered with, in a moment."""
    start = time.perf_counter()
    answer = await api.post(query, **variables)
    assert time.perf_counter() - start < 5
    return {error["extensions"]["code"] for error in answer.get("errors", ())}


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("{ version }" + " " * MEGA, None),
        ("{ version }" + "#\n" * (MEGA // 2), "LIMIT"),
        ("# " + "x" * MEGA + "\n{ version }", None),
        ('{ workNode(id: "' + "x" * MEGA + '") { id } }', None),
        ('{ workNode(id: """' + "x\n" * (MEGA // 2) + '""") { id } }', None),
        ("{" + "version " * (MEGA // 8) + "}", "LIMIT"),
        ("{" + "x" * MEGA + "}", "INVALID"),
        ("{ version " + "@skip(if: false) " * 60_000 + "}", "LIMIT"),
        ("{" + " ".join(f"a{i}: version" for i in range(10_000)) + "}", "LIMIT"),
        ("{a" * 10_000, "LIMIT"),
        ("{" * 10_000, "INVALID"),
        ("[" * 10_000, "INVALID"),
        ("{ workNodes(filter: {status: " + "[" * 10_000 + ") { id } }", "LIMIT"),
        ("{ workNodes(filter: " + "{text: " * 4000 + ") { id } }", "LIMIT"),
        ("query Q($a: " + "[" * 4900 + "Int" + "]" * 10 + ") { version }", "LIMIT"),
        ("{ ...A } fragment A on Query { ...A }", "INVALID"),
        ("{ ...A } fragment A on Query { ...B } fragment B on Query { ...A version }", "INVALID"),
        (
            "{ ...A0 }"
            + "".join(f" fragment A{i} on Query {{ ...A{(i + 1) % 500} }}" for i in range(500)),
            "LIMIT",
        ),
        ("", None),
        (" ", "INVALID"),
        ("#", "INVALID"),
        ("{}", None),
        ("query", "INVALID"),
        ("\x00", "INVALID"),
        ("{ version\x00 }", "INVALID"),
        ("\ufeff{ version }", None),
        ('{ workNode(id: "\\ud800") { id } }', "INVALID"),
        ('{ workNode(id: "\\u{110000}") { id } }', "INVALID"),
        ("{ workNodes(first: 99999999999999999999) { totalCount } }", "INVALID"),
        ("{ workNodes(first: " + "9" * 5000 + ") { totalCount } }", "INVALID"),
        ("{ workNodes(first: 1.0) { totalCount } }", "INVALID"),
        ("{ workNodes(first: 1e999) { totalCount } }", "INVALID"),
        ("{ workNodes(first: NaN) { totalCount } }", "INVALID"),
        ("{ version } type A { a: Int }", "INVALID"),
        (
            "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }",
            "LIMIT",
        ),
        ("{ __schema { types " + "{ ofType " * 200 + "{ name }" + "}" * 202, "LIMIT"),
        ('{ __type(name: "\x00") { name } }', None),
    ],
)
async def test_documents_that_are_hostile(api: Api, query: str, code: str | None) -> None:
    """A megabyte, ten thousand of anything, cycles and half signs: the right code, at once."""
    if not query:
        answer = await api.client.post("/graphql", json={"query": query})
        assert answer.status_code == 400
        return
    assert await codes(api, query) == ({code} if code else set())


@pytest.mark.parametrize("value", [
    "x" * MEGA, "a\x00b", "\x00", 5, 5.5, True, [], ["a", "b"], {}, {"a": 1}, None,
])  # fmt: skip
@pytest.mark.parametrize("kind", ["String!", "ID!", "Int!", "Boolean!", "WorkNodeOrder!"])
async def test_variables_of_wrong_types(api: Api, kind: str, value: Any) -> None:
    """Every scalar and enum with every other kind of JSON: INVALID, or the right kind is taken."""
    fields = {
        "String!": "workNode(id: $v) { id }",
        "ID!": "node(id: $v) { id }",
        "Int!": "projects(first: $v) { totalCount }",
        "Boolean!": "version @skip(if: $v)",
        "WorkNodeOrder!": 'workNodes(project: "nowhere-at-all", orderBy: $v) { nodes { id } }',
    }
    found = await codes(api, f"query Q($v: {kind}) {{ {fields[kind]} }}", v=value)
    right = (
        (kind == "String!" and isinstance(value, str))
        or (kind == "Int!" and value == 5 and value is not True)
        or (kind == "Boolean!" and value is True)
    )
    assert found == (set() if right else {"INVALID"}), found


@pytest.mark.parametrize(
    "value",
    [2**31, -(2**31) - 1, 2**53 + 1, 2**63, 2**64, 10**30, 1e308, -0.0, 0.5, "1", 10**30 + 0.0],
)
async def test_numbers_that_no_int_can_be(api: Api, value: Any) -> None:
    """Too large, broken or as a text: INVALID; -0 is 0."""
    found = await codes(api, "query Q($v: Int!) { projects(first: $v) { totalCount } }", v=value)
    assert found == (set() if value == 0 else {"INVALID"})


@pytest.mark.parametrize(
    "text",
    ["NaN", "Infinity", "-Infinity", "1e999", "01", "0x10", '"\\ud800"', '"\\udfff\\ud800"', "'a'"],
)
async def test_what_is_no_json(api: Api, text: str) -> None:
    """Values that Python's JSON would take and JSON has not are refused, or refused by type."""
    body = '{"query": "query Q($v: Int!) { projects(first: $v) { totalCount } }", '
    body += '"variables": {"v": ' + text + "}}"
    answer = await api.client.post("/graphql", content=body.encode(), headers=JSON)
    found = answer.json()
    code = found["code"] if answer.status_code == 400 else found["errors"][0]["extensions"]["code"]
    assert code == "INVALID"


@pytest.mark.parametrize("deep", [200, 900, 5000, 200_000])
@pytest.mark.parametrize("member", ["extra", "guards", "tags"])
async def test_variables_that_are_deep(api: Api, deep: int, member: str) -> None:
    """Lists in lists beyond what any walk of them could take: INVALID, and nothing is stored."""
    given = json.dumps({"query": operations.text("NodeAdd"), "variables": {"input": {
        "project": api.project, "node": node("a") | {member: "HERE"}}}})  # fmt: skip
    body = given.replace('"HERE"', "[" * deep + "]" * deep)
    answer = await api.client.post("/graphql", content=body.encode(), headers=JSON)
    found = answer.json()
    if answer.status_code == 200 and "errors" not in found:
        assert found["data"]["addNode"]["code"] in ("INVALID", "LIMIT")
    elif answer.status_code == 200:
        assert found["errors"][0]["extensions"]["code"] in ("INVALID", "LIMIT")
    else:
        assert (answer.status_code, found["code"]) == (400, "INVALID")
    assert not await api.exists()


async def test_a_literal_may_be_no_number(api: Api) -> None:
    """1e999 is infinite in Python and no JSON: a node with it is refused, not stored as null."""
    answer = await api.post(
        'mutation M($p: String!) { addNode(input: {project: $p, node: {id: "a", kind: "k", '
        'summary: "s", promptText: "p", extra: {n: 1e999}}}) { ... on Error { code } } }',
        p=api.project,
    )
    assert answer["data"]["addNode"] == {"code": "INVALID"}
    assert not await api.exists()


async def test_a_member_that_comes_twice(api: Api) -> None:
    """The last of equal members counts, in the body as in its variables."""
    body = (
        b'{"query": "{ nothing }", "query": "query Q($t: String!) { __type(name: $t) { name } }",'
    )
    body += b'"variables": {"t": "Nobody"}, "variables": {"t": "Nobody", "t": "Query"}}'
    answer = await api.client.post("/graphql", content=body, headers=JSON)
    assert answer.json() == {"data": {"__type": {"name": "Query"}}}


async def test_nul_and_odd_signs_are_kept(api: Api) -> None:
    """What JSON and Neo4j can hold comes back as it came."""
    for text in ("a\x00b", "\u202e", "\ufeffx", "\U0010ffff", "e\u0301", "x\r\n\t"):
        found = await api.run("NodeAdd", input={"node": node(f"n{ord(text[0])}", promptText=text)})
        shown = await api.run("NodeShow", id=found["nodeId"])
        assert shown["promptText"] == text


def _cursor(*values: Any) -> str:
    return urlsafe_b64encode(json.dumps(values).encode()).decode()


LISTS = {
    "workNodes(project: $p, after: $c) { nodes { id } }": "ID",
    "workNodes(project: $p, after: $c, orderBy: NEWEST) { nodes { id } }": "NEWEST",
    "workNodes(project: $p, after: $c, orderBy: STATUS) { nodes { id } }": "STATUS",
    "ready(project: $p, after: $c) { nodes { id } }": "ID",
    "orphans(project: $p, after: $c) { nodes { id } }": "ID",
    "workEdges(project: $p, after: $c) { nodes { src } }": "EDGE",
    "runs(project: $p, after: $c) { nodes { id } }": "NEWEST",
    "journal(project: $p, after: $c) { nodes { seq } }": "SEQ",
    "projects(after: $c) { nodes { id } }": "ID",
    'prerequisites(project: $p, id: "b", after: $c) { nodes { id } }': "DISTANCE",
    'dependants(project: $p, id: "a", after: $c) { nodes { id } }': "DISTANCE",
    'workNode(project: $p, id: "a") { dependants(after: $c) { nodes { id } } }': "ID",
    'workNode(project: $p, id: "a") { children(after: $c) { nodes { id } } }': "POSITION",
    'workNode(project: $p, id: "a") { runs(after: $c) { nodes { id } } }': "NEWEST",
    'workNode(project: $p, id: "a") { softNeighbours(after: $c) { nodes { id } } }': "NEAREST",
}


@pytest.mark.parametrize("field", LISTS)
async def test_cursors_that_were_tampered_with(api: Api, field: str) -> None:
    """Wrong base64, other lists', wrong types and lengths: INVALID, and `after` is named."""
    await api.graph([node("a"), node("b", parent="a")], [{"src": "a", "dst": "b"}])
    name = LISTS[field]
    bad = [
        "", " ", "!", "a", "====", "\x00", "é", "x" * 100_000, "[]",
        _cursor(), _cursor(name), _cursor("OTHER", "a"), _cursor(name, None), _cursor(name, [1]),
        _cursor(name, {"a": 1}), _cursor(name, True), _cursor(name, True, True),
        _cursor(name, "a", "b", "c", "d", "e"), _cursor([name], "a", "b"),
        _cursor(2, name, "a"), _cursor(name, 2**70), _cursor(name, 2**70, 2**70),
        _cursor(name, 1e400), _cursor(name, 1.5, 1.5),
        _cursor(name, "not a time", "a") if name == "NEWEST" else _cursor(name, [], []),
        urlsafe_b64encode(b"\xff\xfe").decode(), urlsafe_b64encode(b"[" * 100_000).decode(),
    ]  # fmt: skip
    for cursor in bad:
        answer = await api.post(f"query Q($p: String!, $c: String) {{ {field} }}".replace(
            "query Q($p: String!, ", "query Q(" if "$p" not in field else "query Q($p: String!, "
        ), c=cursor, **({"p": api.project} if "$p" in field else {}))  # fmt: skip
        assert answer.get("errors"), (cursor[:50], answer)
        found = answer["errors"][0]["extensions"]
        assert (found["code"], found.get("field")) == ("INVALID", "after"), (cursor[:50], answer)
