"""What every engine shares, with the real model run by ONNX Runtime."""

import itertools
import threading
from typing import Any

import numpy as np
import pytest
from embeddings.conftest import needs

from gotn_embeddings import BadText, BadVector
from gotn_embeddings.encoder import CHARACTERS, TOKENS, TextEncoder
from gotn_embeddings.identity import Vectors
from gotn_embeddings.light import LightEngine, windows
from gotn_embeddings.models import ModelFiles
from gotn_embeddings.windows import LONGEST, PIECE, Window, Windows, pieces


class Counting:
    """The real engine, and what it was asked for."""

    def __init__(self, files: ModelFiles) -> None:
        engine = LightEngine(files)
        self.name, self.arithmetic = engine.name, engine.arithmetic
        self.identity, self.windows = engine.identity, engine.windows
        self.tokens = engine.tokens
        self._run = engine.run
        self.batches: list[list[Window]] = []

    def run(self, windows: list[Window]) -> Vectors:
        """Count, and compute."""
        self.batches.append(windows)
        return self._run(windows)


@pytest.fixture(scope="module")
def engine(files: ModelFiles) -> Counting:
    """Loaded once."""
    needs("onnxruntime")
    needs("tokenizers")
    return Counting(files)


@pytest.fixture
def encoder(engine: Counting) -> TextEncoder:
    """A new one, which has seen no text."""
    engine.batches.clear()
    return TextEncoder(engine)


def test_nearer_in_meaning_is_nearer(encoder: TextEncoder) -> None:
    """The model is the real one: meaning decides, not words."""
    sign_in, log_on, cake = encoder.encode(
        ["Users cannot sign in", "The login page rejects every password", "Bake a chocolate cake"]
    ).vectors
    assert float(sign_in @ log_on) > 0.4
    assert float(sign_in @ cake) < 0.2


def test_identity_says_what_a_vector_is(encoder: TextEncoder) -> None:
    """Model, revision, pooling, dimension; engine and arithmetic beside."""
    found = encoder.encode(["one"])
    assert ("all-MiniLM-L6-v2", 384) == (found.identity.model, found.identity.dimension)
    assert "mean, windows mean" == found.identity.pooling
    assert 16 == len(found.identity.revision)
    assert ("onnxruntime", "float32", 0) == (found.engine, found.arithmetic, found.pooled)
    assert (1, 384) == found.vectors.shape
    assert np.linalg.norm(found.vectors[0]) == pytest.approx(1.0, abs=1e-6)


def test_equal_texts_are_encoded_once(encoder: TextEncoder, engine: Counting) -> None:
    """Within a call and after it, by content; order and number stay the caller's."""
    found = encoder.encode(["b", "a", "b", "b"]).vectors
    assert 2 == sum(map(len, engine.batches))
    np.testing.assert_array_equal(found[0], found[2])
    again = encoder.encode(["a", "b"]).vectors
    np.testing.assert_array_equal(again, found[[1, 0]])
    assert 2 == sum(map(len, engine.batches))


def padded(batch: list[Window]) -> int:
    """Tokens that are computed for a batch, padding and all."""
    return len(batch) * max(len(window.ids) for window in batch)


def test_batches_are_of_about_equal_length(encoder: TextEncoder, engine: Counting) -> None:
    """Texts are sorted by length, so that no short one waits for padding; none is too much work."""
    texts = [f"task {n} " + "word " * (n * 37 % 100) for n in range(100)]
    vectors = encoder.encode(texts).vectors
    lengths = [len(window.ids) for batch in engine.batches for window in batch]
    assert sorted(lengths) == lengths
    assert max(map(padded, engine.batches)) <= TOKENS
    for batch, after in itertools.pairwise(engine.batches):
        assert padded([*batch, after[0]]) > TOKENS
    for row in (0, 50, 99):
        alone = TextEncoder(engine).encode([texts[row]]).vectors[0]
        assert float(alone @ vectors[row]) > 0.999999


def test_an_engine_says_how_much_it_is_given(engine: Counting) -> None:
    """A GPU takes more at once; a window longer than that comes alone."""
    texts = [f"task {n} of this plan" for n in range(40)]
    for tokens, count in ((8192, 1), (1, 40)):
        given = Counting.__new__(Counting)
        given.__dict__.update(engine.__dict__, tokens=tokens, batches=[])
        TextEncoder(given).encode(texts)
        assert count == len(given.batches)


def test_nothing_of_a_long_text_is_lost(encoder: TextEncoder, engine: Counting) -> None:
    """Every word is in a window, each is short enough, and the text's end changes the vector."""
    words = [f"word{n % 997}" for n in range(2000)]
    text = " ".join(words)
    found = encoder.encode([text, text + " chocolate cake" * 200])
    assert 2 == found.pooled
    (windows,) = engine.windows.cut([text])
    assert words == " ".join(window.text.strip() for window in windows).split()
    assert max(len(window.ids) for batch in engine.batches for window in batch) <= 256
    assert min(len(window.ids) for window in windows) > 200
    assert float(found.vectors[0] @ found.vectors[1]) < 0.999


def test_a_long_text_is_the_mean_of_its_windows(encoder: TextEncoder, engine: Counting) -> None:
    """Weighted by their tokens, and of length 1 again."""
    text = "The plan has many steps. " * 100 + "And a last one about cakes. " * 60
    (windows,) = engine.windows.cut([text])
    parts = encoder.encode([window.text for window in windows]).vectors
    mean = np.average(parts, axis=0, weights=[len(window.ids) for window in windows])
    whole = encoder.encode([text]).vectors[0]
    np.testing.assert_allclose(whole, mean / np.linalg.norm(mean), atol=1e-5)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 3000,
        "日本語" * 500,
        "𝔘𝔫𝔦" * 400,
        "a\u0301" * 2000,
        "ﷺ" * 600,
        "\0\n\t x" * 500,
        "🙂" * 700,
    ],
    ids=["one word", "no spaces", "letters beyond", "accents", "ligature", "control", "emoji"],
)
def test_odd_texts_fit_their_windows(engine: Counting, text: str) -> None:
    """One endless word, no spaces, signs that fall apart: each window is within the limit."""
    (windows,) = engine.windows.cut([text])
    assert max(len(window.ids) for window in windows) <= 256
    assert text == "".join(window.text for window in windows)


def test_a_megabyte_is_encoded(encoder: TextEncoder, engine: Counting) -> None:
    """1 MB of text is one vector, in batches of few windows, with progress on the way."""
    # Of words as long as keys and checksums are, so that it is no thousand windows.
    text = " ".join(f"{n:0200x}" for n in range(4975))[:1_000_000].ljust(1_000_000)
    told: list[tuple[int, int]] = []
    found = encoder.encode([text], lambda done, total: told.append((done, total)))
    assert 1 == found.pooled
    assert (1_000_000, 1_000_000) == told[-1]
    assert sorted(told) == told
    assert len(engine.batches) <= len(told) <= len(engine.batches) + 1
    assert max(map(padded, engine.batches)) <= TOKENS
    assert text == "".join(pieces(text))


def test_cutting_costs_by_length(files: ModelFiles) -> None:
    """A megabyte of common words: the tokenizer reads each part few times, never all at once."""
    needs("tokenizers")
    read: list[int] = []

    class Tokenizer:
        def __init__(self) -> None:
            self._real = windows(files)._tokenizer

        def __getattr__(self, name: str) -> Any:
            return getattr(self._real, name)

        def encode(self, text: str, **options: Any) -> Any:
            read.append(len(text))
            return self._real.encode(text, **options)

        def encode_batch(self, texts: list[str]) -> Any:
            read.append(sum(map(len, texts)))
            return self._real.encode_batch(texts)

    class Still:
        name, arithmetic, identity, tokens = "still", "float32", files.identity(384), TOKENS

        def __init__(self) -> None:
            self.windows = Windows(Tokenizer(), files.window)
            self.batches: list[list[Window]] = []

        def run(self, windows: list[Window]) -> Vectors:
            self.batches.append(windows)
            return np.ones((len(windows), 384), np.float32)

    still = Still()
    text = ("The quick brown fox jumps over the lazy dog. " * 22_223)[:1_000_000]
    assert 1 == TextEncoder(still).encode([text]).pooled
    assert len(text) <= sum(read) <= 4 * len(text)
    assert max(read) <= CHARACTERS
    assert 800 < sum(map(len, still.batches)) < 1000
    assert max(map(padded, still.batches)) <= TOKENS
    assert len(still.batches) <= 2 * sum(map(padded, still.batches)) / TOKENS


def test_a_long_text_is_cut_between_words() -> None:
    """Before a space where one is near, else anywhere; nothing is lost."""
    for text in ("word " * 50_000, "x" * 250_000, "x" * 120_000 + "\n" + "y z" * 50_000, "short"):
        found = pieces(text)
        assert text == "".join(found)
        assert max(map(len, found)) <= PIECE
        assert len(found) <= 1 + 2 * len(text) // PIECE
    assert all(piece.startswith(" ") for piece in pieces("word " * 50_000)[1:])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "Text 1 is empty"),
        (" \n\t", "Text 1 is empty"),
        ("x" * (LONGEST + 1), "4,000,001 characters"),
        ("half \ud83d", "no valid Unicode"),
        (None, "expected a text, found NoneType"),
    ],
)
def test_bad_text_is_named(encoder: TextEncoder, text: str, says: str) -> None:
    """Which text, and what is wrong with it; nothing is encoded."""
    with pytest.raises(BadText, match=says) as refused:
        encoder.encode(["fine", text])
    assert 1 == refused.value.facts["at"]


def test_no_texts_no_vectors(encoder: TextEncoder) -> None:
    """An empty list is no error."""
    assert (0, 384) == encoder.encode([]).vectors.shape


def test_nan_of_a_model_is_an_error(engine: Counting) -> None:
    """A vector that is not finite never leaves the encoder."""

    class Broken(Counting):
        def run(self, windows: list[Window]) -> Vectors:
            return np.full((len(windows), 384), np.nan, np.float32)

    broken = Broken.__new__(Broken)
    broken.__dict__.update(engine.__dict__)
    with pytest.raises(BadVector, match="no finite vector for 'a text'"):
        TextEncoder(broken).encode(["a text"])


def test_progress_is_told(encoder: TextEncoder) -> None:
    """Characters done of characters in all, growing, ending with all."""
    told: list[tuple[int, int]] = []
    texts = [f"text number {n}" for n in range(500)]
    encoder.encode(texts, lambda done, total: told.append((done, total)))
    assert sorted(told) == told
    assert (total := sum(map(len, texts)), total) == told[-1]
    assert len(told) >= 3


def test_several_threads_get_their_own_answers(encoder: TextEncoder) -> None:
    """Calls at the same time do not mix."""
    alone = {f"thread {n}": TextEncoder(encoder._engine).encode([f"thread {n}"]) for n in range(4)}
    found: dict[str, Vectors] = {}

    def work(text: str) -> None:
        others = [f"{text} {n}" for n in range(40)]
        found[text] = encoder.encode([*others, text]).vectors[-1]

    threads = [threading.Thread(target=work, args=(text,)) for text in alone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for text, expected in alone.items():
        assert float(found[text] @ expected.vectors[0]) > 0.99999
