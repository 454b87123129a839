"""Texts as vectors, and vectors found again; knows nothing of graphs and databases."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gotn_embeddings.choice import CHOICES, encoder
from gotn_embeddings.encoder import Encoder, Progress, content_hash
from gotn_embeddings.errors import (
    BadText,
    BadVector,
    EmbeddingError,
    IndexNotSaved,
    IndexUnusable,
    NoEncoder,
    NoModel,
)
from gotn_embeddings.identity import Encoded, ModelIdentity

if TYPE_CHECKING:
    from gotn_embeddings.store import FaissStore
    from gotn_embeddings.vectors import (
        ALIKE,
        NEAREST,
        Hit,
        Neighbours,
        Position,
        VectorStore,
        mutual,
    )

__all__ = [
    "ALIKE",
    "CHOICES",
    "NEAREST",
    "BadText",
    "BadVector",
    "EmbeddingError",
    "Encoded",
    "Encoder",
    "FaissStore",
    "Hit",
    "IndexNotSaved",
    "IndexUnusable",
    "ModelIdentity",
    "Neighbours",
    "NoEncoder",
    "NoModel",
    "Position",
    "Progress",
    "VectorStore",
    "content_hash",
    "encoder",
    "mutual",
]

#: Where those names are that only who keeps vectors needs: loading these takes a quarter of the
#: time in which a process has its first vector.
_LATER = {
    "FaissStore": "store",
    "ALIKE": "vectors",
    "NEAREST": "vectors",
    "Hit": "vectors",
    "Neighbours": "vectors",
    "Position": "vectors",
    "VectorStore": "vectors",
    "mutual": "vectors",
}


def __getattr__(name: str) -> Any:
    """A name that is loaded when it is first asked for."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
