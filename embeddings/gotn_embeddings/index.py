"""Vectors of one collection in memory, found by FAISS.

Exact search while the collection is small. Above `SWITCH` vectors an HNSW graph answers as soon as
somebody has let it `grow`, beside the searches that go on, and it has proved to find its vectors:
of texts made by a template a graph may lose others. FAISS numbers vectors by their place;
here each place carries its owner's id. A vector that is removed or replaced leaves its place
empty, is never answered again, and is swept out when many are.
"""

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gotn_embeddings import comparing, finding
from gotn_embeddings.finding import EXACT, HNSW, SWITCH, WIDEST
from gotn_embeddings.identity import ModelIdentity, Vectors
from gotn_embeddings.turns import Turns
from gotn_embeddings.vectors import Hit, Neighbours, checked

#: Empty places that are borne, as a share of all, before the collection is swept.
EMPTY = 0.2
#: The share of its vectors that a graph may not find, how near it must come to one, and how many
#: times as many vectors there must be before another is tried.
LOST, NEAR, AGAIN = 0.001, 0.001, 1.2
#: Queries that are searched at once; others wait for a turn no longer than for these.
QUERIES = 1024
#: Vectors that are added to a graph that grows, before it looks whether it is still wanted.
PIECE = 500
#: How many more than asked for are looked at, for ties.
SPARE = 16


class FaissIndex:
    """Vectors under own ids; may be used by several threads. Nothing here touches a file."""

    def __init__(self, identity: ModelIdentity, *, switch: int = SWITCH) -> None:
        self.identity = identity
        self._switch = switch
        self._turns = Turns()
        self._growing = threading.Lock()
        self._stopped = False
        self._clear()

    def _clear(self) -> None:
        self._refused = 0  # how many vectors a graph had that was not taken
        self._age = object()  # another one whenever places are given anew
        self._kind = EXACT
        self._faiss = finding.empty(EXACT, self.identity.dimension)
        self._ids: list[str | None] = []
        self._places: dict[str, int] = {}
        self._empty = np.zeros(0, np.bool_)  # which places are

    @property
    def kind(self) -> str:
        """`exact` or `hnsw`."""
        return self._kind

    @property
    def outgrown(self) -> bool:
        """Whether a graph would answer faster: `grow` makes one."""
        enough = max(self._switch, AGAIN * self._refused)
        return self._kind == EXACT and len(self._places) > enough and not self._stopped

    def grow(self) -> bool:
        """Make the graph and take it, True; searches and changes go on meanwhile.

        False where it is not wanted, somebody else makes it, it was stopped, or it loses vectors.
        """
        if not self.outgrown or not self._growing.acquire(blocking=False):
            return False
        try:
            with self._turns.reading():
                age, rows = self._age, finding.vectors(self._faiss).copy()
            self._refused = len(rows)  # until it is taken
            graph = finding.empty(HNSW, self.identity.dimension)
            for start in range(0, len(rows), PIECE):
                if self._unwanted(age):
                    return False
                graph.add(rows[start : start + PIECE])
            if not self._finds(graph, rows, age):
                return False
            with self._turns.writing():
                if self._age is not age:
                    return False
                graph.add(finding.vectors(self._faiss)[len(rows) :])
                self._kind, self._faiss = HNSW, graph
        finally:
            self._growing.release()
        return True

    def _finds(self, graph: Any, rows: Vectors, age: object) -> bool:
        """Whether the graph finds its own vectors; among many nearly equal ones others get lost."""
        lost = 0
        for start in range(0, len(rows), PIECE):
            if self._unwanted(age):
                return False
            asked = rows[start : start + PIECE]
            _, scores = finding.nearest(graph, HNSW, asked, 1, None)
            lost += int((scores[:, 0] < np.square(asked).sum(axis=1) - NEAR).sum())
            if lost > LOST * len(rows):
                return False
        return True

    def _unwanted(self, age: object) -> bool:
        return self._stopped or self._age is not age

    def stop(self) -> None:
        """End a `grow` that is under way, soon; the index stays as it is."""
        self._stopped = True

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, id_: object) -> bool:
        return id_ in self._places

    def ids(self) -> set[str]:
        """Every id."""
        with self._turns.reading():
            return set(self._places)

    def put(self, vectors: Mapping[str, Vectors]) -> None:
        """Add vectors, or replace those of the same id; all or, with BadVector, none."""
        names = list(vectors)
        if not names:
            return
        rows = checked(_stacked(list(vectors.values())), self.identity.dimension, names)
        with self._turns.writing():
            self._forget(names)
            self._append(names, rows)
            self._tidy()

    def remove(self, ids: Collection[str]) -> None:
        """Take vectors out; ids that are not there are no error."""
        with self._turns.writing():
            self._forget(ids)
            self._tidy()

    def get(self, ids: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of those ids that there are."""
        with self._turns.reading():
            there = [id_ for id_ in ids if id_ in self._places]
            rows = self._rows([self._places[id_] for id_ in there])
        return dict(zip(there, rows, strict=True))

    def search(
        self, queries: Vectors, k: int, among: Collection[str] | None = None
    ) -> list[list[Hit]]:
        """The k nearest of each query, best first, of `among` alone where it is given."""
        asked = checked(queries, self.identity.dimension)
        found: list[list[Hit]] = []
        for start in range(0, len(asked), QUERIES):
            with self._turns.reading():
                found += self._found(asked[start : start + QUERIES], k, among)
        return found

    def neighbours(self, k: int) -> Neighbours:
        """The k nearest others of every vector, of one moment; changes go on meanwhile."""
        return comparing.compared(*self.everything(), k)

    def everything(self) -> tuple[list[str], Vectors]:
        """All ids in order and their vectors, of one moment."""
        with self._turns.reading():
            ids = sorted(self._places)
            return ids, self._rows([self._places[id_] for id_ in ids])

    @contextmanager
    def still(self) -> Iterator[tuple[str, Any, list[str | None]]]:
        """The kind, FAISS's own index and the ids by place, while nobody changes them."""
        with self._turns.reading():
            yield self._kind, self._faiss, self._ids

    def restore(self, kind: str, faiss: Any, ids: list[str | None]) -> None:
        """Take over what a file kept."""
        with self._turns.writing():
            self._clear()
            self._kind, self._faiss, self._ids = kind, faiss, ids
            self._places = {id_: place for place, id_ in enumerate(ids) if id_ is not None}
            self._empty = np.array([id_ is None for id_ in ids], np.bool_)

    def _forget(self, ids: Collection[str]) -> None:
        for id_ in ids:
            place = self._places.pop(id_, None)
            if place is not None:
                self._ids[place] = None
                self._empty[place] = True

    def _append(self, names: list[str], rows: Vectors) -> None:
        first = len(self._ids)
        self._faiss.add(rows)
        self._ids += names
        self._places.update(zip(names, range(first, first + len(names)), strict=True))
        self._empty = np.concatenate([self._empty, np.zeros(len(names), np.bool_)])

    def _tidy(self) -> None:
        if len(self._ids) - len(self._places) > max(64, EMPTY * len(self._ids)):
            self._rebuild()

    def _rebuild(self) -> None:
        """Without empty places; a graph must be grown anew."""
        names = list(self._places)
        rows = self._rows([self._places[name] for name in names])
        self._clear()
        self._append(names, rows)

    def _rows(self, places: "Sequence[int] | NDArray[np.int64]") -> Vectors:
        if not len(places):
            return np.empty((0, self.identity.dimension), np.float32)
        found: Vectors = finding.vectors(self._faiss)[np.asarray(places, np.int64)]
        return found

    def _found(self, asked: Vectors, k: int, among: Collection[str] | None) -> list[list[Hit]]:
        if among is not None:
            return self._among(asked, k, among)
        k = min(k, len(self._places))
        if k < 1:
            return [[] for _ in asked]
        places, scores = self._nearest(asked, min(k + SPARE, len(self._places)))
        return [
            self._settled(query, row, near, k)
            for query, row, near in zip(asked, places, scores, strict=True)
        ]

    def _settled(
        self, query: Vectors, places: NDArray[np.int64], scores: Vectors, k: int
    ) -> list[Hit]:
        """The k nearest; more are looked at while those left out may be as near as the last."""
        while True:
            wide = len(places)
            hits = self._hits(places, scores, wide)
            last = finding.even(hits[-1].score) if hits else 0.0
            tied = len(hits) == wide and last >= finding.even(hits[k - 1].score)
            if not tied or wide >= min(len(self._places), WIDEST):
                return hits[:k]
            (places,), (scores,) = self._nearest(query[None], min(4 * wide, len(self._places)))

    def _nearest(self, asked: Vectors, k: int) -> tuple[NDArray[np.int64], Vectors]:
        """Places and cosines; empty places are left out by FAISS itself."""
        empty = self._empty if len(self._places) < len(self._ids) else None
        return finding.nearest(self._faiss, self._kind, asked, k, empty)

    def _among(self, asked: Vectors, k: int, among: Collection[str]) -> list[list[Hit]]:
        """Exact, over the chosen alone: a graph walked past a narrow filter finds too few."""
        places = np.array([self._places[i] for i in sorted(set(among)) if i in self._places], int)
        if k < 1 or not len(places):
            return [[] for _ in asked]
        scores = asked @ self._rows(places).T
        best = finding.largest(scores, min(k, len(places)))
        return [
            self._hits(places[row], near[row], k) for row, near in zip(best, scores, strict=True)
        ]

    def _hits(self, places: NDArray[np.int64], scores: Vectors, k: int) -> list[Hit]:
        found = [
            Hit(id_, float(score))
            for place, score in zip(places.tolist(), scores.tolist(), strict=True)
            if place >= 0 and (id_ := self._ids[place]) is not None
        ]
        return sorted(found, key=lambda hit: (-finding.even(hit.score), hit.id))[:k]


def _stacked(vectors: list[Vectors]) -> Vectors:
    """The vectors as rows; of different lengths they are no matrix, which `checked` refuses."""
    lengths = {np.shape(vector) for vector in vectors}
    if len(lengths) > 1:
        return np.empty((len(vectors), 0), np.float32)
    return np.array(vectors, np.float32)
