import asyncio
import io
import json
import random
from dataclasses import replace
from itertools import pairwise
from typing import cast

import pytest
from factories import make_edge, make_node
from graphs import assert_verified, hard_edges, seq_of, state_of

from gotn import journal
from gotn.database.connection import Database
from gotn.errors import Conflict, CycleRefused, GotnError, Invalid, NotFound
from gotn.work import exchange
from gotn.work.records import EdgeOrigin, EdgeType
from gotn.work.rules import ranks
from gotn.work.store import asking
from gotn.work.usecases import bulk, edges, link, nodes
from gotn.work.usecases.writing import Request

SENTENCE = "b requires 't' which a produces"


async def _nodes(database: Database, request: Request, ids: str, **tags: tuple[str, ...]) -> None:
    await bulk.add_graph(database, request, [make_node(id_, **tags) for id_ in ids], [])


async def _tagged(database: Database, request: Request) -> None:
    """B needs what a produces, and a what c produces; linked."""
    drafts = [
        make_node("a", produces=("t",), requires=("u",)),
        make_node("b", requires=("t",)),
        make_node("c", produces=("u",)),
    ]
    await bulk.add_graph(database, request, drafts, [], link=True)


async def test_an_edge_comes_back_as_it_was_given(database: Database, request_: Request) -> None:
    """Explicit, with its own evidence; the same again changes nothing, another is a conflict."""
    await _nodes(database, request_, "ab")
    draft = make_edge("a", "b", evidence="said so", provenance={"source": "me"}, extra={"k": 1})
    edge = await edges.add(database, request_, draft)
    assert (EdgeOrigin.EXPLICIT, "said so", {"source": "me"}, {"k": 1}, False) == (
        edge.origin,
        edge.evidence,
        edge.provenance,
        edge.extra,
        edge.pending,
    )
    seq = await seq_of(database, request_.project_id)
    assert edge == await edges.add(database, request_, draft)
    with pytest.raises(Conflict, match="another evidence"):
        await edges.add(database, request_, make_edge("a", "b", evidence="else"))
    assert seq == await seq_of(database, request_.project_id)
    await assert_verified(database, request_.project_id)


async def test_a_cycle_is_refused_with_path_and_tags(database: Database, request_: Request) -> None:
    """Each hop says its tag; nothing changed, not even seq."""
    await _tagged(database, request_)
    await nodes.add(database, request_, make_node("d"))
    await edges.add(database, request_, make_edge("b", "d"))
    seq = await seq_of(database, request_.project_id)
    with pytest.raises(CycleRefused) as caught:
        await edges.add(database, request_, make_edge("d", "c"))
    assert ["d", "c", "a", "b", "d"] == caught.value.facts["path"]
    assert ["explicit", "u", "t", "explicit"] == caught.value.facts["tags"]
    assert "d → c (explicit) → a (u) → b (t) → d (explicit)" in caught.value.message
    assert seq == await seq_of(database, request_.project_id)
    await assert_verified(database, request_.project_id)


async def test_many_edges_are_refused_as_one_is(database: Database, request_: Request) -> None:
    """A large call does not flag derived edges to get its explicit ones in."""
    await _tagged(database, request_)
    many = [make_edge(f"x{i}", "a") for i in range(2 * bulk.SINGLY)]
    drafts = [make_node(edge.src) for edge in many]
    seq = await seq_of(database, request_.project_id)
    with pytest.raises(CycleRefused) as caught:
        await bulk.add_graph(database, request_, drafts, [*many, make_edge("b", "a")])
    assert {"a", "b"} == set(caught.value.facts["path"])
    assert seq == await seq_of(database, request_.project_id)
    found = await bulk.add_graph(
        database, request_, drafts, [*many, make_edge("b", "a")], flag_cycles=True
    )
    assert len(many) * 2 + 1 == found.changed
    stored = await hard_edges(database, request_.project_id, "a")
    assert 1 == sum(bool(row.get("closes_cycle")) for row in stored.values())
    await assert_verified(database, request_.project_id)


@pytest.mark.parametrize(
    ("draft", "error", "said"),
    [
        (make_edge("a", "a"), Invalid, "cannot be joined to itself"),
        (make_edge("a", "x"), NotFound, "no node 'x'"),
        (make_edge("a", "b", type="likes"), Invalid, "type: expected one of"),
        (make_edge("a", "b", score=2), Invalid, "score: expected 0 to 1"),
        (make_edge("", "b"), Invalid, "src: expected 1 to 1000 bytes"),
        (make_edge("a", cast(str, 7)), Invalid, "dst: expected text, found 7"),
        (make_edge("a", "b", extra={"x": 2**60}), Invalid, "beyond 2^53-1"),
        (make_edge("a", "b", evidence="\ud800"), Invalid, "evidence: holds half a character"),
    ],
)
async def test_a_bad_edge_is_refused(
    database: Database, request_: Request, draft: object, error: type[GotnError], said: str
) -> None:
    """With the field; the journal does not grow."""
    await _nodes(database, request_, "ab")
    seq = await seq_of(database, request_.project_id)
    with pytest.raises(error) as caught:
        await edges.add(database, request_, draft)  # type: ignore[arg-type]
    assert said in caught.value.message
    assert seq == await seq_of(database, request_.project_id)


async def test_said_and_derived_is_both_and_back(database: Database, request_: Request) -> None:
    """Taking the explicit part away leaves what tags give, and the other way round."""
    await _tagged(database, request_)
    before = (await state_of(database, request_.project_id))["edges"]
    draft = make_edge("a", "b", evidence="said so")
    edge = await edges.add(database, request_, draft)
    assert (EdgeOrigin.BOTH, ("t",), "said so", None) == (
        edge.origin,
        edge.tags,
        edge.evidence,
        edge.provenance,
    )
    assert 1 == (await edges.remove(database, request_, draft)).edges
    assert before == (await state_of(database, request_.project_id))["edges"]
    await edges.add(database, request_, make_edge("a", "b"))
    await nodes.update(database, request_, "a", {"produces": None})
    assert 1 == (await link.link(database, request_)).updated
    row = (await hard_edges(database, request_.project_id, "b"))["a", "b"]
    assert "explicit" == row["origin"]
    assert not row.keys() & {"tags", "evidence", "provenance"}
    await nodes.update(database, request_, "a", {"produces": ("t",)})
    assert 1 == (await link.link(database, request_)).updated
    row = (await hard_edges(database, request_.project_id, "b"))["a", "b"]
    assert ("both", ["t"]) == (row["origin"], row["tags"])
    await assert_verified(database, request_.project_id)


async def test_an_edge_that_tags_give_stays(database: Database, request_: Request) -> None:
    """It cannot be removed by hand; an unknown one is not found."""
    await _tagged(database, request_)
    with pytest.raises(Invalid, match="follows from the tags t"):
        await edges.remove(database, request_, make_edge("a", "b"))
    with pytest.raises(NotFound):
        await edges.remove(database, request_, make_edge("b", "a"))
    assert SENTENCE == (await hard_edges(database, request_.project_id, "b"))["a", "b"]["evidence"]


async def test_an_edge_is_changed_and_emptied(database: Database, request_: Request) -> None:
    """Given fields change, others stay, null empties; the same again is no entry."""
    await _nodes(database, request_, "ab")
    draft = make_edge("a", "b", evidence="said so", extra={"k": 1})
    await edges.add(database, request_, draft)
    seq = await seq_of(database, request_.project_id)
    changes = {"evidence": "seen", "provenance": {"source": "me"}}
    changed = await edges.update(database, request_, draft, changes)
    assert ("seen", {"source": "me"}, {"k": 1}) == (
        changed.evidence,
        changed.provenance,
        changed.extra,
    )
    assert changed == await edges.update(database, request_, draft, changes)
    assert seq + 1 == await seq_of(database, request_.project_id)
    emptied = await edges.update(database, request_, draft, {"evidence": None, "extra": None})
    assert (None, None, {"source": "me"}) == (emptied.evidence, emptied.extra, emptied.provenance)
    assert emptied == await edges.show(database, request_.project_id, draft)
    last = [e async for e in journal.entries(database, request_.project_id, after=seq)]
    assert ["update_edge", "update_edge"] == [entry.event for entry in last]
    await assert_verified(database, request_.project_id)


async def test_a_soft_edge_changes_from_either_side(database: Database, request_: Request) -> None:
    """It keeps the side it came from, and is found by both."""
    await _nodes(database, request_, "ab")
    soft = EdgeType.SOFT_SEMANTIC
    await edges.add(database, request_, make_edge("b", "a", type=soft, score=0.5))
    here = make_edge("a", "b", type=soft)
    changed = await edges.update(database, request_, here, {"score": 0.9})
    assert ("b", "a", 0.9) == (changed.src, changed.dst, changed.score)
    assert changed == await edges.show(database, request_.project_id, here)
    await assert_verified(database, request_.project_id)


async def test_an_imported_or_waiting_edge_prints_its_change(
    database: Database, request_: Request
) -> None:
    """What a document said otherwise stays; the changed field is exported."""
    lines = [
        {"id": "a", "kind": "k", "summary": "s", "prompt_text": "p"},
        {"src": "a", "dst": "zz", "type": "hard_requires", "evidence": None},
        {"src": "zz", "dst": "a", "type": "related", "evidence": "x", "mine": 1},
    ]
    text = json.dumps({"nodes": lines[:1], "edges": lines[1:]}).encode()
    draft = exchange.read(io.BytesIO(text), "gotn", name="x.json")
    await bulk.import_graph(database, request_, draft)
    waiting = make_edge("zz", "a", type=EdgeType.RELATED, kind="related")
    changed = await edges.update(database, request_, waiting, {"evidence": None})
    assert (True, None, {"mine": 1}) == (changed.pending, changed.evidence, changed.extra)
    await edges.update(database, request_, make_edge("a", "zz"), {"evidence": "seen"})
    await assert_verified(database, request_.project_id)
    await nodes.add(database, request_, make_node("zz"))
    shown = await edges.show(database, request_.project_id, make_edge("a", "zz"))
    assert shown is not None
    assert (False, "seen") == (shown.pending, shown.evidence)
    await assert_verified(database, request_.project_id)


async def test_a_change_that_cannot_be(database: Database, request_: Request) -> None:
    """What tags alone give, another field, a hard edge's score, no such edge: nothing changes."""
    await _tagged(database, request_)
    seq = await seq_of(database, request_.project_id)
    derived = make_edge("a", "b")
    with pytest.raises(Invalid, match="follows from the tags t"):
        await edges.update(database, request_, derived, {"evidence": "mine"})
    with pytest.raises(Invalid, match="origin: expected one of"):
        await edges.update(database, request_, derived, {"origin": "explicit"})
    with pytest.raises(Invalid, match="only a soft_semantic"):
        await edges.update(database, request_, derived, {"score": 0.5})
    soft = make_edge("a", "b", type=EdgeType.SOFT_SEMANTIC)
    with pytest.raises(Invalid, match="score: expected 0 to 1"):
        await edges.update(database, request_, soft, {"score": 2})
    with pytest.raises(NotFound):
        await edges.update(database, request_, make_edge("b", "a"), {"evidence": "x"})
    assert await edges.show(database, request_.project_id, make_edge("b", "a")) is None
    assert seq == await seq_of(database, request_.project_id)
    insisted = await edges.add(database, request_, make_edge("a", "b", evidence="said"))
    assert EdgeOrigin.BOTH == insisted.origin
    changed = await edges.update(database, request_, derived, {"evidence": "mine"})
    assert ("mine", EdgeOrigin.BOTH) == (changed.evidence, changed.origin)
    await assert_verified(database, request_.project_id)


async def test_a_change_is_made_once_a_key(database: Database, request_: Request) -> None:
    """The same key gives the first answer again; with another change it is a Conflict."""
    await _nodes(database, request_, "ab")
    draft = make_edge("a", "b")
    await edges.add(database, request_, draft)
    keyed = replace(request_, idempotency_key="k")
    first = await edges.update(database, keyed, draft, {"evidence": "one"})
    await edges.update(database, request_, draft, {"evidence": "two"})
    assert first == await edges.update(database, keyed, draft, {"evidence": "one"})
    with pytest.raises(Conflict):
        await edges.update(database, keyed, draft, {"evidence": "three"})


async def test_a_soft_edge_is_one_either_way(database: Database, request_: Request) -> None:
    """Asked for the other way round it is the same edge."""
    await _nodes(database, request_, "ab")
    soft = EdgeType.SOFT_SEMANTIC
    await edges.add(database, request_, make_edge("b", "a", type=soft, score=0.9))
    assert 1 == (await edges.remove(database, request_, make_edge("a", "b", type=soft))).edges
    await assert_verified(database, request_.project_id)


async def test_saying_a_flagged_edge_is_refused(database: Database, request_: Request) -> None:
    """Tags may give an edge that closes a cycle; nobody may insist on it."""
    drafts = [
        make_node("a", produces=("t",), requires=("u",)),
        make_node("b", requires=("t",), produces=("u",)),
    ]
    await bulk.add_graph(database, request_, drafts, [], link=True)
    stored = await hard_edges(database, request_.project_id, "a")
    ((src, dst),) = (pair for pair, row in stored.items() if row.get("closes_cycle"))
    with pytest.raises(CycleRefused):
        await edges.add(database, request_, make_edge(src, dst))
    assert EdgeOrigin.BOTH == (await edges.add(database, request_, make_edge(dst, src))).origin
    await assert_verified(database, request_.project_id)


@pytest.mark.parametrize("gap", [ranks.GAP, 2], ids=["room", "no room"])
@pytest.mark.parametrize("seed", [1, 2])
async def test_ranks_hold_after_random_edges(
    database: Database,
    request_: Request,
    gap: int,
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In and out of order, refused or not, also where the gaps are used up."""
    monkeypatch.setattr(ranks, "GAP", gap)
    rng = random.Random(seed)
    ids = [f"n{i}" for i in range(12)]
    await bulk.add_graph(database, request_, [make_node(id_) for id_ in ids], [])
    if gap == 2:  # a whole new order, so that the ranks stored have the tiny gap
        chain = [make_edge(a, b) for a, b in pairwise(ids[::-1])]
        await bulk.add_graph(database, request_, [], chain)
        for edge in chain:
            await edges.remove(database, request_, edge)
    known: set[tuple[str, str]] = set()
    for _ in range(40):
        src, dst = rng.sample(ids, 2)
        check = await database.read(
            lambda tx, a=src, b=dst: asking.would_cycle(tx, request_.project_id, a, b)  # type: ignore[misc]
        )
        try:
            await edges.add(database, request_, make_edge(src, dst))
            known.add((src, dst))
            assert not check.closes
        except CycleRefused as refused:
            assert check.closes
            path = refused.facts["path"]
            assert set(pairwise(path)) <= known | {(src, dst)}
    assert known == set(await hard_edges(database, request_.project_id, *ids))
    await assert_verified(database, request_.project_id)


async def test_writers_at_once_leave_one_true_order(database: Database, request_: Request) -> None:
    """16 of them on one project: gapless seq, true ranks, no cycle, every answer kept."""
    ids = [f"n{i}" for i in range(8)]
    await bulk.add_graph(database, request_, [make_node(id_) for id_ in ids], [])

    async def writer(number: int) -> set[tuple[str, str]]:
        rng = random.Random(number)
        done = set()
        await nodes.add(database, request_, make_node(f"w{number}", requires=("t",)))
        for _ in range(4):
            src, dst = rng.sample(ids, 2)
            try:
                await edges.add(database, request_, make_edge(src, dst))
                done.add((src, dst))
            except CycleRefused:
                pass
        return done

    kept = set().union(*await asyncio.gather(*map(writer, range(16))))
    assert kept == set(await hard_edges(database, request_.project_id, *ids))
    await assert_verified(database, request_.project_id)
