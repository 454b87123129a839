"""A BERT encoder as an ONNX graph, made from the model's own safetensors without torch.

The graph takes token ids and their mask and gives one vector of length 1 a text: the network,
the pooling over tokens, the normalisation. What it cannot express is refused, so that it never
computes something else than sentence-transformers would.
"""

import json
import math
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gotn_embeddings import wire
from gotn_embeddings.errors import NoModel
from gotn_embeddings.models import ModelFiles

#: Added to attention where the mask is 0: far enough below that softmax gives exactly 0.
HIDDEN = -1e4
#: The parts of a model that this graph has.
PARTS = ("Transformer", "Pooling", "Normalize")
#: safetensors' names of what numpy can read.
DTYPES = {"F32": "<f4", "F16": "<f2", "I64": "<i8", "F64": "<f8", "I32": "<i4"}


def check(files: ModelFiles) -> None:
    """Refuse, with the reason, a model that this graph would not compute rightly."""
    config = files.config
    expected: dict[str, tuple[Any, set[Any]]] = {
        "model_type": (config.get("model_type"), {"bert"}),
        "hidden_act": (config.get("hidden_act", "gelu"), {"gelu"}),
        "position_embedding_type": (
            config.get("position_embedding_type", "absolute"),
            {"absolute"},
        ),
        "pooling": (files.pooling, {"mean", "cls"}),
        "parts": (files.modules, {PARTS, PARTS[:2]}),
        "default prompt": (files.prompt, {""}),
        "do_lower_case": (files.lowers, {False}),
        "tokenizer_config.json, against tokenizer.json,": (files.contradicted, {()}),
        "weights": (files.weights.is_file(), {True}),
        "tokenizer.json": ((files.folder / "tokenizer.json").is_file(), {True}),
    }
    for name, (found, known) in expected.items():
        if found not in known:
            raise NoModel(
                f"The torch-free encoder cannot run {files.name}: its {name} is {found!r}, "
                f"expected {' or '.join(sorted(map(repr, known)))}. sentence-transformers can: "
                "pip install 'gotn[embeddings]'",
                model=files.name,
            )


class Tensor(NamedTuple):
    """A tensor of a file, mapped, and the byte at which it begins there."""

    array: NDArray[np.generic]
    offset: int


def weights(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file by name, mapped, not read; NoModel where it is damaged."""
    try:
        whole = np.memmap(path, dtype=np.uint8, mode="r")
        (length,) = struct.unpack("<Q", whole[:8].tobytes())
        header = json.loads(whole[8 : 8 + length].tobytes())
        found = {}
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            start, end = (8 + length + place for place in entry["data_offsets"])
            kind = np.dtype(DTYPES[entry["dtype"]])
            array = whole[start:end].view(kind).reshape(entry["shape"])
            found[name.removeprefix("bert.")] = Tensor(array, start)
    except (OSError, ValueError, KeyError, struct.error) as error:
        raise NoModel(f"{path} is no readable safetensors file: {error}") from error
    return found


def build(files: ModelFiles, *, whole: bool = False) -> bytes:
    """The graph as ONNX: `whole` with all weights in it, else they stay where they lie.

    Then it names the weights' file, links resolved, by its name alone: who reads the graph must
    know the folder.
    """
    check(files)
    drawn = _Drawing(files)
    drawn.draw()
    return drawn.model(None if whole else files.weights.resolve().name)


class _Drawing:
    """The network, written from input to output; every method adds nodes and names a result."""

    def __init__(self, files: ModelFiles) -> None:
        config = files.config
        self._layers = int(config["num_hidden_layers"])
        self._heads = int(config["num_attention_heads"])
        self._width = int(config["hidden_size"])
        self._epsilon = float(config.get("layer_norm_eps", 1e-12))
        self._pooling = files.pooling
        self._weights = weights(files.weights)
        self._nodes: list[bytes] = []
        self._shapes: dict[tuple[int, ...], str] = {}
        self._tensors: dict[str, NDArray[np.generic]] = {}
        #: Where those begin that lie in the weights' file as the graph needs them.
        self._offsets: dict[str, int] = {}

    def draw(self) -> None:
        """Write all nodes, from the ids to the vectors."""
        try:
            hidden = self._embedded()
            bias = self._bias()
            for layer in range(self._layers):
                hidden = self._layer(hidden, bias, f"encoder.layer.{layer}")
            self._pooled(hidden)
        except KeyError as error:
            raise NoModel(f"The weights have no tensor {error}") from error

    def model(self, file: str | None) -> bytes:
        """The document; of tensors that lie in `file` it says where, the others are in it."""
        return wire.model(
            self._nodes,
            [
                wire.lying(name, array, file, self._offsets[name])
                if file and name in self._offsets
                else wire.tensor(name, array)
                for name, array in self._tensors.items()
            ],
            [wire.value(name, "int64", ["texts", "tokens"]) for name in ("ids", "mask")],
            [wire.value("vectors", "float32", ["texts", self._width])],
        )

    def _op(self, op: str, *inputs: str, **attributes: float | list[int]) -> str:
        output = "vectors" if op == "Identity" else f"t{len(self._nodes)}"
        self._nodes.append(wire.node(op, inputs, [output], attributes))
        return output

    def _weight(self, name: str) -> str:
        array, offset = self._weights[name]
        if array.dtype == np.float32 and not offset % array.itemsize:
            self._offsets[name] = offset
        return self._given(name, array.astype(np.float32, copy=False))

    def _given(self, name: str, array: NDArray[np.generic]) -> str:
        self._tensors.setdefault(name, array)
        return name

    def _ints(self, *values: int) -> str:
        return self._given(f"ints{values}", np.array(values, np.int64))

    def _float(self, value: float) -> str:
        return self._given(f"float {value}", np.array([value], np.float32))

    def _linear(self, hidden: str, name: str) -> str:
        # The weights lie as torch keeps them, turned: Gemm reads them so, without a copy.
        weight, bias = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return self._op("Gemm", hidden, weight, bias, transB=1)

    def _norm(self, hidden: str, name: str) -> str:
        scale, bias = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return self._op("LayerNormalization", hidden, scale, bias, axis=-1, epsilon=self._epsilon)

    def _embedded(self) -> str:
        words = self._op("Gather", self._weight("embeddings.word_embeddings.weight"), "ids")
        # Every token is of the first type, so its vector is a part of each place's.
        places = (
            self._weights["embeddings.position_embeddings.weight"].array
            + self._weights["embeddings.token_type_embeddings.weight"].array[0]
        )
        table = self._given("places", places.astype(np.float32, copy=False))
        length = self._op("Gather", self._op("Shape", "ids"), self._ints(1))
        place = self._op("Slice", table, self._ints(0), length)
        rows = self._op("Reshape", self._op("Add", words, place), self._ints(-1, self._width))
        return self._norm(rows, "embeddings.LayerNorm")

    def _bias(self) -> str:
        self._mask = self._op("Cast", "mask", to=wire.TYPES["float32"])
        hidden = self._op("Sub", self._float(1.0), self._mask)
        bias = self._op("Mul", hidden, self._float(HIDDEN))
        return self._op("Unsqueeze", bias, self._ints(1, 2))

    def _layer(self, hidden: str, bias: str, name: str) -> str:
        seen = self._attention(hidden, bias, f"{name}.attention.self")
        seen = self._linear(seen, f"{name}.attention.output.dense")
        hidden = self._norm(self._op("Add", seen, hidden), f"{name}.attention.output.LayerNorm")
        wide = self._gelu(self._linear(hidden, f"{name}.intermediate.dense"))
        narrow = self._linear(wide, f"{name}.output.dense")
        return self._norm(self._op("Add", narrow, hidden), f"{name}.output.LayerNorm")

    def _attention(self, hidden: str, bias: str, name: str) -> str:
        size = self._width // self._heads
        split = self._shape(self._heads, size)
        query, key, value = (
            self._op("Reshape", self._linear(hidden, f"{name}.{part}"), split)
            for part in ("query", "key", "value")
        )
        query = self._op("Transpose", query, perm=[0, 2, 1, 3])
        key = self._op("Transpose", key, perm=[0, 2, 3, 1])
        value = self._op("Transpose", value, perm=[0, 2, 1, 3])
        scores = self._op("Mul", self._op("MatMul", query, key), self._float(size**-0.5))
        shares = self._op("Softmax", self._op("Add", scores, bias), axis=-1)
        seen = self._op("Transpose", self._op("MatMul", shares, value), perm=[0, 2, 1, 3])
        return self._op("Reshape", seen, self._ints(-1, self._width))

    def _shape(self, *inner: int) -> str:
        """Texts, tokens and these: what rows of tokens are taken apart into."""
        if inner not in self._shapes:
            outer = self._op("Shape", "ids")
            self._shapes[inner] = self._op("Concat", outer, self._ints(*inner), axis=0)
        return self._shapes[inner]

    def _gelu(self, wide: str) -> str:
        bent = self._op("Erf", self._op("Mul", wide, self._float(math.sqrt(0.5))))
        half = self._op("Mul", wide, self._float(0.5))
        return self._op("Mul", half, self._op("Add", bent, self._float(1.0)))

    def _pooled(self, hidden: str) -> None:
        hidden = self._op("Reshape", hidden, self._shape(self._width))
        if self._pooling == "cls":
            first = self._given("first", np.array(0, np.int64))
            pooled = self._op("Gather", hidden, first, axis=1)
        else:
            mask = self._op("Unsqueeze", self._mask, self._ints(2))
            total = self._op("ReduceSum", self._op("Mul", hidden, mask), self._ints(1), keepdims=0)
            pooled = self._op("Div", total, self._op("ReduceSum", mask, self._ints(1), keepdims=0))
        length = self._op("ReduceL2", pooled, self._ints(1), keepdims=1)
        self._op("Identity", self._op("Div", pooled, length))
