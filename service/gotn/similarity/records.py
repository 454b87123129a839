"""What similarity answers."""

from dataclasses import dataclass


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
