import random
import uuid
from itertools import pairwise

import pytest
from factories import make_edge, make_node
from graphs import assert_verified, hard_edges, seq_of, state_of

from gotn.database.connection import Database
from gotn.errors import CycleRefused, GotnError, NotFound
from gotn.work.records import Linked, UnmetRequirement, WorkNodeDraft
from gotn.work.usecases import bulk, edges, link, nodes, projects
from gotn.work.usecases.writing import Request


async def test_a_project_that_is_not_there_is_not_made(
    database: Database, request_: Request
) -> None:
    """Linking a mistyped name is NotFound, and leaves nothing."""
    with pytest.raises(NotFound, match="no project"):
        await link.link(database, request_)
    with pytest.raises(NotFound):
        await projects.show(database, request_.project_id)


async def test_tags_give_edges(database: Database, request_: Request) -> None:
    """Every producer to every consumer, one edge a pair, none to itself; again: nothing."""
    drafts = [
        make_node("a", produces=("y", "x")),
        make_node("b", produces=("x",), requires=("x",)),
        make_node("c", requires=("x", "y", "nobody")),
    ]
    await bulk.add_graph(database, request_, drafts, [])
    linked = await link.link(database, request_)
    unmet = (UnmetRequirement(tag="nobody", nodes=("c",)),)
    assert Linked(added=3, unmet=unmet) == linked
    stored = await hard_edges(database, request_.project_id, "a", "b", "c")
    assert {("a", "b"), ("a", "c"), ("b", "c")} == set(stored)
    row = stored["a", "c"]
    assert "c requires 'x, y' which a produces" == row["evidence"]
    assert ("derived", ["x", "y"]) == (row["origin"], row["tags"])
    assert {"created_by": "edge_engine", "source": "requires_produces_match"} == row["provenance"]
    seq = await seq_of(database, request_.project_id)
    for whole in (False, True):
        assert Linked(unmet=unmet) == await link.link(database, request_, whole=whole)
    assert seq == await seq_of(database, request_.project_id)
    await assert_verified(database, request_.project_id)


async def test_a_derived_cycle_is_kept_and_flagged(database: Database, request_: Request) -> None:
    """Tags imply it; taking a tag away takes the edge and the flag."""
    drafts = [
        make_node("a", produces=("t",), requires=("v",)),
        make_node("b", produces=("u",), requires=("t",)),
        make_node("c", produces=("v",), requires=("u",)),
    ]
    found = await bulk.add_graph(database, request_, drafts, [], link=True)
    assert 3 == found.changed
    (cycle,) = (await link.link(database, request_)).cycles
    assert (("a", "b", "c"), 4) == (cycle.nodes, len(cycle.path))
    assert {"t", "u", "v"} == set(cycle.tags)
    stored = await hard_edges(database, request_.project_id, "a", "b", "c")
    assert 1 == sum(bool(row.get("closes_cycle")) for row in stored.values())
    await assert_verified(database, request_.project_id)
    await nodes.update(database, request_, "c", {"requires": ()})
    linked = await link.link(database, request_)
    assert (1, ()) == (linked.removed, linked.cycles)
    stored = await hard_edges(database, request_.project_id, "a", "b", "c")
    assert [None, None] == [row.get("closes_cycle") for row in stored.values()]
    await assert_verified(database, request_.project_id)


async def test_removing_a_node_unflags(database: Database, request_: Request) -> None:
    """A flag is looked at again when what closed the cycle goes with a node."""
    drafts = [
        make_node("a", produces=("t",), requires=("u",)),
        make_node("b", produces=("u",), requires=("t",)),
    ]
    await bulk.add_graph(database, request_, drafts, [], link=True)
    await nodes.add(database, request_, make_node("c"))
    await edges.add(database, request_, make_edge("b", "c"))
    await nodes.remove(database, request_, "a", cascade=True)
    assert [("b", "c")] == list(await hard_edges(database, request_.project_id, "b", "c"))
    await assert_verified(database, request_.project_id)


IDS = [f"n{i}" for i in range(7)]
TAGS = [f"t{i}" for i in range(6)]


async def _edit(database: Database, request: Request, rng: random.Random) -> None:
    """One random edit; what is refused is refused in every project alike or not at all."""
    id_ = rng.choice(IDS)
    change = {
        "requires": tuple(rng.sample(TAGS, rng.randrange(3))),
        "produces": tuple(rng.sample(TAGS, rng.randrange(3))),
    }
    src, dst = rng.sample(IDS, 2)
    step = rng.randrange(6)
    try:
        if step < 4:
            await nodes.update(database, request, id_, change)
        elif step == 4:
            await nodes.remove(database, request, id_, cascade=True)
            await nodes.add(database, request, make_node(id_, **change))
        else:
            await edges.remove(database, request, make_edge(src, dst))
    except CycleRefused:
        raise
    except GotnError:
        pass


@pytest.mark.parametrize("seed", range(4))
async def test_linking_changes_is_linking_all(
    database: Database, request_: Request, seed: int
) -> None:
    """After each edit or at the end, the changed or the whole: the same graph and flags."""
    rng = random.Random(seed)
    drafts: list[WorkNodeDraft] = [make_node(id_) for id_ in IDS]
    explicit = [make_edge(a, b) for a, b in pairwise(IDS[:4])]
    edits = [rng.random() for _ in range(14)]
    states = []
    for often, whole in ((True, False), (False, False), (False, True)):
        request = Request(project_id=f"t-{uuid.uuid4().hex[:16]}")
        await bulk.add_graph(database, request, drafts, explicit)
        for edit in edits:
            await _edit(database, request, random.Random(edit))
            if often:
                await link.link(database, request)
        await link.link(database, request, whole=whole)
        await assert_verified(database, request.project_id)
        states.append((await state_of(database, request.project_id))["edges"])
    assert states[0] == states[1]
    assert states[1] == states[2]
