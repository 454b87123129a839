"""What is encoded of a node, and the name of the vector that comes of it."""

from collections.abc import Sequence
from hashlib import sha256

#: The fields of a node that its vector is made of (decisions, Soft edges).
FIELDS = ("summary", "prompt_text", "tags")
#: Where vectors are kept, as a node's `embedding_ref` says it.
COLLECTION = "gotn_nodes"
_HASH = 24


def text(summary: str | None, prompt_text: str | None, tags: Sequence[str]) -> str:
    """Summary, prompt and tags, a line each; "" for a node that says nothing."""
    parts = (summary or "", prompt_text or "", ", ".join(tags))
    return "\n".join(part for part in parts if part.strip())


def content(text_: str) -> str:
    """What tells one text from every other, for as long as a vector's name has room."""
    return sha256(text_.encode()).hexdigest()[:_HASH]


def vector_id(node_id: str, text_: str) -> str:
    """The name of a node's vector: another text is another vector."""
    return f"vec_{content(text_)}_{node_id}"


def node_of(vector: str) -> str:
    """The node that a vector is of."""
    return vector[len("vec_") + _HASH + 1 :]


def content_of(vector: str) -> str:
    """The hash of the text that a vector is of."""
    return vector[len("vec_") : len("vec_") + _HASH]
