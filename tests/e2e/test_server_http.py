"""The service over HTTP: who may call, health, sizes, metrics, errors outside GraphQL."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from conftest import Neo4j
from e2e.conftest import MakeApp
from pydantic import SecretStr

from gotn import __version__
from gotn.errors import DatabaseUnavailable
from gotn.server import logs
from gotn.server.app import create_app
from gotn.server.auth import actor_of, loopback
from gotn.settings import Settings

VERSION = {"query": "{ version }"}
KEY = SecretStr("s3cret-käy")
BEARER = {"authorization": "Bearer s3cret-käy".encode()}


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", 200),
        ("127.0.0.1:8080", 200),
        ("localhost:1", 200),
        ("[::1]:8080", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("10.0.0.1", 403),
        ("", 403),
    ],
)
async def test_without_a_key_only_this_machine_is_answered(
    make_app: MakeApp, opened: Any, host: str, expected: int
) -> None:
    """The Host header must be a loopback name, on every path."""
    http = await opened(make_app())
    for path in ("/healthz", "/version"):
        answer = await http.get(path, headers={"host": host})
        assert answer.status_code == expected
    answer = await http.post("/graphql", json=VERSION, headers={"host": host})
    assert answer.status_code == expected


async def test_without_a_key_bodies_must_be_json(make_app: MakeApp, opened: Any) -> None:
    """What a web page can send without asking first is refused."""
    http = await opened(make_app())
    body = json.dumps(VERSION).encode()
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answer = await http.post("/graphql", content=body, headers={"content-type": kind})
        assert answer.status_code == 415, kind
    kind = "application/json; charset=utf-8"
    answer = await http.post("/graphql", content=body, headers={"content-type": kind})
    assert answer.json() == {"data": {"version": __version__}}


async def test_with_a_key_every_call_needs_it(make_app: MakeApp, opened: Any) -> None:
    """The bearer token opens any host; only the probes answer without it."""
    http = await opened(make_app(api_key=KEY), base_url="http://gotn.example")
    for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic s3cret-key"}):
        for path in ("/graphql", "/metrics", "/version"):
            answer = await http.request(
                "POST" if path == "/graphql" else "GET", path, headers=headers
            )
            assert (answer.status_code, answer.json()["code"]) == (401, "UNAUTHORIZED")
            assert answer.headers["www-authenticate"].startswith("Bearer")
    assert (await http.get("/healthz")).status_code == 200
    assert (await http.get("/readyz")).status_code == 200
    answer = await http.post("/graphql", json=VERSION, headers=BEARER)
    assert answer.json() == {"data": {"version": __version__}}


async def test_no_web_origin_may_call_unless_named(make_app: MakeApp, opened: Any) -> None:
    """CORS headers come for the origins of GOTN_CORS_ORIGINS, and for no other."""
    asked = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,authorization",
    }
    http = await opened(make_app())
    answer = await http.options("/graphql", headers=asked | {"origin": "https://a.example"})
    assert "access-control-allow-origin" not in answer.headers
    http = await opened(make_app(api_key=KEY, cors_origins=("https://a.example",)))
    for origin, allowed in (("https://a.example", True), ("https://b.example", False)):
        answer = await http.options("/graphql", headers=asked | {"origin": origin})
        assert (answer.headers.get("access-control-allow-origin") == origin) is allowed
    answer = await http.post(
        "/graphql", json=VERSION, headers=BEARER | {"origin": "https://a.example"}
    )
    assert answer.headers["access-control-allow-origin"] == "https://a.example"


async def test_a_large_request_is_refused(make_app: MakeApp, opened: Any) -> None:
    """413 by its stated length, and by what arrives where none is stated."""
    http = await opened(make_app(max_request_bytes=2000))
    large = json.dumps({"query": "{ version }", "variables": {"x": "y" * 3000}}).encode()

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(large), 500):
            yield large[start : start + 500]

    headers = {"content-type": "application/json"}
    for content in (large, pieces()):
        answer = await http.post("/graphql", content=content, headers=headers)
        assert (answer.status_code, answer.json()["limit"]) == (413, 2000)
    assert (await http.post("/graphql", json=VERSION)).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("GET", "/nowhere", None, (404, "NOT_FOUND")),
        ("POST", "/healthz", "{}", (405, "METHOD_NOT_ALLOWED")),
        ("GET", "/graphql?query={version}", None, (405, "METHOD_NOT_ALLOWED")),
        ("POST", "/graphql", "{", (400, "INVALID")),
        ("POST", "/graphql", "[]", (400, "INVALID")),
        ("POST", "/graphql", "{}", (400, "INVALID")),
        ("POST", "/graphql", '{"query": 1}', (400, "INVALID")),
        ("POST", "/graphql", '{"query": "{version}", "variables": 1}', (400, "INVALID")),
        ("POST", "/graphql", '{"query":"{version}","operationName":"X"}', (400, "INVALID")),
        ("POST", "/graphql", "\x00\xff", (400, "INVALID")),
    ],
)
async def test_what_is_no_operation_is_refused_in_json(
    make_app: MakeApp, opened: Any, method: str, path: str, body: str | None, expected: Any
) -> None:
    """Every error outside GraphQL is JSON with a code, and carries the request's id."""
    http = await opened(make_app())
    headers = {"content-type": "application/json", "x-request-id": "mine-1"}
    answer = await http.request(method, path, content=body, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == expected
    assert answer.headers["x-request-id"] == "mine-1"


async def test_metrics_count_requests_statements_and_errors(
    make_app: MakeApp, opened: Any, project: str
) -> None:
    """/metrics has what was answered, how fast, what Neo4j was asked, and what was refused."""
    http = await opened(make_app())
    for id_ in ("a", "b"):
        query = f'{{ impact(project: "{project}", id: "{id_}") {{ id }} }}'
        await http.post("/graphql", json={"query": query})
    await http.post("/graphql", json={"query": "{ projects(first: 1) { nodes { id } } version }"})
    answer = await http.get("/metrics")
    lines = answer.text.splitlines()
    assert 'gotn_query_fields_total{way="compiled",reason=""} 1' in lines
    assert 'gotn_query_fields_total{way="normal",reason="undeclared"} 3' in lines
    assert 'gotn_query_fields_total{way="surprise",reason=""} 0' in lines
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'gotn_http_requests_total{route="/graphql",method="POST",status="200"} 3' in lines
    assert 'gotn_http_request_seconds_bucket{route="/graphql",le="+Inf"} 3' in lines
    assert 'gotn_errors_total{code="NOT_FOUND"} 2' in lines
    assert 'gotn_statements_total{name="work/get_nodes"} 2' in lines
    buckets = [line for line in lines if "seconds_bucket" in line and "/graphql" in line]
    counts = [int(line.rpartition(" ")[2]) for line in buckets]
    assert counts == sorted(counts)


async def test_the_actor_stands_in_the_journal_and_in_the_log(
    make_app: MakeApp, opened: Any, project: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """X-Gotn-Actor in any alphabet, else the setting; log lines are JSON without secrets."""
    logs.setup("info")
    written: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: written.append(logs.Lines().format(record))  # type: ignore[method-assign]
    logging.getLogger("gotn").addHandler(handler)
    http = await opened(make_app(api_key=KEY, log_level="info"))
    for name, actor in (
        ("a", {"x-gotn-actor": "Zo%C3%AB"}),
        ("b", {"x-gotn-actor": "Łucja".encode()}),
    ):
        body = {
            "project": project,
            "node": {"id": name, "kind": "k", "summary": "s", "promptText": "p"},
        }
        query = "mutation M($i: AddNodeInput!) { addNode(input: $i) { __typename } }"
        await http.post(
            "/graphql", json={"query": query, "variables": {"i": body}}, headers=BEARER | actor
        )
    chosen = f'journal(project: "{project}", filter: {{event: "add_node"}})'
    query = f"{{ {chosen} {{ nodes {{ actor }} }} }}"
    answer = await http.post("/graphql", json={"query": query}, headers=BEARER)
    logging.getLogger("gotn").removeHandler(handler)
    assert [n["actor"] for n in answer.json()["data"]["journal"]["nodes"]] == ["Zoë", "Łucja"]
    lines = [json.loads(line) for line in written]
    assert [line["actor"] for line in lines if line["message"] == "request"][:2] == ["Zoë", "Łucja"]
    requests = [line for line in lines if line["message"] == "request"]
    assert all(line["request_id"] for line in requests)
    # The first write also opens the journal; the read at the end writes nothing.
    assert [(line.get("project"), line.get("seq")) for line in requests] == [
        (project, 2), (project, 3), (None, None),
    ]  # fmt: skip
    assert "s3cret" not in "".join(written)
    logs.setup("error")


def test_names_of_this_machine() -> None:
    """Loopback names and addresses, with and without a port."""
    assert all(map(loopback, ("localhost", "LOCALHOST:1", "127.9.9.9", "[::1]", "::1")))
    assert not any(map(loopback, ("", "localhost.evil", "0.0.0.0", "[::2]:1", "1", "a@127.0.0.1")))


def test_an_actor_has_no_control_characters() -> None:
    """What would break a log line or hide in it is left out, and the length is bounded."""
    from starlette.datastructures import Headers  # noqa: PLC0415

    assert actor_of(Headers({"x-gotn-actor": "a%0Ab%1B[0m"}), "x") == "ab[0m"
    assert actor_of(Headers({"x-gotn-actor": " "}), "usual") == "usual"
    assert len(actor_of(Headers({"x-gotn-actor": "y" * 999}), "x")) == 200


def test_no_app_without_an_address() -> None:
    """Settings without NEO4J_URI, or with one that cannot be used, are refused at once."""
    settings = Settings.model_validate({"actor": "x"})
    with pytest.raises(DatabaseUnavailable, match="NEO4J_URI"):
        create_app(settings.model_copy(update={"neo4j_uri": None}))
    with pytest.raises(DatabaseUnavailable, match="NEO4J_URI"):
        create_app(settings.model_copy(update={"neo4j_uri": "http://x"}))


class Proxy:
    """A TCP port that leads to Neo4j while it is open."""

    def __init__(self, host: str, port: int) -> None:
        self._there = (host, port)
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    async def open(self) -> None:
        """Listen, on the same port each time."""
        self._server = await asyncio.start_server(
            self._join, "127.0.0.1", self.port, reuse_address=True
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Refuse new connections and cut those there are."""
        if self._server:
            self._server.close()
        for writer in list(self._writers):
            writer.transport.abort()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._server:
            await self._server.wait_closed()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*self._there)
        self._writers |= {writer, far_writer}
        for task in (
            asyncio.create_task(self._pipe(reader, far_writer)),
            asyncio.create_task(self._pipe(far_reader, writer)),
        ):
            self._tasks.add(task)

    async def _pipe(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.transport.abort()


@asynccontextmanager
async def proxied(server: Neo4j) -> AsyncIterator[tuple[Proxy, str]]:
    """A proxy to the session's Neo4j, closed at first, and its address."""
    scheme, _, place = server.uri.partition("://")
    host, _, port = place.rpartition(":")
    proxy = Proxy(host, int(port))
    await proxy.open()
    await proxy.close()
    try:
        yield proxy, f"bolt://127.0.0.1:{proxy.port}"
    finally:
        await proxy.close()
    assert scheme


async def test_neo4j_may_come_late_go_and_come_back(
    make_app: MakeApp, opened: Any, neo4j_server: Neo4j
) -> None:
    """/readyz is 503 with the reason while Neo4j is away, and 200 again without a restart."""
    async with proxied(neo4j_server) as (proxy, uri):
        http = await opened(make_app(neo4j_uri=uri))
        query = {"query": "{ projects { totalCount } }"}
        away = await http.get("/readyz")
        assert (away.status_code, away.json()["code"]) == (503, "DATABASE_UNAVAILABLE")
        assert (await http.get("/healthz")).status_code == 200
        refused = await http.post("/graphql", json=query)
        assert refused.status_code == 503
        assert refused.json()["errors"][0]["extensions"]["code"] == "DATABASE_UNAVAILABLE"
        await proxy.open()
        assert (await http.get("/readyz")).json() == {"status": "ready"}
        assert (await http.post("/graphql", json=query)).json()["data"] is not None
        await proxy.close()
        assert (await http.get("/readyz")).status_code == 503
        await proxy.open()
        assert (await http.get("/readyz")).status_code == 200
        assert (await http.post("/graphql", json=query)).json()["data"] is not None


async def test_a_newer_database_is_refused(
    make_app: MakeApp, opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that a newer version migrated is left alone, and readyz says why."""

    async def newer(_: Any) -> list[str]:
        return ["9999_from_the_future"]

    monkeypatch.setattr("gotn.database.schema.applied", newer)
    http = await opened(make_app())
    answer = await http.get("/readyz")
    assert (answer.status_code, answer.json()["code"]) == (503, "SCHEMA_PENDING")
    assert "9999_from_the_future" in answer.json()["reason"]
    assert (await http.post("/graphql", json=VERSION)).status_code == 503


async def test_a_crash_outside_graphql_is_masked(
    make_app: MakeApp, opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No traceback and no message of the cause; the id leads to the log."""

    def broken(_: Any) -> str:
        raise ZeroDivisionError("the secret cause")

    http = await opened(make_app(log_level="error"))
    monkeypatch.setattr("gotn.server.metrics.Metrics.text", broken)
    monkeypatch.setattr("gotn.server.requests.log.exception", lambda *_, **__: None)
    answer = await http.get("/metrics")
    assert (answer.status_code, answer.json()["code"]) == (500, "INTERNAL")
    assert answer.json()["id"] == answer.headers["x-request-id"]
    assert "secret" not in answer.text
