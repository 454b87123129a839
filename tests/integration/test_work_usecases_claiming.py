import asyncio
from typing import Any

import pytest
from factories import make_edge, make_node
from graphs import assert_verified

from gotn.database.connection import Database
from gotn.errors import Conflict, IllegalMove, LeaseLost, NotFound
from gotn.work.records import ClaimStatus, NodeStatus, RunStatus, StepStatus
from gotn.work.usecases import bulk, claiming, ending, nodes, planning
from gotn.work.usecases.writing import Request


async def planned(database: Database, request: Request, ids: str, *pairs: str) -> str:
    """A run of nodes of one letter each, with edges given as "ab"."""
    hard = [make_edge(pair[0], pair[1]) for pair in pairs]
    await bulk.add_graph(database, request, [make_node(i) for i in ids], hard)
    return (await planning.plan(database, request)).run_id or ""


async def test_a_run_is_executed_to_its_end(database: Database, request_: Request) -> None:
    """Steps come in the order of the longest chain; the run starts and ends by itself."""
    run = await planned(database, request_, "abcd", "bd", "dc")
    taken = []
    while True:
        claim = await claiming.claim(database, request_, run, "w")
        if claim.status is not ClaimStatus.CLAIMED:
            break
        assert claim.step is not None
        assert claim.node is not None
        assert (NodeStatus.RUNNING, StepStatus.RUNNING) == (claim.node.status, claim.step.status)
        assert RunStatus.RUNNING is claim.run.status
        taken.append(claim.node.id)
        step = await ending.complete(
            database, request_, run, claim.node.id, claim.token or "", outputs={"n": 1}
        )
        assert (StepStatus.COMPLETED, {"n": 1}, 1) == (step.status, step.outputs, step.attempt)
        await assert_verified(database, request_.project_id)
    assert ["b", "d", "a", "c"] == taken
    assert ClaimStatus.RUN_ENDED is claim.status
    assert RunStatus.COMPLETED is claim.run.status
    assert claim.run.finished_at is not None


async def test_a_claimed_step_is_nobody_elses(database: Database, request_: Request) -> None:
    """The next worker gets the next step, then nothing; a named step says who has it."""
    run = await planned(database, request_, "ab", "ab")
    first = await claiming.claim(database, request_, run, "one")
    second = await claiming.claim(database, request_, run, "two")
    assert ClaimStatus.NOTHING_READY is second.status
    assert second.retry_after_ms is not None
    assert 0 < second.retry_after_ms <= claiming.USUAL
    with pytest.raises(Conflict, match="a is one's until"):
        await claiming.claim(database, request_, run, "two", node_id="a")
    with pytest.raises(Conflict, match="b waits for 1"):
        await claiming.claim(database, request_, run, "two", node_id="b")
    with pytest.raises(LeaseLost):
        await ending.complete(database, request_, run, "a", "wrong")
    with pytest.raises(NotFound):
        await ending.complete(database, request_, run, "z", "wrong")
    await ending.complete(database, request_, run, "a", first.token or "")
    again = await ending.complete(database, request_, run, "a", first.token or "")
    assert StepStatus.COMPLETED is again.status
    assert ClaimStatus.CLAIMED is (await claiming.claim(database, request_, run, "two")).status
    await assert_verified(database, request_.project_id)


async def test_a_failure_blocks_what_needs_it(database: Database, request_: Request) -> None:
    """Steps and nodes behind it are blocked with the reason; the run fails when nothing is left."""
    run = await planned(database, request_, "abcd", "ab", "bc")
    first = await claiming.claim(database, request_, run, "w", node_id="a")
    step = await ending.fail(database, request_, run, "a", first.token or "", "no luck")
    assert (StepStatus.FAILED, "no luck") == (step.status, step.reason)
    await assert_verified(database, request_.project_id)
    with pytest.raises(IllegalMove, match="a blocked step cannot become running"):
        await claiming.claim(database, request_, run, "w", node_id="c")
    last = await claiming.claim(database, request_, run, "w")
    assert last.node is not None
    assert "d" == last.node.id
    await ending.complete(database, request_, run, "d", last.token or "")
    ended = await claiming.claim(database, request_, run, "w")
    assert (ClaimStatus.RUN_ENDED, RunStatus.FAILED) == (ended.status, ended.run.status)
    assert "steps: 1 failed, 2 blocked" == ended.run.reason
    await assert_verified(database, request_.project_id)


async def test_a_skipped_step_lets_others_go_on(database: Database, request_: Request) -> None:
    """Its node is skipped too; one whose node was done elsewhere is skipped at the claim."""
    run = await planned(database, request_, "abc", "ab")
    await ending.skip(database, request_, run, "a", "not needed")
    await nodes.update(database, request_, "c", {"status": NodeStatus.COMPLETED})
    claim = await claiming.claim(database, request_, run, "w")
    assert claim.node is not None
    assert "b" == claim.node.id
    await ending.skip(database, request_, run, "b", "neither", token=claim.token)
    ended = await claiming.claim(database, request_, run, "w")
    assert (ClaimStatus.RUN_ENDED, RunStatus.COMPLETED) == (ended.status, ended.run.status)
    await assert_verified(database, request_.project_id)


async def test_a_retry_waits_and_counts(database: Database, request_: Request) -> None:
    """A node's policy: so many attempts, each recorded, with a pause between."""
    retry = {"retry": {"attempts": 2, "backoff_ms": 50, "time_limit_ms": 9, "multiplier": 0}}
    await nodes.add(database, request_, make_node("a", extra=retry))
    run = (await planning.plan(database, request_)).run_id or ""
    claim = await claiming.claim(database, request_, run, "w")
    assert 9 == claim.time_limit_ms
    assert ("retry.multiplier: expected a number from 1 to 1000, found 0",) == claim.warnings
    step = await ending.fail(
        database, request_, run, "a", claim.token or "", "first", outputs="o", duration_ms=5
    )
    assert (StepStatus.READY, "first") == (step.status, step.reason)
    assert step.not_before is not None
    await assert_verified(database, request_.project_id)
    while (claim := await claiming.claim(database, request_, run, "v")).status is (
        ClaimStatus.NOTHING_READY
    ):
        assert claim.retry_after_ms is not None
        await asyncio.sleep(claim.retry_after_ms / 1000)
    assert 2 == claim.attempt
    step = await ending.fail(database, request_, run, "a", claim.token or "", "second")
    assert StepStatus.FAILED is step.status
    known = [(one["number"], one["worker"], one["outcome"]) for one in step.attempts]
    assert [(1, "w", "failed"), (2, "v", "failed")] == known
    assert ("first", "o", 5) == tuple(
        step.attempts[0][name] for name in ("reason", "outputs", "duration_ms")
    )
    await assert_verified(database, request_.project_id)


async def test_claims_may_ask_for_kinds_and_tags(database: Database, request_: Request) -> None:
    """Any of the kinds, and any of the tags; nothing else is handed out."""
    await bulk.add_graph(
        database,
        request_,
        [make_node("a", kind="k"), make_node("b", tags=("t",)), make_node("c", tags=("t", "u"))],
        [],
    )
    run = (await planning.plan(database, request_)).run_id or ""
    wanted: list[dict[str, Any]] = [
        {"kinds": ("x",)},
        {"tags": ("u",)},
        {"kinds": ("k", "l")},
        {"tags": ("t",)},
    ]
    found = []
    for some in wanted:
        claim = await claiming.claim(database, request_, run, "w", **some)
        found.append(claim.node.id if claim.node else None)
    assert [None, "c", "a", "b"] == found
    await assert_verified(database, request_.project_id)
