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
#: What joins words to one name: a path, an identifier, an address, a version.
_WORD = re.compile(r"\w+(?:(?:://|::|[-./:\\@#])\w+)*")
_JOINED = re.compile(r"[\W_]")


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
    #: With case, which tells names.
    _texts: dict[str, str] = field(default_factory=dict)
    _whole: dict[str, list[str]] = field(default_factory=dict)
    _together: int = 0
    #: Texts that are only compared as a whole, since they are too long.
    long: int = 0

    def add(self, id_: str, summary: str | None, prompt: str | None) -> None:
        """Take a node; ids come in order."""
        title, text = _plain(summary).casefold(), _plain(f"{summary or ''} {prompt or ''}")
        if not text:
            return
        whole = sha256(text.casefold().encode()).hexdigest()
        self._whole.setdefault(whole, []).append(id_)
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
        said = cache(lambda id_: _words(self._texts[id_]))  # a text is in many pairs
        for a, b in self._alike() if among is None else among:
            if a not in self._texts or b not in self._texts:
                continue
            if same.get(a, a) == same.get(b, b):
                continue
            (one, names), (other, more) = said(a), said(b)
            if near := compared(one, other, self.words, names | more):
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
    one: Sequence[str],
    other: Sequence[str],
    words: Collection[str] = frozenset(),
    names: Collection[str] = frozenset(),
) -> Near | None:
    """How two lists of words differ, where that is only slips and small words; else None.

    A number, another name, word or order makes it other work, however much else two texts
    share. `words` are known to be words, `names` to be names that no joiner or digit tells.
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
                SMALL.issuperset(pair_) or _same(*pair_, words, names)
                for pair_ in zip(left, right, strict=True)
            ):
                return None
            differs += [f"{a} → {b}" for a, b in zip(left, right, strict=True)]
        elif SMALL.issuperset(left) and SMALL.issuperset(right):
            differs += [f"without {a!r}" for a in left] + [f"with {b!r}" for b in right]
        else:
            return None
    return Near(round(share, 4), tuple(differs))


def _same(one: str, other: str, words: Collection[str], names: Collection[str]) -> bool:
    """Whether two words are one: with and without a hyphen, or once with a slip of the pen."""
    if one.replace("-", "", 1) == other or other.replace("-", "", 1) == one:
        return one.isalpha() or other.isalpha()  # "log-in" and "login"
    # A name must be equal. What its parts share says nothing: one part more alike than not is
    # how things of one kind are told apart (session-reader.py, session-writer.py; agent-ruby,
    # agent-opal), names are made of words that no model lists, and a name with a slip in it
    # names nothing, or something else. A real slip left in costs a second look, a wrong merge
    # somebody's work.
    if one in names or other in names or _JOINED.search(one) or _JOINED.search(other):
        return False
    return _slip(one, other, words)


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


def _words(text: str) -> tuple[list[str], frozenset[str]]:
    """A text's words without case, and which of them their humps tell to be names."""
    found = _WORD.findall(text)
    humps = (it for it in found if it not in (it.lower(), it.upper(), it.capitalize()))
    names = frozenset(it.casefold() for it in humps if it.isalpha())
    return [it.casefold() for it in found], names


def _plain(text: str | None) -> str:
    """A text with single spaces."""
    return " ".join((text or "").split())
