"""How FAISS is asked: which index, with which numbers, and what comes of its answers.

The numbers were settled on vectors of real issues. All pairs are the matter of `comparing`.
"""

import importlib.util
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gotn_embeddings import processor
from gotn_embeddings.errors import NoEncoder
from gotn_embeddings.identity import Vectors

EXACT, HNSW = "exact", "hnsw"
#: Vectors up to which each query is compared with all, which takes 20 to 40 ms then: a graph
#: takes 20 s to make, and among many nearly equal texts it loses others.
SWITCH = 100_000
#: Decimals of a cosine to which equal vectors have equal ones.
DIGITS = 5
#: How many are looked at for one, at most, where those left out may be as near as the last.
WIDEST = 1024
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


def exactly(asked: Vectors, rows: Vectors, k: int) -> tuple[NDArray[np.int64], Vectors]:
    """The k nearest of these rows to each asked, and their cosines."""
    faiss = _faiss()
    scores, found = faiss.knn(asked, rows, k, metric=faiss.METRIC_INNER_PRODUCT)
    return found, scores


def cells(rows: Vectors, count: int) -> tuple[Vectors, NDArray[np.int64]]:
    """So many centres of the vectors, and of each vector the nearest; the same every time."""
    faiss = _faiss()
    found = faiss.Kmeans(
        rows.shape[1], count, niter=6, max_points_per_centroid=64, spherical=True, seed=1
    )
    found.train(rows)
    _, own = found.index.search(rows, 1)
    return found.centroids, own[:, 0]


def even(scores: Any) -> Any:
    """Scores to the digits that do not depend on where in an index a vector stands."""
    return np.round(scores, DIGITS)


def largest(scores: Vectors, k: int) -> NDArray[np.int64]:
    """The columns of the k largest of each row, equal ones in their order; best first."""
    return np.argsort(-even(scores), axis=1, kind="stable")[:, :k]


def others(
    rows: NDArray[np.int64], scores: Vectors, own: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int64], Vectors, NDArray[np.bool_]]:
    """Of what is near each row the k nearest others, equal ones by row, and their cosines.

    The last tells of each whether it is sure: that nothing was left out that may be as near.
    """
    near = even(np.where((rows >= 0) & (rows != own[:, None]), scores, -np.inf))
    found = np.lexsort((rows, -near), axis=1)
    best = found[:, :k]
    chosen = np.take_along_axis(near, best, axis=1)
    there = np.isfinite(chosen)
    least = np.where(np.isfinite(near), near, np.inf).min(axis=1)
    kept = np.where(there, np.take_along_axis(rows, best, axis=1), -1)
    shown = np.where(there, np.take_along_axis(scores, best, axis=1), 0)
    return kept, shown, there.all(axis=1) & (least < chosen[:, -1])
