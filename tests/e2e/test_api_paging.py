"""Pages stay right while rows come and go: what is there all the time is seen exactly once."""

from typing import Any

import pytest
from e2e.conftest import Api, edge, node

#: A list, the field of a row that names it, and what the rows are.
NODES = (
    "workNodes(project: $p, first: 3, after: $c, orderBy: ID) { %s }",
    "workNodes(project: $p, first: 3, after: $c, orderBy: NEWEST) { %s }",
    "workNodes(project: $p, first: 3, after: $c, orderBy: OLDEST) { %s }",
    "workNodes(project: $p, first: 3, after: $c, orderBy: UPDATED) { %s }",
    "workNodes(project: $p, first: 3, after: $c, orderBy: STATUS) { %s }",
    "workNodes(project: $p, first: 3, after: $c, orderBy: KIND) { %s }",
    'workNodes(project: $p, first: 3, after: $c, filter: {text: "do"}) { %s }',
    "ready(project: $p, first: 3, after: $c) { %s }",
    "orphans(project: $p, first: 3, after: $c) { %s }",
)
BELOW = (
    'workNode(project: $p, id: "m") { children(first: 3, after: $c) { %s } }',
    'workNode(project: $p, id: "m") { dependants(first: 3, after: $c) { %s } }',
    'dependants(project: $p, id: "m", first: 3, after: $c) { %s }',
)
STAY = [f"m{i:02}" for i in range(10)]


async def _page(api: Api, field: str, cursor: str | None) -> tuple[list[str], str | None]:
    """Names of a page's rows, and the cursor of its last one, None at the end."""
    text = field % "pageInfo { hasNextPage endCursor } edges { cursor node { nodeId } }"
    answer = await api.post(
        f"query Q($p: String!, $c: String) {{ {text} }}", p=api.project, c=cursor
    )
    found: Any = answer["data"]
    while "edges" not in found:
        (found,) = found.values()
    names = [row["node"]["nodeId"] for row in found["edges"]]
    info = found["pageInfo"]
    assert info["endCursor"] == (found["edges"][-1]["cursor"] if names else None)
    return names, info["endCursor"] if info["hasNextPage"] else None


async def _walk(api: Api, field: str, **more: Any) -> list[str]:
    """All names, with a row put in before, after and at the cursor and taken out at each page."""
    seen: list[str] = []
    cursor: str | None = None
    for page in range(40):
        names, cursor = await _page(api, field, cursor)
        seen += names
        if cursor is None:
            return seen
        last = names[-1]
        come = [f"a{page}", f"z{page}", f"{last}-", f"l{page}"] if page < 4 else []
        edges = [edge("m", id_) for id_ in come] if "edges" in more else []
        below = {"parent": "m"} if "parent" in more else {}
        if come:
            await api.graph([node(id_, kind=f"k{page}", **below) for id_ in come], edges)
        for id_ in {last, *names[:1]} - set(STAY):
            await api.run("NodeRemove", input={"id": id_, "cascade": True})
    raise AssertionError("the list never ends")


def _judge(seen: list[str]) -> None:
    assert [seen.count(id_) for id_ in STAY] == [1] * len(STAY), seen
    assert len(seen) == len(set(seen)), seen


@pytest.mark.parametrize("field", NODES)
async def test_lists_stay_right_while_rows_come_and_go(api: Api, field: str) -> None:
    """Each root list, in each order."""
    passing = [f"m{i:02}x" for i in range(10)]
    for some in (STAY[:5] + passing[:5], STAY[5:] + passing[5:]):
        await api.graph([node(id_, kind=id_[-1]) for id_ in some])
    _judge(await _walk(api, field))


@pytest.mark.parametrize("field", BELOW)
async def test_neighbours_stay_right_while_rows_come_and_go(api: Api, field: str) -> None:
    """Children, and what hard edges lead to, directly or not."""
    passing = [f"m{i:02}x" for i in range(10)]
    given = [node(id_, parent="m") for id_ in STAY + passing]
    await api.graph([node("m"), *given], [edge("m", id_) for id_ in STAY + passing])
    _judge(await _walk(api, field, edges=True, parent=True))


async def test_edges_stay_right_while_rows_come_and_go(api: Api) -> None:
    """The list of edges, by source, type and target."""
    await api.graph([node("m"), *map(node, STAY)], [edge("m", id_) for id_ in STAY])
    seen: list[str] = []
    cursor: str | None = None
    for page in range(20):
        answer = await api.run("EdgeList", first=2, after=cursor)
        seen += [found["dst"] for found in answer["nodes"] if found["src"] == "m"]
        if not answer["pageInfo"]["hasNextPage"]:
            break
        cursor = answer["pageInfo"]["endCursor"]
        come = [f"a{page}", f"z{page}", f"{seen[-1]}-"] if page < 3 else []
        if come:
            await api.graph([node(id_) for id_ in come], [edge("m", id_) for id_ in come])
        if seen[-1] not in STAY:
            await api.run("NodeRemove", input={"id": seen[-1], "cascade": True})
    _judge(seen)


@pytest.mark.parametrize("order", ["SEQ", "NEWEST"])
async def test_the_journal_stays_right_while_it_grows(api: Api, order: str) -> None:
    """From either end, each entry that was there at first is seen once, in order."""
    for id_ in STAY:
        await api.run("NodeAdd", input={"node": node(id_)})
    before = (await api.read("project(project: $p) { seq }"))["project"]["seq"]
    text = f"journal(project: $p, first: 3, after: $c, orderBy: {order}) "
    text += "{ pageInfo { hasNextPage endCursor } nodes { seq } }"
    seen: list[int] = []
    cursor: str | None = None
    for page in range(30):
        answer = await api.post(
            f"query Q($p: String!, $c: String) {{ {text} }}", p=api.project, c=cursor
        )
        found = answer["data"]["journal"]
        seen += [entry["seq"] for entry in found["nodes"]]
        cursor = found["pageInfo"]["endCursor"]
        if not found["pageInfo"]["hasNextPage"]:
            break
        if page < 5:
            await api.run("NodeAdd", input={"node": node(f"more{page}")})
    assert seen == sorted(seen, reverse=order == "NEWEST")
    assert [seen.count(seq) for seq in range(1, before + 1)] == [1] * before
