"""The shapes of a task tree's document (004, and the later schema): each declared once.

Reading, printing and the JSON Schema are made from these declarations (`rules.shaped`,
`exchange.schema`). Money is a Decimal in USD, never a float; a member that is absent is None.
"""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from gotn.trees.records.words import (
    Chunking,
    ContextType,
    Decomposition,
    ExecutionMode,
    Fallback,
    FinishReason,
    Merging,
    ModelTier,
    OutputType,
    ResultStatus,
    TaskStatus,
)


def within(least: float | None = None, most: float | None = None) -> Any:
    """A number that may be absent, and its bounds."""
    return field(default=None, metadata={"least": least, "most": most})


def named(pattern: str, *, needed: bool = False) -> Any:
    """An id, and the pattern that the published schema has for it."""
    known = {"pattern": pattern}
    return field(metadata=known) if needed else field(default=None, metadata=known)


_MONEY = {"least": 0}
#: Of a number that sums up others: its bound is a tree's, not a task's.
_SUM = {"least": 0, "sum": True}
TASK_ID = "^task-[a-f0-9]{8}$"
TREE_ID = "^tree-[a-f0-9]{8}$"


@dataclass(kw_only=True)
class DateRange:
    """From when to when the documents of a context are (004, filters)."""

    start: datetime | None = None
    end: datetime | None = None


@dataclass(kw_only=True)
class ContextFilters:
    """What a context was narrowed by (004, ContextReference)."""

    file_patterns: tuple[str, ...] | None = None
    date_range: DateRange | None = None
    relevance_threshold: float | None = within(0, 1)


@dataclass(kw_only=True)
class DocumentReference:
    """A document in a context (004, DocumentReference)."""

    doc_id: str
    source: str
    chunk_ids: tuple[str, ...] | None = None
    relevance_score: float | None = within(0, 1)
    excerpt: str | None = None


@dataclass(kw_only=True)
class ContextReference:
    """What a task is given to work with (004, ContextReference)."""

    type: ContextType | None = None
    #: `retrieved_documents`, `parent_result`, `variable:NAME`, `file:PATH`, or any other text.
    source: str | None = None
    documents: tuple[DocumentReference, ...] | None = None
    size_tokens: int | None = within(0)
    filters: ContextFilters | None = None


@dataclass(kw_only=True)
class ResultMetadata:
    """How a result was made (004, TaskResult)."""

    model_used: str | None = None
    temperature: float | None = within()
    seed: int | None = within()
    finish_reason: FinishReason | None = None


@dataclass(kw_only=True)
class TaskError:
    """What went wrong (004, TaskResult)."""

    message: str | None = None
    code: str | None = None
    timestamp: datetime | None = None


@dataclass(kw_only=True)
class TaskArtifact:
    """A thing that a task made (004, TaskResult)."""

    path: str | None = None
    type: str | None = None
    description: str | None = None


@dataclass(kw_only=True)
class TaskResult:
    """What came of a task (004, TaskResult)."""

    status: ResultStatus | None = None
    output: str | None = None
    output_type: OutputType | None = None
    confidence: float | None = within(0, 1)
    metadata: ResultMetadata | None = None
    errors: tuple[TaskError, ...] | None = None
    artifacts: tuple[TaskArtifact, ...] | None = None


@dataclass(kw_only=True)
class CostTracking:
    """Tokens and money of a task alone; only the subtree total counts its descendants (004)."""

    input_tokens: int | None = within(0)
    output_tokens: int | None = within(0)
    total_tokens: int | None = within(0)
    input_cost_usd: Decimal | None = field(default=None, metadata=_MONEY)
    output_cost_usd: Decimal | None = field(default=None, metadata=_MONEY)
    total_cost_usd: Decimal | None = field(default=None, metadata=_MONEY)
    subtree_total_cost_usd: Decimal | None = field(default=None, metadata=_SUM)
    cache_hits: int | None = within(0)
    cache_savings_usd: Decimal | None = field(default=None, metadata=_MONEY)
    #: Ours: of these tokens, those whose cost nobody stated, where that of others is known.
    unpriced_tokens: int | None = within(0)


@dataclass(kw_only=True)
class Timestamps:
    """When a task was made, started and ended (004, Timestamps)."""

    created_at: datetime | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    duration_ms: int | None = within(0)


@dataclass(kw_only=True)
class RetryPolicy:
    """How often a task is tried again (004, ExecutionConfig)."""

    max_retries: int | None = within(0)
    backoff_ms: int | None = within(0)


@dataclass(kw_only=True)
class CachePolicy:
    """Whether answers are cached, and how long (004, ExecutionConfig)."""

    enabled: bool | None = None
    ttl_seconds: int | None = within(0)


@dataclass(kw_only=True)
class ExecutionConfig:
    """How a task is executed (004, ExecutionConfig)."""

    model: str | None = None
    temperature: float | None = within(0, 2)
    seed: int | None = within()
    max_tokens: int | None = within(1)
    timeout_ms: int | None = within(1000)
    retry_policy: RetryPolicy | None = None
    cache_policy: CachePolicy | None = None


@dataclass(kw_only=True)
class GateIteration:
    """One scoring of a result (the later schema)."""

    iteration: int | None = within()
    score: int | None = within()
    feedback: str | None = None
    timestamp: datetime | None = None


@dataclass(kw_only=True)
class QualityGate:
    """The score that a result must reach (the later schema)."""

    min_score: int | None = within(0, 100)
    scoring_criteria: str | None = None
    scorer_model: ModelTier | None = None
    max_iterations: int | None = within(1, 10)
    fallback: Fallback | None = None
    iteration_history: tuple[GateIteration, ...] | None = None


@dataclass(kw_only=True)
class TaskNode:
    """A task with those below it, as a document has it (004, TaskNode)."""

    node_id: str = named(TASK_ID, needed=True)
    parent_id: str | None = named(TASK_ID)
    depth: int | None = within(0)
    prompt: str
    context: ContextReference | None = None
    children: "tuple[TaskNode, ...] | None" = None
    status: TaskStatus
    result: TaskResult | None = None
    cost: CostTracking | None = None
    timestamps: Timestamps | None = None
    execution_config: ExecutionConfig | None = None
    preferred_model: ModelTier | None = None
    quality_gate: QualityGate | None = None
    decomposition_strategy: Decomposition | None = None
    chunking_strategy: Chunking | None = None
    batch_size: int | None = within(1, 100)
    merge_strategy: Merging | None = None


@dataclass(kw_only=True)
class TreeMetadata:
    """What a document says about its whole tree (004, TreeMetadata)."""

    tree_id: str | None = named(TREE_ID)
    root_prompt: str | None = None
    max_depth: int | None = within(0)
    total_nodes: int | None = within(1)
    completed_nodes: int | None = within(0)
    failed_nodes: int | None = within(0)
    total_cost_usd: Decimal | None = field(default=None, metadata=_SUM)
    total_tokens: int | None = field(default=None, metadata=_SUM)
    execution_mode: ExecutionMode | None = None
    session_id: str | None = None
    created_at: datetime | None = None
    completed_at: datetime | None = None
    duration_ms: int | None = within(0)


@dataclass(kw_only=True)
class TreeLimits:
    """What a tree may grow to (004, Limits and constraints)."""

    max_depth: int | None = within(1)
    max_children_per_node: int | None = within(1)
    max_total_nodes: int | None = within(1)
    max_context_tokens_per_node: int | None = within(1)
    timeout_per_node_ms: int | None = within(1)


@dataclass(kw_only=True)
class TreeDocument:
    """A whole document (004)."""

    version: str = named(r"^1\.\d+\.\d+$", needed=True)
    root_task: TaskNode
    metadata: TreeMetadata | None = None
    limits: TreeLimits | None = None
