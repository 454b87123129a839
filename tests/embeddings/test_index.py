"""The index in memory: when it becomes a graph, when it is swept, and what pairs come of it."""

from dataclasses import replace

import numpy as np
import pytest
from conformance.vector_store import IDENTITY, nearest, vectors

import gotn_embeddings.index
from gotn_embeddings import Neighbours, mutual
from gotn_embeddings.identity import Vectors
from gotn_embeddings.index import EMPTY, FaissIndex


def test_kind_follows_the_size() -> None:
    """Exact up to the switching point; above it a graph, once somebody let it grow."""
    held = vectors(30)
    at_once, one_by_one = (FaissIndex(IDENTITY, switch=20) for _ in range(2))
    for id_, vector in list(held.items())[:20]:
        one_by_one.put({id_: vector})
    assert not one_by_one.outgrown
    assert not one_by_one.grow()
    for id_, vector in list(held.items())[20:]:
        one_by_one.put({id_: vector})
    at_once.put(held)
    for index in (at_once, one_by_one):
        assert ("exact", True) == (index.kind, index.outgrown)
        expected = [nearest(held, query, 5) for query in held.values()]
        assert expected == [
            [hit.id for hit in hits] for hits in index.search(np.array([*held.values()]), 5)
        ]
        assert index.grow()
        assert ("hnsw", False) == (index.kind, index.outgrown)
        assert expected == [
            [hit.id for hit in hits] for hits in index.search(np.array([*held.values()]), 5)
        ]


def test_a_graph_grows_while_the_index_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is put, replaced and removed meanwhile is in it, or out of it; a sweep ends it."""
    index, held, seen = FaissIndex(IDENTITY, switch=10), vectors(300), []
    index.put(held)
    changed = {**list_of(vectors(20, seed=5), "node-"), **list_of(vectors(10, seed=6), "more-")}

    def change(age: object) -> bool:
        seen.append(age)
        if len(seen) == 2:
            index.put(changed)
            index.remove(["node-0100"])
        return False

    monkeypatch.setattr(gotn_embeddings.index, "PIECE", 100)
    monkeypatch.setattr(FaissIndex, "_unwanted", lambda _, age: change(age))
    assert index.grow()
    assert len(seen) == 6
    held |= changed
    del held["node-0100"]
    assert ("hnsw", set(held)) == (index.kind, index.ids())
    for query in list(held.values())[::20]:
        assert nearest(held, query, 3) == [hit.id for hit in index.search(query[None], 3)[0]]


@pytest.mark.parametrize("end", ["swept", "stopped"])
def test_a_graph_that_is_not_wanted_any_more(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Places given anew, or an index that is closed: what was begun is left, nothing is lost."""
    index, held = FaissIndex(IDENTITY, switch=10), vectors(300)
    index.put(held)
    real = FaissIndex._unwanted
    done: list[bool] = []

    def unwanted(self: FaissIndex, age: object) -> bool:
        if not done:
            done.append(True)
            index.remove(list(held)[:150]) if end == "swept" else index.stop()
        return real(self, age)

    monkeypatch.setattr(FaissIndex, "_unwanted", unwanted)
    assert not index.grow()
    assert ("exact", 150 if end == "swept" else 300) == (index.kind, len(index))
    query = held["node-0200"]
    assert "node-0200" == index.search(query[None], 1)[0][0].id


def test_a_graph_that_loses_vectors_is_not_taken() -> None:
    """Of texts of a few templates; search stays exact, and it is not tried again at once."""
    dice = np.random.default_rng(1)
    held = vectors(300, dimension=8)
    for template in list(vectors(6, seed=9).values()):
        rows = template + 1e-4 * dice.normal(size=(300, 8)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        held |= {f"copy-{len(held) + n:04}": row for n, row in enumerate(rows)}
    index = FaissIndex(IDENTITY, switch=100)
    index.put(held)
    assert index.outgrown
    assert not index.grow()
    assert ("exact", False) == (index.kind, index.outgrown)
    for name in list(vectors(300))[::10]:
        assert name == index.search(held[name][None], 1)[0][0].id
    index.put(vectors(2500, seed=4))
    assert index.outgrown


def list_of(made: dict[str, Vectors], prefix: str) -> dict[str, Vectors]:
    """The vectors under other names."""
    return {f"{prefix}{n:04}": vector for n, vector in enumerate(made.values())}


@pytest.mark.parametrize("switch", [10, 10_000], ids=["hnsw", "exact"])
def test_empty_places_are_swept(switch: int) -> None:
    """Replacing and removing for long leaves no more empty places than are borne."""
    index, held = FaissIndex(IDENTITY, switch=switch), vectors(400)
    index.put(held)
    assert index.grow() == (switch == 10)
    for seed in range(1, 6):
        held |= dict(list(vectors(400, seed).items())[:150])
        index.put({id_: held[id_] for id_ in list(held)[:150]})
        gone = list(held)[-20:]
        index.remove(gone)
        held = {id_: held[id_] for id_ in held if id_ not in gone}
        with index.still() as (_, faiss, ids):
            assert len(ids) == faiss.ntotal
            assert len(ids) - len(held) <= max(64, EMPTY * len(ids))
    for query in list(held.values())[::40]:
        assert nearest(held, query, 3) == [hit.id for hit in index.search(query[None], 3)[0]]
    assert held.keys() == index.ids()


def test_removing_everything_leaves_an_index_that_works() -> None:
    """Empty, and filled again."""
    index, held = FaissIndex(IDENTITY, switch=10), vectors(200)
    index.put(held)
    index.remove(held)
    assert [[]] == index.search(held["node-0000"][None], 3)
    assert 0 == len(index)
    index.put(held)
    assert "node-0000" == index.search(held["node-0000"][None], 1)[0][0].id


def test_recall_of_the_graph_on_384_numbers() -> None:
    """Of clustered vectors the graph finds nearly all of the exact nearest ten."""
    chance = np.random.default_rng(0)
    centres = chance.normal(size=(60, 384))
    rows = centres[chance.integers(0, 60, 3000)] + 0.8 * chance.normal(size=(3000, 384))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    held = {f"{n:05}": row.astype(np.float32) for n, row in enumerate(rows)}

    identity = replace(IDENTITY, dimension=384)
    exact, graph = FaissIndex(identity), FaissIndex(identity, switch=100)
    exact.put(held)
    graph.put(held)
    assert graph.grow()
    queries = np.array([*held.values()])[::3]
    pairs = zip(exact.search(queries, 10), graph.search(queries, 10), strict=True)
    shared = [len({hit.id for hit in a} & {hit.id for hit in b}) / 10 for a, b in pairs]
    assert np.mean(shared) >= 0.99


def test_mutual_pairs() -> None:
    """Both must name the other, above the threshold; strongest first, each pair once."""
    found = Neighbours(
        ["a", "b", "c", "d"],
        np.array([[1, 2], [0, 2], [3, 0], [2, -1]]),
        np.array([[0.9, 0.8], [0.9, 0.7], [0.95, 0.8], [0.95, 0.0]], np.float32),
    )
    pairs = mutual(found, 0.5)
    assert [("c", "d"), ("a", "b"), ("a", "c")] == [pair[:2] for pair in pairs]
    assert [("c", "d"), ("a", "b")] == [pair[:2] for pair in mutual(found, 0.85)]
    assert [] == mutual(FaissIndex(IDENTITY).neighbours(5), 0.0)


def test_equal_ones_come_by_id_whatever_the_index_went_through() -> None:
    """Vectors of templated texts: the same neighbours from any order of adding, and by search."""
    dice = np.random.default_rng(7)
    few = list(vectors(12, seed=3).values())
    names = [f"n{i:03}" for i in range(120)]
    given = dict(zip(names, [few[i % 12] for i in range(120)], strict=True))
    found = []
    for _ in range(4):
        index = FaissIndex(IDENTITY)
        for name in dice.permutation(names).tolist():
            index.put({name: given[name]})
        index.remove(["n000"])
        index.put({"n000": given["n000"]})
        near = index.neighbours(3)
        found.append([[near.ids[i] for i in row] for row in near.rows.tolist()])
        hits = index.search(np.array([given["n050"]]), 4)[0]
        assert ["n002", "n014", "n026", "n038"] == [hit.id for hit in hits]
    assert found[0] == found[1] == found[2] == found[3]
    assert ["n014", "n026", "n038"] == found[0][2]
