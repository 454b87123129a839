"""Engines of the same weights agree on real text, so that their vectors may stand together."""

import json
import re
import struct
from pathlib import Path

import numpy as np
import pytest
from embeddings.conftest import linked, needs

from gotn.similarity.pairs import SAME
from gotn_embeddings import bert
from gotn_embeddings.encoder import TextEncoder
from gotn_embeddings.errors import NoModel
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


def halved(path: Path, to: Path) -> None:
    """Write a safetensors file again with its float32 as float16, as some models come."""
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header, parts, end = {}, [], 0
    for name, entry in json.loads(raw[8 : 8 + length]).items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        a, b = entry["data_offsets"]
        array = np.frombuffer(raw[8 + length + a : 8 + length + b], "<f4").astype("<f2")
        header[name] = {**entry, "dtype": "F16", "data_offsets": [end, end + array.nbytes]}
        parts.append(array.tobytes())
        end += array.nbytes
    said = json.dumps(header).encode()
    to.write_bytes(struct.pack("<Q", len(said)) + said + b"".join(parts))


def saying(files: ModelFiles, folder: Path, name: str, **said: object) -> ModelFiles:
    """The model in another folder, with something else in one of its files of settings."""
    before = json.loads((files.folder / name).read_text("utf-8"))
    other = linked(files, folder, name)
    (folder / name).parent.mkdir(exist_ok=True)
    with (folder / name).open("x", encoding="utf-8") as file:  # never through a link
        json.dump({**before, **said}, file)
    return other


def test_a_models_own_prompt_is_put_before(files: ModelFiles, tmp_path: Path) -> None:
    """As the library does; windows leave room for it, and vectors without it are others."""
    needs("sentence_transformers")
    prompts = {"query": "Represent this for finding what belongs to it: ", "document": ""}
    prompted = saying(
        files,
        tmp_path,
        "config_sentence_transformers.json",
        prompts=prompts,
        default_prompt_name="query",
    )
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415

    model = SentenceTransformer(str(prompted.folder), device="cpu")
    texts = ["Users cannot sign in", "Bake a chocolate cake"]
    engine = SentenceEngine(prompted, device="cpu", arithmetic="float32")
    ours = TextEncoder(engine).encode(texts).vectors
    assert float((ours * model.encode(texts, show_progress_bar=False)).sum(axis=1).min()) > 0.999999
    plain = SentenceEngine(files, device="cpu", arithmetic="float32")
    assert float((ours * TextEncoder(plain).encode(texts).vectors).sum(axis=1).max()) < 0.99
    assert engine.identity.revision != plain.identity.revision
    (windows,) = engine.windows.cut(["word " * 1000])
    longest = max(len(model.tokenizer(prompts["query"] + w.text)["input_ids"]) for w in windows)
    assert longest <= files.window


@pytest.mark.parametrize(
    ("name", "said", "says"),
    [
        (
            "config_sentence_transformers.json",
            {"prompts": {"query": "query: "}, "default_prompt_name": "query"},
            "its default prompt is 'query: '",
        ),
        ("sentence_bert_config.json", {"do_lower_case": True}, None),
        ("1_Pooling/config.json", {"pooling_mode_max_tokens": True}, "its pooling is 'mean+max'"),
        ("tokenizer_config.json", {"do_lower_case": False}, "is ('do_lower_case',), expected ()"),
        ("tokenizer_config.json", {"strip_accents": False}, "is ('strip_accents',), expected ()"),
        (
            "config_sentence_transformers.json",
            {"default_prompt_name": "query"},
            "its default prompt 'query' is none of its prompts",
        ),
    ],
)
def test_what_the_graph_has_not_is_refused(
    files: ModelFiles, tmp_path: Path, name: str, said: dict[str, object], says: str | None
) -> None:
    """Rather than vectors that sentence-transformers would not give."""
    needs("onnxruntime")
    other = saying(files, tmp_path, name, **said)
    if says is None:  # small letters are what this model's tokenizer makes anyway
        assert LightEngine(other).identity.dimension == 384
    else:
        with pytest.raises(NoModel, match=re.escape(says)):
            LightEngine(other)


def test_a_window_is_what_the_tokenizer_says_where_the_model_does_not(
    files: ModelFiles, tmp_path: Path
) -> None:
    """As sentence-transformers takes it: else the vectors of long texts would be others."""
    needs("sentence_transformers")
    other = saying(files, tmp_path, "tokenizer_config.json", model_max_length=128)
    (tmp_path / "sentence_bert_config.json").unlink()
    for engine in (SentenceEngine(other, device="cpu"), LightEngine(other)):
        (windows,) = engine.windows.cut(["word " * 300])
        assert (3, True) == (len(windows), max(len(w.ids) for w in windows) <= 128), engine.name


def test_pooling_is_read_where_it_lies(files: ModelFiles, tmp_path: Path) -> None:
    """The folder that modules.json names; it is a part of the revision."""
    needs("sentence_transformers")
    parts = json.loads((files.folder / "modules.json").read_text("utf-8"))
    parts[1]["path"] = "P"
    other = linked(files, tmp_path, "modules.json")
    (tmp_path / "modules.json").write_text(json.dumps(parts), "utf-8")
    (tmp_path / "P").mkdir()
    flags = {"word_embedding_dimension": 384, "pooling_mode_mean_tokens": False}
    said = json.dumps(flags | {"pooling_mode_cls_token": True})
    (tmp_path / "P" / "config.json").write_text(said, "utf-8")
    assert ("cls", True) == (other.pooling, other.revision != files.revision)
    texts = ["Users cannot sign in", "Bake a chocolate cake"]
    engine = SentenceEngine(other, device="cpu", arithmetic="float32")
    exact, found = (TextEncoder(one).encode(texts) for one in (engine, LightEngine(other)))
    assert agreement(exact, found) >= 0.999999


def test_a_prompt_that_fills_the_window_is_refused(files: ModelFiles, tmp_path: Path) -> None:
    """There is no room for a text: said, instead of texts cut into letters."""
    needs("sentence_transformers")
    said = {"prompts": {"long": "word " * 300}, "default_prompt_name": "long"}
    other = saying(files, tmp_path, "config_sentence_transformers.json", **said)
    with pytest.raises(NoModel, match="no room for a text"):
        SentenceEngine(other, device="cpu")


def test_weights_stay_in_their_file(files: ModelFiles, tmp_path: Path) -> None:
    """The graph names them and is small; behind links they are found, the vectors are the same."""
    needs("onnxruntime")
    texts = ["Users cannot sign in", "Bake a chocolate cake"]
    expected = TextEncoder(LightEngine(files)).encode(texts).vectors
    behind = linked(files, tmp_path)
    assert len(bert.build(behind)) < 2_000_000 < len(bert.build(behind, whole=True))
    np.testing.assert_array_equal(TextEncoder(LightEngine(behind)).encode(texts).vectors, expected)


def test_weights_of_half_precision_are_widened(files: ModelFiles, tmp_path: Path) -> None:
    """Such a model runs in float32, near to what it was before its weights were rounded."""
    needs("onnxruntime")
    texts = ["Users cannot sign in", "Bake a chocolate cake"]
    expected = TextEncoder(LightEngine(files)).encode(texts).vectors
    rounded = linked(files, tmp_path, files.weights.name)
    halved(files.weights, rounded.weights)
    found = TextEncoder(LightEngine(rounded)).encode(texts).vectors
    assert 0.9999 < float((found * expected).sum(axis=1).min())
    assert np.abs(found - expected).max() > 0
