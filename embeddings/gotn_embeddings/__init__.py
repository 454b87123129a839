"""Texts as vectors, and vectors found again; knows nothing of graphs and databases."""

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
from gotn_embeddings.store import FaissStore
from gotn_embeddings.vectors import ALIKE, NEAREST, Hit, Neighbours, Position, VectorStore, mutual

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
