from itertools import pairwise
from typing import Any

import pytest
from factories import make_edge, make_node
from graphs import assert_verified, hard_edges, seq_of, state_of

from gotn.database.connection import Database
from gotn.errors import Conflict, CycleRefused, Invalid, LimitExceeded, NotFound
from gotn.work.records import EdgeType, GraphDraft, WorkEdgeDraft, WorkNodeDraft
from gotn.work.rules import forms
from gotn.work.store import nodes as node_store
from gotn.work.usecases import bulk, link, nodes, projects
from gotn.work.usecases.writing import Request

MANY = 2000


def _chain(count: int) -> tuple[list[WorkNodeDraft], list[WorkEdgeDraft]]:
    """Nodes n0 … in a row, given from last to first."""
    ids = [f"n{i}" for i in range(count)]
    chain = [make_edge(a, b) for a, b in pairwise(ids)]
    return [make_node(id_) for id_ in reversed(ids)], chain


async def test_one_call_adds_all_and_again_nothing(database: Database, request_: Request) -> None:
    """Nodes with tags, edges, parents and one derivation; the same call again changes nothing."""
    drafts, chain = _chain(20)
    drafts.append(make_node("p", children=("n0", "n1"), produces=("t",)))
    drafts.append(make_node("q", requires=("t",)))
    first = await bulk.add_graph(database, request_, drafts, chain, link=True)
    assert (22, 21, 43, 0) == (first.nodes, first.edges, first.changed, first.pending)
    assert ("p", "q") in await hard_edges(database, request_.project_id, "p")
    seq = await seq_of(database, request_.project_id)
    again = await bulk.add_graph(database, request_, drafts, chain, link=True)
    assert 0 == again.changed
    assert seq == await seq_of(database, request_.project_id)
    await assert_verified(database, request_.project_id)


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (make_edge("n5", "nowhere"), NotFound),
        (make_edge("n9", "n3"), CycleRefused),
        (make_edge("n9", "n9"), Invalid),
    ],
)
async def test_one_bad_edge_among_many_leaves_nothing(
    database: Database, request_: Request, bad: WorkEdgeDraft, error: type[Exception]
) -> None:
    """Not even the project."""
    drafts, chain = _chain(MANY)
    with pytest.raises(error):
        await bulk.add_graph(database, request_, drafts, [*chain, bad], link=True)
    with pytest.raises(NotFound):
        await projects.show(database, request_.project_id)


async def test_every_violation_is_listed_with_its_place(
    database: Database, request_: Request
) -> None:
    """By position in the call, nodes and edges alike."""
    drafts = [make_node("a"), make_node("b", kind=""), make_node("c", prompt_text=None)]
    with pytest.raises(Invalid) as caught:
        await bulk.add_graph(database, request_, drafts, [make_edge("a", "a")])
    assert ["nodes[1]", "nodes[2]", "edges[0]"] == [
        violation.split(":")[0] for violation in caught.value.facts["violations"]
    ]


async def test_an_id_twice_in_one_call(database: Database, request_: Request) -> None:
    """The same content is one node; another content is refused by name."""
    found = await bulk.add_graph(database, request_, [make_node("a"), make_node("a")], [])
    assert (1, 1) == (found.nodes, found.changed)
    with pytest.raises(Invalid, match="'b' is given twice"):
        await bulk.add_graph(database, request_, [make_node("b"), make_node("b", kind="k")], [])
    with pytest.raises(Conflict, match="another kind"):
        await bulk.add_graph(database, request_, [make_node("a", kind="k")], [])
    await assert_verified(database, request_.project_id)


async def test_too_much_for_one_call_is_refused(
    database: Database, request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is named."""
    monkeypatch.setattr(bulk, "ITEMS", 10)
    drafts, chain = _chain(6)
    with pytest.raises(LimitExceeded, match=r"At most 10 nodes, edges.* found 11"):
        await bulk.add_graph(database, request_, drafts, chain)
    run = {"id": "r", "ordered_node_ids": ["a"] * 5}
    draft = GraphDraft(runs=[run, run | {"id": "s"}], journal=[{"event": "x"}])
    with pytest.raises(LimitExceeded, match="found 13"):
        await bulk.import_graph(database, request_, draft)


@pytest.mark.parametrize("count", [3, 30])
async def test_flag_cycles_keeps_and_flags(
    database: Database, request_: Request, count: int
) -> None:
    """Explicit edges that go round come in flagged, few or many; refused without the flag."""
    drafts, chain = _chain(count)
    chain.append(make_edge(f"n{count - 1}", "n0"))
    with pytest.raises(CycleRefused) as caught:
        await bulk.add_graph(database, request_, drafts, chain)
    assert count + 1 == len(caught.value.facts["path"])
    await bulk.add_graph(database, request_, drafts, chain, flag_cycles=True)
    stored = await hard_edges(database, request_.project_id, *(draft.id for draft in drafts))
    assert (count, 1) == (len(stored), sum(bool(r.get("closes_cycle")) for r in stored.values()))
    (cycle,) = (await link.link(database, request_)).cycles
    assert count == len(cycle.nodes)
    await assert_verified(database, request_.project_id)
    again = await bulk.add_graph(database, request_, drafts, chain, flag_cycles=True)
    assert 0 == again.changed


def _document(*ids: str) -> GraphDraft:
    rows = [{"id": id_, "kind": "k", "summary": id_, "prompt_text": id_} for id_ in ids]
    hard = [{"type": "hard_requires", "src": a, "dst": b} for a, b in pairwise(ids)]
    return GraphDraft(nodes=rows, edges=hard)


async def test_a_dry_run_leaves_nothing(database: Database, request_: Request) -> None:
    """It answers as the import would, refuses what it would, and writes nothing."""
    draft = _document("a", "b")
    found = await bulk.import_graph(database, request_, draft, dry_run=True, derive=True)
    assert 3 == found.changed
    with pytest.raises(NotFound):
        await projects.show(database, request_.project_id)
    round_ = _document("a", "b", "a")
    round_.nodes.pop()
    with pytest.raises(CycleRefused):
        await bulk.import_graph(database, request_, round_, dry_run=True)


async def test_a_refused_file_names_its_lines(database: Database, request_: Request) -> None:
    """The lines of the edges that go round."""
    draft = _document("a", "b", "a")
    draft.nodes.pop()
    draft.lines = {"edge hard_requires a b": 3, "edge hard_requires b a": 9}
    with pytest.raises(CycleRefused, match=r"\(lines 3, 9\)") as caught:
        await bulk.import_graph(database, request_, draft)
    assert [3, 9] == caught.value.facts["lines"]


async def test_an_import_updates_what_says_something_else(
    database: Database, request_: Request
) -> None:
    """Known ids get what the document says of them; what it does not say stays."""
    await bulk.import_graph(database, request_, _document("a", "b"))
    draft = _document("a", "b")
    draft.nodes[0]["summary"] = "new"
    del draft.nodes[1]["prompt_text"]
    assert 1 == (await bulk.import_graph(database, request_, draft)).changed
    rows = (await state_of(database, request_.project_id))["nodes"]
    assert ("new", "b") == (rows["a"]["summary"], rows["b"]["prompt_text"])
    await assert_verified(database, request_.project_id)


async def test_an_estimate_goes_with_the_extra_that_held_it(
    database: Database, request_: Request
) -> None:
    """Another extra without one takes it away, and the same again changes nothing."""
    draft = _document("a")
    for extra, minutes, changed in (
        ({"estimate_minutes": 100, "x": 1}, 100.0, 1),
        ({"x": 2}, None, 1),
        ({"x": 2}, None, 0),
    ):
        draft.nodes[0] = forms.node_row(draft.nodes[0] | {"extra": extra})
        assert changed == (await bulk.import_graph(database, request_, draft)).changed
        rows = await database.read(lambda tx: node_store.get(tx, request_.project_id, "a"))
        assert (extra, minutes) == (rows["a"]["extra"], rows["a"].get("estimate_minutes"))
        del draft.nodes[0]["extra"]
        draft.nodes[0].pop("estimate_minutes", None)
        await assert_verified(database, request_.project_id)


def _soft(src: str, dst: str, score: float, evidence: str) -> GraphDraft:
    row = {"type": "soft_semantic", "src": src, "dst": dst, "score": score, "evidence": evidence}
    return GraphDraft(edges=[row])


async def test_two_directions_are_one_with_the_higher_score(
    database: Database, request_: Request
) -> None:
    """Of stored and waiting soft edges; said in its own direction again a score may fall."""
    await bulk.import_graph(database, request_, _document("a", "b"))
    for src, dst in (("a", "b"), ("x", "y")):
        for turned, score, kept in (
            (False, 0.5, 0.5),
            (True, 0.3, 0.5),
            (True, 0.9, 0.9),
            (False, 0.2, 0.2),
        ):
            ends = (dst, src) if turned else (src, dst)
            draft = _soft(*ends, score, f"{score}")
            await bulk.import_graph(database, request_, draft)
            edges = (await state_of(database, request_.project_id))["edges"]
            found = edges["soft_semantic", src, dst, ""]
            assert (kept, f"{kept}", src) == (found["score"], found["evidence"], found["src"])
            await assert_verified(database, request_.project_id)


async def test_what_waits_joins_when_its_node_arrives(
    database: Database, request_: Request
) -> None:
    """Edges, parents and a run's steps; a node that is called like the run joins nothing."""
    draft = GraphDraft(
        edges=[
            {"type": "hard_requires", "src": "a", "dst": "b"},
            {"type": "derived_from", "src": "a", "dst": "c", "said": ["edge"]},
            {"type": "related", "src": "b", "dst": "c", "kind": "like"},
        ],
        runs=[{"id": "r", "ordered_node_ids": ["a", "b"], "layers": [["a"], ["b"]]}],
    )
    assert 5 == (await bulk.import_graph(database, request_, draft)).pending
    assert 0 == (await bulk.import_graph(database, request_, draft)).changed
    for id_ in ("r", "a", "b", "c"):
        await nodes.add(database, request_, make_node(id_))
        await assert_verified(database, request_.project_id)
    project = await projects.show(database, request_.project_id)
    assert (0, 3, 1) == (project.pending, project.edges, project.runs)
    with pytest.raises(Conflict) as caught:
        await nodes.remove(database, request_, "a")
    assert ["c"] == caught.value.facts["children"]


def _family(*pairs: str) -> GraphDraft:
    """derived_from rows of parent and child, given as "pc"."""
    row = {"type": "derived_from", "said": ["edge"]}
    return GraphDraft(edges=[row | {"src": pair[0], "dst": pair[1]} for pair in pairs])


async def test_a_second_parent_is_refused_while_it_waits(
    database: Database, request_: Request
) -> None:
    """Beside a stored parent and beside one that waits; the same parent again is no second."""
    await bulk.add_graph(database, request_, [make_node("p"), make_node("c", parent="p")], [])
    await bulk.import_graph(database, request_, _family("xd"))
    for pairs in (("qc",), ("qd",), ("qe", "re")):
        with pytest.raises(Invalid, match="one parent"):
            await bulk.import_graph(database, request_, _family(*pairs))
    await bulk.import_graph(database, request_, _family("pc", "xd"))
    for id_ in ("q", "x", "d"):
        await nodes.add(database, request_, make_node(id_))
    rows = await database.read(lambda tx: node_store.get(tx, request_.project_id, "cd"))
    assert {"c": "p", "d": "x"} == {id_: row["parent"] for id_, row in rows.items()}
    await assert_verified(database, request_.project_id)


async def test_a_decomposition_cycle_is_refused_while_it_waits(
    database: Database, request_: Request
) -> None:
    """Over stored parents and waiting ones in turn, over several imports; then all can arrive."""
    await bulk.add_graph(database, request_, [make_node("a"), make_node("b", parent="a")], [])
    for pair in ("bx", "xy", "yz"):
        await bulk.import_graph(database, request_, _family(pair))
    for pair in ("za", "zv"):
        draft = _family(pair, "va") if pair == "zv" else _family(pair)
        with pytest.raises(Invalid, match="cannot stand above itself") as caught:
            await bulk.import_graph(database, request_, draft)
        assert {"a", "b", "x", "y", "z"} <= set(caught.value.facts["path"])
    with pytest.raises(Invalid, match="cannot stand above itself"):
        await nodes.add(database, request_, make_node("x", children=("a",)))
    for id_ in "zxy":
        await nodes.add(database, request_, make_node(id_))
    assert 0 == (await projects.show(database, request_.project_id)).pending
    await assert_verified(database, request_.project_id)


LONG = "%" * 1000
ODD = [
    "👩‍👩‍👧 family",
    "e\u0301 combining",
    "שלום עולם",
    "\u202eright to left",
    "a/b%2Fc/%",
    "'\"`\\",
    "line\nbreak\ttab",
    "nul\x00inside",
    "../..",
    "$id {x: 1}",
    "é" * 500,
    LONG,
    "/" * 1000,
]


async def test_any_unicode_is_an_id(database: Database, request_: Request) -> None:
    """Stored, joined, tagged, waiting, found, planned and removed under exactly that name."""
    drafts = [make_node(id_, requires=(id_,), tags=(id_,), kind=id_) for id_ in ODD]
    hard = [make_edge(a, b) for a, b in pairwise(ODD)]
    await bulk.add_graph(database, request_, drafts, hard, link=True)
    waiting: list[dict[str, Any]] = [
        {"type": "related", "src": id_, "dst": id_[:-1] + "?", "kind": id_} for id_ in ODD
    ]
    found = await bulk.import_graph(database, request_, GraphDraft(edges=waiting))
    assert len(ODD) == found.pending
    assert set(ODD) == set((await state_of(database, request_.project_id))["nodes"])
    await assert_verified(database, request_.project_id)
    await nodes.add(database, request_, make_node(LONG[:-1] + "?"))
    for id_ in ODD:
        assert (id_,) == (await nodes.remove(database, request_, id_, cascade=True)).nodes
    await assert_verified(database, request_.project_id)


NAN, HUGE, LONE = float("nan"), 2**60, "\ud800"


@pytest.mark.parametrize(
    ("id_", "more", "said"),
    [
        ("", {}, "id: expected 1 to 1000 bytes"),
        (" \n", {}, "id: expected 1 to 1000 bytes"),
        ("x" * 2000, {}, "id: expected 1 to 1000 bytes that are not all blank, found 2000 bytes"),
        (LONE, {}, "id: holds half a character"),
        (5, {}, "id: expected text, found 5"),
        ("a", {"prompt_text": "x" * (2**20 + 1)}, "prompt_text: expected at most 1048576 bytes"),
        ("a", {"prompt_text": LONE}, "prompt_text: holds half a character"),
        ("a", {"tags": tuple(map(str, range(10_000)))}, "tags: expected at most 1000 items"),
        ("a", {"tags": "abc"}, 'tags: expected a list, found "abc"'),
        ("a", {"requires": (1,)}, "requires[0]: expected text, found 1"),
        ("a", {"requires": ("",)}, "requires[0]: expected 1 to 1000 bytes"),
        ("a", {"children": "bc"}, 'children: expected a list, found "bc"'),
        ("a", {"children": 5}, "children: expected a list, found 5"),
        ("a", {"children": ("b", "b")}, "children: a child is named twice"),
        ("a", {"parent": ["b"]}, 'parent: expected text, found ["b"]'),
        ("a", {"status": "done"}, "status: expected one of ready"),
        ("a", {"version": "1"}, 'version: expected 1, found "1"'),
        ("a", {"version": HUGE}, "is newer than 1"),
        ("a", {"extra": {"x": NAN}}, "extra: nan is not a JSON number"),
        ("a", {"extra": {"x": [HUGE]}}, "extra: 1152921504606846976 is beyond 2^53-1"),
        ("a", {"extra": {LONE: 1}}, "extra: holds half a character"),
        ("a", {"extra": [1]}, "extra: expected an object, found [1]"),
        ("a", {"guards": {"type": "file"}}, "guards: expected a list"),
        ("a", {"success_criteria": [None]}, "success_criteria[0]: expected text or {type, value}"),
        ("a", {"artifacts": "files"}, 'artifacts: expected an object, found "files"'),
        ("a", {"created_at": "yesterday"}, "created_at: expected an ISO 8601 time"),
        ("a", {"kind": 3, "summary": 4}, "summary: expected text, found 4"),
    ],
)
async def test_a_bad_node_is_refused_by_field(
    database: Database, request_: Request, id_: Any, more: dict[str, Any], said: str
) -> None:
    """Adding says the field, what was expected and found; so does updating; nothing is written."""
    with pytest.raises(Invalid) as caught:
        await nodes.add(database, request_, make_node(id_, **more))
    assert said in caught.value.message
    with pytest.raises(NotFound):
        await projects.show(database, request_.project_id)
    if more:
        await nodes.add(database, request_, make_node("a"))
        with pytest.raises(Invalid) as caught:
            await nodes.update(database, request_, "a", more)
        assert said in caught.value.message
        assert 2 == await seq_of(database, request_.project_id)


async def test_a_text_of_exactly_a_megabyte_is_kept(database: Database, request_: Request) -> None:
    """prompt_text of 1 MiB, one word."""
    node = await nodes.add(database, request_, make_node("a", prompt_text="x" * 2**20))
    assert 2**20 == len(node.prompt_text)
    await assert_verified(database, request_.project_id)


@pytest.mark.parametrize(
    "request_given",
    [
        Request(project_id="Upper"),
        Request(project_id="a/b"),
        Request(project_id="x" * 65),
        Request(project_id=""),
        Request(project_id="t-who", actor=LONE),
        Request(project_id="t-who", actor=""),
        Request(project_id="t-who", idempotency_key=LONE),
        Request(project_id="t-who", idempotency_key=""),
        Request(project_id="t-who", idempotency_key="k" * 257),
    ],
)
async def test_a_bad_request_is_refused(database: Database, request_given: Request) -> None:
    """Project, actor and key, before anything is written."""
    with pytest.raises(Invalid, match=r"expected 1 to|half a character"):
        await nodes.add(database, request_given, make_node("a"))


async def test_an_edge_between_kinds_is_told_apart(database: Database, request_: Request) -> None:
    """Related edges of two kinds between the same nodes are two."""
    drafts = [make_node("a"), make_node("b")]
    both = [make_edge("a", "b", type=EdgeType.RELATED, kind=kind) for kind in ("x", "y")]
    assert 4 == (await bulk.add_graph(database, request_, drafts, both)).changed
    await assert_verified(database, request_.project_id)


async def test_what_waits_is_counted_each_time(database: Database, request_: Request) -> None:
    """An import again says again how many of its references wait."""
    rows = [{"id": "a", "kind": "k", "summary": "s", "prompt_text": "p"}]
    edges = [{"type": "hard_requires", "src": "a", "dst": f"missing{i}"} for i in range(3)]
    counts = []
    for _ in range(2):
        draft = GraphDraft(nodes=[dict(row) for row in rows], edges=[dict(e) for e in edges])
        counts.append(await bulk.import_graph(database, request_, draft))
    assert [(3, 4), (3, 0)] == [(done.pending, done.changed) for done in counts]
