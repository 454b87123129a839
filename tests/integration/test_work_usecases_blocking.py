import random
from itertools import pairwise

import pytest
from factories import make_edge, make_node
from graphs import assert_verified, seq_of, state_of

from gotn.database.connection import Database
from gotn.errors import GotnError
from gotn.work.records import BlockedNode, GraphDraft, NodeStatus
from gotn.work.usecases import bulk, edges, link, nodes, planning
from gotn.work.usecases.writing import Request

S = NodeStatus


async def _held(database: Database, request: Request) -> dict[str, str | None]:
    """Which nodes are blocked, with their reasons; the project is verified on the way."""
    await assert_verified(database, request.project_id)
    rows = (await state_of(database, request.project_id))["nodes"]
    return {i: r.get("status_reason") for i, r in rows.items() if r["status"] == "blocked"}


async def _chain(database: Database, request: Request, *statuses: NodeStatus) -> None:
    """A → b → c → …, with these statuses."""
    ids = "abcdefgh"[: len(statuses)]
    drafts = [make_node(i, status=s) for i, s in zip(ids, statuses, strict=True)]
    chain = [make_edge(*pair) for pair in pairwise(ids)]
    await bulk.add_graph(database, request, drafts, chain)


async def _set(database: Database, request: Request, id_: str, status: NodeStatus) -> NodeStatus:
    return (await nodes.update(database, request, id_, {"status": status})).status


async def test_a_failure_holds_its_dependants(database: Database, request_: Request) -> None:
    """Through open nodes only, whatever their status; ready again when nothing is failed."""
    await _chain(database, request_, S.READY, S.READY, S.RUNNING, S.READY, S.COMPLETED, S.READY)
    await _set(database, request_, "a", S.FAILED)
    said = "needs a, which failed"
    assert {"b": said, "d": said} == await _held(database, request_)
    plan = await planning.plan(database, request_, dry_run=True)
    assert (
        BlockedNode(id="b", path=("a", "b")),
        BlockedNode(id="c", path=("a", "b", "c")),
        BlockedNode(id="d", path=("a", "b", "c", "d")),
    ) == plan.blocked
    assert (("f",),) == plan.layers
    await _set(database, request_, "a", S.READY)
    assert {} == await _held(database, request_)
    seq = await seq_of(database, request_.project_id)
    await nodes.update(database, request_, "b", {"summary": "new"})
    assert seq + 1 == await seq_of(database, request_.project_id)


async def test_the_next_failure_holds_on(database: Database, request_: Request) -> None:
    """The nearest failed node is named; when it is mended the other one is."""
    await _chain(database, request_, S.FAILED, S.FAILED, S.READY)
    assert {"c": "needs b, which failed"} == await _held(database, request_)
    await _set(database, request_, "b", S.COMPLETED)
    assert {} == await _held(database, request_)
    await _set(database, request_, "b", S.READY)
    said = "needs a, which failed"
    assert {"b": said, "c": said} == await _held(database, request_)


async def test_what_a_person_blocked_stays_blocked(database: Database, request_: Request) -> None:
    """Said before the failure or during it; freed only by an update."""
    await _chain(database, request_, S.READY, S.READY, S.READY)
    await nodes.update(database, request_, "b", {"status": S.BLOCKED, "status_reason": "later"})
    await _set(database, request_, "a", S.FAILED)
    assert {"b": "later", "c": "needs a, which failed"} == await _held(database, request_)
    await nodes.update(database, request_, "c", {"status": S.BLOCKED, "status_reason": "no"})
    await _set(database, request_, "a", S.COMPLETED)
    assert {"b": "later", "c": "no"} == await _held(database, request_)
    assert S.READY == await _set(database, request_, "c", S.READY)
    assert {"b": "later"} == await _held(database, request_)


async def test_saying_ready_does_not_free(database: Database, request_: Request) -> None:
    """A node whose prerequisite is failed is blocked, whatever is said; skipping it is allowed."""
    await _chain(database, request_, S.FAILED, S.READY, S.READY)
    assert S.BLOCKED == await _set(database, request_, "b", S.READY)
    assert S.SKIPPED == await _set(database, request_, "b", S.SKIPPED)
    assert {} == await _held(database, request_)


async def test_edges_hold_and_free(database: Database, request_: Request) -> None:
    """New and removed edges, derived ones, and the failed node itself going away."""
    drafts = [
        make_node("x", status=S.FAILED, produces=("t",)),
        make_node("y"),
        make_node("z", requires=("t",)),
    ]
    await bulk.add_graph(database, request_, drafts, [])
    said = "needs x, which failed"
    await link.link(database, request_)
    assert {"z": said} == await _held(database, request_)
    await edges.add(database, request_, make_edge("x", "y"))
    assert {"y": said, "z": said} == await _held(database, request_)
    await edges.remove(database, request_, make_edge("x", "y"))
    await nodes.update(database, request_, "z", {"requires": ()})
    await link.link(database, request_)
    assert {} == await _held(database, request_)
    await edges.add(database, request_, make_edge("x", "y"))
    await nodes.remove(database, request_, "x", cascade=True)
    assert {} == await _held(database, request_)


async def test_an_import_again_changes_nothing(database: Database, request_: Request) -> None:
    """A document says ready of what a failure holds: no change; it says completed: freed."""
    rows = [
        {"id": "a", "kind": "k", "summary": "s", "prompt_text": "p", "status": "failed"},
        {"id": "b", "kind": "k", "summary": "s", "prompt_text": "p", "status": "ready"},
    ]
    hard = [{"type": "hard_requires", "src": "a", "dst": "b"}]
    draft = GraphDraft(nodes=rows, edges=hard)
    await bulk.import_graph(database, request_, draft)
    assert {"b": "needs a, which failed"} == await _held(database, request_)
    seq = await seq_of(database, request_.project_id)
    assert 0 == (await bulk.import_graph(database, request_, draft)).changed
    assert seq == await seq_of(database, request_.project_id)
    done = GraphDraft(nodes=[rows[1] | {"status": "completed"}])
    await bulk.import_graph(database, request_, done)
    assert {} == await _held(database, request_)


@pytest.mark.parametrize("seed", range(2))
async def test_random_stories_hold_exactly_what_failures_reach(
    database: Database, request_: Request, seed: int
) -> None:
    """After any moves and edges: blocked is what an open path from a failed node reaches."""
    rng = random.Random(seed)
    ids = "abcdefg"
    await bulk.add_graph(database, request_, [make_node(i) for i in ids], [])
    for _ in range(25):
        src, dst = rng.sample(ids, 2)
        try:
            if rng.random() < 0.5:
                await edges.add(database, request_, make_edge(src, dst))
            else:
                status = rng.choice([S.READY, S.FAILED, S.FAILED, S.COMPLETED, S.SKIPPED])
                await _set(database, request_, src, status)
        except GotnError:
            continue
    state = await state_of(database, request_.project_id)
    status_of = {id_: row["status"] for id_, row in state["nodes"].items()}
    after = [(key[1], key[2]) for key in state["edges"]]
    reached = {id_ for id_, status in status_of.items() if status == "failed"}
    for _ in ids:
        reached |= {
            b for a, b in after if a in reached and status_of[b] not in ("completed", "skipped")
        }
    expected = {id_ for id_ in reached if status_of[id_] != "failed"}
    assert expected == set(await _held(database, request_))
