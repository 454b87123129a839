import random
from collections.abc import Iterator
from itertools import pairwise

import pytest
from factories import make_edge, make_node
from graphs import closes

from gotn.database.connection import Database
from gotn.errors import LimitExceeded, NotFound
from gotn.work.records import EdgeType, NodeStatus, StatusCount, StepOfPath, UnmetRequirement
from gotn.work.store import asking
from gotn.work.usecases import bulk, planning
from gotn.work.usecases.writing import Request

S = NodeStatus


async def _build(
    database: Database, request: Request, ids: str, *pairs: str, **statuses: NodeStatus
) -> None:
    drafts = [make_node(i, status=statuses.get(i)) for i in ids]
    hard = [make_edge(pair[0], pair[1]) for pair in pairs]
    await bulk.add_graph(database, request, drafts, hard, flag_cycles=True)


def _distances(pairs: set[tuple[str, str]], start: str) -> Iterator[tuple[int, str]]:
    seen, edge, distance = {start}, {start}, 0
    while edge:
        distance += 1
        edge = {b for a, b in pairs if a in edge} - seen
        seen |= edge
        yield from sorted((distance, id_) for id_ in edge)


async def test_what_comes_before_and_after_page_by_page(
    database: Database, request_: Request
) -> None:
    """Breadth first in Python gives the same, by distance and id, cycles included."""
    project, rng = request_.project_id, random.Random(5)
    ids = [f"n{i:02}" for i in range(20)]
    pairs = {tuple(rng.sample(ids, 2)) for _ in range(45)}
    drafts = [make_node(id_) for id_ in ids]
    await bulk.add_graph(
        database, request_, drafts, [make_edge(*pair) for pair in sorted(pairs)], flag_cycles=True
    )
    forth = {(a, b) for a, b in pairs}
    for ask, known in (
        (asking.dependants, forth),
        (asking.prerequisites, {(b, a) for a, b in forth}),
    ):
        found: list[tuple[int, str]] = []
        while page := await database.read(
            lambda tx, f=ask, a=found[-1] if found else (0, ""): f(tx, project, "n00", 4, a)  # type: ignore[misc]
        ):
            found += [(row.distance, row.node.id) for row in page]
        assert list(_distances(known, "n00")) == found
    with pytest.raises(NotFound):
        await database.read(lambda tx: asking.dependants(tx, project, "nowhere"))


async def test_why_names_failed_causes_first(database: Database, request_: Request) -> None:
    """Then those that can move now, each with the shortest way and its tags."""
    project = request_.project_id
    drafts = [
        make_node("a"),
        make_node("b", status=S.FAILED, produces=("t",)),
        make_node("c", requires=("t",)),
        make_node("d"),
        make_node("z", status=S.COMPLETED),
    ]
    hard = [make_edge("a", "d"), make_edge("c", "d"), make_edge("z", "d"), make_edge("b", "d")]
    await bulk.add_graph(database, request_, drafts, hard, link=True)
    found = await database.read(lambda tx: asking.why(tx, project, "d"))
    assert [("b", S.FAILED), ("a", S.READY)] == [(path.cause, path.status) for path in found]
    assert (StepOfPath(src="b", dst="d"),) == found[0].hops
    (path,) = await database.read(lambda tx: asking.why(tx, project, "c"))
    assert (StepOfPath(src="b", dst="c", tags=("t",)),) == path.hops
    assert [] == await database.read(lambda tx: asking.why(tx, project, "a"))


async def test_impact_counts_what_depends(database: Database, request_: Request) -> None:
    """Direct and all, by status, tags nobody else produces, and runs that are not finished."""
    project = request_.project_id
    drafts = [
        make_node("a", produces=("only", "shared", "unasked")),
        make_node("b", produces=("shared",)),
        make_node("c", requires=("only", "shared")),
        make_node("d", status=S.COMPLETED),
    ]
    await bulk.add_graph(database, request_, drafts, [make_edge("c", "d")], link=True)
    run = (await planning.plan(database, request_)).run_id
    found = await database.read(lambda tx: asking.impact(tx, project, "a"))
    assert (("c",), 2, ("only",), (run,)) == (
        found.direct,
        found.dependants,
        found.sole_tags,
        found.runs,
    )
    expected = (StatusCount(status=S.READY, count=1), StatusCount(status=S.COMPLETED, count=1))
    assert expected == found.by_status


async def test_would_cycle_gives_the_way_round(database: Database, request_: Request) -> None:
    """The closed path with its tags, or that none is closed; itself is a cycle."""
    project = request_.project_id
    drafts = [make_node("a", produces=("t",)), make_node("b", requires=("t",)), make_node("c")]
    await bulk.add_graph(database, request_, drafts, [make_edge("b", "c")], link=True)
    check = await database.read(lambda tx: asking.would_cycle(tx, project, "c", "a"))
    assert (True, ("c", "a", "b", "c"), ("t", "explicit")) == (check.closes, check.path, check.tags)
    for src, dst, expected in (("a", "c", False), ("a", "b", False), ("b", "b", True)):
        check = await database.read(
            lambda tx, a=src, b=dst: asking.would_cycle(tx, project, a, b)  # type: ignore[misc]
        )
        assert expected == check.closes
    with pytest.raises(NotFound, match="'x'"):
        await database.read(lambda tx: asking.would_cycle(tx, project, "a", "x"))


async def test_cycles_are_one_a_component_and_shortest(
    database: Database, request_: Request
) -> None:
    """Two components; in the large one the shortest way passes several flagged edges."""
    project = request_.project_id
    pairs = ("ab", "bc", "cd", "da", "ca", "ba", "xy", "yx", "dx")
    await _build(database, request_, "abcdxyz", *pairs)
    found = await database.read(lambda tx: asking.cycles(tx, project))
    assert [("a", "b", "c", "d"), ("x", "y")] == [cycle.nodes for cycle in found]
    known = {(pair[0], pair[1]) for pair in pairs}
    for cycle in found:
        assert closes(cycle.path, known)
        assert 2 == len(list(pairwise(cycle.path))) == len(cycle.tags)
    assert {"explicit"} == {tag for cycle in found for tag in cycle.tags}


async def test_unmet_requirements_are_by_tag(database: Database, request_: Request) -> None:
    """Each with the nodes that ask; what somebody produces is met."""
    drafts = [
        make_node("b", requires=("t", "met")),
        make_node("a", requires=("t", "s")),
        make_node("c", produces=("met",)),
    ]
    await bulk.add_graph(database, request_, drafts, [])
    found = await database.read(lambda tx: asking.unmet(tx, request_.project_id))
    assert [
        UnmetRequirement(tag="s", nodes=("a",)),
        UnmetRequirement(tag="t", nodes=("a", "b")),
    ] == found


async def test_what_is_cut_is_told(
    database: Database, request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tree over the limit is refused; of cycles each component is listed, to the limit."""
    project = request_.project_id
    await _build(database, request_, "abcdef", "ab", "ba", "cd", "dc", "ef", "fe")
    await bulk.add_graph(database, request_, [make_node("root", children=tuple("abc"))], [])
    monkeypatch.setattr(asking, "TREE", 4)
    assert 4 == len(await database.read(lambda tx: asking.tree_of(tx, project, "root")))
    monkeypatch.setattr(asking, "TREE", 3)
    with pytest.raises(LimitExceeded, match="more than 3 nodes"):
        await database.read(lambda tx: asking.tree_of(tx, project, "root"))
    monkeypatch.setattr(asking, "LIMIT", 2)
    found = await database.read(lambda tx: asking.cycles(tx, project))
    assert [("a", "b"), ("c", "d")] == [cycle.nodes for cycle in found]
    assert all(cycle.path for cycle in found)


async def test_a_component_beyond_the_flagged_edges_looked_at_is_listed(
    database: Database, request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its way round is not looked for; that it is there is told."""
    pairs = ("ab", "ba", "ac", "ca", "xy", "yx")
    await _build(database, request_, "abcxy", *pairs)
    monkeypatch.setattr(asking, "LIMIT", 2)
    found = await database.read(lambda tx: asking.cycles(tx, request_.project_id))
    assert [("a", "b", "c"), ("x", "y")] == [cycle.nodes for cycle in found]
    assert [True, False] == [bool(cycle.path) for cycle in found]


async def test_a_tree_has_parents_first_and_children_in_order(
    database: Database, request_: Request
) -> None:
    """As listed by the parent, then those that only name their parent, by id; soft edges aside."""
    project = request_.project_id
    drafts = [
        make_node("root", children=("z", "m")),
        make_node("m", children=("m2", "m1")),
        *map(make_node, ("z", "m1", "m2")),
        make_node("b", parent="root"),
        make_node("a", parent="root"),
    ]
    await bulk.add_graph(
        database, request_, drafts, [make_edge("a", "z", type=EdgeType.RELATED, kind="k")]
    )
    rows = await database.read(lambda tx: asking.tree_of(tx, project, "root"))
    assert ["root", "z", "m", "m2", "m1", "a", "b"] == [row.node.id for row in rows]
    assert [0, 1, 1, 2, 2, 1, 1] == [row.depth for row in rows]
    assert [None, "root", "root", "m", "m", "root", "root"] == [row.parent for row in rows]
    below = await database.read(lambda tx: asking.tree_of(tx, project, "m"))
    assert [("m", None), ("m2", "m"), ("m1", "m")] == [(r.node.id, r.parent) for r in below]
