"""What similarity answers."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from gotn.work.records import NodeStatus


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


class PartKind(Enum):
    """What a part of a context is."""

    #: The node itself: what is to be done.
    TASK = "task"
    #: A finished prerequisite, and what it brought.
    PREREQUISITE = "prerequisite"
    #: A finished node that is about the same.
    SOLVED = "solved"


@dataclass(kw_only=True)
class ContextPart:
    """A part of what an agent needs for a node."""

    kind: PartKind
    id: str
    #: The part itself, in Markdown.
    text: str
    #: About how many tokens it has: a fourth of its bytes, rounded up.
    tokens: int
    #: What parts are ordered by: 1 for the node, 1 / distance of a prerequisite, else the cosine.
    usefulness: float
    #: Whether it was cut to fit: the node's own task in its prompt, others to what they brought.
    shortened: bool = False
    #: Paths and outputs that it made, where it is finished.
    artifacts: Any = None
    outputs: Any = None


@dataclass(kw_only=True)
class NodeContext:
    """What an agent needs for a node, the most useful first, within a number of tokens."""

    id: str
    budget: int
    tokens: int
    #: All parts, one after the other.
    text: str
    parts: tuple[ContextPart, ...] = ()
    #: Ids of what would have been useful and did not fit.
    left_out: tuple[str, ...] = ()
    #: What is missing and why: without an encoder nothing is found by meaning, and of very many
    #: prerequisites the nearest are looked at.
    note: str | None = None


class DuplicateKind(Enum):
    """Why two nodes seem to be one."""

    #: They say the same but for case and space.
    EXACT = "exact"
    #: They differ in slips of the pen and small words.
    FUZZY = "fuzzy"
    #: They mean the same.
    MEANING = "meaning"


@dataclass(kw_only=True)
class Duplicate:
    """Two nodes that seem to be one."""

    #: The one that stays.
    keep: str
    keep_summary: str | None = None
    keep_status: NodeStatus
    gone: str
    gone_summary: str | None = None
    gone_status: NodeStatus
    kind: DuplicateKind
    #: 1 for the same words, their share, or the cosine.
    score: float
    #: Why they seem to be one, and why the one stays that does.
    reason: str
    stays: str
    #: Why the two cannot be merged as they stand.
    refused: str | None = None
    #: The journal entry of the merge, by which it can be undone.
    merge: int | None = None


@dataclass(kw_only=True)
class Deduped:
    """What seems to be there twice, and what was merged of it."""

    duplicates: tuple[Duplicate, ...] = ()
    merged: int = 0
    #: Whether there are more than are listed.
    more: bool = False
    #: What was not looked at and why.
    notes: tuple[str, ...] = ()


class DoubtKind(Enum):
    """What edges and texts disagree about."""

    #: What one node produces resembles what another requires, and no tag joins them.
    MISSING_DEPENDENCY = "missing_dependency"
    #: A hard edge joins nodes that are about different things.
    SUSPICIOUS_EDGE = "suspicious_edge"


@dataclass(kw_only=True)
class Doubt:
    """Two nodes of which edges and texts tell different things."""

    kind: DoubtKind
    #: The node that is, or would be, done first, and the one that needs it.
    src: str
    dst: str
    #: The cosine of the two tags, or of the two nodes.
    cosine: float
    #: Why, for people.
    evidence: str
    #: The tags that are alike, where a dependency is missing.
    produces: str | None = None
    requires: str | None = None


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
    #: Nodes whose neighbours were looked for.
    compared: int = 0
    #: Whether all nodes were compared, or those alone that changed.
    whole: bool = False
    #: Neighbours of each node that are looked at, and the least cosine of an edge.
    k: int = 0
    threshold: float = 0.0
    #: The model, such as `all-MiniLM-L6-v2@1a2b3c4d`.
    model: str = ""
