"""A commit whose answer is lost: its effect is there once, and its caller gets its answer."""

import asyncio
from dataclasses import replace

from conftest import Neo4j
from factories import make_edge, make_node
from graphs import assert_verified, seq_of
from lossy import lossy

from gotn import journal
from gotn.database.connection import Database
from gotn.work.records import ClaimStatus, StepStatus
from gotn.work.store import runs as run_store
from gotn.work.usecases import bulk, claiming, ending, nodes, planning
from gotn.work.usecases.queue import WriteQueue
from gotn.work.usecases.writing import Request


async def _claims(database: Database, project: str) -> list[tuple[str, int]]:
    return [
        (item["step"]["node"], item["step"]["attempt"])
        async for entry in journal.entries(database, project)
        for item in entry.items()
        if item.get("step", {}).get("status") == "running"
    ]


async def test_a_lost_answer_doubles_nothing(
    database: Database, neo4j_server: Neo4j, request_: Request
) -> None:
    """Claims and ends, without an idempotency key: stored once, answered with what was stored."""
    ids = [make_node(i) for i in "abc"]
    await bulk.add_graph(database, request_, ids, [make_edge("a", "b")])
    run = (await planning.plan(database, request_)).run_id or ""
    async with lossy(neo4j_server.uri) as proxy:
        lost = Database.open(proxy.address, neo4j_server.user, neo4j_server.password)
        try:
            proxy.lose = 1
            claim = await claiming.claim(lost, request_, run, "w")
            assert (1, "a", 1) == (proxy.lost, claim.node and claim.node.id, claim.attempt)
            proxy.lose = 2
            step = await ending.complete(lost, request_, run, "a", claim.token or "")
            assert (3, StepStatus.COMPLETED) == (proxy.lost, step.status)
            before = await seq_of(database, request_.project_id)
            proxy.lose = 1
            await nodes.add(lost, request_, make_node("z"))
            assert before + 1 == await seq_of(database, request_.project_id)
        finally:
            await lost.close()
    assert [("a", 1)] == await _claims(database, request_.project_id)
    stored = await database.read(lambda tx: run_store.steps_of(tx, request_.project_id, "a", 9))
    assert [1] == [len(one["attempts"]) for one in stored]
    await assert_verified(database, request_.project_id)


async def test_a_group_whose_answer_is_lost(
    database: Database, neo4j_server: Neo4j, request_: Request
) -> None:
    """Each of many waiting workers gets a step of its own, and no step is left behind."""
    await bulk.add_graph(database, request_, [make_node(f"n{i}") for i in range(40)], [])
    run = (await planning.plan(database, request_)).run_id or ""
    async with lossy(neo4j_server.uri) as proxy:
        lost = Database.open(proxy.address, neo4j_server.user, neo4j_server.password)
        request = replace(request_, queue=WriteQueue())
        try:
            proxy.lose = 2
            claims = await asyncio.gather(
                *(claiming.claim(lost, request, run, f"w{i}") for i in range(40))
            )
        finally:
            await lost.close()
        assert 2 == proxy.lost
    assert {ClaimStatus.CLAIMED} == {claim.status for claim in claims}
    given = {claim.node.id for claim in claims if claim.node}
    assert 40 == len(given)
    assert 40 == len(await _claims(database, request_.project_id))
    await assert_verified(database, request_.project_id)
