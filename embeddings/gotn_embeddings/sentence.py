"""The sentence-transformers engine: any of its models, on a GPU where there is one.

On a processor that multiplies bfloat16 the model runs in it, if its vectors agree with
float32's on the sample texts; else in float32.
"""

import importlib.util
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gotn_embeddings import processor
from gotn_embeddings.encoder import TOKENS
from gotn_embeddings.errors import NoEncoder, NoModel
from gotn_embeddings.identity import AGREEMENT, Vectors, agreement
from gotn_embeddings.models import ModelFiles
from gotn_embeddings.samples import TEXTS
from gotn_embeddings.windows import Window, Windows, padded

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from torch import Tensor

Embed = Callable[[list[Window]], "Tensor"]
Arithmetic = Literal["auto", "float32", "bfloat16"]
#: Tokens that a GPU is given at once; of a processor's few it would be idle most of the time.
GPU_TOKENS = 8192
#: Cosines of vectors that differ by the order of sums alone.
SAME = 0.999999
#: How to get what is missing.
ADVICE = "pip install 'gotn[embeddings]'"


class SentenceEngine:
    """A sentence-transformers model; loads on creation, which imports torch (seconds)."""

    name = "sentence-transformers"

    def __init__(
        self, files: ModelFiles, *, device: str | None = None, arithmetic: Arithmetic = "auto"
    ) -> None:
        if importlib.util.find_spec("sentence_transformers") is None:
            raise NoEncoder(f"sentence-transformers is not installed: {ADVICE}")
        # Read when its packages are imported: a model that is not here is an error, no download.
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        processor.wait_quietly()
        self.device = device or _device()
        self.tokens = TOKENS if self.device.startswith("cpu") else GPU_TOKENS
        self._model = _loaded(files, self.device)
        self.arithmetic = "float32"
        places = files.config.get("max_position_embeddings")
        length = self._model.max_seq_length or files.window
        length = min(length, int(places or length))
        self.windows = Windows(_tokenizer(self._model, files), length, files.prompt)
        width = self._model.get_embedding_dimension()
        self.identity = files.identity(int(width or 0))
        samples = [window for many in self.windows.cut(list(TEXTS)) for window in many]
        exact = self._vectors(samples, self._of_texts, "float32")
        self._embed = self._chosen(samples, exact)
        if arithmetic == "bfloat16" or (arithmetic == "auto" and self._agrees(samples, exact)):
            self.arithmetic = "bfloat16"
            _halve(self._model)

    def run(self, windows: list[Window]) -> Vectors:
        """One vector of length 1 a window, in their order."""
        return self._vectors(windows, self._embed, self.arithmetic)

    def _chosen(self, samples: list[Window], exact: Vectors) -> "Embed":
        """By tokens, if that is the same: the library would cut them out of the texts once more.

        It is not the same for a model that puts words of its own before each text.
        """
        try:
            direct = self._vectors(samples, self._of_tokens, "float32")
        except (KeyError, TypeError, ValueError, RuntimeError):
            return self._of_texts
        return self._of_tokens if agreement(exact, direct) >= SAME else self._of_texts

    def _agrees(self, samples: list[Window], exact: Vectors) -> bool:
        """Whether this device computes bfloat16, and agrees with float32 on the samples."""
        if not _computes_bfloat16(self.device):
            return False
        return agreement(exact, self._vectors(samples, self._embed, "bfloat16")) >= AGREEMENT

    def _vectors(self, windows: list[Window], embed: "Embed", arithmetic: str) -> Vectors:
        import torch

        # Products in bfloat16, norms and sums in float32: wholly in bfloat16 the vectors of
        # real texts are a cosine of only 0.99988 away.
        kind = torch.device(self.device).type
        with (
            torch.inference_mode(),
            torch.autocast(kind, torch.bfloat16, enabled=arithmetic == "bfloat16"),
        ):
            found = embed(windows)
        vectors: Vectors = found.float().cpu().numpy()
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _of_texts(self, windows: list[Window]) -> "Tensor":
        """As the library's users encode."""
        return self._model.encode(
            [window.text for window in windows],
            batch_size=len(windows),
            show_progress_bar=False,
            convert_to_tensor=True,
        )

    def _of_tokens(self, windows: list[Window]) -> "Tensor":
        """The same of the tokens that the windows have."""
        import torch

        ids, mask = padded(windows, self._model.tokenizer.pad_token_id)
        features = {"input_ids": ids, "attention_mask": mask}
        given = {name: torch.from_numpy(row).to(self.device) for name, row in features.items()}
        found: Tensor = self._model(given)["sentence_embedding"]
        return found


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _computes_bfloat16(device: str) -> bool:
    """Whether this device multiplies bfloat16 itself; emulated it would be slower."""
    if device.startswith("cpu"):
        return processor.has_bfloat16()
    import torch

    return device.startswith("cuda") and torch.cuda.is_bf16_supported(including_emulation=False)


def _loaded(files: ModelFiles, device: str) -> "SentenceTransformer":
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # it would draw one while weights are copied
    try:
        return SentenceTransformer(
            str(files.folder),
            device=device,
            local_files_only=True,
            model_kwargs={"dtype": "float32"},
        ).eval()
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise NoModel(f"sentence-transformers cannot load {files.folder}: {error}") from error


def _halve(model: "SentenceTransformer") -> None:
    """Keep the weights of products in bfloat16: autocast would make the same anew each batch."""
    import torch

    for part in model.modules():
        if isinstance(part, torch.nn.Linear):
            part.to(torch.bfloat16)


def _tokenizer(model: Any, files: ModelFiles) -> Any:
    """A tokenizer of the model for cutting, apart from the one it pads and truncates with."""
    from tokenizers import Tokenizer

    backend = getattr(model.tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise NoModel(f"{files.name} has no fast tokenizer: long texts could not be cut")
    return Tokenizer.from_str(backend.to_str())
