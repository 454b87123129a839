import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from factories import make_edge, make_node
from graphs import assert_verified, seq_of

from gotn.database.connection import Database
from gotn.errors import Conflict
from gotn.work.records import GraphDraft, NodeStatus
from gotn.work.usecases import bulk, edges, link, nodes, planning, projects
from gotn.work.usecases.writing import Request


def _keyed(request: Request, key: str) -> Request:
    return Request(project_id=request.project_id, actor=request.actor, idempotency_key=key)


async def test_the_same_key_gives_the_first_answer(database: Database, request_: Request) -> None:
    """Even after the node changed; another input under it is a conflict."""
    keyed = _keyed(request_, "k")
    first = await nodes.add(database, keyed, make_node("a", extra={"estimate_minutes": 2}))
    await nodes.update(database, request_, "a", {"summary": "later"})
    seq = await seq_of(database, request_.project_id)
    assert first == await nodes.add(database, keyed, make_node("a", extra={"estimate_minutes": 2}))
    with pytest.raises(Conflict, match="another input"):
        await nodes.add(database, keyed, make_node("b"))
    with pytest.raises(Conflict, match="another input"):
        await nodes.remove(database, keyed, "a")
    assert seq == await seq_of(database, request_.project_id)
    await assert_verified(database, request_.project_id)


async def test_every_mutation_keeps_its_answer(database: Database, request_: Request) -> None:
    """Asked again under its key each gives the answer it gave, and the journal does not grow."""
    draft = GraphDraft(nodes=[{"id": "z", "kind": "k", "summary": "s", "prompt_text": "p"}])
    steps: list[Callable[[Request], Awaitable[Any]]] = [
        lambda r: bulk.add_graph(
            database, r, [make_node("a", produces=("t",)), make_node("b", requires=("t",))], []
        ),
        lambda r: bulk.import_graph(database, r, draft),
        lambda r: nodes.update(database, r, "a", {"created_at": "2025-01-01T00:00:00Z"}),
        lambda r: edges.add(database, r, make_edge("a", "z")),
        lambda r: link.link(database, r),
        lambda r: planning.plan(database, r, goal="g", targets=("b",)),
        lambda r: edges.remove(database, r, make_edge("a", "z")),
        lambda r: nodes.update(database, r, "b", {"status": NodeStatus.COMPLETED}),
        lambda r: planning.plan(database, r, targets=("b",)),
        lambda r: projects.settings(database, r, {"description": "d"}),
        lambda r: nodes.remove(database, r, "z"),
    ]
    answers = [await step(_keyed(request_, f"k{i}")) for i, step in enumerate(steps)]
    seq = await seq_of(database, request_.project_id)
    again = [await step(_keyed(request_, f"k{i}")) for i, step in enumerate(steps)]
    assert answers == again
    assert seq == await seq_of(database, request_.project_id)
    await assert_verified(database, request_.project_id)


async def test_another_file_under_the_same_key_is_a_conflict(
    database: Database, request_: Request
) -> None:
    """Also where it has as many nodes."""
    keyed = _keyed(request_, "file")
    row = {"id": "a", "kind": "k", "summary": "s", "prompt_text": "p"}
    await bulk.import_graph(database, keyed, GraphDraft(nodes=[row]))
    with pytest.raises(Conflict, match="another input"):
        await bulk.import_graph(database, keyed, GraphDraft(nodes=[row | {"id": "b"}]))


async def test_one_key_at_once_acts_once(database: Database, request_: Request) -> None:
    """Eight callers, one journal entry, one answer."""
    keyed = _keyed(request_, "k")
    calls = (nodes.add(database, keyed, make_node("a")) for _ in range(8))
    answers = await asyncio.gather(*calls)
    assert [answers[0]] * 8 == answers
    assert 2 == await seq_of(database, request_.project_id)
    await assert_verified(database, request_.project_id)


async def test_a_refused_call_keeps_no_answer(database: Database, request_: Request) -> None:
    """Its key is free again."""
    await nodes.add(database, request_, make_node("a"))
    keyed = _keyed(request_, "k")
    with pytest.raises(Conflict):
        await nodes.add(database, keyed, make_node("a", kind="other"))
    assert "b" == (await nodes.add(database, keyed, make_node("b"))).id


async def test_keys_belong_to_their_project(
    database: Database, request_: Request, project: str
) -> None:
    """The same key elsewhere is another key."""
    other = Request(project_id=f"{project}-2", idempotency_key="k")
    await nodes.add(database, _keyed(request_, "k"), make_node("a"))
    assert "b" == (await nodes.add(database, other, make_node("b"))).id
