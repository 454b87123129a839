"""The nearest ten of every vector, from vectors to arrays, against FAISS's exact search."""

from collections.abc import AsyncIterator

import faiss
import numpy as np

from bench import texts
from bench.timing import Result, race
from bench.world import World
from gotn_embeddings import ModelIdentity
from gotn_embeddings.identity import Vectors
from gotn_embeddings.index import FaissIndex

NEAREST = 10
#: Rows of which recall is counted.
COUNTED = 2_000


async def neighbours(world: World) -> AsyncIterator[Result]:
    """`neighbours`: building the index is counted in; recall stands in the note."""
    for count in world.options.sizes:
        rows = texts.vectors(count)

        async def floor(rows: Vectors = rows) -> None:
            exact = faiss.IndexFlatIP(rows.shape[1])
            exact.add(rows)
            exact.search(rows, NEAREST + 1)

        async def ours(rows: Vectors = rows) -> None:
            _index(rows).neighbours(NEAREST)

        rounds = world.options.rounds if count <= 10_000 else 1
        found = await race(floor, ours, rounds, warm=0 if count > 10_000 else 1)
        note = f"recall@{NEAREST} {_recall(rows):.4f}"
        yield Result("neighbours", f"{count:,} vectors", *found, note=note)


def _index(rows: Vectors) -> FaissIndex:
    identity = ModelIdentity(model="m", revision="r", pooling="mean", dimension=rows.shape[1])
    index = FaissIndex(identity)
    index.put({f"{row:06}": vector for row, vector in enumerate(rows)})
    return index


def _recall(rows: Vectors) -> float:
    """The share of the exact nearest ten that are found, of some rows."""
    found = _index(rows).neighbours(NEAREST).rows[:COUNTED]
    scores = rows[:COUNTED] @ rows.T
    scores[np.arange(len(scores)), np.arange(len(scores))] = -1
    exact = np.argpartition(-scores, NEAREST, axis=1)[:, :NEAREST]
    shared = [len(set(a) & set(b)) for a, b in zip(found.tolist(), exact.tolist(), strict=True)]
    return sum(shared) / (len(found) * NEAREST)
