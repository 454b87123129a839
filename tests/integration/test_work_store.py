import numpy as np
import pytest
from factories import make_edge, make_node
from graphs import assert_verified

from gotn.database.connection import Database, Tx
from gotn.errors import ProgrammingError
from gotn.work.records import EdgeType, NodeStatus
from gotn.work.rules import fold
from gotn.work.store import edges, graph, keys, nodes, planning
from gotn.work.usecases import bulk
from gotn.work.usecases.writing import Request


def test_no_two_paths_give_one_key() -> None:
    """Slashes and percent signs inside an id are written out; a long key is hashed."""
    assert "p/a%2Fb" == keys.key("p", "a/b")
    assert "p/a%252Fb" == keys.key("p", "a%2Fb")
    long = [keys.key("p", "%" * 1000, "/" * 1000, end) for end in "ab"]
    assert all(len(key.encode()) <= keys.KEY_BYTES for key in long)
    assert 2 == len(set(long))


def test_batches_leave_nothing_out() -> None:
    """Every row once, in order, none too large."""
    assert [[0, 1, 2], [3, 4, 5], [6]] == [list(b) for b in keys.batches(list(range(7)), 3)]
    assert [] == list(keys.batches([]))


async def test_get_gives_rows_with_neighbours(database: Database, request_: Request) -> None:
    """Tags in order, parent and children beside the row; unknown ids are left out."""
    drafts = [make_node("p", children=("b", "a")), make_node("a", requires=("y", "x"))]
    await bulk.add_graph(database, request_, [*drafts, make_node("b")], [])
    found = await database.read(
        lambda tx: nodes.get(tx, request_.project_id, ["a", "p", "none", "a"])
    )
    assert {"a", "p"} == set(found)
    assert (["y", "x"], "p", ["b", "a"]) == (
        found["a"]["requires"],
        found["a"]["parent"],
        found["p"]["children"],
    )
    assert not nodes.BESIDE & nodes.row_of(found["a"]).keys()


async def test_edges_are_found_by_their_names(database: Database, request_: Request) -> None:
    """Of several between two nodes the one asked for; none for another type."""
    both = [make_edge("a", "b"), make_edge("a", "b", type="related", kind="k")]
    await bulk.add_graph(database, request_, [make_node("a"), make_node("b")], both)
    asked = [
        {"type": "related", "src": "a", "dst": "b", "kind": "k"},
        {"type": "derived_from", "src": "a", "dst": "b"},
    ]
    found = await database.read(lambda tx: edges.get(tx, request_.project_id, asked))
    assert [("related", "a", "b", "k")] == list(found)
    touching = await database.read(lambda tx: edges.of_nodes(tx, request_.project_id, ["a"], 1))
    assert 1 == len(touching)


async def test_the_hard_graph_knows_origins_ranks_and_names(
    database: Database, request_: Request
) -> None:
    """One row of integers says what the nodes and relationships say."""
    drafts = [make_node("a", produces=("t",)), make_node("b", requires=("t",)), make_node("c")]
    await bulk.add_graph(database, request_, drafts, [make_edge("b", "c")], link=True)

    async def read(tx: object) -> tuple[graph.HardGraph, list[str]]:
        found = await graph.hard_graph(tx, request_.project_id)  # type: ignore[arg-type]
        return found, await graph.names_at(tx, found, range(3))  # type: ignore[arg-type]

    found, names = await database.read(read)
    assert sorted(names) == ["a", "b", "c"]
    (derived,), (explicit,) = found.derived.pairs(), found.explicit.pairs()
    assert [("a", "b"), ("b", "c")] == [(names[i], names[j]) for i, j in (derived, explicit)]
    assert bool(np.all(np.diff(found.ids) > 0))
    assert set() == found.flagged()


async def test_open_work_is_columns_by_place(database: Database, request_: Request) -> None:
    """Edges among open nodes as places in the columns, explicit ones first."""
    drafts = [
        make_node("a", produces=("t",), extra={"estimate_minutes": 4}),
        make_node("b", requires=("t",), parent="a"),
    ]
    await bulk.add_graph(database, request_, [*drafts, make_node("c")], [make_edge("c", "a")])
    await bulk.add_graph(database, request_, [], [], link=True)
    done = make_node("0", status=NodeStatus.COMPLETED)
    soft = make_edge("a", "c", type=EdgeType.SOFT_SEMANTIC, score=0.9)
    await bulk.add_graph(database, request_, [done], [soft, make_edge("0", "c")])

    async def read(tx: Tx) -> tuple[planning.OpenWork, list[str]]:
        found = await planning.open_work(tx, request_.project_id)
        at = await planning.parents(tx, request_.project_id, found)
        return found, [found.ids[i] for i in at.tolist()]

    found, parents = await database.read(read)
    name = found.ids.__getitem__
    assert ["a", "b", "c"] == found.ids
    tags = zip(found.hard.pairs(), found.derived.tolist(), strict=True)
    assert {("c", "a"): False, ("a", "b"): True} == {(name(i), name(j)): d for (i, j), d in tags}
    assert ([(0, 2)], [0.9]) == (found.soft.pairs(), found.scores)
    assert ({0: 4.0}, ["a"], 1) == (found.estimates, parents, found.satisfied)


@pytest.mark.parametrize("spread", [0, 64])
def test_places_of_internal_ids(spread: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By table or by search: unknown ids are left out, and so are edges that touch them."""
    monkeypatch.setattr(planning, "_SPREAD", spread)
    place = planning._Places(np.array([7, 3, 5], dtype=np.int64))
    assert [1, 2, 0] == place.of([3, 5, 7]).tolist()
    assert [-1, 0, -1, -1] == place.of([4, 7, 0, 900], missing=True).tolist()
    edges, kept = place.edges([(7 << 32) + 3, (7 << 32) + 4, (9 << 32) + 3])
    assert ([(0, 1)], [True, False, False]) == (edges.pairs(), kept.tolist())
    empty = planning._Places(np.zeros(0, dtype=np.int64))
    assert [] == empty.of([1]).tolist()


async def test_a_row_goes_through_the_database_unchanged(
    database: Database, request_: Request
) -> None:
    """What the journal keeps of a node is what is read back."""
    draft = make_node("a", requires=("x",), extra={"n": 1.5, "u": "é\x00"}, guards=[])
    await bulk.add_graph(database, request_, [draft], [])
    found = await database.read(lambda tx: nodes.get(tx, request_.project_id, ["a"]))
    row = nodes.row_of(found["a"])
    assert {"n": 1.5, "u": "é\x00"} == row["extra"]
    assert row == row | {"id": "a", "requires": ["x"], "status": "ready", "version": 1}
    assert ("WorkNode", "a") == next(iter(fold.node_entities([row])))[0]
    await assert_verified(database, request_.project_id)


async def test_a_statement_takes_exactly_its_parameters(database: Database) -> None:
    """A forgotten one is our mistake, found before the database sees it."""
    with pytest.raises(ProgrammingError, match="missing \\['keys'\\]"):
        await database.read(lambda tx: tx.rows("work/get_nodes"))
