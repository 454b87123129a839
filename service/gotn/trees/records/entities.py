"""Trees, tasks, documents and states as they are stored."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gotn.trees.records.words import (
    Chunking,
    Decomposition,
    ExecutionMode,
    Merging,
    ModelTier,
    ResultStatus,
    TaskStatus,
)


@dataclass(kw_only=True)
class TaskTree:
    """A recursive task tree (004)."""

    id: str
    project_id: str
    version: str = "1.0.0"
    #: The prompt that started it, where its document says so.
    root_prompt: str | None = None
    session_id: str | None = None
    execution_mode: ExecutionMode | None = None
    #: What its document says of the whole, as it came.
    metadata: Any = None
    #: Members that 004 does not know, kept as they came.
    extra: Any = None
    #: Stated totals that the tasks do not give, a sentence each.
    stated: tuple[str, ...] = ()
    revision: int = 1
    #: When it was taken in here.
    added_at: datetime | None = None
    created_at: datetime | None = None
    completed_at: datetime | None = None


@dataclass(kw_only=True)
class Task:
    """One task of a tree (004, TaskNode)."""

    id: str
    project_id: str
    tree_id: str
    depth: int = 0
    prompt: str = ""
    status: TaskStatus = TaskStatus.PENDING
    #: The model that its cost counts for: the one used, else the one asked for.
    model: str | None = None
    preferred_model: ModelTier | None = None
    decomposition_strategy: Decomposition | None = None
    merge_strategy: Merging | None = None
    chunking_strategy: Chunking | None = None
    batch_size: int | None = None
    result_status: ResultStatus | None = None
    confidence: float | None = None
    #: Context without its documents, which are entities of their own.
    context: Any = None
    result: Any = None
    #: What its document says of tokens and money; amounts are texts in USD.
    cost: Any = None
    timestamps: Any = None
    execution_config: Any = None
    quality_gate: Any = None
    #: Members that 004 does not know, kept as they came.
    extra: Any = None
    duration_ms: int | None = None
    revision: int = 1
    created_at: datetime | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None


@dataclass(kw_only=True)
class Document:
    """Something that tasks had in their context (004, DocumentReference)."""

    id: str
    project_id: str
    #: Path or address.
    source: str = ""


@dataclass(kw_only=True)
class TaskState:
    """Variables that contexts `variable:NAME` are read from (rlm-state)."""

    id: str
    project_id: str
    tree_id: str | None = None
    session_id: str | None = None
    #: The whole document.
    document: Any = None
