"""The nearest others of all vectors at once, found in whole numbers, compared in float32.

Vectors are rounded to 7 and 8 bits, whose products processors have instructions for; ONNX Runtime
computes them and keeps the largest of each row. A few more than asked for are then compared in
float32. How far rounding is likely to move a product is known from the vectors themselves; a row to
which something may belong that rounding hid is compared in float32 with everything.

Above `WHOLE` vectors each is compared with those of its nearest cells alone, so that time grows
with the number of vectors and not with its square: that finds nearly all, and says so of no row.
"""

import importlib.util
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gotn_embeddings import finding, processor, wire
from gotn_embeddings.identity import Vectors
from gotn_embeddings.vectors import Neighbours

Ints = NDArray[np.int64]
Whole = NDArray[np.int32]
#: Vectors about a cell, cells that are looked at, and vectors up to which all are compared.
CELL, CELLS, WHOLE = 2000, 9, 25_600
#: How many more than asked for are compared in float32.
SPARE = 8
#: Deviations of the rounding beyond which nothing is expected.
DEVIATIONS = 6
#: Rows that are compared at once, candidates of rows that are kept at once, products that stay in
#: a processor's cache, and that memory is taken for.
ROWS, PRODUCTS, AT_ONCE, MOST = 1024, 4_000_000, 1_250_000, 16_000_000
#: Rows that a processor's cache holds: as they are, and with the candidates of each.
CACHED, FEW = 256, 32
#: Neighbours that are looked at in float32 in all of all rows that are not sure.
WIDE = 4_000_000
#: The largest whole numbers: a product of two pairs fits 16 bits, which older processors add in.
ASKED, KEPT = 63, 127


def installed() -> bool:
    """Whether there is what multiplies whole numbers."""
    return importlib.util.find_spec("onnxruntime") is not None


@dataclass(frozen=True)
class Nearest:
    """The nearest others of each row."""

    rows: Ints
    scores: Vectors
    #: Of each row, whether rounding is likely to have hidden nothing of what it was compared with.
    sure: NDArray[np.bool_]


def compared(ids: list[str], vectors: Vectors, k: int) -> Neighbours:
    """The k nearest others of every vector, or as many as there are."""
    return Neighbours(ids, *neighbours(vectors, max(0, min(k, len(ids) - 1))))


def neighbours(vectors: Vectors, k: int) -> tuple[Ints, Vectors]:
    """The k nearest others of every row and their cosines, best first, equal ones by row.

    `k` is less than the number of rows.
    """
    count = len(vectors)
    found = nearest(vectors, k) if k and installed() else _none(count, k)
    left = np.flatnonzero(~found.sure)
    if k and len(left):
        _exactly(vectors, left, found)
    return found.rows, found.scores


def nearest(vectors: Vectors, k: int) -> Nearest:
    """What whole numbers tell of the k nearest others of every row; `k` is less than the rows."""
    count = len(vectors)
    found = _none(count, k)
    coded = _Coded(vectors)
    with ThreadPoolExecutor(processor.threads()) as pool:
        for own, rows, least in _candidates(coded, min(k + SPARE, count)):
            blocks = [slice(start, start + ROWS) for start in range(0, len(own), ROWS)]
            begun = [
                pool.submit(_settle, coded, own[some], rows[some], least[some], found)
                for some in blocks
            ]
            for block in begun:
                block.result()
    return found


def _none(count: int, k: int) -> Nearest:
    return Nearest(
        np.full((count, k), -1, np.int64),
        np.zeros((count, k), np.float32),
        np.zeros(count, np.bool_),
    )


def _exactly(vectors: Vectors, left: Ints, found: Nearest) -> None:
    """Compare these rows with all in float32; more where those left out may be as near."""
    k, count = found.rows.shape[1], len(vectors)
    wide = min(k + 2 * SPARE, count)
    while len(left):
        sure = np.zeros(len(left), np.bool_)
        for start in range(0, len(left), ROWS):
            own = left[start : start + ROWS]
            rows, scores = finding.exactly(vectors[own], vectors, wide)
            found.rows[own], found.scores[own], sure[start : start + ROWS] = finding.others(
                rows, scores, own, k
            )
        left = left[~sure]
        if wide == min(count, finding.WIDEST) or len(left) * 4 * wide > WIDE:
            return
        wide = min(4 * wide, count, finding.WIDEST)


class _Coded:
    """Vectors in whole numbers: 7 bits to ask with, each in its own unit, 8 bits to be found."""

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors
        self.asked = np.empty(vectors.shape, np.uint8)
        self.kept = np.empty(vectors.shape, np.int8)
        units = np.empty(len(vectors), np.float32)
        lost = np.empty((2, len(vectors)), np.float32)
        step = max(1e-9, float(vectors.max()), -float(vectors.min())) / KEPT
        for start in range(0, len(vectors), CACHED):
            some = slice(start, start + CACHED)
            units[some] = np.abs(vectors[some]).max(axis=1, initial=1e-9) / ASKED
            unit = units[some, None]
            self.asked[some], lost[0, some] = _rounded(vectors[some], unit, ASKED + 1)
            self.kept[some], lost[1, some] = _rounded(vectors[some], np.float32(step), 0)
        #: What a whole number stands for, and how far rounding may have moved it, of each row.
        self.unit = units * np.float32(step)
        self.moved = DEVIATIONS * np.sqrt(lost[0] + lost[1].mean())


def _rounded(vectors: Vectors, unit: Any, zero: int) -> tuple[Vectors, Vectors]:
    """The vectors in whole units above `zero`, and the mean square of what each row loses."""
    whole = np.rint(vectors / unit)
    lost = whole * unit
    lost -= vectors
    return whole + zero, np.einsum("nd,nd->n", lost, lost) / vectors.shape[1]


def _candidates(coded: _Coded, few: int) -> Iterator[tuple[Ints, Ints, Whole]]:
    """Rows, of each those that may be nearest, and the least of their products."""
    if len(coded.vectors) <= WHOLE:
        yield from _of_all(coded, few)
    else:
        yield from _of_cells(coded, few)


def _of_all(coded: _Coded, few: int) -> Iterator[tuple[Ints, Ints, Whole]]:
    products, rows = _largest(coded.asked, np.ascontiguousarray(coded.kept.T), few)
    yield np.arange(len(rows)), rows, products.min(axis=1)


def _of_cells(coded: _Coded, few: int) -> Iterator[tuple[Ints, Ints, Whole]]:
    """As `_of_all`, each row asked of its nearest cells; rows of a cell together."""
    centres, own = finding.cells(coded.vectors, -(-len(coded.vectors) // CELL))
    order = np.argsort(own, kind="stable")
    ends = np.cumsum(np.bincount(own, minlength=len(centres)))
    members = np.split(order, ends[:-1])
    turned = [np.ascontiguousarray(coded.kept[some].T) for some in members]
    together = max(1, PRODUCTS // (CELLS * few))
    for start in range(0, len(order), together):
        group = order[start : start + together]
        near = np.argpartition(coded.vectors[group] @ -centres.T, CELLS - 1, axis=1)[:, :CELLS]
        products = np.full((len(group), CELLS, few), np.iinfo(np.int32).min, np.int32)
        rows = np.full(products.shape, -1, np.int32)
        asked = np.argsort(near, axis=None, kind="stable")
        ends = np.searchsorted(near.ravel()[asked], np.arange(len(members)), side="right")
        for cell, places in enumerate(np.split(asked, ends[:-1])):
            asking, place = np.divmod(places, CELLS)
            there = members[cell]
            kept = min(few, len(there))
            if not len(asking) or not kept:
                continue
            best, at = _largest(coded.asked[group[asking]], turned[cell], kept)
            products[asking, place, :kept], rows[asking, place, :kept] = best, there[at]
        yield group, *_few(products.reshape(len(group), -1), rows.reshape(len(group), -1), few)


def _few(products: Whole, rows: Whole, few: int) -> tuple[Ints, Whole]:
    """The rows of the largest products, and the least of these."""
    best = np.argpartition(products, -few, axis=1)[:, -few:]
    least = np.take_along_axis(products, best, axis=1).min(axis=1)
    return np.take_along_axis(rows, best, axis=1).astype(np.int64), least


def _settle(coded: _Coded, own: Ints, rows: Ints, least: Whole, found: Nearest) -> None:
    """Compare candidates in float32."""
    scores = np.empty(rows.shape, np.float32)
    for start in range(0, len(own), FEW):
        some = slice(start, start + FEW)
        asked = coded.vectors[own[some], :, None]
        scores[some] = np.matmul(coded.vectors[rows[some]], asked)[:, :, 0]
    best, chosen, sure = finding.others(rows, scores, own, found.rows.shape[1])
    hidden = least * coded.unit[own] + coded.moved[own]
    everything = rows.shape[1] >= len(coded.vectors)
    found.rows[own], found.scores[own] = best, chosen
    found.sure[own] = everything | (sure & (hidden < chosen[:, -1]))


def _largest(asked: NDArray[np.uint8], turned: NDArray[np.int8], few: int) -> tuple[Whole, Ints]:
    """Of each row the largest products with the columns, and which columns these are."""
    columns = turned.shape[1]
    together = max(1, min(max(ROWS, AT_ONCE // columns), MOST // columns))
    found = [
        _session().run(
            ["products", "columns"],
            {
                "asked": asked[start : start + together],
                "kept": turned,
                "few": np.array([few], np.int64),
            },
        )
        for start in range(0, len(asked), together)
    ]
    products, places = zip(*found, strict=True)
    return np.concatenate(products), np.concatenate(places)


@cache
def _session() -> Any:
    import onnxruntime

    zero = np.array(ASKED + 1, np.uint8)
    document = wire.model(
        [
            wire.node("MatMulInteger", ["asked", "kept", "zero"], ["all"], {}),
            wire.node("TopK", ["all", "few"], ["products", "columns"], {"sorted": 0}),
        ],
        [wire.tensor("zero", zero)],
        [
            wire.value("asked", "uint8", ["rows", "numbers"]),
            wire.value("kept", "int8", ["numbers", "columns"]),
            wire.value("few", "int64", [1]),
        ],
        [
            wire.value("products", "int32", ["rows", "few"]),
            wire.value("columns", "int64", ["rows", "few"]),
        ],
    )
    return onnxruntime.InferenceSession(
        document, processor.onnx_options(), providers=["CPUExecutionProvider"]
    )
