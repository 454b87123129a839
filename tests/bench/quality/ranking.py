"""What a ranking is worth: area under the curve, recall at ten, reciprocal rank."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.quality.issues import Matrix

Ranks = NDArray[np.int64]
FIRST = 10
#: Reciprocal rank fusion's constant.
FUSED = 60


@dataclass(frozen=True)
class Worth:
    """Means over all issues that have a partner."""

    #: How likely a partner ranks before one that is none; 0.5 is chance.
    auc: float
    #: The share of the partners, ten at most, that is among the first ten.
    recall: float
    #: One divided by the rank of the first partner.
    mrr: float
    #: Issues that were asked for.
    asked: int


def ranks(scores: NDArray[np.floating]) -> Ranks:
    """For each row the rank of every other, 0 the best; itself is the last."""
    held = scores.astype(np.float64)
    np.fill_diagonal(held, -np.inf)
    order = np.argsort(-held, axis=1, kind="stable")
    found = np.empty_like(order)
    np.put_along_axis(found, order, np.arange(len(held))[None].repeat(len(held), 0), 1)
    return found


def fused(*rankings: Ranks) -> Ranks:
    """Several rankings as one, by reciprocal rank."""
    return ranks(np.sum([1 / (FUSED + 1 + found) for found in rankings], axis=0))


def worth(found: Ranks, partners: Matrix) -> Worth:
    """The figures of a ranking; no issue is its own partner."""
    areas, recalls, firsts = [], [], []
    for row in np.flatnonzero(partners.any(axis=1)):
        at = np.sort(found[row][partners[row]])
        many, others = len(at), len(found) - 1 - len(at)
        areas.append(1 - float((at - np.arange(many)).sum()) / (many * others))
        recalls.append(int((at < FIRST).sum()) / min(many, FIRST))
        firsts.append(1 / (1 + int(at[0])))
    auc, recall, mrr = (float(np.mean(each)) for each in (areas, recalls, firsts))
    return Worth(auc, recall, mrr, len(areas))
