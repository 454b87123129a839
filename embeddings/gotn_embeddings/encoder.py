"""Texts in, vectors out: what every engine shares.

Identical texts are encoded once, long ones in windows, all in batches of about equal length and
work, one batch at a time, so that a query between a large job's batches waits milliseconds.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gotn_embeddings.errors import BadText, BadVector
from gotn_embeddings.identity import Encoded, ModelIdentity, Vectors
from gotn_embeddings.windows import LONGEST, Window, Windows, pieces

#: Told after each batch: characters done, characters in all.
Progress = Callable[[int, int], None]
#: Texts, and characters of them, that are cut at once.
BLOCK, CHARACTERS = 1024, 500_000
#: Tokens, padding and all, that a processor computes at once: fewer leave its products slow,
#: more make a query wait longer for its turn and fall out of its caches.
TOKENS = 1024
#: Vectors of texts seen last that are kept, for queries that come again.
KEPT = 1024
#: A part of a text, with the text's place; sums of vectors, and numbers of windows, by place.
Piece = tuple[int, str]
#: A window with its tokens and its text's place.
Placed = tuple[int, int, Window]
Sums = NDArray[np.float64]
Counts = NDArray[np.int64]


class Encoder(Protocol):
    """Whatever turns texts into vectors."""

    @property
    def identity(self) -> ModelIdentity:
        """What its vectors are; may load the model."""

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Encoded:
        """One vector of length 1 a text, in their order; BadText names the one that cannot be."""


class Engine(Protocol):
    """What computes: a loaded model."""

    #: `sentence-transformers`, `onnxruntime`, `openvino`.
    name: str
    #: `float32` or `bfloat16`.
    arithmetic: str
    identity: ModelIdentity
    windows: Windows
    #: Tokens, padding and all, that it is given at once; a longer window comes alone.
    tokens: int

    def run(self, windows: list[Window]) -> Vectors:
        """One vector of length 1 a window, in their order."""


def content_hash(text: str) -> str:
    """What tells whether a text was encoded before: SHA-256 of its UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


class TextEncoder:
    """An `Encoder` over one engine; may be called by several threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._one_at_a_time = threading.Lock()
        self._kept: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def identity(self) -> ModelIdentity:
        """What its vectors are."""
        return self._engine.identity

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Encoded:
        """One vector of length 1 a text, in their order; BadText names the one that cannot be."""
        keys = _checked(texts)
        found, waiting = self._known(dict(zip(keys, texts, strict=True)))
        vectors, pooled = self._encoded(list(waiting.values()), progress)
        found.update(zip(waiting, vectors, strict=True))
        self._keep(found)
        if progress:
            total = sum(map(len, waiting.values()))
            progress(total, total)
        width = self.identity.dimension
        return Encoded(
            vectors=np.array([found[key] for key in keys], np.float32).reshape(-1, width),
            identity=self.identity,
            engine=self._engine.name,
            arithmetic=self._engine.arithmetic,
            pooled=pooled,
        )

    def _known(self, texts: dict[str, str]) -> tuple[dict[str, Vectors], dict[str, str]]:
        with self._one_at_a_time:
            found = {key: self._kept[key] for key in texts if key in self._kept}
        return found, {key: text for key, text in texts.items() if key not in found}

    def _keep(self, found: dict[str, Vectors]) -> None:
        with self._one_at_a_time:
            for key in list(found)[-KEPT:]:
                self._kept[key] = found[key]
                self._kept.move_to_end(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)

    def _encoded(self, texts: list[str], progress: Progress | None) -> tuple[Vectors, int]:
        """The vectors of different texts, and how many of them had more than one window."""
        sums = np.zeros((len(texts), self.identity.dimension), np.float64)
        counts = np.zeros(len(texts), np.int64)
        done, total = 0, sum(map(len, texts))
        for block in _blocks(texts):
            size = sum(len(piece) for _, piece in block)
            for share in self._block(block, sums, counts):
                if progress:
                    progress(done + int(share * size), total)
            done += size
        return _of_length_1(sums, texts), int((counts > 1).sum())

    def _block(self, block: list[Piece], sums: Sums, counts: Counts) -> Iterator[float]:
        """Add the vectors of a block's windows to its texts' sums; how far it is, each batch."""
        cut = self._engine.windows.cut([piece for _, piece in block])
        windows: list[Placed] = [
            (len(window.ids), row, window)
            for (row, _), many in zip(block, cut, strict=True)
            for window in many
        ]
        windows.sort(key=lambda item: item[0])
        done = 0
        for batch in _batches(windows, self._engine.tokens):
            with self._one_at_a_time:
                vectors = self._engine.run([window for _, _, window in batch])
            weights = np.array([[tokens] for tokens, _, _ in batch])
            rows = [row for _, row, _ in batch]
            np.add.at(sums, rows, vectors * weights)
            np.add.at(counts, rows, 1)
            done += len(batch)
            yield done / len(windows)


def _checked(texts: Sequence[str]) -> list[str]:
    """The content hash of each text; BadText for the first that is none or says nothing."""
    keys = []
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise BadText(f"Text {place}: expected a text, found {type(text).__name__}", at=place)
        if not text.strip():
            raise BadText(f"Text {place} is empty: it has no meaning to compare", at=place)
        if len(text) > LONGEST:
            raise BadText(
                f"Text {place} has {len(text):,} characters: at most {LONGEST:,}", at=place
            )
        try:
            keys.append(content_hash(text))
        except UnicodeEncodeError as error:
            raise BadText(f"Text {place} is no valid Unicode: {error}", at=place) from None
    return keys


def _blocks(texts: list[str]) -> Iterator[list[Piece]]:
    """The texts, short ones first, in blocks: what is computed together is of about one length.

    A long text comes in pieces, so that a block is never much, whatever there is to encode.
    """
    parts = [(row, piece) for row, text in enumerate(texts) for piece in pieces(text)]
    block: list[Piece] = []
    size = 0
    for row, piece in sorted(parts, key=lambda part: len(part[1])):
        if block and (len(block) == BLOCK or size + len(piece) > CHARACTERS):
            yield block
            block, size = [], 0
        if piece.strip():
            block.append((row, piece))
            size += len(piece)
    if block:
        yield block


def _batches(windows: list[Placed], most: int) -> Iterator[list[Placed]]:
    """Windows, short ones first, in batches of at most so many tokens, or of one window."""
    start = 0
    for end, (tokens, _, _) in enumerate(windows):
        if end > start and (end + 1 - start) * tokens > most:
            yield windows[start:end]
            start = end
    if start < len(windows):
        yield windows[start:]


def _of_length_1(sums: Sums, texts: list[str]) -> Vectors:
    lengths = np.linalg.norm(sums, axis=1)
    wrong = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if len(wrong):
        shown = texts[int(wrong[0])][:60]
        raise BadVector(f"The model gave no finite vector for {shown!r}", text=shown)
    vectors: Vectors = (sums / lengths[:, None]).astype(np.float32)
    return vectors
