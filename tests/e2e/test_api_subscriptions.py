"""Subscriptions over real sockets of a real `gotn serve`, by SSE and graphql-transport-ws."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from following import PATIENCE, connected, serving
from websockets.exceptions import ConnectionClosed, InvalidStatus

from gotn.database.connection import Database
from gotn.work.records import WorkNodeDraft
from gotn.work.usecases import nodes, planning, projects
from gotn.work.usecases.writing import Request

JOURNAL = (
    "subscription($p: String!, $a: Int) { journalEvents(project: $p, after: $a) { seq event } }"
)
SUBSCRIBERS = Path(__file__).resolve().parents[1] / "subscribers.py"
#: Subscribers, entries a second and seconds of the crowd's test.
CROWD, PACE, SECONDS = 1000, 10, 3


@pytest.fixture(scope="module")
def served(neo4j_environment: dict[str, str]) -> Iterator[str]:
    """The address of a server process."""
    with serving(neo4j_environment) as url:
        yield url


async def add(database: Database, project: str, *ids: str) -> None:
    """Write from this process: to the server it is another one."""
    for id_ in ids:
        draft = WorkNodeDraft(id=id_, kind="k", summary="s", prompt_text="p")
        await nodes.add(database, Request(project_id=project, actor="other"), draft)


@asynccontextmanager
async def events(url: str, **options: Any) -> AsyncIterator[AsyncIterator[dict[str, str]]]:
    """Server-sent events, each as its fields."""
    async with (
        httpx2.AsyncClient(timeout=PATIENCE) as client,
        client.stream(url=f"{url}/graphql", **options) as answer,
    ):
        assert answer.status_code == 200, await answer.aread()
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield _events(answer)


async def _events(answer: httpx2.Response) -> AsyncIterator[dict[str, str]]:
    found: dict[str, str] = {}
    async for line in answer.aiter_lines():
        name, _, value = line.partition(":")
        if name:
            found[name] = value.strip()
        elif found:
            yield found
            found = {}


def posted(query: str, **variables: Any) -> dict[str, Any]:
    """A POST that asks for events."""
    return {
        "method": "POST",
        "headers": {"accept": "text/event-stream"},
        "json": {"query": query, "variables": variables},
    }


async def test_each_entry_once_over_both_transports(
    served: str, database: Database, project: str
) -> None:
    """What was, and what another process writes meanwhile, comes in order over both."""
    await add(database, project, "a", "b")
    async with (
        connected(served) as client,
        events(served, **posted(JOURNAL, p=project, a=0)) as sse,
    ):
        await client.subscribe("1", JOURNAL, p=project, a=1)
        assert await client.seqs(2) == [2, 3]
        await add(database, project, "c")
        assert await client.seqs(1) == [4]
        found = [await anext(sse) for _ in range(4)]
        assert [(one["event"], one["id"]) for one in found] == [
            ("next", str(seq)) for seq in range(1, 5)
        ]
        last = json.loads(found[-1]["data"])
        assert last == {"data": {"journalEvents": {"seq": 4, "event": "add_node"}}}


async def test_coming_back_after_a_gap(served: str, database: Database, project: str) -> None:
    """A subscriber that was away gets what it missed, each once, from its cursor or its last id."""
    await add(database, project, "a")
    async with connected(served) as client:
        await client.subscribe("1", JOURNAL, p=project)
        await client.subscribe("2", JOURNAL, p=project, a=0)
        assert await client.seqs(2) == [1, 2]
        await add(database, project, "b")
        assert await client.seqs(2) == [3, 3]
    await add(database, project, "c", "d")
    async with connected(served) as client:
        await client.subscribe("1", JOURNAL, p=project, a=3)
        assert await client.seqs(2) == [4, 5]
    given = {"query": JOURNAL, "variables": json.dumps({"p": project, "a": 0})}
    headers = {"accept": "text/event-stream", "last-event-id": "4"}
    async with events(served, method="GET", params=given, headers=headers) as sse:
        assert (await anext(sse))["id"] == "5"


async def test_a_run_is_followed(served: str, database: Database, project: str) -> None:
    """Only entries that name the run come, with its steps."""
    await add(database, project, "a", "b")
    asked = Request(project_id=project, actor="other")
    made = await planning.plan(database, asked, goal="g")
    await add(database, project, "c")
    query = """subscription($p: String!, $r: String!) {
        runEvents(project: $p, run: $r, after: 0) {
            seq run runStatus steps { node position status } entry { event actor } } }"""
    async with connected(served) as client:
        await client.subscribe("1", query, p=project, r=made.run_id)
        event = (await client.read())["payload"]["data"]["runEvents"]
        assert (event["run"], event["runStatus"]) == (made.run_id, "planned")
        assert [(s["node"], s["status"]) for s in event["steps"]] == [
            ("a", "ready"),
            ("b", "ready"),
        ]
        assert event["entry"] == {"event": "start_run", "actor": "other"}
        await client.subscribe("2", query, p=project, r="run-none")
        refused = await client.read()
        assert (refused["type"], refused["payload"][0]["extensions"]["code"]) == (
            "error",
            "NOT_FOUND",
        )


async def test_the_end_of_a_project_completes(
    served: str, database: Database, project: str
) -> None:
    """A project that is removed ends what follows it, over both transports."""
    await add(database, project, "a")
    async with (
        connected(served) as client,
        events(served, **posted(JOURNAL, p=project, a=0)) as sse,
    ):
        await client.subscribe("1", JOURNAL, p=project, a=0)
        assert await client.seqs(2) == [1, 2]
        await projects.remove(database, Request(project_id=project, actor="other"))
        assert await client.read() == {"id": "1", "type": "complete"}
        assert [one["event"] async for one in sse] == ["next", "next", "complete"]


@pytest.mark.parametrize(
    ("query", "variables", "code", "said"),
    [
        (JOURNAL, {"p": "none-such", "a": 0}, "NOT_FOUND", "no project"),
        (JOURNAL, {"a": 0}, "INVALID", "$p"),
        ("subscription { nothing }", {}, "INVALID", "nothing"),
        (f"subscription {{ {'a' * 6000} }}", {}, "INVALID", "Cannot query field"),
        (
            "subscription { journalEvents { seq } other: journalEvents { seq } }",
            {},
            "INVALID",
            "one",
        ),
    ],
)
async def test_what_cannot_be_followed(
    served: str, query: str, variables: dict[str, Any], code: str, said: str
) -> None:
    """A clear error, over both transports, and the connection lives on."""
    async with connected(served) as client, events(served, **posted(query, **variables)) as sse:
        await client.subscribe("1", query, **variables)
        message = await client.read()
        assert message["type"] == "error"
        found = [json.loads((await anext(sse))["data"]), {"errors": message["payload"]}]
        for answer in found:
            assert answer["errors"][0]["extensions"]["code"] == code, answer
            assert said in answer["errors"][0]["message"]
        assert (await anext(sse))["event"] == "complete"
        await client.subscribe("1", "{ version }")
        assert (await client.read())["payload"]["data"]["version"]
        assert await client.read() == {"id": "1", "type": "complete"}


async def test_after_the_last_seq(served: str, database: Database, project: str) -> None:
    """A cursor that no entry has is refused with the last one."""
    await add(database, project, "a")
    async with connected(served) as client:
        for number in (-1, 3, 2**31 - 1):
            await client.subscribe("1", JOURNAL, p=project, a=number)
            error = (await client.read())["payload"][0]
            assert error["message"] == f"after: expected 0 to 2, the last seq, found {number}"


async def test_a_last_id_that_no_entry_has(served: str, database: Database, project: str) -> None:
    """An answer that says so, as for `after`, and a stream that ends well."""
    await add(database, project, "a")
    asked = posted(JOURNAL, p=project)
    asked["headers"]["last-event-id"] = "99999"
    async with events(served, **asked) as sse:
        told = json.loads((await anext(sse))["data"])["errors"][0]
        assert told["message"] == "after: expected 0 to 2, the last seq, found 99999"
        assert told["extensions"]["code"] == "INVALID"
        assert [one["event"] async for one in sse] == ["complete"]


async def test_an_entry_that_cannot_be_read(served: str, database: Database, project: str) -> None:
    """What was before it comes, then an error over both transports, and a stream that ends well."""
    await add(database, project, "a", "b")
    spoilt = "MATCH (e:JournalEntry {key: $key}) SET e.data = 'no JSON' RETURN count(e) AS count"
    key = f"{project}/3"
    await database.write(lambda tx: tx.composed(spoilt, {"key": key}, name="test/spoil"))
    async with (
        connected(served) as client,
        events(served, **posted(JOURNAL, p=project, a=2)) as sse,
    ):
        await client.subscribe("1", JOURNAL, p=project, a=2)
        message = await client.read()
        told = json.loads((await anext(sse))["data"])
        assert message["type"] == "error"
        for answer in (told, {"errors": message["payload"]}):
            assert answer["errors"][0]["extensions"]["code"] == "INVALID"
            assert answer["errors"][0]["message"].startswith("seq 3: its time or data")
        assert [one["event"] async for one in sse] == ["complete"]
        await client.subscribe("2", "{ version }")
        assert (await client.read())["type"] == "next"


async def test_a_subscription_wants_a_stream(served: str) -> None:
    """Asked like a query it is refused, with what to ask for."""
    async with httpx2.AsyncClient(timeout=PATIENCE) as client:
        answer = await client.post(f"{served}/graphql", json={"query": JOURNAL})
    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["extensions"]) == (200, {"code": "INVALID"})
    assert "text/event-stream" in error["message"]
    assert "WebSocket" in error["message"]


async def test_other_origins_and_hosts_are_refused(served: str) -> None:
    """A web page of another origin, or under another name, cannot open a socket."""
    for refused in ({"origin": "http://evil.example"}, {"additional_headers": {"Host": "evil"}}):
        with pytest.raises((InvalidStatus, ConnectionClosed)) as caught:
            async with connected(served, **refused):
                pass
        if isinstance(caught.value, InvalidStatus):
            assert caught.value.response.status_code in {400, 403}
    own = served.replace("127.0.0.1", "localhost")
    async with connected(own, origin=own):
        pass


async def test_the_key_is_asked_for(neo4j_environment: dict[str, str]) -> None:
    """With a key it comes in the handshake or with the first message; else nothing is said."""
    with serving(neo4j_environment, GOTN_API_KEY="secret-key") as url:
        async with connected(url, {"Authorization": "Bearer secret-key"}):
            pass
        async with connected(url, additional_headers={"Authorization": "Bearer secret-key"}):
            pass
        for payload in (None, {"authorization": "Bearer other"}, {"authorization": 7}):
            with pytest.raises(ConnectionClosed) as caught:
                async with connected(url, payload):
                    pass
            assert caught.value.rcvd is not None
            assert caught.value.rcvd.code == 4403
        async with httpx2.AsyncClient() as client:
            answer = await client.request(url=f"{url}/graphql", **posted("{ version }"))
            assert answer.status_code == 401


async def test_limits_of_connections_and_servers(
    neo4j_environment: dict[str, str], database: Database, project: str
) -> None:
    """One more than allowed is refused with the setting's name; the others go on."""
    await add(database, project, "a")
    limits = {"GOTN_MAX_SUBSCRIPTIONS": "2", "GOTN_MAX_CONNECTION_SUBSCRIPTIONS": "3"}
    with serving(neo4j_environment, **limits) as url:
        async with connected(url) as client, connected(url) as other:
            for id_ in ("1", "2"):
                await client.subscribe(id_, JOURNAL, p=project, a=1)
                assert await client.seqs(1) == [2]
            await other.subscribe("1", JOURNAL, p=project, a=1)
            facts = (await other.read())["payload"][0]["extensions"]
            assert (facts["code"], facts["setting"]) == ("LIMIT", "GOTN_MAX_SUBSCRIPTIONS")
            await client.send({"id": "1", "type": "complete"})
            async with asyncio.timeout(PATIENCE):
                while True:
                    await other.subscribe("2", JOURNAL, p=project, a=1)
                    if (await other.read())["type"] == "next":
                        break


async def test_metrics_tell_how_many_follow(
    neo4j_environment: dict[str, str], database: Database, project: str
) -> None:
    """Gauges of what runs and what follows go up with each subscription, and down again."""
    await add(database, project, "a")
    with serving(neo4j_environment) as url:
        assert await gauges(url) == (0, 0)
        async with connected(url) as client, events(url, **posted(JOURNAL, p=project, a=1)) as sse:
            await client.subscribe("1", JOURNAL, p=project, a=1)
            assert await client.seqs(1) == [2]
            await anext(sse)
            assert await gauges(url) == (2, 2)
            await client.send({"id": "1", "type": "complete"})
            async with asyncio.timeout(PATIENCE):
                while await gauges(url) != (1, 1):
                    pass


async def gauges(url: str) -> tuple[int, int]:
    """Subscriptions and followers, as /metrics shows them."""
    async with httpx2.AsyncClient(timeout=PATIENCE) as client:
        lines = (await client.get(f"{url}/metrics")).text.splitlines()
    for name in ("gotn_subscriptions", "gotn_followers"):
        assert f"# TYPE {name} gauge" in lines
        assert any(line.startswith(f"# HELP {name} ") for line in lines)
    found = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return int(found["gotn_subscriptions"]), int(found["gotn_followers"])


async def test_a_slow_reader_holds_nobody_up(served: str, database: Database, project: str) -> None:
    """One that does not read gets everything later, while others have it at once."""
    await add(database, project, "a")
    query = "subscription($p: String!) { journalEvents(project: $p, after: 0) { seq data } }"
    async with connected(served, max_queue=1) as slow, connected(served) as quick:
        await slow.subscribe("1", query, p=project)
        await quick.subscribe("1", query, p=project)
        asked = Request(project_id=project, actor="other")
        big = "x" * 500_000
        for number in range(30):
            draft = WorkNodeDraft(id=f"n{number}", kind="k", summary="s", prompt_text=big)
            await nodes.add(database, asked, draft)
        assert await quick.seqs(32) == list(range(1, 33))
        assert await slow.seqs(32) == list(range(1, 33))


def _started(command: list[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


async def test_a_thousand_subscribers(served: str, database: Database, project: str) -> None:
    """From another process, each over its own socket: every entry once and in order."""
    await add(database, project, "a")
    last = 2 + PACE * SECONDS
    address = served.replace("http://", "ws://") + "/graphql"
    crowd = _started([sys.executable, str(SUBSCRIBERS), address, project, str(CROWD), str(last)])
    assert crowd.stdout is not None
    try:
        assert await asyncio.to_thread(crowd.stdout.readline) == "ready\n"
        for number in range(PACE * SECONDS):
            await add(database, project, f"n{number}")
        told = json.loads(await asyncio.to_thread(crowd.stdout.readline))
    finally:
        crowd.kill()
        crowd.communicate()
    assert told["wrong"] == []
    assert told["seen"] == CROWD * last
