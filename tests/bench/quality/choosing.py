"""Which soft edges come of a k and a threshold, and which k and threshold are best."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from bench.quality.issues import Matrix
from bench.quality.ranking import Ranks
from gotn_embeddings.identity import Vectors

KS = (3, 4, 5, 6, 8, 10)
THRESHOLDS = (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.78, 0.8, 0.85)
#: Precision counts so much as recall (F0.5): a wrong edge misleads, a missing one is only missed.
BETA = 0.5
#: Marks less apart than this are equal; of equal ones the highest threshold is taken.
EQUAL = 0.005


@dataclass(frozen=True)
class Choice:
    """What one k and one threshold give on one graph."""

    k: int
    threshold: float
    #: Soft edges.
    edges: int
    #: The share of them whose ends belong together.
    precision: float
    #: The share of all that belong together which they join.
    recall: float

    @property
    def mark(self) -> float:
        """F0.5."""
        below = BETA**2 * self.precision + self.recall
        return (1 + BETA**2) * self.precision * self.recall / below if below else 0.0


def choices(vectors: Vectors, found: Ranks, together: Matrix) -> list[Choice]:
    """Every k with every threshold."""
    cosines, once = vectors @ vectors.T, np.triu(np.ones(together.shape, np.bool_), 1)
    belong, made = int((together & once).sum()), []
    for k, threshold in product(KS, THRESHOLDS):
        near = found < k
        edges = near & near.T & once & (cosines >= threshold)
        right, many = int((edges & together).sum()), int(edges.sum())
        made.append(Choice(k, threshold, many, right / max(1, many), right / belong))
    return made


def best(graphs: list[list[Choice]]) -> list[Choice]:
    """The k and threshold of the best mean mark, on each graph; the strictest of equals."""
    marked = [(float(np.mean([one.mark for one in row])), row) for row in _rows(graphs)]
    most = max(mark for mark, _ in marked)
    equals = [row for mark, row in marked if mark >= most - EQUAL]
    return max(equals, key=lambda row: (row[0].threshold, -row[0].k))


def _rows(graphs: list[list[Choice]]) -> list[list[Choice]]:
    return [list(row) for row in zip(*graphs, strict=True)]
