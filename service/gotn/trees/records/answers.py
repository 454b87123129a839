"""What is read from documents of task trees, and what use cases answer."""

from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]


@dataclass(kw_only=True)
class Finding:
    """Something about a document that its reader should know."""

    line: int | None = None
    #: The tree or task it is about.
    id: str | None = None
    reason: str


@dataclass(kw_only=True)
class Disagreement:
    """A stated number that is not what the tasks give; both are kept."""

    #: The task it was stated for; null for the whole tree.
    id: str | None = None
    #: The member that states it, such as `metadata.total_tokens`.
    member: str
    stated: str
    #: What the tasks give.
    ours: str


@dataclass(kw_only=True)
class TreeDraft:
    """A tree as it is to be stored: plain rows, parents before their children."""

    tree: Row
    tasks: list[Row] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)
    disagreements: list[Disagreement] = field(default_factory=list)


@dataclass(kw_only=True)
class StateDraft:
    """Variables that contexts of the form `variable:NAME` are read from."""

    state: Row
    warnings: list[Finding] = field(default_factory=list)


@dataclass(kw_only=True)
class Planted:
    """What importing a document of task trees did."""

    tree_id: str
    tasks: int = 0
    documents: int = 0
    #: How many entities were new; 0 where the tree was there already.
    changed: int = 0
    #: Names of the variables that a state document brought.
    variables: tuple[str, ...] = ()
    #: The work node that this tree executed, if one was named.
    executes: str | None = None
    warnings: tuple[Finding, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
