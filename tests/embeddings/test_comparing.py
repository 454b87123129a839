"""The nearest of all at once: what whole numbers find against what is worked out plainly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gotn_embeddings import ModelIdentity, comparing
from gotn_embeddings.identity import Vectors
from gotn_embeddings.index import FaissIndex


def clustered(count: int, spread: float = 0.8, seed: int = 0, dimension: int = 384) -> Vectors:
    """Vectors about some centres, as texts of a few subjects have."""
    dice = np.random.default_rng(seed)
    centres = dice.normal(size=(max(1, count // 50), dimension))
    noise = spread * dice.normal(size=(count, dimension))
    return of_length_1(centres[dice.integers(0, len(centres), count)] + noise)


def of_length_1(rows: "np.typing.NDArray[np.float64]") -> Vectors:
    """The rows as vectors."""
    made: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return made


def plainly(vectors: Vectors, k: int) -> Vectors:
    """The cosines of the k nearest others of each, best first."""
    scores = vectors.astype(np.float64) @ vectors.T.astype(np.float64)
    np.fill_diagonal(scores, -np.inf)
    best: Vectors = -np.sort(-scores, axis=1)[:, :k].astype(np.float32)
    return best


def indexed(vectors: Vectors) -> FaissIndex:
    """An index of them, in their order."""
    identity = ModelIdentity(
        model="tests", revision="0" * 16, pooling="mean", dimension=vectors.shape[1]
    )
    index = FaissIndex(identity)
    index.put({f"{row:05}": vector for row, vector in enumerate(vectors)})
    return index


def test_whole_numbers_find_the_nearest() -> None:
    """Of clustered vectors all of a row that says it is sure, and most rows are."""
    vectors = clustered(3000)
    found = comparing.nearest(vectors, 10)
    assert found.sure.mean() > 0.8
    expected = plainly(vectors, 10)
    assert np.abs(found.scores - expected)[found.sure].max() < 1.1e-5
    shown = np.einsum("nd,nkd->nk", vectors, vectors[found.rows])
    assert np.abs(shown - found.scores).max() < 1e-6
    assert not (found.rows == np.arange(3000)[:, None]).any()


@pytest.mark.parametrize("spread", [0.003, 0.0], ids=["templates", "equal"])
def test_what_rounding_hides_is_compared_exactly(spread: float) -> None:
    """Fifty texts of a template lie closer than whole numbers tell: no row is sure, all are right.

    Equal ones come by row.
    """
    vectors = clustered(400, spread)
    assert not comparing.nearest(vectors, 5).sure.any()
    found = indexed(vectors).neighbours(5)
    assert np.abs(found.scores - plainly(vectors, 5)).max() < 2e-5
    if not spread:
        scores = np.round(vectors @ vectors.T, 5)
        np.fill_diagonal(scores, -np.inf)
        expected = np.argsort(-scores, axis=1, kind="stable")[:, :5]
        assert (found.rows == expected).all()


@given(
    count=st.integers(0, 40), dimension=st.integers(1, 20), k=st.integers(0, 45),
    one=st.booleans(), seed=st.integers(0, 1000),
)  # fmt: skip
def test_of_any_few(count: int, dimension: int, k: int, one: bool, seed: int) -> None:
    """Few vectors of few numbers, one of them all in one number: what there is, best first."""
    rows = np.random.default_rng(seed).normal(size=(count, dimension)) + 0.1
    if one and count:
        rows[0] = np.eye(dimension)[0]
    vectors = of_length_1(rows).reshape(count, dimension)
    found = indexed(vectors).neighbours(k)
    expected = plainly(vectors, min(k, max(0, count - 1)))
    assert found.scores.shape == expected.shape
    assert np.allclose(found.scores, expected, atol=2e-5)
    assert all(len({*row}) == len(row) and n not in row for n, row in enumerate(found.rows))


def test_the_same_without_what_multiplies_whole_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where ONNX Runtime is not installed FAISS compares them, slower, with the same result."""
    index = indexed(clustered(700, seed=3))
    with_it = index.neighbours(7)
    monkeypatch.setattr(comparing, "installed", lambda: False)
    monkeypatch.delattr(comparing, "_session")
    without = index.neighbours(7)
    assert np.abs(with_it.scores - without.scores).max() < 1e-6
    assert (with_it.rows == without.rows).mean() > 0.999


def test_many_are_compared_within_their_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above `WHOLE` vectors nearly all of the nearest are found, the same ones each time."""
    for name, value in {"CELL": 40, "CELLS": 16, "WHOLE": 640, "PRODUCTS": 300_000}.items():
        monkeypatch.setattr(comparing, name, value)
    vectors = clustered(4000)
    index = indexed(vectors)
    found, again = index.neighbours(10), index.neighbours(10)
    assert (found.rows == again.rows).all()
    shown = np.einsum("nd,nkd->nk", vectors, vectors[found.rows])
    assert np.abs(shown - found.scores).max() < 1e-6
    assert (np.diff(found.scores) <= 1e-5).all()
    assert np.mean(np.abs(found.scores - plainly(vectors, 10)) < 1e-6) > 0.98


def test_what_is_kept_at_once_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products in pieces are the same products."""
    vectors = clustered(900)
    whole = comparing.nearest(vectors, 5)
    monkeypatch.setattr(comparing, "MOST", 9000)
    pieces = comparing.nearest(vectors, 5)
    assert (whole.rows == pieces.rows).all()
    assert (whole.sure == pieces.sure).all()


def test_cells_of_equal_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells that nobody is in, and one with everybody: each row has its equals, by row."""
    for name, value in {"CELL": 40, "CELLS": 4, "WHOLE": 160}.items():
        monkeypatch.setattr(comparing, name, value)
    vectors = np.repeat(clustered(3, seed=1), 200, axis=0)
    found = indexed(vectors).neighbours(3)
    assert np.allclose(found.scores, 1, atol=1e-5)
    assert [[1, 2, 3], [0, 2, 3]] == found.rows[:2].tolist()
    assert [200, 201, 202] == found.rows[399].tolist()
