"""Writes that share a transaction: each as if it were alone, with the same journal."""

import asyncio
import os
import random
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import pytest
from factories import make_edge, make_node
from graphs import assert_verified, seq_of

from gotn import journal, shapes
from gotn.database.connection import Database, Tx
from gotn.errors import CycleRefused, GotnError, Invalid, NotFound
from gotn.work.records import EdgeType, NodeStatus
from gotn.work.usecases import edges, grouping, nodes
from gotn.work.usecases.grouping import Outcome, Write
from gotn.work.usecases.queue import WriteQueue
from gotn.work.usecases.writing import Request, perform, perform_all

IDS = [f"n{i}" for i in range(12)] + ["ü/%"]
TAGS = [(), ("T",), ("U", "T"), None]
#: Seeds of every run; GOTN_TEST_PROFILE=fuzz adds random ones.
SEEDS = [1, 2, 3]
if os.environ.get("GOTN_TEST_PROFILE") == "fuzz":
    SEEDS += [random.SystemRandom().randrange(10**9) for _ in range(40)]


def _random_write(dice: random.Random, request: Request) -> Write[Any]:
    """Any small write, right or wrong; mostly such that change something."""
    one, two = dice.choice(IDS), dice.choice(IDS)
    if dice.random() < 0.1:
        request = replace(request, idempotency_key=f"k{dice.randrange(6)}")
    kind = dice.randrange(12)
    if kind < 3:
        more: dict[str, Any] = {"requires": dice.choice(TAGS), "produces": dice.choice(TAGS)}
        if dice.random() < 0.2:
            more["parent"] = two if two != one else None
        if dice.random() < 0.2:
            more["status"] = dice.choice(list(NodeStatus))
        if dice.random() < 0.3:
            more["created_at"] = shapes.moment("2025-10-12T11:25:29.5-07:00")
        return nodes.adding(request, make_node(one, **more))
    if kind < 6:
        changes: dict[str, Any] = dice.choice(
            [
                {"status": dice.choice(list(NodeStatus))},
                {"status": NodeStatus.FAILED},
                {"summary": f"s{dice.random()}", "tags": dice.choice(TAGS)},
                {"requires": dice.choice(TAGS), "extra": {"a": [], "estimate_minutes": 3}},
                {"parent": dice.choice([None, two])},
                {"children": dice.choice([None, (two,)])},
                {"exec_target": None, "guards": ["x"]},
            ]
        )
        expected = dice.choice([None, None, None, 1, 2])
        return nodes.updating(request, one, changes, expected)
    if kind < 10:
        type_ = dice.choice([*([EdgeType.HARD_REQUIRES] * 4), *EdgeType])
        score = 0.8 if type_ is EdgeType.SOFT_SEMANTIC else None
        draft = make_edge(one, two, type=type_, score=score, evidence=dice.choice([None, "e"]))
        return edges.adding(request, draft, wait=dice.random() < 0.3)
    return edges.removing(request, make_edge(one, two, type=dice.choice(list(EdgeType))))


def _plan(seed: int, request: Request, count: int) -> list[Write[Any]]:
    """The same writes for the same seed, in whichever project; those that cannot be asked less."""
    dice = random.Random(seed)
    found: list[Write[Any]] = []
    while len(found) < count:
        try:
            found.append(_random_write(dice, request))
        except Invalid:
            continue
    return found


def _said(outcome: Outcome[Any], project: str) -> Any:
    """An answer or an error without times and the project's name."""
    if isinstance(outcome.error, GotnError):
        return type(outcome.error).__name__, outcome.error.message.replace(project, "P")
    assert outcome.error is None
    return outcome.seq, _timeless(shapes.plain(outcome.answer), project)


def _timeless(value: Any, project: str) -> Any:
    if isinstance(value, dict):
        return {
            name: _timeless(item, project)
            for name, item in value.items()
            if name not in ("updated_at", "created_at") or item == "2025-10-12T18:25:29.5Z"
        }
    if isinstance(value, list):
        return [_timeless(item, project) for item in value]
    return value.replace(project, "P") if isinstance(value, str) else value


async def _journal(database: Database, project: str) -> list[Any]:
    return [
        (entry.seq, entry.event, entry.actor, _timeless(entry.data, project))
        async for entry in journal.entries(database, project)
    ]


@pytest.mark.parametrize("seed", SEEDS)
async def test_together_is_as_one_by_one(database: Database, project: str, seed: int) -> None:
    """Random writes in groups give the answers, errors and entries that they give alone."""
    one, other = f"{project}-1", f"{project}-2"
    alone = []
    for write in _plan(seed, Request(project_id=one, actor="tester"), 160):
        alone += await grouping.some(database, [write])
    writes = _plan(seed, Request(project_id=other, actor="tester"), 160)
    dice = random.Random(seed)
    together: list[Outcome[Any]] = []
    while len(together) < len(writes):
        size = dice.choice([1, 2, 7, 40, 64])
        together += await perform_all(database, writes[len(together) : len(together) + size])
    said = [_said(outcome, one) for outcome in alone]
    assert said == [_said(outcome, other) for outcome in together]
    assert await _journal(database, one) == await _journal(database, other)
    await assert_verified(database, other)
    refused = sum(outcome.error is not None for outcome in alone)
    assert 0.1 * len(alone) < refused < 0.75 * len(alone)


async def test_a_group_is_one_transaction(database: Database, request_: Request) -> None:
    """64 writes take the lock, read and append once; nothing grows with their number."""
    await nodes.add(database, request_, make_node("n0"))
    counted: list[str] = []
    before, database.on_statement = database.on_statement, counted.append
    try:
        writes: list[Write[Any]] = [
            nodes.adding(request_, make_node(f"n{i}", requires=("T",))) for i in range(1, 33)
        ]
        writes += [edges.adding(request_, make_edge(f"n{i}", f"n{i + 1}")) for i in range(32)]
        outcomes = await perform_all(database, writes)
    finally:
        database.on_statement = before
    assert [None] * 64 == [outcome.error for outcome in outcomes]
    assert [
        "work/lock_window",
        "work/create_nodes",
        "work/put_requires",
        "work/create_edges",
        "journal/append_and_move_head",
    ] == counted
    assert 66 == await seq_of(database, request_.project_id)
    await assert_verified(database, request_.project_id)


async def test_a_refused_write_stops_no_other(database: Database, request_: Request) -> None:
    """A cycle, a missing node and an illegal revision are named; the others are stored."""
    await nodes.add(database, request_, make_node("a"))
    outcomes = await perform_all(
        database,
        [
            nodes.adding(request_, make_node("b")),
            edges.adding(request_, make_edge("a", "b")),
            edges.adding(request_, make_edge("b", "a")),
            edges.adding(request_, make_edge("a", "nobody")),
            nodes.updating(request_, "a", {"summary": "new"}, 7),
            nodes.updating(request_, "b", {"summary": "new"}, 1),
        ],
    )
    kinds = [type(outcome.error).__name__ for outcome in outcomes]
    assert [
        "NoneType",
        "NoneType",
        "CycleRefused",
        "NotFound",
        "StaleRevision",
        "NoneType",
    ] == kinds
    assert isinstance(outcomes[2].error, CycleRefused)
    assert ["b", "a", "b"] == list(outcomes[2].error.facts["path"])
    assert 2 == outcomes[5].unwrapped().revision
    await assert_verified(database, request_.project_id)


async def test_a_group_waits_once_for_a_lock_that_nobody_gives_back(
    database: Database, request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its time is up: all are told so, and halves of it do not wait again; then all is well."""
    monkeypatch.setattr(grouping, "SECONDS", 0.5)
    await nodes.add(database, request_, make_node("a"))
    writes = [nodes.adding(request_, make_node(name)) for name in "bcde"]
    counted: list[str] = []

    async def held(tx: Tx) -> list[Outcome[Any]]:
        await tx.rows("project/lock", project=request_.project_id)
        database.on_statement = counted.append
        return await perform_all(database, writes)

    before = database.on_statement
    try:
        outcomes = await database.write(held)
    finally:
        database.on_statement = before
    assert ["work/lock_window"] == counted
    assert ["Another writer held the project for too long; try again."] * 4 == [
        str(outcome.error) for outcome in outcomes
    ]
    await perform_all(database, writes)
    await assert_verified(database, request_.project_id)


async def test_a_project_that_is_not_there(database: Database, project: str) -> None:
    """Who may not create it is refused, the first who may creates it, under its own name."""
    ann, bob = (Request(project_id=project, actor=name) for name in ("ann", "bob"))
    outcomes = await perform_all(
        database,
        [
            nodes.updating(ann, "a", {"summary": "x"}),
            nodes.adding(bob, make_node("a")),
            nodes.updating(ann, "a", {"summary": "x"}),
        ],
    )
    assert isinstance(outcomes[0].error, NotFound)
    actors = [entry.actor async for entry in journal.entries(database, project)]
    assert ["bob", "bob", "ann"] == actors


async def test_writes_of_two_projects_are_refused(database: Database, project: str) -> None:
    """One transaction has one lock."""
    writes = [nodes.adding(Request(project_id=f"{project}{i}"), make_node("a")) for i in (1, 2)]
    with pytest.raises(Invalid, match="expected one for all writes, found 2"):
        await perform_all(database, writes)


async def test_the_queue_groups_what_waits(database: Database, request_: Request) -> None:
    """100 concurrent writers: every one has its own answer and entry, few transactions."""
    queue = WriteQueue()
    queued = replace(request_, queue=queue)
    await nodes.add(database, queued, make_node("first"))
    counted: list[str] = []
    before, database.on_statement = database.on_statement, counted.append
    try:
        found = await asyncio.gather(
            *(nodes.add(database, queued, make_node(f"n{i}")) for i in range(100)),
            *(edges.add(database, queued, make_edge("first", "missing")) for _ in range(3)),
            return_exceptions=True,
        )
    finally:
        database.on_statement = before
    assert [f"n{i}" for i in range(100)] == [getattr(node, "id", node) for node in found[:100]]
    assert all(isinstance(error, NotFound) for error in found[100:])
    assert counted.count("work/lock_window") <= 3
    await queue.close()
    await assert_verified(database, request_.project_id)


async def test_queues_of_two_servers_agree(
    database: Database, request_: Request, neo4j_server: Any
) -> None:
    """Two queues over two connections write one chain; a contested update has one winner."""
    other = Database.open(neo4j_server.uri, neo4j_server.user, neo4j_server.password)
    try:
        sides = [(database, WriteQueue()), (other, WriteQueue())]
        await nodes.add(database, request_, make_node("contested"))
        calls: list[Coroutine[Any, Any, Any]] = []
        for number in range(60):
            side, queue = sides[number % 2]
            queued = replace(request_, queue=queue)
            calls.append(nodes.add(side, queued, make_node(f"n{number}")))
            calls.append(nodes.update(side, queued, "contested", {"summary": f"{number}"}, 1))
        found = await asyncio.gather(*calls, return_exceptions=True)
        won = [one for one in found[1::2] if not isinstance(one, BaseException)]
        assert 1 == len(won)
        assert not [one for one in found[::2] if isinstance(one, BaseException)]
        await assert_verified(database, request_.project_id)
    finally:
        await other.close()


async def test_who_goes_away_is_passed_over(database: Database, request_: Request) -> None:
    """A cancelled caller's write that waits still is never made; the others' are."""
    queue = WriteQueue()
    queued = replace(request_, queue=queue)
    running = asyncio.create_task(nodes.add(database, queued, make_node("a")))
    await asyncio.sleep(0)
    gone = asyncio.create_task(nodes.add(database, queued, make_node("gone")))
    stays = asyncio.create_task(nodes.add(database, queued, make_node("b")))
    await asyncio.sleep(0)
    gone.cancel()
    assert ["a", "b"] == [(await running).id, (await stays).id]
    with pytest.raises(asyncio.CancelledError):
        await gone
    assert None is await nodes_or_none(database, request_, "gone")


async def nodes_or_none(database: Database, request: Request, id_: str) -> Any:
    """A node, or None: asking for a change of one that is not there says so."""
    try:
        return await perform(database, request, nodes.updating(request, id_, {}))
    except NotFound:
        return None
