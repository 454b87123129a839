"""The words of task trees: every enumeration of 004 and of its later schema."""

from enum import Enum


class TaskStatus(Enum):
    """Where a task stands (004, TaskNode)."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class ResultStatus(Enum):
    """How a task's result came out (004, TaskResult)."""

    SUCCESS = "success"
    PARTIAL = "partial"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Decomposition(Enum):
    """How the children of a task are executed (004, decomposition_strategy)."""

    PARALLEL = "parallel"
    SEQUENTIAL = "sequential"
    CONDITIONAL = "conditional"
    MAP_REDUCE = "map-reduce"


class Merging(Enum):
    """How the results of the children are put together (004, merge_strategy)."""

    CONCATENATE = "concatenate"
    SUMMARIZE = "summarize"
    VOTE = "vote"
    BEST_OF_N = "best-of-n"


class ContextType(Enum):
    """What kind of context a task is given (004, ContextReference)."""

    FULL = "full"
    SLICE = "slice"
    FILTERED = "filtered"
    SUMMARY = "summary"
    NONE = "none"


class OutputType(Enum):
    """What an output is (004, TaskResult)."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    CODE = "code"
    FILE_PATH = "file_path"


class FinishReason(Enum):
    """Why a model stopped (004, TaskResult)."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_USE = "tool_use"
    ERROR = "error"


class ExecutionMode(Enum):
    """How far a tree can be executed again with the same outcome (004, TreeMetadata)."""

    STRICT = "strict"
    SEEDED = "seeded"
    LOGGED = "logged"
    DEFAULT = "default"


class ModelTier(Enum):
    """A model by its role (the later schema)."""

    HAIKU = "haiku"
    SONNET = "sonnet"
    OPUS = "opus"


class Chunking(Enum):
    """How input is cut for the children (the later schema)."""

    SEMANTIC_BOUNDARY = "semantic-boundary"
    FIXED_COUNT = "fixed-count"
    ADAPTIVE = "adaptive"


class Fallback(Enum):
    """What happens below a quality gate's score in the end (the later schema)."""

    RETURN_BEST = "return_best"
    FAIL = "fail"
    ESCALATE = "escalate"


class TaskClaimStatus(Enum):
    """What a claim of a task came to."""

    CLAIMED = "claimed"
    NOTHING_READY = "nothing_ready"
    STUCK = "stuck"
    TREE_ENDED = "tree_ended"
