"""The page at /graphiql over HTTP: its files, their headers, and nothing beside them."""

from typing import Any

import pytest
from e2e.conftest import MakeApp
from pydantic import SecretStr

from gotn.server import page

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
}


async def test_every_file_is_served_as_what_it_is(make_app: MakeApp, opened: Any) -> None:
    """The right type, a strict policy, and a year in the cache where the name has the hash."""
    http = await opened(make_app())
    for path in sorted(page.FOLDER.iterdir()):
        answer = await http.get(f"/graphiql/{path.name}")
        assert (answer.status_code, answer.content) == (200, path.read_bytes())
        assert answer.headers["content-type"] == TYPES[path.suffix]
        assert answer.headers["x-content-type-options"] == "nosniff"
        hashed = path.suffix in (".css", ".js")
        assert ("immutable" in answer.headers["cache-control"]) is hashed


async def test_the_page_may_ask_this_server_only(make_app: MakeApp, opened: Any) -> None:
    """No address of another server is in the policy, no script may be written into the page."""
    http = await opened(make_app())
    answer = await http.get("/graphiql")
    policy = dict(
        part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["worker-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    words = {word for value in policy.values() for word in value.split()}
    assert words == {"'none'", "'self'", "'unsafe-inline'", "data:"}
    assert [name for name, value in policy.items() if "unsafe" in value] == ["style-src"]
    assert answer.headers["cache-control"] == "no-cache"
    assert "://" not in answer.text
    assert (await http.head("/graphiql")).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/graphiql/..%2fpage.py",
        "/graphiql/%2e%2e/page.py",
        "/graphiql/..%5cpage.py",
        "/graphiql/%2fetc%2fpasswd",
        "/graphiql/nothing.js",
        "/graphiql/index.html/x",
        "/graphiql/main.js%00.css",
        "/graphiqlx",
    ],
)
async def test_no_path_leads_out_of_the_folder(make_app: MakeApp, opened: Any, path: str) -> None:
    """A file is known by its exact name; anything else is an error in JSON, or the page itself."""
    http = await opened(make_app())
    answer = await http.get(path)
    assert answer.status_code in (308, 404)
    if answer.status_code == 404:
        assert answer.json()["code"] == "NOT_FOUND"


async def test_where_people_look_for_it(make_app: MakeApp, opened: Any) -> None:
    """The bare address and a slash too many lead to the page; nothing is written by a POST."""
    http = await opened(make_app())
    for path, status in (("/", 307), ("/graphiql/", 308)):
        answer = await http.get(path)
        assert answer.status_code == status
        assert answer.next_request.url.path == "/graphiql"
    for path in ("/", "/graphiql", "/graphiql/index.html"):
        answer = await http.post(path, json={})
        assert (answer.status_code, answer.json()["code"]) == (405, "METHOD_NOT_ALLOWED")


async def test_the_page_is_open_and_the_api_is_not(make_app: MakeApp, opened: Any) -> None:
    """With a key the page is readable, so that it can ask for it; without, the Host rule holds."""
    locked = await opened(make_app(api_key=SecretStr("k")), base_url="http://gotn.example")
    for path in ("/graphiql", "/graphiql/index.html", "/graphiql/LICENSES.txt"):
        assert (await locked.get(path)).status_code == 200
    assert (await locked.post("/graphql", json={"query": "{ version }"})).status_code == 401
    for path in ("/graphiqlx", "/graphiq", "/metrics"):
        assert (await locked.get(path)).status_code == 401
    local = await opened(make_app())
    for path in ("/", "/graphiql", "/graphiql/index.html"):
        answer = await local.get(path, headers={"host": "evil.example"})
        assert (answer.status_code, answer.json()["code"]) == (403, "FORBIDDEN")


async def test_what_the_page_asks_is_within_the_limits(make_app: MakeApp, opened: Any) -> None:
    """GraphiQL's question for the schema, the deepest there is, is answered by default limits."""
    from graphql import get_introspection_query  # noqa: PLC0415

    http = await opened(make_app())
    query = get_introspection_query(
        schema_description=True, input_value_deprecation=True, specified_by_url=True
    )
    answer = (await http.post("/graphql", json={"query": query})).json()
    assert "errors" not in answer
    assert {"WorkNode", "Plan"} <= {one["name"] for one in answer["data"]["__schema"]["types"]}
