"""What is asked of a work graph and what is done to it: plans, paths, imports, checks."""

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from gotn.work.records.entities import (
    NodeStatus,
    WorkNode,
)


@dataclass(kw_only=True)
class StepOfPath:
    """One hop of a path of hard edges: from src to dst because of these tags."""

    src: str
    dst: str
    tags: tuple[str, ...] = ()


@dataclass(kw_only=True)
class Cycle:
    """One component of nodes that need each other, with one shortest way round."""

    #: Every node of the component, sorted.
    nodes: tuple[str, ...]
    #: A shortest closed path; the first node stands again at the end.
    path: tuple[str, ...]
    #: For each hop of the path, the tags it rests on, joined; "explicit" where there are none.
    tags: tuple[str, ...]


@dataclass(kw_only=True)
class UnmetRequirement:
    """A required tag that no node produces: listed, never blocking."""

    tag: str
    #: The nodes that ask for it, sorted.
    nodes: tuple[str, ...]


@dataclass(kw_only=True)
class BlockedNode:
    """A node that cannot start because one it needs has failed."""

    id: str
    #: From the failed node to this one.
    path: tuple[str, ...]


@dataclass(kw_only=True)
class CriticalPath:
    """The longest chain of a plan, which nothing can shorten."""

    node_ids: tuple[str, ...] = ()
    #: Its length, in `unit`.
    length: float = 0.0
    #: `steps`, or `minutes` where nodes carry estimates.
    unit: str = "steps"


@dataclass(kw_only=True)
class PlannedStep:
    """A node's place in a plan."""

    id: str
    summary: str
    position: int
    layer: int
    #: How much later it may finish without delaying the whole, in the critical path's unit.
    slack: float
    #: How long it is expected to take, in that unit.
    weight: float
    #: Nothing in the plan stands before it, and it is not waiting on a running node.
    ready: bool


@dataclass(kw_only=True)
class Plan:
    """A safe order of the open work (001, Run), stored as a Run unless it is a preview."""

    run_id: str | None = None
    project_id: str
    goal: str
    layers: tuple[tuple[str, ...], ...]
    ordered_node_ids: tuple[str, ...]
    ordering_reason: str
    #: Made one by one when they are asked for.
    steps: Sequence[PlannedStep] = ()
    unmet: tuple[UnmetRequirement, ...] = ()
    blocked: tuple[BlockedNode, ...] = ()
    #: Running nodes that steps of this plan wait for, sorted.
    waiting_on: tuple[str, ...] = ()
    critical_path: CriticalPath = field(default_factory=CriticalPath)
    #: How many nodes were left out because they are completed or skipped.
    satisfied: int = 0
    workspace_path: str | None = None
    created_at: datetime | None = None


@dataclass(kw_only=True)
class Unknown:
    """Something an import, a recovery or a check could not take, and why."""

    line: int | None = None
    id: str | None = None
    reason: str

    def __post_init__(self) -> None:
        """Half characters, which a damaged document may hold, are shown by their number."""
        self.reason = _whole(self.reason)
        self.id = None if self.id is None else _whole(self.id)


def _whole(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


@dataclass(kw_only=True)
class Imported:
    """What an import did."""

    nodes: int = 0
    edges: int = 0
    runs: int = 0
    journal_entries: int = 0
    #: Edges, parents and steps whose node is not there yet.
    pending: int = 0
    #: Of the nodes, edges and runs above, how many were new or different.
    changed: int = 0
    #: How many nodes and edges an earlier run of the same import, cut short, had staged already.
    resumed: int = 0
    skipped: tuple[Unknown, ...] = ()
    warnings: tuple[Unknown, ...] = ()


@dataclass(kw_only=True)
class Linked:
    """What deriving edges from tags changed."""

    added: int = 0
    removed: int = 0
    #: Edges whose tags or origin changed.
    updated: int = 0
    unmet: tuple[UnmetRequirement, ...] = ()
    cycles: tuple[Cycle, ...] = ()


@dataclass(kw_only=True)
class GraphDraft:
    """What one call or file brings, as plain rows (`rules.forms`), not yet looked up or written.

    A node row has no parent or children: those are rows of type derived_from, with `said`
    telling where the document states them.
    """

    #: A reader of large files gives a `Shelf`: there a row that is read is a copy.
    nodes: MutableSequence[dict[str, Any]] = field(default_factory=list)
    edges: MutableSequence[dict[str, Any]] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)
    #: Journal entries of another tool's document, whole, in order.
    journal: list[dict[str, Any]] = field(default_factory=list)
    #: Line of a file by what stands there: "node ID" or "edge TYPE SRC DST".
    lines: dict[str, int] = field(default_factory=dict)
    skipped: list[Unknown] = field(default_factory=list)
    warnings: list[Unknown] = field(default_factory=list)


@dataclass(kw_only=True)
class Merged:
    """Two nodes that became one, or one that became two again."""

    #: The journal entry of the merge, by which it can be undone.
    merge: int
    keep: str
    gone: str
    #: Edges that moved from one to the other.
    edges: int = 0
    #: Steps in runs that wait for the node that is gone, or joined it again.
    steps: int = 0


@dataclass(kw_only=True)
class Removed:
    """What a removal took away."""

    #: Ids, sorted.
    nodes: tuple[str, ...] = ()
    edges: int = 0
    steps: int = 0


@dataclass(kw_only=True)
class Reached:
    """A node that hard edges lead to, and how many of them lie between."""

    node: WorkNode
    distance: int


@dataclass(kw_only=True)
class BlockingPath:
    """Why a node cannot start: the way from a cause to it."""

    #: The node that must move first.
    cause: str
    status: NodeStatus
    #: From the cause to the blocked node.
    hops: tuple[StepOfPath, ...]


@dataclass(kw_only=True)
class StatusCount:
    """How many nodes have a status."""

    status: NodeStatus
    count: int


@dataclass(kw_only=True)
class Impact:
    """What depends on a node."""

    id: str
    #: Ids of the nodes that need it directly, sorted, at most 1,000.
    direct: tuple[str, ...]
    #: How many need it, directly or not.
    dependants: int
    by_status: tuple[StatusCount, ...]
    #: Tags that others require and only this node produces.
    sole_tags: tuple[str, ...]
    #: Runs that are not finished and have it as a step, sorted, at most 1,000.
    runs: tuple[str, ...]


@dataclass(kw_only=True)
class CycleCheck:
    """Whether a hard edge would close a cycle, and which."""

    closes: bool
    #: The closed path, the first node standing again at the end; empty where there is none.
    path: tuple[str, ...] = ()
    #: For each hop after the new edge, the tags it rests on.
    tags: tuple[str, ...] = ()


@dataclass(kw_only=True)
class TreeRow:
    """A node's place in a decomposition tree, parents before children."""

    node: WorkNode
    depth: int
    parent: str | None = None
    position: int | None = None


@dataclass(kw_only=True)
class Verification:
    """Whether a journal is whole, and whether it gives what the database holds."""

    entries: int
    chain_ok: bool
    #: The first problems of the chain: seq and reason.
    problems: tuple[str, ...]
    live_digest: str
    replay_digest: str
    equal: bool
    #: The first 20 entities that differ: {entity, difference}.
    differing: Any = None


@dataclass(kw_only=True)
class Replayed:
    """What a replay rebuilt."""

    entries: int
    nodes: int
    edges: int
    runs: int
    digest: str
    #: The journal was taken over as it is; false where damage forced a new one.
    verbatim: bool = True
    skipped: tuple[Unknown, ...] = ()
    #: Task trees.
    trees: int = 0


@dataclass(kw_only=True)
class Adopted:
    """How much that was changed by hand is in the journal now."""

    #: Nodes and relationships that differed.
    entities: int = 0
