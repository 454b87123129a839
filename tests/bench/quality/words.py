"""BM25 over whole texts, each asked for with all its words: what meaning has to compare with."""

import math
import re
from collections import Counter

import numpy as np
from numpy.typing import NDArray

#: Okapi's own numbers, Lucene's defaults.
K1, B = 1.2, 0.75


def scores(texts: list[str]) -> NDArray[np.float64]:
    """How well each text (a row) finds each other one (a column)."""
    counted = [Counter(re.findall(r"\w+", text.lower())) for text in texts]
    column: dict[str, int] = {}
    for words in counted:
        for word in words:
            column.setdefault(word, len(column))
    asked = np.zeros((len(texts), len(column)))
    weight = np.zeros_like(asked)
    within = Counter(word for words in counted for word in words)
    usual = sum(map(Counter.total, counted)) / len(texts)
    for row, words in enumerate(counted):
        longer = K1 * (1 - B + B * words.total() / usual)
        for word, times in words.items():
            rare = math.log(1 + (len(texts) - within[word] + 0.5) / (within[word] + 0.5))
            weight[row, column[word]] = rare * times * (K1 + 1) / (times + longer)
            asked[row, column[word]] = 1
    found: NDArray[np.float64] = asked @ weight.T
    return found
