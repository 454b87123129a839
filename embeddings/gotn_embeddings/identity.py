"""What a vector is: the model that made it, and beside that how it was computed."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Vectors as rows, float32, each of length 1.
Vectors = NDArray[np.float32]
#: How vectors of one model may differ and still stand in one index: cosine at least this.
AGREEMENT = 0.9999


def agreement(one: Vectors, other: Vectors) -> float:
    """The lowest cosine of two engines' vectors of the same texts."""
    return float((one * other).sum(axis=1).min())


@dataclass(frozen=True, kw_only=True)
class ModelIdentity:
    """Vectors are comparable if and only if these four are equal."""

    #: The model's name, such as `all-MiniLM-L6-v2`; a local folder has its folder's name.
    model: str
    #: Fingerprint of the weights, the tokenizer and the configuration, 16 hex digits.
    revision: str
    #: How token vectors become one: `mean` or `cls`, and how windows of a long text do.
    pooling: str
    #: Numbers in a vector.
    dimension: int

    def to_dict(self) -> dict[str, Any]:
        """The four as JSON."""
        return asdict(self)

    @property
    def text(self) -> str:
        """For people and for an edge's evidence: `all-MiniLM-L6-v2@1a2b…`."""
        return f"{self.model}@{self.revision[:8]}"


@dataclass(frozen=True, kw_only=True)
class Encoded:
    """Vectors of texts in their order, and how they came about."""

    vectors: Vectors
    identity: ModelIdentity
    #: What computed them: `sentence-transformers`, `onnxruntime` or `openvino`. Kept beside a
    #: vector, no part of its identity: engines agree to a cosine of `AGREEMENT` at least.
    engine: str
    #: `float32` or `bfloat16`; like the engine, kept beside.
    arithmetic: str
    #: Texts that were longer than the model's window and were pooled from several windows.
    pooled: int = 0
