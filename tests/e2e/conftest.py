"""The service in this process, over HTTP, on the session's Neo4j."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from conftest import Neo4j
from pydantic import SecretStr
from starlette.applications import Starlette

from gotn.api import operations
from gotn.database.connection import Database
from gotn.server.app import create_app
from gotn.settings import Settings

MakeApp = Callable[..., Starlette]


@dataclass
class Api:
    """Sends named operations, and any other document, as a client would."""

    client: httpx2.AsyncClient
    project: str
    #: Names of the statements that the last call ran.
    statements: list[str] = field(default_factory=list)

    async def post(self, query: str, **variables: Any) -> dict[str, Any]:
        """The whole answer to a document."""
        self.statements.clear()
        body = {"query": query, "variables": variables}
        answer = await self.client.post("/graphql", json=body)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def run(self, name: str, **variables: Any) -> Any:
        """The one root field of a named operation in this test's project."""
        if "input" in variables:
            variables["input"] = {"project": self.project} | variables["input"]
        elif "$project" in operations.text(name):
            variables["project"] = self.project
        answer = await self.post(operations.text(name), **variables)
        assert "errors" not in answer, answer["errors"]
        (value,) = answer["data"].values()
        return value

    async def read(self, selection: str) -> Any:
        """The data of a query written in the test, `$p` being its project."""
        answer = await self.post(f"query Q($p: String!) {{ {selection} }}", p=self.project)
        assert "errors" not in answer, answer["errors"]
        return answer["data"]

    async def exists(self) -> bool:
        """Whether this test's project was ever written to."""
        found: bool = (await self.read("project(project: $p) { seq }"))["project"] is not None
        return found

    async def graph(self, nodes: list[dict[str, Any]], edges: list[Any] = [], **more: Any) -> Any:  # noqa: B006
        """Add a graph, and expect that to work."""
        found = await self.run("GraphAdd", input={"nodes": nodes, "edges": edges} | more)
        assert "code" not in found, found
        return found


def node(id_: str, **more: Any) -> dict[str, Any]:
    """A node as the API takes it."""
    given = {"id": id_, "kind": "micro_prompt", "summary": f"Do {id_}"}
    return given | {"promptText": f"Please do {id_}."} | more


def edge(src: str, dst: str, **more: Any) -> dict[str, Any]:
    """A hard edge as the API takes it."""
    return {"src": src, "dst": dst} | more


@pytest.fixture
def make_app(neo4j_server: Neo4j, tmp_path_factory: pytest.TempPathFactory) -> MakeApp:
    """An app with these settings over the session's Neo4j, and a home of its own."""
    home = tmp_path_factory.mktemp("home")

    def make(**overrides: Any) -> Starlette:
        given: dict[str, Any] = {
            "neo4j_uri": neo4j_server.uri,
            "neo4j_username": neo4j_server.user,
            "neo4j_password": SecretStr(neo4j_server.password) if neo4j_server.password else None,
            "actor": "tester",
            "log_level": "error",
            "home": home,
        }
        return create_app(Settings(**(given | overrides)))

    return make


@pytest.fixture
async def opened(database: Database) -> AsyncIterator[Callable[..., Any]]:
    """Opens apps as a server would, and closes them after the test."""
    async with AsyncExitStack() as stack:

        async def open_(app: Starlette, **options: Any) -> httpx2.AsyncClient:
            await stack.enter_async_context(app.router.lifespan_context(app))
            transport = httpx2.ASGITransport(app=app)
            given = {"base_url": "http://127.0.0.1:8080"} | options
            return await stack.enter_async_context(
                httpx2.AsyncClient(transport=transport, timeout=60, **given)
            )

        yield open_


@pytest.fixture
async def api(
    make_app: MakeApp,
    opened: Callable[..., Any],
    project: str,
) -> Api:
    """The API in a project of this test's own."""
    names: list[str] = []
    app = make_app()
    client = await opened(app)
    found = Api(client, project, names)
    endpoint: Any = next(r for r in app.routes if getattr(r, "path", "") == "/graphql")
    endpoint.app._database.on_statement = names.append
    return found
