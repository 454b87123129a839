from typing import Any

import pytest

from gotn.api import client
from gotn.cli import operations
from gotn.errors import NotFound


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"runId": "r1", "criticalPath": {"nodeIds": []}},
         {"run_id": "r1", "critical_path": {"node_ids": []}}),
        ({"id": "WorkNode:p/a", "nodeId": "a", "status": "READY", "parentId": None},
         {"id": "a", "status": "ready", "parent": None}),
        ({"id": "Run:p/r", "runId": "r", "stepCount": 3}, {"id": "r", "step_count": 3}),
        ({"id": "Project:p", "projectId": "p", "settings": {"aB": 1}},
         {"id": "p", "settings": {"aB": 1}}),
        ({"nodeId": "a", "extra": {"camelCase": {"Status": "UP"}}},
         {"id": "a", "extra": {"camelCase": {"Status": "UP"}}}),
        ({"__typename": "Removed", "nodes": ["A"], "edges": 1}, {"nodes": ["A"], "edges": 1}),
        ({"src": "A", "type": "HARD_REQUIRES", "origin": None},
         {"src": "A", "type": "hard_requires", "origin": None}),
    ],
)  # fmt: skip
def test_spelling(answer: dict[str, Any], expected: dict[str, Any]) -> None:
    """GraphQL's names become the documents'; what a user stored keeps its own."""
    assert operations.plain(answer) == expected


def test_a_connection_inside_becomes_a_list() -> None:
    """Rows with what their edge knows over what their node knows, and the total beside it."""
    edge = {"tags": ["t"], "status": "RUNNING", "node": {"nodeId": "b", "status": "READY"}}
    found = operations.plain({"nodeId": "a", "steps": {"totalCount": 7, "edges": [edge]}})
    row = {"id": "b", "node_status": "ready", "tags": ["t"], "status": "running"}
    assert found == {"id": "a", "steps": [row], "steps_total": 7}


class Pages:
    """An API whose list has this many rows, and that notes what it was asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, total: int) -> None:
        self.total = total
        self.asked: list[tuple[int, str | None]] = []
        monkeypatch.setattr(client, "run", self.run)

    async def run(
        self, _db: Any, _name: str, given: dict[str, Any], _actor: str, _similarity: Any
    ) -> dict[str, Any]:
        """One page of the list."""
        self.asked.append((given["first"], given["after"]))
        start = int(given["after"] or 0)
        end = min(start + given["first"], self.total)
        info = {"hasNextPage": end < self.total, "endCursor": str(end)}
        nodes = [{"nodeId": str(n)} for n in range(start, end)]
        return {"workNodes": {"nodes": nodes, "pageInfo": info, "totalCount": self.total}}


@pytest.mark.parametrize(
    ("limit", "asked"),
    [
        (50, [(50, None)]),
        (700, [(500, None), (200, "500")]),
        (10_000, [(500, None), (500, "500"), (500, "1000")]),
    ],
)
async def test_pages_are_bounded(
    monkeypatch: pytest.MonkeyPatch, limit: int, asked: list[tuple[int, str | None]]
) -> None:
    """Pages of 500 at most, never more rows than asked for, and it says how many there are."""
    api = Pages(monkeypatch, 1200)
    found = await operations.pages(None, "NodeList", {}, "me", limit, "nodes")  # type: ignore[arg-type]  # no database is asked
    assert api.asked == asked
    assert [row["id"] for row in found["nodes"]] == [str(n) for n in range(min(limit, 1200))]
    assert (found["total"], found["more"]) == (1200, limit < 1200)


async def test_null_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A root field that is null names what was looked for."""

    async def run(*_: Any) -> dict[str, Any]:
        return {"workNode": None}

    monkeypatch.setattr(client, "run", run)
    with pytest.raises(NotFound, match="no node 'x' in project 'p'"):
        await operations.ask(None, "NodeShow", {"project": "p", "id": "x"}, "me")  # type: ignore[arg-type]  # no database is asked
