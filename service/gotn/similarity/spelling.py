"""Which nodes say the same, or nearly the same words. Pure."""

from collections.abc import Collection, Iterable
from hashlib import sha256

from gotn.similarity.pairs import Pair, pair

#: Share of the words, 0 to 1, from which on two texts are nearly the same, and two summaries
#: worth a look at the rest.
NEARLY, MAYBE = 0.9, 0.75
#: Nodes of which every pair of summaries is compared.
ALL_PAIRS = 3_000
#: Characters of a text that are compared.
LONGEST = 2_000


class Spelling:
    """What nodes say, as far as it is compared."""

    def __init__(self) -> None:
        self._summaries: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._whole: dict[str, list[str]] = {}

    def add(self, id_: str, summary: str | None, prompt: str | None) -> None:
        """Take a node; ids come in order."""
        title, text = _plain(summary), _plain(f"{summary or ''} {prompt or ''}")
        if not text:
            return
        self._summaries[id_], self._texts[id_] = title[:LONGEST], text[:LONGEST]
        self._whole.setdefault(sha256(text.encode()).hexdigest(), []).append(id_)

    @property
    def few(self) -> bool:
        """Whether every pair can be compared."""
        return len(self._texts) <= ALL_PAIRS

    def exact(self) -> dict[Pair, float]:
        """Nodes that say the same as the first that says it."""
        return {pair(ids[0], other): 1.0 for ids in self._whole.values() for other in ids[1:]}

    def nearly(self, among: Collection[Pair] | None) -> dict[Pair, float]:
        """Pairs that share nearly all words: of these, or of all."""
        from rapidfuzz import fuzz  # noqa: PLC0415  # only where it is used

        found: dict[Pair, float] = {}
        for a, b in self._alike() if among is None else among:
            if a in self._texts and b in self._texts:
                share = fuzz.token_sort_ratio(self._texts[a], self._texts[b]) / 100
                if share >= NEARLY:
                    found[pair(a, b)] = round(share, 4)
        return found

    def _alike(self) -> Iterable[Pair]:
        """Pairs whose summaries are alike."""
        import numpy as np  # noqa: PLC0415  # only where it is used
        from rapidfuzz import fuzz, process  # noqa: PLC0415  # the same

        ids, titles = list(self._summaries), list(self._summaries.values())
        if not ids:
            return []
        scores = process.cdist(
            titles, titles, scorer=fuzz.token_sort_ratio, score_cutoff=100 * MAYBE, dtype=np.uint8
        )
        left, right = np.nonzero(np.triu(scores, 1))
        return [(ids[a], ids[b]) for a, b in zip(left.tolist(), right.tolist(), strict=True)]


def _plain(text: str | None) -> str:
    """A text without case and with single spaces."""
    return " ".join((text or "").casefold().split())
