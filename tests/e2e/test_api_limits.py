"""The limits of an operation and of a request: each with its error, and nothing left behind."""

import asyncio
import gzip
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from e2e.conftest import Api, MakeApp, node
from pydantic import SecretStr

from gotn.api.limits import Limits
from gotn.database.connection import Database, Tx
from gotn.settings import Settings, load, show

BOMB = "query { ...A0 } " + " ".join(
    f"fragment A{i} on Query {{ ...A{i + 1} ...A{i + 1} }}" for i in range(40)
)
WIDE = "workNodes(first: %s) { nodes { id children(first: %s) { nodes { id kind } } } }"
TREE = """{ unmet { tag } t: treeOf(id: "a") { node { children(first: 500) { totalCount
  nodes { id } } } } }"""
JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("query", "what", "limit", "found"),
    [
        ("{" + " ".join(f"a{i}: version" for i in range(31)) + "}", "aliases", 30, 31),
        ("{" + " ".join(f"a{i}:version" for i in range(1600)) + "}", "aliases", 30, 1600),
        ("{" + " version" * 5001 + "}", "tokens", 5000, None),
        ("{" + " version" * 1001 + "}", "fields", 1000, 1001),
        (
            '{ workNode(id: "a") {' + "parent {" * 12 + "id" + "}" * 12 + "} }",
            "depth",
            12,
            14,
        ),
        ("{a" * 300, "nesting", 100, None),
        (
            "{ __schema { types {" + "fields { type {" * 3 + "name" + "} }" * 3 + "} } }",
            "introspection",
            2,
            None,
        ),
        ("{" + "... {" * 120 + "version" + "}" * 120 + "}", "nesting", 100, None),
        (BOMB + "fragment A40 on Query { version }", "fields", 1000, 2**40),
        ("{" + WIDE % (500, 500) + "}", "complexity", 300_000, 2 + 500 * (3 + 1000)),
        (
            TREE,
            "complexity",
            300_000,
            (1 + 1000) + 1 + 10_000 * (1 + 1 + 1 + 1 + 500),
        ),
    ],
)
async def test_operations_have_limits(
    api: Api, query: str, what: str, limit: int, found: int | None
) -> None:
    """Each is refused before anything runs, with which limit it was, its number and its setting."""
    start = time.perf_counter()
    answer = await api.post(query)
    assert time.perf_counter() - start < 2
    assert answer["data"] is None
    (error,) = answer["errors"]
    setting = None if what in ("nesting", "introspection") else f"GOTN_MAX_{what.upper()}"
    expected = {"code": "LIMIT", "what": what, "limit": limit, "found": found, "setting": setting}
    assert error["extensions"] == expected
    assert api.statements == []


@pytest.mark.parametrize("n", [2, 500])
async def test_complexity_follows_the_variables(api: Api, n: int) -> None:
    """The same document passes with small variables, and is refused with large ones, and again."""
    text = "query Q($p: String!, $n: Int! = 500, $m: Int! = 500) { " + WIDE % ("$n", "$m") + "}"
    text = text.replace("first: $n", "project: $p, first: $n")
    await api.graph([node("a"), node("b", parent="a")])
    for given in ({"n": n}, {"n": 2}, {"n": n}):
        answer = await api.post(text, p=api.project, **given)
        if given["n"] == 500:
            assert answer["errors"][0]["extensions"]["found"] == 2 + 500 * 1003
        else:
            assert [n["id"] for n in answer["data"]["workNodes"]["nodes"]] == [
                f"WorkNode:{api.project}/a",
                f"WorkNode:{api.project}/b",
            ]
    answer = await api.post(text, p=api.project)
    assert answer["errors"][0]["extensions"]["what"] == "complexity"


async def test_complexity_holds_for_mutations(api: Api) -> None:
    """A mutation whose answer could be too large is refused before it writes."""
    inner = "children(first: 500) { nodes { runs(first: 500) { nodes { id runId } } } }"
    answer = await api.post(
        "mutation M($i: AddNodeInput!) { addNode(input: $i) { ... on WorkNode { "
        + inner
        + " } } }",
        i={"project": api.project, "node": node("a")},
    )
    assert answer["errors"][0]["extensions"]["what"] == "complexity"
    assert not await api.exists()


async def test_limits_can_be_set(make_app: MakeApp, opened: Any) -> None:
    """Each limit is a setting: what passes usually is refused, and says by which setting."""
    tight = {
        "max_depth": 2,
        "max_aliases": 0,
        "max_tokens": 20,
        "max_fields": 3,
        "max_complexity": 10,
    }
    queries = {
        "depth": "{ workNodes { nodes { id } } }",
        "aliases": "{ a: version }",
        "tokens": "{" + " version" * 20 + "}",
        "fields": "{ version version version version }",
        "complexity": "{ workNodes(first: 5) { totalCount pageInfo { hasNextPage } } version"
        " nodes: orphans(first: 9) { nodes { id } } }",
    }
    for what, query in queries.items():
        http = await opened(make_app(**{f"max_{what}": tight[f"max_{what}"]}))
        answer = (await http.post("/graphql", json={"query": query})).json()
        found = answer["errors"][0]["extensions"]
        assert (found["what"], found["limit"]) == (what, tight[f"max_{what}"])
        assert found["setting"] == f"GOTN_MAX_{what.upper()}"


def test_every_limit_is_shown_by_config() -> None:
    """`gotn config show` lists each with its variable, and the defaults are the API's own."""
    shown = {one.name: one for one in show(load())}
    for name in ("depth", "aliases", "tokens", "fields", "complexity", "seconds"):
        assert shown[f"max_{name}"].variable == f"GOTN_MAX_{name.upper()}"
        assert Settings.model_fields[f"max_{name}"].default == getattr(Limits(), name)
    for name in ("request_bytes", "header_bytes", "body_seconds"):
        assert shown[f"max_{name}"].variable == f"GOTN_MAX_{name.upper()}"


SLOW = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(a + b) AS n"


async def _slow(database: Database) -> list[str]:
    """Statements of this test that Neo4j is still running."""

    async def ask(tx: Tx) -> list[dict[str, Any]]:
        text = "SHOW TRANSACTIONS YIELD currentQuery, status RETURN currentQuery, status"
        return await keep(tx, text, {}, name="test")

    keep = _COMPOSED
    rows = await database.read(ask)
    return [r["status"] for r in rows if "range(1, 100000)" in (r["currentQuery"] or "")
            and "SHOW" not in r["currentQuery"]]  # fmt: skip


_COMPOSED = Tx.composed


@pytest.mark.parametrize(
    "query",
    [
        '{ workNode(id: "a") { id } }',
        'query Q($p: String!) { treeOf(project: $p, id: "a") { node { parent { id } } } }',
        (
            'query Q($p: String!) { treeOf(project: $p, id: "a") '
            "{ node { children(first: 2) { nodes { id } } } } }"
        ),
    ],
)
async def test_an_operation_has_a_time(
    make_app: MakeApp,
    opened: Any,
    monkeypatch: pytest.MonkeyPatch,
    database: Database,
    api: Api,
    query: str,
) -> None:
    """A slow statement, of a root field or of a loader, is stopped here and at the server."""
    await api.graph([node("a"), node("b", parent="a")])
    app = make_app(max_seconds=0.5)
    http = await opened(app)
    body = {"query": query, "variables": {"p": api.project} if "$p" in query else {}}
    slow = "graph/WorkNode." if "$p" in query else "graph/Query."

    async def composed(self: Tx, text: str, parameters: dict[str, Any], *, name: str) -> Any:
        text = SLOW if name.startswith(slow) else text
        return await _COMPOSED(self, text, parameters, name=name)

    monkeypatch.setattr(Tx, "composed", composed)
    start = time.perf_counter()
    answer = (await http.post("/graphql", json=body)).json()
    assert 0.4 < time.perf_counter() - start < 1.5
    monkeypatch.undo()
    assert answer["data"] is None
    found = answer["errors"][0]["extensions"]
    assert (found["code"], found["what"], found["limit"]) == ("LIMIT", "time", 0.5)
    until = time.perf_counter() + 5
    while await _slow(database):
        assert time.perf_counter() < until, "Neo4j goes on with what was stopped"
    endpoint: Any = next(r for r in app.routes if getattr(r, "path", "") == "/graphql")
    pool = endpoint.app._database.driver._pool
    while sum(pool.in_use_connection_count(place) for place in list(pool.connections)):
        assert time.perf_counter() < until, "a connection is never given back"
        await asyncio.sleep(0)
    again = await http.post("/graphql", json={"query": "{ version }"})
    assert again.status_code == 200


async def test_a_server_that_was_busy_answers_again(
    make_app: MakeApp, opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More stopped operations than the pool has connections: none is lost."""
    http = await opened(make_app(max_seconds=0.3))

    async def composed(self: Tx, text: str, parameters: dict[str, Any], *, name: str) -> Any:
        return await _COMPOSED(self, SLOW, parameters, name=name)

    monkeypatch.setattr(Tx, "composed", composed)
    body = {"query": '{ workNode(id: "a") { id } }'}
    for _ in range(3):
        answers = await asyncio.gather(*(http.post("/graphql", json=body) for _ in range(25)))
        whats = {answer.json()["errors"][0]["extensions"].get("what") for answer in answers}
        assert whats == {"time"}
    monkeypatch.undo()
    for _ in range(20):  # a machine that is busy itself may need longer than the 0.3 s now and then
        answer = (await http.post("/graphql", json=body)).json()
        if "errors" not in answer:
            break
    assert answer == {"data": {"workNode": None}}


async def _pieces(body: bytes, ended: asyncio.Event | None = None) -> AsyncIterator[bytes]:
    yield body
    if ended:
        await ended.wait()


async def test_a_slow_body_is_refused(make_app: MakeApp, opened: Any) -> None:
    """408 where the body has not come in its time, however it is said to come."""
    http = await opened(make_app(max_body_seconds=0.2))
    start = time.perf_counter()
    answer = await http.post(
        "/graphql", content=_pieces(b'{"query": "{ ver', asyncio.Event()), headers=JSON
    )
    assert time.perf_counter() - start < 2
    assert answer.status_code == 408
    assert answer.json()["what"] == "body_seconds"
    assert answer.json()["setting"] == "GOTN_MAX_BODY_SECONDS"
    assert answer.headers["connection"] == "close"


async def test_packed_bodies_are_refused(make_app: MakeApp, opened: Any) -> None:
    """A gzip of a gigabyte is not unpacked: 415, and nothing is read."""
    http = await opened(make_app())
    packed = gzip.compress(json.dumps({"query": "{ version }" + " " * 10_000_000}).encode())
    for name in ("gzip", "deflate", "br", "GZIP, identity", "x"):
        answer = await http.post(
            "/graphql", content=packed, headers=JSON | {"content-encoding": name}
        )
        assert (answer.status_code, answer.json()["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")
    answer = await http.post("/graphql", content=packed, headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID")


async def test_large_headers_are_refused(make_app: MakeApp, opened: Any) -> None:
    """431 for many headers, a long one, or a long address; on every path."""
    http = await opened(make_app(max_header_bytes=2000))
    body = {"query": "{ version }"}
    large: list[dict[str, Any]] = [
        {"headers": {"x-large": "y" * 2000}},
        {"headers": {f"x-{i}": "y" for i in range(500)}},
        {"params": {"x": "y" * 2000}},
    ]
    for options in large:
        for path in ("/graphql", "/healthz"):
            answer = await http.post(path, json=body, **options)
            assert (answer.status_code, answer.json()["what"]) == (431, "header_bytes")
    assert (await http.post("/graphql", json=body)).status_code == 200


@pytest.mark.parametrize("key", [None, SecretStr("k")])
@pytest.mark.parametrize(
    "kind",
    [
        "",
        "text/plain",
        "application/graphql",
        "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded",
        "application/json; charset=utf-16",
        "application/json; charset=latin-1",
        "application/jsonp",
    ],
)
async def test_other_bodies_than_json_are_refused(
    make_app: MakeApp, opened: Any, kind: str, key: SecretStr | None
) -> None:
    """415 with a key as without: what is read is JSON in UTF-8."""
    http = await opened(make_app(api_key=key))
    headers = {"content-type": kind, "authorization": "Bearer k"}
    answer = await http.post("/graphql", content=b'{"query": "{ version }"}', headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
async def test_operations_come_by_post(make_app: MakeApp, opened: Any, method: str) -> None:
    """No other method runs one, a query in the address neither."""
    http = await opened(make_app())
    answer = await http.request(method, "/graphql?query={version}", headers=JSON)
    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize(
    "body",
    [
        [],
        [{"query": "{ version }"}],
        [{"query": "{ version }"}] * 10_000,
        "{ version }",
        5,
        None,
        True,
        {},
        {"query": None},
        {"query": ""},
        {"query": ["{ version }"]},
        {"query": "{ version }", "operationName": 5},
        {"query": "{ version }", "operationName": {"a": 1}},
        {"query": "{ version }", "operationName": "Nobody"},
        {"query": "{ version }", "variables": [1]},
        {"query": "{ version }", "variables": "x"},
        {"query": "{ version }", "extensions": 1},
        {"query": "fragment A on Query { version }"},
        {"query": "query A { version } query B { version }"},
        {"query": "subscription { version }"},
    ],
)
async def test_what_is_not_one_operation_is_refused(
    make_app: MakeApp, opened: Any, body: Any
) -> None:
    """Lists of operations, other JSON, and documents of which none could run: refused."""
    http = await opened(make_app())
    answer = await http.post("/graphql", content=json.dumps(body), headers=JSON)
    found = answer.json()
    if answer.status_code == 200:
        assert {error["extensions"]["code"] for error in found["errors"]} == {"INVALID"}
    else:
        assert (answer.status_code, found["code"]) == (400, "INVALID")
        assert found["message"]


async def test_a_caller_who_goes_away_is_no_error(
    make_app: MakeApp, opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that ends within the body is not logged as a mistake of ours."""
    logged: list[Any] = []
    monkeypatch.setattr("gotn.server.requests.log.exception", lambda *a, **_: logged.append(a))
    app = make_app()
    await opened(app)
    messages = [
        {"type": "http.request", "body": b"{", "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> Any:
        return messages.pop(0)

    async def send(_: Any) -> None:
        pass

    scope = {
        "type": "http", "method": "POST", "path": "/graphql", "raw_path": b"/graphql",
        "query_string": b"", "root_path": "", "scheme": "http", "http_version": "1.1",
        "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    await app(scope, receive, send)
    assert logged == []
    assert messages == []


async def test_the_limit_of_the_schema_is_told_as_what_it_is(api: Api) -> None:
    """Lists of the schema in each other have a limit of their own, which no setting moves."""
    fields = "fields { type {" * 3 + "name" + "} }" * 3
    (error,) = (await api.post("{ __schema { types {" + fields + "} } }"))["errors"]
    assert "more than 2 lists of the schema about itself" in error["message"]
    assert error["extensions"]["setting"] is None


async def test_a_depth_is_said_in_english(api: Api) -> None:
    """An operation is as deep as it is; it has aliases and fields."""
    query = '{ workNode(id: "a") {' + "parent {" * 12 + "id" + "}" * 12 + "} }"
    (error,) = (await api.post(query))["errors"]
    assert error["message"] == "This operation is 14 fields deep, and may be 12."


LONG = "a" * 1_000_000


@pytest.mark.parametrize(
    ("query", "more"),
    [
        ("{ LONG }", {}),
        ("{ version } LONG", {}),
        ('{ version } "LONG"', {}),
        ('{ workNode(id: "a") { ...LONG } }', {}),
        ("query Q($x: Int!) { workNodes(first: $x) { totalCount } }", {"variables": {"x": LONG}}),
        ("query Q($x: Int!) { version }", {"variables": {"x": "a b " * 100_000}}),
        ("{ version }", {"operationName": LONG}),
        ('{ workNodes(orderBy: "LONG") { totalCount } }', {}),
        ('{ workNodes(after: "LONG") { totalCount } }', {}),
        ('{ workNode(id: "a", project: "LONG") { id } }', {}),
    ],
    ids=range(10),
)
async def test_an_error_does_not_repeat_what_was_sent(api: Api, query: str, more: Any) -> None:
    """A name or value of a megabyte is answered with its beginning."""
    answer = await api.client.post("/graphql", json={"query": query.replace("LONG", LONG), **more})
    assert "errors" in answer.json() or answer.status_code == 400
    assert len(answer.content) < 4000, answer.text[:400]
