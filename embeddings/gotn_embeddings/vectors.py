"""Where vectors are kept and compared, whatever keeps them.

A store serves one model. It has a collection a project; a collection knows the journal entry up
to which it follows its project, so that whoever opens it can tell whether it is behind.
FAISS files are one implementation; a database's own vector index or Milvus are others, and the
conformance suite in the tests is what all of them must pass.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gotn_embeddings.errors import BadVector
from gotn_embeddings.identity import ModelIdentity, Vectors

#: How far from 1 a vector's length may be: bfloat16 engines and files round.
TOLERANCE = 1e-3
#: How many nearest others of a node may become soft edges, and the least cosine of one, where a
#: project has no settings of its own; chosen by `make bench-quality` on real issues.
NEAREST, ALIKE = 5, 0.6


@dataclass(frozen=True, slots=True)
class Hit:
    """A vector that was found."""

    id: str
    #: Cosine, -1 to 1.
    score: float


@dataclass(frozen=True, order=True)
class Position:
    """An entry of a project's journal: its seq (0: before the first) and its hash."""

    seq: int = 0
    hash: str = ""


@dataclass(frozen=True)
class Neighbours:
    """The nearest others of every vector, as arrays: a hundred thousand rows are no objects."""

    ids: list[str]
    #: For each id the rows in `ids` of its nearest others, best first; -1 where there are less.
    rows: NDArray[np.int64]
    #: Their cosines, beside.
    scores: NDArray[np.float32]


@runtime_checkable
class VectorStore(Protocol):
    """Vectors under ids of their owner's, a collection a project."""

    @property
    def identity(self) -> ModelIdentity:
        """The one model whose vectors it keeps."""

    async def position(self, project: str) -> Position:
        """The journal entry the collection follows; IndexUnusable where it must be built anew."""

    async def replace(
        self, project: str, vectors: Mapping[str, Vectors], position: Position
    ) -> None:
        """Make this the whole collection, whatever was there, damaged or foreign."""

    async def put(self, project: str, vectors: Mapping[str, Vectors], position: Position) -> None:
        """Add vectors, or replace those of the same id, and follow the journal to `position`."""

    async def remove(self, project: str, ids: Collection[str], position: Position) -> None:
        """Take vectors out; ids that are not there are no error."""

    async def note(self, project: str) -> str | None:
        """What `set_note` left, as long as nothing has changed since."""

    async def set_note(self, project: str, note: str, position: Position) -> None:
        """Keep a text beside the vectors until they change; none where they are elsewhere now."""

    async def get(self, project: str, ids: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of those ids that there are."""

    async def ids(self, project: str) -> set[str]:
        """Every id of the collection."""

    async def search(
        self, project: str, queries: Vectors, k: int, among: Collection[str] | None = None
    ) -> list[list[Hit]]:
        """The k nearest of each query, best first, of `among` alone where it is given.

        As many as there are, never less because a filter is narrow; equal scores by id.
        """

    async def neighbours(self, project: str, k: int) -> Neighbours:
        """The k nearest others of every vector."""

    async def drop(self, project: str) -> None:
        """Forget the collection; no error where there is none."""


def checked(vectors: Vectors, dimension: int, names: Sequence[str] | None = None) -> Vectors:
    """The rows as float32 of length 1; BadVector names the first that cannot be compared."""
    found = np.ascontiguousarray(vectors, np.float32)
    if found.ndim != 2 or found.shape[1] != dimension:
        shape = " x ".join(map(str, found.shape))
        raise BadVector(
            f"Expected vectors of {dimension} numbers, found {shape}", dimension=dimension
        )
    lengths = np.linalg.norm(found, axis=1)
    wrong = np.flatnonzero(~(np.abs(lengths - 1) <= TOLERANCE))
    if len(wrong):
        row = int(wrong[0])
        name = repr(names[row]) if names else f"row {row}"
        what = f"a length of {lengths[row]:.4g}" if np.isfinite(lengths[row]) else "NaN or infinity"
        raise BadVector(f"The vector of {name} has {what}: expected length 1", at=row)
    return found


def mutual(found: Neighbours, threshold: float) -> list[tuple[str, str, float]]:
    """Pairs that are among each other's nearest with at least this cosine, strongest first.

    Each pair once, the smaller id first; of equal scores the smaller ids first.
    """
    count, k = found.rows.shape
    source = np.repeat(np.arange(count), k)
    target, score = found.rows.ravel(), found.scores.ravel()
    good = (target >= 0) & (score >= threshold)
    source, target, score = source[good], target[good], score[good]
    there, back = source * count + target, target * count + source
    both = np.isin(there, back) & (source < target)
    pairs = (
        (*sorted((found.ids[a], found.ids[b])), float(s))
        for a, b, s in zip(source[both], target[both], score[both], strict=True)
    )
    return sorted(((a, b, s) for a, b, s in pairs), key=lambda pair: (-pair[2], pair[0], pair[1]))
