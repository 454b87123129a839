import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from factories import make_edge, make_node
from graphs import assert_verified

from gotn import journal
from gotn.database.connection import Database
from gotn.errors import IllegalMove, Invalid, LeaseLost, StaleRevision
from gotn.work.records import (
    Claim,
    ClaimStatus,
    Moved,
    NodeStatus,
    OnFailure,
    RunStatus,
    StepStatus,
)
from gotn.work.store import nodes as node_store
from gotn.work.store import runs as run_store
from gotn.work.usecases import (
    bulk,
    claiming,
    controlling,
    edges,
    ending,
    nodes,
    planning,
    replanning,
)
from gotn.work.usecases.writing import Request


async def planned(database: Database, request: Request, ids: str, *pairs: str) -> str:
    """A run of nodes of one letter each, with edges given as "ab"."""
    hard = [make_edge(pair[0], pair[1]) for pair in pairs]
    await bulk.add_graph(database, request, [make_node(i) for i in ids], hard)
    return (await planning.plan(database, request)).run_id or ""


async def claimed(
    database: Database, request: Request, run: str, worker: str, lease_ms: int
) -> Claim:
    """The next claim, as soon as there is one."""
    while True:
        claim = await claiming.claim(database, request, run, worker, lease_ms=lease_ms)
        if claim.status is not ClaimStatus.NOTHING_READY:
            return claim
        assert claim.retry_after_ms is not None
        await asyncio.sleep(claim.retry_after_ms / 1000)


async def statuses(database: Database, request: Request, ids: str) -> str:
    """The first letters of the nodes' statuses."""
    found = await database.read(lambda tx: node_store.get(tx, request.project_id, ids))
    return "".join(found[id_]["status"][0] for id_ in ids)


async def test_an_expired_lease_gives_the_step_back(database: Database, request_: Request) -> None:
    """The next worker gets it; the first one's completion is refused with who has it."""
    run = await planned(database, request_, "a")
    first = await claimed(database, request_, run, "one", 1000)
    second = await claimed(database, request_, run, "two", 60_000)
    assert (2, "two") == (second.attempt, second.step and second.step.worker)
    with pytest.raises(LeaseLost, match="two has it until") as lost:
        await ending.complete(database, request_, run, "a", first.token or "")
    assert ("two", 2) == (lost.value.facts["holder"], lost.value.facts["attempt"])
    with pytest.raises(LeaseLost):
        await claiming.renew(database, request_, run, "a", first.token or "")
    beat = await claiming.renew(database, request_, run, "a", second.token or "", lease_ms=1000)
    assert beat.lease_until == second.lease_until  # never shorter than it was promised
    renewed = await claiming.renew(database, request_, run, "a", second.token or "")
    assert renewed.lease_until is not None
    assert second.lease_until is not None
    assert renewed.lease_until > second.lease_until
    step = await ending.complete(database, request_, run, "a", second.token or "")
    assert ["expired", "completed"] == [one["outcome"] for one in step.attempts]
    events = [entry.event async for entry in journal.entries(database, request_.project_id)]
    assert ["execute_step", "finish_run"] == events[-2:]
    await assert_verified(database, request_.project_id)


async def test_who_fails_fast_ends_at_once(database: Database, request_: Request) -> None:
    """Nothing more is handed out; what is running may end; then the run has failed."""
    run = await planned(database, request_, "abc")
    started = await controlling.start(database, request_, run, OnFailure.FAIL_FAST)
    assert (RunStatus.RUNNING, OnFailure.FAIL_FAST, 2) == (
        started.status,
        started.on_failure,
        started.revision,
    )
    with pytest.raises(IllegalMove, match="a running run cannot be started"):
        await controlling.start(database, request_, run)
    one = await claiming.claim(database, request_, run, "w")
    two = await claiming.claim(database, request_, run, "w")
    await ending.fail(database, request_, run, "a", one.token or "", "broken")
    claim = await claiming.claim(database, request_, run, "w")
    assert (ClaimStatus.NOTHING_READY, RunStatus.RUNNING) == (claim.status, claim.run.status)
    await ending.complete(database, request_, run, "b", two.token or "")
    ended = await claiming.claim(database, request_, run, "w")
    assert (ClaimStatus.RUN_ENDED, RunStatus.FAILED) == (ended.status, ended.run.status)
    await assert_verified(database, request_.project_id)


async def test_every_change_of_a_step_may_expect_a_revision(
    database: Database, request_: Request
) -> None:
    """Started meanwhile, the run is another one than its caller saw: refused, nothing changed."""
    run = await planned(database, request_, "abc")
    a = await claiming.claim(database, request_, run, "w", expected_revision=1)
    b = await claiming.claim(database, request_, run, "w", expected_revision=2)
    first, second = (run, "a", a.token or ""), (run, "b", b.token or "")

    def changes(seen: int) -> list[Coroutine[Any, Any, object]]:
        db, asked = database, request_
        return [
            claiming.claim(db, asked, run, "w", node_id="c", expected_revision=seen),
            claiming.renew(db, asked, *first, expected_revision=seen),
            ending.complete(db, asked, *first, expected_revision=seen),
            ending.release(db, asked, *second, "why", expected_revision=seen),
            ending.skip(db, asked, run, "b", "why", expected_revision=seen),
        ]

    for change in changes(1):
        with pytest.raises(StaleRevision, match="revision 2, not 1"):
            await change
    with pytest.raises(StaleRevision):
        await ending.fail(database, request_, *second, "why", expected_revision=1)
    assert "rrr" == await statuses(database, request_, "abc")
    for change in changes(2):
        await change
    assert "csr" == await statuses(database, request_, "abc")
    await assert_verified(database, request_.project_id)


async def test_a_cancelled_run_can_be_resumed(database: Database, request_: Request) -> None:
    """Its open steps are skipped, its nodes stay open; resumed, they are ready again."""
    run = await planned(database, request_, "abcd", "ab", "bc")
    done = await claiming.claim(database, request_, run, "w")
    await ending.complete(database, request_, run, "a", done.token or "")
    await ending.skip(database, request_, run, "d", "by hand")
    taken = await claiming.claim(database, request_, run, "w")
    with pytest.raises(StaleRevision):
        await controlling.cancel(database, request_, run, "no", expected_revision=1)
    found = await controlling.cancel(database, request_, run, "no time", expected_revision=2)
    assert (RunStatus.CANCELLED, "no time", "tester") == (
        found.status,
        found.reason,
        found.cancelled_by,
    )
    assert "crrs" == await statuses(database, request_, "abcd")
    await assert_verified(database, request_.project_id)
    with pytest.raises(LeaseLost, match="cancelled: no time"):
        await ending.complete(database, request_, run, "b", taken.token or "")
    with pytest.raises(IllegalMove):
        await controlling.cancel(database, request_, run, "again")
    again = await controlling.resume(database, request_, run)
    assert (RunStatus.RUNNING, None, None) == (again.status, again.reason, again.finished_at)
    await assert_verified(database, request_.project_id)
    order = []
    while (claim := await claiming.claim(database, request_, run, "w")).node is not None:
        order.append(claim.node.id)
        await ending.complete(database, request_, run, claim.node.id, claim.token or "")
    assert ["b", "c"] == order
    assert RunStatus.COMPLETED is claim.run.status
    await assert_verified(database, request_.project_id)


async def test_a_failed_run_can_be_resumed(database: Database, request_: Request) -> None:
    """What failed is tried anew with all its attempts, what it blocked is free."""
    run = await planned(database, request_, "abc", "ab", "bc")
    claim = await claiming.claim(database, request_, run, "w")
    await ending.fail(database, request_, run, "a", claim.token or "", "broken")
    assert "fbb" == await statuses(database, request_, "abc")
    await controlling.resume(database, request_, run)
    assert "rrr" == await statuses(database, request_, "abc")
    await assert_verified(database, request_.project_id)
    claim = await claiming.claim(database, request_, run, "w")
    assert (2, "a") == (claim.attempt, claim.node and claim.node.id)
    step = await ending.complete(database, request_, run, "a", claim.token or "")
    assert [(1, "failed", True), (2, "completed", None)] == [
        (one["number"], one["outcome"], one.get("resumed")) for one in step.attempts
    ]
    await assert_verified(database, request_.project_id)


async def test_a_new_attempt_begins_without_what_the_last_one_brought(
    database: Database, request_: Request
) -> None:
    """Outputs, artifacts and duration of a failed attempt stay in the attempts alone."""
    run = await planned(database, request_, "ab")
    claim = await claiming.claim(database, request_, run, "w", node_id="a")
    brought: dict[str, Any] = {"outputs": {"n": 1}, "artifacts": ["b.txt"], "duration_ms": 9000}
    failed = await ending.fail(
        database, request_, run, "a", claim.token or "", "broken", final=True, **brought
    )
    assert ({"n": 1}, ("b.txt",), 9000) == (failed.outputs, failed.artifacts, failed.duration_ms)
    other = await claiming.claim(database, request_, run, "w", node_id="b")
    await ending.complete(database, request_, run, "b", other.token or "")
    await controlling.resume(database, request_, run)
    await assert_verified(database, request_.project_id)
    claim = await claiming.claim(database, request_, run, "w")
    step = await ending.complete(database, request_, run, "a", claim.token or "")
    assert (None, (), None) == (step.outputs, step.artifacts, step.duration_ms)
    first, second = step.attempts
    assert brought == {name: first[name] for name in brought}
    assert not brought.keys() & second.keys()
    await assert_verified(database, request_.project_id)


async def test_a_reason_is_not_blank(database: Database, request_: Request) -> None:
    """Whoever fails, skips, gives back or cancels says why; else nothing changes."""
    run = await planned(database, request_, "ab")
    claim = await claiming.claim(database, request_, run, "w", node_id="a")
    token = claim.token or ""
    for blank in ("", " \n\t"):
        for refused in (
            ending.fail(database, request_, run, "a", token, blank),
            ending.release(database, request_, run, "a", token, blank),
            ending.skip(database, request_, run, "b", blank),
            controlling.cancel(database, request_, run, blank),
        ):
            with pytest.raises(Invalid, match="reason: expected text that is not blank"):
                await refused
    step = await ending.complete(database, request_, run, "a", token)
    assert (StepStatus.COMPLETED, 1) == (step.status, step.attempt)


async def test_the_rest_is_planned_anew(database: Database, request_: Request) -> None:
    """What changed is told; what is done stays; a preview changes nothing."""
    run = await planned(database, request_, "abcd", "ab", "bc")
    claim = await claiming.claim(database, request_, run, "w")
    await ending.complete(database, request_, run, "a", claim.token or "")
    same = await replanning.replan(database, request_, run)
    assert ((), (), (), ("a",)) == (same.added, same.removed, same.moved, same.kept)
    await nodes.add(database, request_, make_node("e"))
    await edges.add(database, request_, make_edge("d", "b"))
    await edges.add(database, request_, make_edge("e", "d"))
    await nodes.remove(database, request_, "c", cascade=True)
    before = await database.read(lambda tx: run_store.get(tx, request_.project_id, [run]))
    told = await replanning.replan(database, request_, run, dry_run=True)
    assert before == await database.read(lambda tx: run_store.get(tx, request_.project_id, [run]))
    found = await replanning.replan(database, request_, run)
    assert (told.added, told.removed, told.moved) == (found.added, found.removed, found.moved)
    assert (("e",), ("c",)) == (found.added, found.removed)
    assert (("e",), ("d",), ("b",)) == found.layers
    assert (
        Moved(id="d", from_layer=0, to_layer=1),
        Moved(id="b", from_layer=1, to_layer=2),
    ) == found.moved
    stored = await database.read(lambda tx: run_store.get(tx, request_.project_id, [run]))
    assert [["a", "e"], ["d"], ["b"]] == stored[run]["layers"]
    assert ["a", "e", "d", "b"] == stored[run]["ordered_node_ids"]
    await assert_verified(database, request_.project_id)
    order = []
    while (claim := await claiming.claim(database, request_, run, "w")).node is not None:
        order.append(claim.node.id)
        await ending.complete(database, request_, run, claim.node.id, claim.token or "")
    assert ["e", "d", "b"] == order
    await assert_verified(database, request_.project_id)


async def test_edits_are_seen_by_the_next_claim(database: Database, request_: Request) -> None:
    """An edge or a status that changes while a run is executed counts at once."""
    run = await planned(database, request_, "abc", "ab")
    await controlling.start(database, request_, run)
    await edges.add(database, request_, make_edge("b", "c"))
    await nodes.update(database, request_, "a", {"status": NodeStatus.FAILED})
    claim = await claiming.claim(database, request_, run, "w")
    assert ClaimStatus.RUN_ENDED is claim.status
    assert RunStatus.FAILED is claim.run.status
    await assert_verified(database, request_.project_id)
    await nodes.update(database, request_, "a", {"status": NodeStatus.COMPLETED})
    await controlling.resume(database, request_, run)
    order = []
    while (claim := await claiming.claim(database, request_, run, "w")).node is not None:
        order.append(claim.node.id)
        await ending.complete(database, request_, run, claim.node.id, claim.token or "")
    assert ["b", "c"] == order
    assert RunStatus.COMPLETED is claim.run.status
    await assert_verified(database, request_.project_id)


async def test_a_node_of_two_runs_is_done_once(database: Database, request_: Request) -> None:
    """Claimed in one run it is not handed out in the other, which skips it once it is done."""
    one = await planned(database, request_, "ab", "ab")
    two = (await planning.plan(database, request_)).run_id or ""
    claim = await claiming.claim(database, request_, one, "w")
    other = await claiming.claim(database, request_, two, "v")
    assert ClaimStatus.NOTHING_READY is other.status
    await ending.complete(database, request_, one, "a", claim.token or "")
    other = await claiming.claim(database, request_, two, "v")
    assert "b" == (other.node and other.node.id)
    await ending.complete(database, request_, two, "b", other.token or "")
    last = await claiming.claim(database, request_, one, "w")
    assert (ClaimStatus.RUN_ENDED, RunStatus.COMPLETED) == (last.status, last.run.status)
    steps = await database.read(lambda tx: run_store.steps_of(tx, request_.project_id, "b", 9))
    assert {StepStatus.COMPLETED.value, StepStatus.SKIPPED.value} == {s["status"] for s in steps}
    await assert_verified(database, request_.project_id)
