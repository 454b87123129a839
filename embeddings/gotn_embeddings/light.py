"""The torch-free engines: ONNX Runtime, and OpenVINO where it is installed.

Both run the graph of `bert`, built from the same weights that sentence-transformers reads.
"""

import importlib.util
from collections.abc import Callable
from typing import Literal

from gotn_embeddings import bert, processor
from gotn_embeddings.encoder import TOKENS
from gotn_embeddings.errors import ADVICE, NoEncoder
from gotn_embeddings.identity import AGREEMENT, ModelIdentity, Vectors, agreement
from gotn_embeddings.models import ModelFiles
from gotn_embeddings.samples import TEXTS
from gotn_embeddings.windows import Ids, Window, Windows, padded

Run = Callable[[Ids, Ids], Vectors]


class LightEngine:
    """A BERT model without torch; loads on creation."""

    def __init__(
        self, files: ModelFiles, runtime: Literal["onnxruntime", "openvino"] = "onnxruntime"
    ) -> None:
        for package in ("tokenizers", runtime):
            if importlib.util.find_spec(package) is None:
                raise NoEncoder(f"{package} is not installed: {ADVICE}", package=package)
        bert.check(files)
        self.name: str = runtime
        self.windows, self.tokens = windows(files), TOKENS
        self.identity: ModelIdentity = files.identity(int(files.config.get("hidden_size", 0)))
        self.arithmetic, self._run = (
            self._openvino(files) if runtime == "openvino" else ("float32", _onnxruntime(files))
        )

    def run(self, windows: list[Window]) -> Vectors:
        """One vector of length 1 a window, in their order."""
        return self._run(*padded(windows))

    def _openvino(self, files: ModelFiles) -> tuple[str, Run]:
        """bfloat16 where the processor has it and it agrees with float32 on the samples."""
        exact = _openvino(files, "f32")
        if not processor.has_bfloat16():
            return "float32", exact
        fast = _openvino(files, "bf16")
        sample = padded([window for many in self.windows.cut(list(TEXTS)) for window in many])
        agrees = agreement(exact(*sample), fast(*sample)) >= AGREEMENT
        return ("bfloat16", fast) if agrees else ("float32", exact)


def windows(files: ModelFiles) -> Windows:
    """The cutter of a model that has the tokenizers library's own file."""
    from tokenizers import Tokenizer

    return Windows(Tokenizer.from_file(str(files.folder / "tokenizer.json")), files.window)


def _onnxruntime(files: ModelFiles) -> Run:
    import onnxruntime

    options = processor.onnx_options()
    # It maps the weights from their file: handed over as arrays they would be copied first.
    folder = str(files.weights.resolve().parent)
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", folder)
    session = onnxruntime.InferenceSession(
        bert.build(files), options, providers=["CPUExecutionProvider"]
    )

    def run(ids: Ids, mask: Ids) -> Vectors:
        found: list[Vectors] = session.run(["vectors"], {"ids": ids, "mask": mask})
        return found[0]

    return run


def _openvino(files: ModelFiles, precision: str) -> Run:
    import openvino

    core = openvino.Core()
    read = core.read_model(bert.build(files, whole=True))
    hints = {"INFERENCE_PRECISION_HINT": precision, "INFERENCE_NUM_THREADS": processor.threads()}
    request = core.compile_model(read, "CPU", hints).create_infer_request()

    def run(ids: Ids, mask: Ids) -> Vectors:
        found: Vectors = request.infer({"ids": ids, "mask": mask})["vectors"].copy()
        return found

    return run
