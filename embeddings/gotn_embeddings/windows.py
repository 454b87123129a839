"""Texts cut into windows a model can read; nothing of a text is left out.

A text that fits is one window. A longer one is cut at word boundaries into windows of about
equal length; a word longer than a window is cut inside. The vector of such a text is the mean of
its windows' vectors, weighted by their tokens.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gotn_embeddings.errors import NoModel

#: Token ids, or which of them are real, a row a window.
Ids = NDArray[np.int64]
#: Characters of one text; more is no text that a plan's node could need.
LONGEST = 4_000_000
#: Characters that are cut into windows at once: what a tokenizer needs grows with them.
PIECE = 100_000


def pieces(text: str) -> list[str]:
    """A text in parts of at most `PIECE` characters, cut before a space where there is one."""
    found, start = [], 0
    while len(text) - start > PIECE:
        half, end = start + PIECE // 2, start + PIECE
        space = max(text.rfind(sign, half, end) for sign in (" ", "\n"))
        end = space if space >= 0 else end
        found.append(text[start:end])
        start = end
    return [*found, text[start:]]


@dataclass(frozen=True, slots=True)
class Window:
    """A piece of a text that the model reads at once."""

    text: str
    #: Its token ids with the model's own marks.
    ids: list[int]


def padded(windows: list[Window], padding: int = 0) -> tuple[Ids, Ids]:
    """The windows as rows of ids, filled up behind, and a 1 for each that is real."""
    longest = max(len(window.ids) for window in windows)
    ids = np.full((len(windows), longest), padding, np.int64)
    mask = np.zeros_like(ids)
    for row, window in enumerate(windows):
        ids[row, : len(window.ids)] = window.ids
        mask[row, : len(window.ids)] = 1
    return ids, mask


class Windows:
    """Cuts texts by a model's own tokens."""

    def __init__(self, tokenizer: Any, length: int, prompt: str = "") -> None:
        """`tokenizer` is one of the tokenizers library; `length` counts the model's marks too.

        Room is left for a `prompt` that comes before each window.
        """
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer = tokenizer
        self._length = length = length - len(tokenizer.encode(prompt, add_special_tokens=False).ids)
        self._room = length - tokenizer.num_special_tokens_to_add(is_pair=False)
        if self._room < 1:
            raise NoModel("The model's own marks and prompt fill its window: no room for a text")

    def cut(self, texts: list[str]) -> list[list[Window]]:
        """The windows of each text, at least one each."""
        found = self._tokenizer.encode_batch(texts)
        return [
            [Window(text, encoding.ids)] if len(encoding.ids) <= self._length else self._long(text)
            for text, encoding in zip(texts, found, strict=True)
        ]

    def _long(self, text: str) -> list[Window]:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        offsets = encoding.offsets  # all of them, made anew each time they are asked for
        starts = [offsets[place][0] for place in self._places(encoding.word_ids)]
        starts[0] = 0
        pieces = [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
        return [window for piece in pieces if piece for window in self._piece(piece)]

    def _places(self, words: list[int | None]) -> list[int]:
        """The tokens at which a window begins, so that windows are about equally full."""
        total, places = len(words), [0]
        # Windows end early, at a word's end: with some room left no tiny one remains at last.
        usual = max(1, self._room - self._room // 16)
        while (left := total - places[-1]) > self._room:
            place = places[-1] + -(-left // -(-left // usual))
            first = place
            while first > places[-1] and self._inside(words, first):
                first -= 1
            places.append(first if first > places[-1] else place)
        return places

    @staticmethod
    def _inside(words: list[int | None], place: int) -> bool:
        """Whether a word goes on at this token."""
        return words[place] is not None and words[place] == words[place - 1]

    def _piece(self, text: str) -> list[Window]:
        """The windows of a piece; cut again where it alone has more tokens than it had inside."""
        ids = self._tokenizer.encode(text).ids
        if len(ids) <= self._length or len(text) == 1:
            return [Window(text, ids[: self._length])]
        middle = len(text) // 2
        return [*self._piece(text[:middle]), *self._piece(text[middle:])]
