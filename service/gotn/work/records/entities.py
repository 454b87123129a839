"""What a work graph holds (001): nodes, edges, runs, projects, and drafts of them."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any


class NodeStatus(Enum):
    """Where a node stands (001, Node Fields; decisions, Status). ready means not started."""

    READY = "ready"
    RUNNING = "running"
    BLOCKED = "blocked"
    COMPLETED = "completed"
    SKIPPED = "skipped"
    FAILED = "failed"


class EdgeType(Enum):
    """What an edge means (001, Edge Types). related carries any other tool's own kind."""

    HARD_REQUIRES = "hard_requires"
    SOFT_SEMANTIC = "soft_semantic"
    DERIVED_FROM = "derived_from"
    RELATED = "related"


class EdgeOrigin(Enum):
    """Why a hard edge stands: said so, derived from tags, or both."""

    EXPLICIT = "explicit"
    DERIVED = "derived"
    BOTH = "both"


class RunStatus(Enum):
    """Where a run stands."""

    PLANNED = "planned"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class OnFailure(Enum):
    """What a run does when a step failed for good."""

    GO_ON = "go_on"
    FAIL_FAST = "fail_fast"


class StepStatus(Enum):
    """Where a step of a run stands. ready means not started."""

    READY = "ready"
    RUNNING = "running"
    COMPLETED = "completed"
    SKIPPED = "skipped"
    FAILED = "failed"
    BLOCKED = "blocked"


@dataclass(kw_only=True)
class WorkNodeDraft:
    """A node as a caller gives it. Adding needs id, kind, summary and prompt_text."""

    #: Unique in its project; any text of 1 to 1,000 bytes.
    id: str
    #: `micro_prompt`, `code_symbol`, or any other text.
    kind: str | None = None
    #: One line.
    summary: str | None = None
    #: Detailed instructions for whoever executes, at most 1 MiB.
    prompt_text: str | None = None
    #: File or resource this node operates on; shown, never run.
    exec_target: str | None = None
    #: The node this one was broken out of.
    parent: str | None = None
    #: The nodes this one was broken into, in order.
    children: tuple[str, ...] | None = None
    #: Tags that must be produced before this node can start.
    requires: tuple[str, ...] | None = None
    #: Tags this node produces.
    produces: tuple[str, ...] | None = None
    #: Keywords for filtering and search; not dependencies.
    tags: tuple[str, ...] | None = None
    #: How to verify completion: strings or {type, value}.
    success_criteria: Any = None
    #: Pre-conditions that must be met: strings or {type, value}.
    guards: Any = None
    #: {files, outputs, dependencies} this node creates or needs.
    artifacts: Any = None
    status: NodeStatus | None = None
    #: Why it has this status, where somebody said so.
    status_reason: str | None = None
    #: Where an imported vector is kept: {collection, id}.
    embedding_ref: Any = None
    #: {created_by, source}.
    provenance: Any = None
    #: Keys that 001 does not know, kept as they came.
    extra: Any = None
    #: The document's schema version, and nothing else.
    version: int | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None


@dataclass(kw_only=True)
class WorkNode:
    """One unit of work, as it is stored (001, Node)."""

    id: str
    project_id: str
    kind: str = ""
    summary: str = ""
    prompt_text: str = ""
    exec_target: str | None = None
    status: NodeStatus = NodeStatus.READY
    status_reason: str | None = None
    requires: tuple[str, ...] = ()
    produces: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    parent: str | None = None
    children: tuple[str, ...] = ()
    success_criteria: Any = None
    guards: Any = None
    artifacts: Any = None
    embedding_ref: Any = None
    provenance: Any = None
    extra: Any = None
    #: Minutes this is expected to take, from the key `estimate_minutes` in `extra`.
    estimate_minutes: float | None = None
    version: int = 1
    #: 1, plus 1 a change; what `expectedRevision` is compared with.
    revision: int = 1
    created_at: datetime | None = None
    updated_at: datetime | None = None


@dataclass(kw_only=True)
class WorkEdgeDraft:
    """An edge as a caller gives it; for hard_requires src is done before dst."""

    src: str
    dst: str
    type: EdgeType = EdgeType.HARD_REQUIRES
    #: The other tool's own name of the relation, for `related` only.
    kind: str | None = None
    #: 0 to 1, for soft edges only.
    score: float | None = None
    evidence: str | None = None
    provenance: Any = None
    version: int | None = None
    created_at: datetime | None = None
    #: Keys that 001 does not know, kept as they came.
    extra: Any = None


@dataclass(kw_only=True)
class WorkEdge:
    """A relationship between two nodes, as it is stored (001, Edge)."""

    src: str
    dst: str
    project_id: str
    type: EdgeType
    kind: str | None = None
    origin: EdgeOrigin | None = None
    #: The tags that give the derived part of a hard edge, sorted.
    tags: tuple[str, ...] = ()
    #: This hard edge closes a cycle: kept, shown, and left out of the stored order.
    closes_cycle: bool = False
    score: float | None = None
    #: The model that a derived soft edge's score comes from.
    model: str | None = None
    evidence: str | None = None
    provenance: Any = None
    extra: Any = None
    version: int = 1
    created_at: datetime | None = None
    #: One of its ends is not stored yet; it joins when that node arrives.
    pending: bool = False


@dataclass(kw_only=True)
class Run:
    """An execution session with ordered steps (001, Run)."""

    id: str
    project_id: str
    goal: str = ""
    ordered_node_ids: tuple[str, ...] = ()
    layers: Any = None
    ordering_reason: str | None = None
    status: RunStatus | None = None
    workspace_path: str | None = None
    #: What it does when a step failed for good; None until it was started.
    on_failure: OnFailure | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    #: Why it failed or was cancelled.
    reason: str | None = None
    cancelled_by: str | None = None
    extra: Any = None
    version: int | None = None
    revision: int = 1
    created_at: datetime | None = None
    updated_at: datetime | None = None


@dataclass(kw_only=True)
class Project:
    """A space of its own: every id, edge and journal belongs to one project."""

    id: str
    #: The journal's last seq.
    seq: int = 0
    nodes: int = 0
    edges: int = 0
    runs: int = 0
    trees: int = 0
    pending: int = 0
    #: How many nodes, edges or tasks a large import has staged; None where none is unfinished.
    unfinished_import: int | None = None
    settings: Any = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
