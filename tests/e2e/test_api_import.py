"""Documents through GraphQL: the facts that the command line tells, and why one is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from e2e.conftest import Api, MakeApp

from gotn.api import operations

TASKS = {
    "master": {
        "tasks": [
            {"id": 1, "title": "One", "status": "done", "subtasks": [{"id": 1, "title": "In"}]},
            {"id": 2, "title": "Two", "dependencies": [1, "1.1", 9], "status": "odd"},
        ]
    }
}
BEADS: list[dict[str, Any]] = [
    {"id": "a", "title": "A", "status": "open", "dependencies": [{"depends_on_id": "b"}]},
    {"id": "b", "title": "B", "status": "open"},
    {"id": "t", "title": "T", "status": "tombstone"},
]


def lines(rows: list[dict[str, Any]]) -> str:
    """Rows as JSONL."""
    return "".join(json.dumps(row) + "\n" for row in rows)


async def test_a_document_is_taken_in_once(api: Api) -> None:
    """A dry run changes nothing, the same again changes nothing, and all facts are there."""
    given = {"content": json.dumps(TASKS), "format": "TASKMASTER"}
    dry = await api.run("GraphImport", input=given | {"dryRun": True})
    assert not await api.exists()
    found = await api.run("GraphImport", input=given)
    assert found == dry
    assert (found["nodes"], found["edges"], found["pending"], found["changed"]) == (3, 4, 1, 7)
    assert [w["id"] for w in found["warnings"]] == ["master.2"]
    again = await api.run("GraphImport", input={"content": json.dumps(TASKS)})
    assert (again["changed"], again["pending"]) == (0, 1)
    shown = await api.run("NodeShow", id="master.2")
    assert [one["node"]["nodeId"] for one in shown["prerequisites"]["edges"]] == [
        "master.1",
        "master.1.1",
    ]


async def test_what_is_left_out_is_told(api: Api) -> None:
    """Tombstones are in `skipped` with their lines, and the journal replays to what is stored."""
    found = await api.run("GraphImport", input={"content": lines(BEADS), "link": True})
    assert found["skipped"] == [{"line": 3, "id": "t", "reason": "a tombstone"}]
    proof = await api.read("journalVerification(project: $p) { equal chainOk }")
    assert proof["journalVerification"] == {"equal": True, "chainOk": True}


async def test_a_bad_document_is_refused_with_every_violation(api: Api) -> None:
    """Each has its line, as a text and as facts; nothing is written."""
    bad = [{"id": "a", "title": "A", "status": "open", "labels": 5}, {"id": "b", "title": 3}]
    found = await api.run("GraphImport", input={"content": lines(bad), "format": "BEADS"})
    assert (found["__typename"], found["code"]) == ("InvalidInput", "BAD_DOCUMENT")
    assert [one["line"] for one in found["facts"]["violations"]] == [1, 2, 2]
    answer = await api.post(
        "mutation M($c: String!, $p: String!) { importGraph(input: {project: $p, content: $c}) "
        "{ ... on InvalidInput { message violations } } }",
        c=lines(bad),
        p=api.project,
    )
    refused = answer["data"]["importGraph"]
    assert [text.split(":")[0] for text in refused["violations"]] == ["line 1", "line 2", "line 2"]
    assert refused["violations"][1].startswith("line 2: b: ")
    assert refused["message"].startswith("content: 3 violations, line 1")
    assert not await api.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "empty"),
        ("<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> theirs\n", "merge-conflict marker"),
        ('{"id": "a\x00"}', "zero byte"),
        ('{"nodes": [', "the end of the file"),
    ],
)
async def test_what_is_no_document_is_refused(api: Api, content: str, said: str) -> None:
    """Empty, unmerged, binary and half texts are named."""
    found = await api.run("GraphImport", input={"content": content})
    assert (found["code"], said in found["message"]) == ("BAD_DOCUMENT", True), found["message"]
    assert not await api.exists()


async def test_half_a_character_is_refused(api: Api) -> None:
    """A lone surrogate, which JSON can say and UTF-8 cannot, is no crash."""
    body = json.dumps(
        {
            "query": operations.text("GraphImport"),
            "variables": {"input": {"project": api.project, "content": "\ud800"}},
        }
    )
    headers = {"content-type": "application/json"}
    answer = await api.client.post("/graphql", content=body, headers=headers)
    assert answer.status_code < 500
    assert answer.json()["code"] == "INVALID"


async def test_a_cycle_is_refused_or_flagged(api: Api) -> None:
    """CycleRefused with the path and its lines; flagCycles keeps the edges."""
    rows = [dict(row) for row in BEADS[:2]]
    rows[1]["dependencies"] = [{"depends_on_id": "a"}]
    found = await api.run("GraphImport", input={"content": lines(rows)})
    assert (found["__typename"], found["facts"]["lines"]) == ("CycleRefused", [1, 2])
    bad = [*rows, {"id": "c", "title": 3}]
    both = await api.post(
        "mutation M($c: String!, $p: String!) { importGraph(input: {project: $p, content: $c, "
        "format: BEADS}) { ... on InvalidInput { violations } } }",
        c=lines(bad),
        p=api.project,
    )
    said = both["data"]["importGraph"]["violations"]
    assert said[0].endswith("(lines 1, 2); flagCycles keeps them, flagged")
    kept = await api.run("GraphImport", input={"content": lines(rows), "flagCycles": True})
    assert (kept["edges"], kept["changed"]) == (2, 4)


async def test_a_key_makes_an_import_happen_once(api: Api) -> None:
    """The first answer again, and a Conflict for another document."""
    given = {"content": lines(BEADS), "idempotencyKey": "k"}
    first = await api.run("GraphImport", input=given)
    assert await api.run("GraphImport", input=given) == first
    other = await api.run("GraphImport", input=given | {"content": lines(BEADS[1:])})
    assert other["__typename"] == "Conflict"


async def test_a_document_over_the_limit_is_refused(
    make_app: MakeApp, opened: Callable[..., Any], project: str
) -> None:
    """The size of a request bounds what can be sent; the answer names the setting."""
    client = await opened(make_app(max_request_bytes=20_000))
    variables = {"input": {"project": project, "content": " " * 20_000}}
    body = {"query": operations.text("GraphImport"), "variables": variables}
    answer = await client.post("/graphql", json=body)
    assert answer.status_code == 413
    assert "GOTN_MAX_REQUEST_BYTES" in answer.text


async def test_the_command_line_says_the_same(api: Api, shared_data: Path) -> None:
    """A real file through GraphQL: its counts, and again nothing new."""
    text = (shared_data / "taskmaster" / "testcraft.tasks.json").read_text("utf-8")
    found = await api.run("GraphImport", input={"content": text})
    assert (found["nodes"], found["edges"], found["pending"]) == (145, 298, 0)
    assert (await api.run("GraphImport", input={"content": text}))["changed"] == 0
