"""The shapes of task trees (004): the single declaration of each."""

from gotn.trees.records.answers import Disagreement, Finding, Planted, StateDraft, TreeDraft
from gotn.trees.records.costs import CostGroup, Costs, CostTotal, Grouping
from gotn.trees.records.documents import (
    ContextReference,
    CostTracking,
    DocumentReference,
    ExecutionConfig,
    QualityGate,
    TaskNode,
    TaskResult,
    Timestamps,
    TreeDocument,
    TreeLimits,
    TreeMetadata,
)
from gotn.trees.records.entities import Document, Task, TaskState, TaskTree
from gotn.trees.records.protocol import Claimed, Ended, Executed, Queue, QueuedTask, Spawned
from gotn.trees.records.words import (
    Chunking,
    Decomposition,
    ExecutionMode,
    Merging,
    ModelTier,
    ResultStatus,
    TaskStatus,
)

__all__ = [
    "Chunking",
    "Claimed",
    "ContextReference",
    "CostGroup",
    "CostTotal",
    "CostTracking",
    "Costs",
    "Decomposition",
    "Disagreement",
    "Document",
    "DocumentReference",
    "Ended",
    "Executed",
    "ExecutionConfig",
    "ExecutionMode",
    "Finding",
    "Grouping",
    "Merging",
    "ModelTier",
    "Planted",
    "QualityGate",
    "Queue",
    "QueuedTask",
    "ResultStatus",
    "Spawned",
    "StateDraft",
    "Task",
    "TaskNode",
    "TaskResult",
    "TaskState",
    "TaskStatus",
    "TaskTree",
    "Timestamps",
    "TreeDocument",
    "TreeDraft",
    "TreeLimits",
    "TreeMetadata",
]
