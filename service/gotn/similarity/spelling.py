"""Which nodes say the same, or the same but for slips of the pen. Pure."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256

from gotn.similarity.pairs import Pair, pair

#: Share of the words, in their order, from which on two texts are nearly the same, and two
#: summaries worth a look at the rest.
NEARLY, MAYBE = 0.8, 0.75
#: Nodes of which every pair of summaries is compared.
ALL_PAIRS = 3_000
#: Characters of a summary that are compared, of a text that is compared word by word, and of
#: all such texts together.
TITLE, LONGEST, TOGETHER = 2_000, 20_000, 64_000_000
#: Words that may be missing, and how alike two words are that are one with a slip.
SMALL = frozenset(("a", "an", "the", "please"))
SLIP = 0.8
#: Letters of a word from which on one slip in it is told where the right word is known.
SHORT = 4
_WORD = re.compile(r"\w+(?:[-./:]\w+)*")


@dataclass(frozen=True)
class Near:
    """Two texts that differ in little."""

    #: Share of words that are the same, in their order.
    share: float
    #: What differs, such as "resturant → restaurant".
    differs: tuple[str, ...]


@dataclass
class Spelling:
    """What nodes say, as far as it is compared."""

    #: Words that are known to be such: two of them are no slip of one another.
    words: Collection[str] = frozenset()
    _titles: dict[str, str] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)
    _whole: dict[str, list[str]] = field(default_factory=dict)
    _together: int = 0
    #: Texts that are only compared as a whole, since they are too long.
    long: int = 0

    def add(self, id_: str, summary: str | None, prompt: str | None) -> None:
        """Take a node; ids come in order."""
        title, text = _plain(summary), _plain(f"{summary or ''} {prompt or ''}")
        if not text:
            return
        self._whole.setdefault(sha256(text.encode()).hexdigest(), []).append(id_)
        if len(text) > LONGEST or self._together + len(text) > TOGETHER:
            self.long += 1
            return
        self._together += len(text)
        self._titles[id_], self._texts[id_] = title[:TITLE], text

    @property
    def few(self) -> bool:
        """Whether every pair can be compared."""
        return len(self._texts) <= ALL_PAIRS

    def exact(self) -> list[list[str]]:
        """Groups of nodes that say the same but for case and space."""
        return [ids for ids in self._whole.values() if len(ids) > 1]

    def nearly(self, among: Collection[Pair] | None) -> dict[Pair, Near]:
        """Pairs that differ in slips only: of these, or of all."""
        same = {id_: number for number, ids in enumerate(self.exact()) for id_ in ids}
        found: dict[Pair, Near] = {}
        words = cache(lambda id_: _WORD.findall(self._texts[id_]))  # a text is in many pairs
        for a, b in self._alike() if among is None else among:
            if a not in self._texts or b not in self._texts:
                continue
            if same.get(a, a) != same.get(b, b) and (
                near := compared(words(a), words(b), self.words)
            ):
                found[pair(a, b)] = near
        return found

    def _alike(self) -> Iterable[Pair]:
        """Pairs whose summaries are alike."""
        import numpy as np  # noqa: PLC0415  # only where it is used
        from rapidfuzz import fuzz, process  # noqa: PLC0415  # the same

        ids, titles = list(self._titles), list(self._titles.values())
        if not ids:
            return []
        scores = process.cdist(
            titles, titles, scorer=fuzz.ratio, score_cutoff=100 * MAYBE, dtype=np.uint8
        )
        left, right = np.nonzero(np.triu(scores, 1))
        return [(ids[a], ids[b]) for a, b in zip(left.tolist(), right.tolist(), strict=True)]


def compared(
    one: Sequence[str], other: Sequence[str], words: Collection[str] = frozenset()
) -> Near | None:
    """How two lists of words differ, where that is only slips and small words; else None.

    A number, a name with a digit, another word or another order makes it other work, however
    much else two texts share. `words` are known to be words.
    """
    from rapidfuzz.distance import Indel, Levenshtein  # noqa: PLC0415  # only where it is used

    share = Indel.normalized_similarity(one, other, score_cutoff=NEARLY)
    if share < NEARLY:
        return None
    differs: list[str] = []
    for step in Levenshtein.opcodes(one, other):
        if step.tag == "equal":
            continue
        left = one[step.src_start : step.src_end]
        right = other[step.dest_start : step.dest_end]
        if step.tag == "replace" and len(left) == len(right):
            if not all(
                SMALL.issuperset(pair_) or _slip(*pair_, words)
                for pair_ in zip(left, right, strict=True)
            ):
                return None
            differs += [f"{a} → {b}" for a, b in zip(left, right, strict=True)]
        elif SMALL.issuperset(left) and SMALL.issuperset(right):
            differs += [f"without {a!r}" for a in left] + [f"with {b!r}" for b in right]
        else:
            return None
    return Near(round(share, 4), tuple(differs))


def _slip(one: str, other: str, words: Collection[str]) -> bool:
    """Whether two words are one, once with a slip of the pen."""
    from rapidfuzz.distance import OSA  # noqa: PLC0415  # only where it is used

    if any(map(str.isdigit, one + other)) or one.endswith(other) or other.endswith(one):
        return False  # a number is what it is; "complete" and "incomplete" are not one word
    if one[:1] != other[:1] or (one[:2] != other[:2] and sorted(one[:3]) != sorted(other[:3])):
        return False  # "upload" and "unload": another beginning is another meaning
    if one in words and other in words:
        return False  # "contact" and "contract"
    if float(OSA.normalized_similarity(one, other)) >= SLIP:
        return True
    known = one in words or other in words
    return known and min(len(one), len(other)) >= SHORT and OSA.distance(one, other) == 1


def _plain(text: str | None) -> str:
    """A text without case and with single spaces."""
    return " ".join((text or "").casefold().split())
