"""Which encoder: the one that was asked for, or the best of what is installed.

    GOTN_ENCODER            queries, small batches     bulk
    auto                    ONNX Runtime               sentence-transformers, OpenVINO,
                                                       else ONNX Runtime
    onnx                    ONNX Runtime               OpenVINO, else ONNX Runtime
    sentence-transformers   sentence-transformers      sentence-transformers

What is not installed, or cannot run the model, is passed over in `auto`. Engines are loaded when
they are first needed.
"""

import importlib.util
import threading
from collections.abc import Callable, Sequence

from gotn_embeddings import models
from gotn_embeddings.encoder import Encoder, Engine, Progress, TextEncoder
from gotn_embeddings.errors import ADVICE, NoEncoder, NoModel
from gotn_embeddings.identity import Encoded, ModelIdentity
from gotn_embeddings.models import ModelFiles

AUTO, SENTENCE, ONNX = "auto", "sentence-transformers", "onnx"
CHOICES = (AUTO, SENTENCE, ONNX)
#: From so many texts on, loading torch (some seconds, once) pays.
BULK = 2_000
#: The same in characters: few long texts are as much work.
BULK_CHARACTERS = 1_000_000
#: Engines by name, and the package that each cannot do without.
PACKAGES = {
    "sentence-transformers": "sentence_transformers",
    "onnxruntime": "onnxruntime",
    "openvino": "openvino",
}
#: The engines of each choice, best first: for queries, and for bulk.
ORDER: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    AUTO: (
        ("onnxruntime", "sentence-transformers"),
        ("sentence-transformers", "openvino", "onnxruntime"),
    ),
    ONNX: (("onnxruntime", "openvino"), ("openvino", "onnxruntime")),
    SENTENCE: (("sentence-transformers",), ("sentence-transformers",)),
}
LIGHT = f"{ADVICE} (small, without torch)"
FULL = "UV_TORCH_BACKEND=cpu uv pip install 'gotn[embeddings]' (sentence-transformers)"
#: How to get what each choice asks for.
INSTALL = {AUTO: f"{LIGHT}, or {FULL}", ONNX: LIGHT, SENTENCE: FULL}


def encoder(choice: str = AUTO, model: str | None = None) -> "ChosenEncoder":
    """An encoder of a model given by name or folder; nothing is imported or loaded yet.

    NoModel where the model is not on this machine, NoEncoder where nothing could run it.
    """
    if choice not in CHOICES:
        raise NoEncoder(f"There is no encoder {choice!r}; there are {', '.join(CHOICES)}")
    if not any(installed(name) for name in ORDER[choice][0]):
        wanted = "" if choice == AUTO else f" for GOTN_ENCODER={choice}"
        advice = f"Install one: {INSTALL[choice]}"
        raise NoEncoder(f"No encoder is installed{wanted}. {advice}", choice=choice)
    return ChosenEncoder(choice, models.find(model))


def installed(engine: str) -> bool:
    """Whether an engine's package is there; it is not imported."""
    return importlib.util.find_spec(PACKAGES[engine]) is not None


class ChosenEncoder:
    """An `Encoder` that picks its engine by the number of texts."""

    def __init__(self, choice: str, files: ModelFiles, bulk: int = BULK) -> None:
        self._files = files
        self._quick_order, self._bulk_order = ORDER[choice]
        self._bulk = bulk
        self._lock = threading.RLock()
        self._loaded: dict[str, TextEncoder] = {}
        #: Engines that turned out not to run this model, with the reason.
        self._refused: dict[str, NoModel | NoEncoder] = {}

    @property
    def identity(self) -> ModelIdentity:
        """What its vectors are, whichever engine makes them; loads the quick one."""
        return self._first(self._quick_order).identity

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Encoded:
        """One vector of length 1 a text, in their order; BadText names the one that cannot be."""
        size = sum(len(str(text)) for text in texts)  # what is no text is refused later
        bulk = len(texts) >= self._bulk or size >= BULK_CHARACTERS
        chosen: Encoder = self._first(self._bulk_order if bulk else self._quick_order)
        return chosen.encode(texts, progress)

    def _first(self, order: tuple[str, ...]) -> TextEncoder:
        """The first engine that is installed and runs this model."""
        with self._lock:
            for name in filter(installed, order):
                if name not in self._loaded and name not in self._refused:
                    self._load(name)
                if name in self._loaded:
                    return self._loaded[name]
            reasons = ". ".join(error.message for error in self._refused.values())
            raise NoModel(reasons or f"No encoder is installed. Install one: {INSTALL[AUTO]}")

    def _load(self, name: str) -> None:
        try:
            self._loaded[name] = TextEncoder(LOADERS[name](self._files))
        except (NoEncoder, NoModel) as error:
            self._refused[name] = error
        except Exception as error:  # noqa: BLE001  # engines say in many ways what they cannot load
            said = f"{type(error).__name__}: {error}".strip()[:300]
            self._refused[name] = NoModel(f"{name} cannot run {self._files.name}: {said}")


def _sentence(files: ModelFiles) -> Engine:
    from gotn_embeddings.sentence import SentenceEngine

    return SentenceEngine(files)


def _onnxruntime(files: ModelFiles) -> Engine:
    from gotn_embeddings.light import LightEngine

    return LightEngine(files)


def _openvino(files: ModelFiles) -> Engine:
    from gotn_embeddings.light import LightEngine

    return LightEngine(files, "openvino")


LOADERS: dict[str, Callable[[ModelFiles], Engine]] = {
    "sentence-transformers": _sentence,
    "onnxruntime": _onnxruntime,
    "openvino": _openvino,
}
