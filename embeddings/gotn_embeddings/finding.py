"""How FAISS is asked: which index, with which numbers, and what comes of its answers.

The numbers were settled on vectors of real issues; the bench row `neighbours` measures them.
"""

import importlib.util
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gotn_embeddings import processor
from gotn_embeddings.errors import NoEncoder
from gotn_embeddings.identity import Vectors

EXACT, HNSW = "exact", "hnsw"
#: Vectors up to which exact search is taken: building a graph and asking it well enough (0.999
#: of the nearest ten) costs more than comparing all pairs up to some 30,000 where a processor
#: has AVX-512, some 5,000 where it has not; one exact query of 20,000 takes 1.5 ms.
SWITCH = 20_000
#: Edges of a vector in the graph, candidates looked at when it is added, and when it is asked.
LINKS, BUILDING, ASKING = 32, 40, 64


def _faiss() -> Any:
    if importlib.util.find_spec("faiss") is None:
        raise NoEncoder("faiss-cpu is not installed: pip install 'gotn[embeddings-light]'")
    processor.wait_quietly()
    import faiss

    return faiss


def empty(kind: str, dimension: int) -> Any:
    """An index of inner products, which are cosines of vectors of length 1."""
    faiss = _faiss()
    if kind == EXACT:
        return faiss.IndexFlatIP(dimension)
    made = faiss.IndexHNSWFlat(dimension, LINKS, faiss.METRIC_INNER_PRODUCT)
    made.hnsw.efConstruction = BUILDING
    return made


def vectors(index: Any) -> Vectors:
    """All of an index's vectors by place, as a view of its memory."""
    faiss = _faiss()
    storage = faiss.downcast_index(index.storage) if hasattr(index, "storage") else index
    flat: Vectors = faiss.rev_swig_ptr(storage.get_xb(), storage.ntotal * storage.d)
    return flat.reshape(storage.ntotal, storage.d)


def nearest(
    index: Any, kind: str, asked: Vectors, k: int, left_out: NDArray[np.bool_] | None
) -> tuple[NDArray[np.int64], Vectors]:
    """Places and cosines of the k nearest of each row; -1 where there are less."""
    faiss = _faiss()
    settings: dict[str, Any] = {}
    if left_out is not None:
        bits = np.packbits(~left_out, bitorder="little")
        settings["sel"] = faiss.IDSelectorBitmap(len(left_out), faiss.swig_ptr(bits))
    if kind == HNSW:
        asked_for = faiss.SearchParametersHNSW(efSearch=max(ASKING, 2 * k), **settings)
    else:
        asked_for = faiss.SearchParameters(**settings)
    scores, places = index.search(asked, k, params=asked_for)
    return places, scores


def largest(scores: Vectors, k: int) -> NDArray[np.int64]:
    """The columns of the k largest of each row, equal ones by place; best first."""
    return np.argsort(-scores, axis=1, kind="stable")[:, :k]


def others(
    rows: NDArray[np.int64], scores: Vectors, start: int, k: int
) -> tuple[NDArray[np.int64], Vectors]:
    """Of the k + 1 nearest of each row the k others.

    The last is left out where the row itself is not among them: others are as near.
    """
    count = len(rows)
    self_ = rows == np.arange(start, start + count)[:, None]
    drop = np.where(self_.any(axis=1), self_.argmax(axis=1), rows.shape[1] - 1)
    kept = np.ones(rows.shape, bool)
    kept[np.arange(count), drop] = False
    return rows[kept].reshape(count, k), scores[kept].reshape(count, k)
