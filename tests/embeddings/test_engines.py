"""Engines of the same weights agree on real text, so that their vectors may stand together."""

import numpy as np
import pytest
from embeddings.conftest import needs

from gotn.similarity.pairs import SAME
from gotn_embeddings.encoder import TextEncoder
from gotn_embeddings.identity import AGREEMENT, Encoded
from gotn_embeddings.light import LightEngine
from gotn_embeddings.models import ModelFiles
from gotn_embeddings.sentence import SentenceEngine


@pytest.fixture(scope="module")
def exact(files: ModelFiles, real_texts: list[str]) -> Encoded:
    """What sentence-transformers gives in float32."""
    needs("sentence_transformers")
    engine = SentenceEngine(files, device="cpu", arithmetic="float32")
    return TextEncoder(engine).encode(real_texts)


def agreement(one: Encoded, other: Encoded) -> float:
    """The lowest cosine of two engines' vectors of the same texts."""
    assert one.identity == other.identity
    return float((one.vectors * other.vectors).sum(axis=1).min())


def test_as_the_library_itself_encodes(files: ModelFiles, exact: Encoded) -> None:
    """Texts within the window have the vector that sentence-transformers' own call gives."""
    needs("sentence_transformers")
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415

    model = SentenceTransformer(str(files.folder), device="cpu")
    texts = ["Users cannot sign in", "Fetch the raw papers"]
    engine = SentenceEngine(files, device="cpu", arithmetic="float32")
    ours = TextEncoder(engine).encode(texts).vectors
    assert float((ours * model.encode(texts, show_progress_bar=False)).sum(axis=1).min()) > 0.999999


@pytest.mark.parametrize("runtime", ["onnxruntime", "openvino"])
def test_torch_free_engines_agree(
    files: ModelFiles, exact: Encoded, real_texts: list[str], runtime: str
) -> None:
    """ONNX Runtime is exact, OpenVINO within the agreement; both of real texts, long and short."""
    needs(runtime)
    engine = LightEngine(files, "openvino" if runtime == "openvino" else "onnxruntime")
    found = TextEncoder(engine).encode(real_texts)
    assert found.pooled > 0
    assert found.pooled == exact.pooled
    assert agreement(exact, found) >= (0.999999 if runtime == "onnxruntime" else AGREEMENT)


def test_bfloat16_agrees_where_it_is_used(
    files: ModelFiles, exact: Encoded, real_texts: list[str]
) -> None:
    """Whatever arithmetic the engine picks on this machine, and bfloat16 where it is forced."""
    picked = TextEncoder(SentenceEngine(files)).encode(real_texts)
    assert agreement(exact, picked) >= AGREEMENT
    if picked.arithmetic == "float32":
        forced = SentenceEngine(files, device="cpu", arithmetic="bfloat16")
        assert agreement(exact, TextEncoder(forced).encode(real_texts)) >= AGREEMENT


def test_scores_agree(files: ModelFiles, exact: Encoded, real_texts: list[str]) -> None:
    """Another engine's cosines of real texts are no change of a soft edge."""
    for found in (SentenceEngine(files), LightEngine(files)):
        vectors = TextEncoder(found).encode(real_texts).vectors
        apart = np.abs(vectors @ vectors.T - exact.vectors @ exact.vectors.T).max()
        assert apart <= SAME, (found.name, found.arithmetic)


def test_neighbours_are_the_same(files: ModelFiles, exact: Encoded, real_texts: list[str]) -> None:
    """The nearest ten of each text are the same for both engines, but for ties."""
    found = TextEncoder(LightEngine(files)).encode(real_texts).vectors

    def nearest(vectors: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> list[set[int]]:
        scores = vectors @ vectors.T
        np.fill_diagonal(scores, -1)
        return [set(row) for row in np.argsort(-scores, axis=1)[:, :10].tolist()]

    pairs = zip(nearest(exact.vectors), nearest(found), strict=True)
    assert np.mean([len(a & b) / 10 for a, b in pairs]) >= 0.999
