"""What similarity answers."""

from dataclasses import dataclass
from enum import Enum


class SearchWay(Enum):
    """How what is similar is looked for."""

    #: By meaning and by words, put together by rank.
    HYBRID = "hybrid"
    #: By meaning alone.
    MEANING = "meaning"
    #: By words alone, which needs no encoder.
    WORDS = "words"


@dataclass(kw_only=True)
class Similar:
    """A node that is similar to what was asked for."""

    id: str
    #: Its place in the order: the sum of 1 / (60 + rank) over both ways (reciprocal rank fusion).
    fused: float
    #: Cosine of the two texts, -1 to 1; None where nothing was encoded.
    cosine: float | None = None
    #: Its rank by meaning and by words, from 1; None where it was not found so.
    by_meaning: int | None = None
    by_words: int | None = None


@dataclass(kw_only=True)
class SoftLinked:
    """What deriving soft edges changed."""

    added: int = 0
    removed: int = 0
    #: Edges whose score changed, or the model it comes from.
    updated: int = 0
    #: Soft edges that somebody else stated; they are left as they are.
    stated: int = 0
    #: Nodes that have a vector.
    vectors: int = 0
    #: Texts that had to be encoded for that.
    encoded: int = 0
    #: Whether all nodes were compared, or those alone that changed.
    whole: bool = False
    #: Neighbours of each node that are looked at, and the least cosine of an edge.
    k: int = 0
    threshold: float = 0.0
    #: The model, such as `all-MiniLM-L6-v2@1a2b3c4d`.
    model: str = ""
