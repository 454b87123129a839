"""Task trees in GraphQL: trees, tasks, the documents they read, and what they cost."""

from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any

import strawberry
from strawberry.scalars import JSON

from gotn.api.describing import choices, described
from gotn.api.nodes import WorkNodeConnection
from gotn.api.relay import Connection, Edge, Node
from gotn.graph import faces
from gotn.graph.fields import computed, member, stored
from gotn.graph.filters import where
from gotn.graph.paging import Key, by
from gotn.graph.reads import Entity, Equals, Expression, In, Relation
from gotn.graph.resolvers import connection, single
from gotn.keys import key
from gotn.trees import records
from gotn.trees.records.costs import Count
from gotn.trees.rules import money

choices(
    records.TaskStatus,
    PENDING="Not started.",
    RUNNING="Somebody works on it.",
    COMPLETED="Done.",
    FAILED="Tried without success.",
    CANCELLED="Given up.",
)
choices(
    records.ResultStatus,
    SUCCESS="As asked.",
    PARTIAL="In part.",
    FAILED="Not at all.",
    CANCELLED="Given up.",
)
choices(
    records.Decomposition,
    PARALLEL="All at once.",
    SEQUENTIAL="One after the other.",
    CONDITIONAL="The next only after the success of the one before.",
    MAP_REDUCE="All but the last at once, the last puts them together.",
)
choices(
    records.Merging,
    CONCATENATE="All results one after the other.",
    SUMMARIZE="A summary of all results.",
    VOTE="What most of them say.",
    BEST_OF_N="The best of them.",
)
choices(
    records.ExecutionMode,
    STRICT="The same again, exactly.",
    SEEDED="The same seeds again.",
    LOGGED="Written down only.",
    DEFAULT="As it comes.",
)
choices(
    records.ModelTier,
    HAIKU="Screening, filtering, simple extraction.",
    SONNET="Orchestration and synthesis.",
    OPUS="Hard reasoning and final judgement.",
)
choices(
    records.Chunking,
    SEMANTIC_BOUNDARY="At sections and paragraphs.",
    FIXED_COUNT="In equal parts.",
    ADAPTIVE="As the model sees fit.",
)

Tasks = Annotated["TaskConnection", strawberry.lazy("gotn.api.tasks")]
Documents = Annotated["ReadConnection", strawberry.lazy("gotn.api.tasks")]
OneTask = Annotated["Task", strawberry.lazy("gotn.api.tasks")] | None


def counted(name: str, description: str) -> Any:
    """A count that is a property of the task."""

    def read(self: Any) -> Count:
        return Count(getattr(self, name) or 0)

    return computed(name, description=description)(read)


def amount(description: str, *names: str, pico: Callable[..., int]) -> Any:
    """An amount in USD, worked out of properties in pico-dollars or in parts of them."""

    def read(self: Any) -> Decimal:
        return Decimal(money.usd(pico(*(getattr(self, name) or 0 for name in names))))

    return computed(*names, description=description)(read)


def _summed(description: str, place: int) -> Any:
    """One of the counts that are kept for a whole tree."""

    def read(self: Any) -> Count:
        return Count(self.sums[place] if self.sums else 0)

    return computed("sums", description=description)(read)


def _whole(micro: int, rest: int) -> int:
    return money.Sum(micro, rest).pico


def _less(micro: int, rest: int, saved: int, saved_rest: int) -> int:
    return _whole(micro, rest) - _whole(saved, saved_rest)


@strawberry.enum(description="How the tasks below one are listed.")
class TaskOrder(Enum):
    """How the tasks below one are listed."""

    POSITION = strawberry.enum_value(
        by(Key("position", on="edge", missing=0), Key("id")), description="As they were spawned."
    )


@strawberry.enum(description="How the documents of a task are listed.")
class ReadOrder(Enum):
    """How the documents of a task are listed."""

    POSITION = strawberry.enum_value(
        by(Key("position", on="edge", missing=0), Key("id")), description="As its context has them."
    )


@strawberry.enum(description="How the nodes that were executed are listed.")
class ExecutedOrder(Enum):
    """How the nodes that were executed are listed."""

    ID = strawberry.enum_value(by(Key("id")), description="By id.")


@strawberry.enum(description="How task trees are listed.")
class TaskTreeOrder(Enum):
    """How task trees are listed."""

    ID = strawberry.enum_value(by(Key("id"), prefix="project_id"), description="By id.")
    NEWEST = strawberry.enum_value(
        by(
            Key("added_at", descending=True, temporal=True),
            Key("id", descending=True),
            prefix="project_id",
        ),
        description="Last taken in first.",
    )


@strawberry.input(description="Which tasks; members are joined by AND, null asks nothing.")
class TaskFilter:
    """Which tasks; members are joined by AND, null asks nothing."""

    status: list[records.TaskStatus] | None = where(In("status"), "In one of these statuses.")
    model: str | None = where(Equals("model"), "Whose cost counts for this model.")


@strawberry.input(description="Which trees; members are joined by AND, null asks nothing.")
class TaskTreeFilter:
    """Which trees; members are joined by AND, null asks nothing."""

    session_id: str | None = where(Equals("session_id"), "Of this session.")


@strawberry.type(description="One task of a tree (004, TaskNode).")
class Task(records.Task, Node):
    """One task of a tree (004, TaskNode)."""

    id: strawberry.Private[str]
    task_id: str = member("id", str, "Its id in its tree (004, node_id).")
    context: JSON | None = stored("What it is given to work with, without its documents.")
    result: JSON | None = stored("What came of it.")
    cost: JSON | None = stored("What its document says it cost; amounts are texts in USD.")
    timestamps: JSON | None = stored("When it was made, started and ended, as its document says.")
    execution_config: JSON | None = stored("How it is executed.")
    quality_gate: JSON | None = stored("The score its result must reach.")
    extra: JSON | None = stored("Members that 004 does not know, kept as they came.")
    own_input_tokens = counted("input_tokens", "Input tokens of this task alone.")
    own_output_tokens = counted("output_tokens", "Output tokens of this task alone.")
    own_total_tokens = counted("total_tokens", "All tokens of this task alone.")
    own_cost_usd = amount("Cost of this task alone.", "cost_pico", pico=int)
    own_cache_savings_usd = amount("What caching saved it alone.", "savings_pico", pico=int)
    inclusive_tasks = counted("sub_tasks", "How many tasks it is with all below it.")
    inclusive_input_tokens = counted("sub_input_tokens", "Input tokens with all below it.")
    inclusive_output_tokens = counted("sub_output_tokens", "Output tokens with all below it.")
    inclusive_total_tokens = counted("sub_total_tokens", "All tokens with all below it.")
    inclusive_unpriced = counted(
        "sub_unpriced", "How many of those tasks used tokens whose cost nobody stated."
    )
    inclusive_cost_usd = amount(
        "Cost with all below it.", "sub_cost_micro", "sub_cost_rest", pico=_whole
    )
    inclusive_cache_savings_usd = amount(
        "What caching saved with all below it.",
        "sub_savings_micro",
        "sub_savings_rest",
        pico=_whole,
    )
    inclusive_effective_cost_usd = amount(
        "Cost with all below it, less what caching saved.",
        "sub_cost_micro",
        "sub_cost_rest",
        "sub_savings_micro",
        "sub_savings_rest",
        pico=_less,
    )
    parent = single(
        Relation("Task", "SPAWNED", "in"), OneTask, lambda: Task, "The task that spawned it."
    )
    children = connection(
        Relation("Task", "SPAWNED"),
        Tasks,
        TaskOrder,
        TaskOrder.POSITION,
        TaskFilter,
        description="The tasks it spawned.",
    )
    documents = connection(
        Relation("Document", "READ"),
        Documents,
        ReadOrder,
        ReadOrder.POSITION,
        description="The documents in its context.",
    )
    executes = connection(
        Relation("WorkNode", "EXECUTES"),
        WorkNodeConnection,
        ExecutedOrder,
        ExecutedOrder.ID,
        description="The work nodes it executed.",
    )


described(
    Task,
    project_id="The project it belongs to.",
    tree_id="Id of the tree it belongs to.",
    depth="How far below the root it stands.",
    prompt="What it is asked.",
    status="Where it stands.",
    model="The model that its cost counts for.",
    preferred_model="The model it should have, by its role.",
    decomposition_strategy="How the tasks below it are executed.",
    merge_strategy="How the results of the tasks below it are put together.",
    chunking_strategy="How its input is cut for the tasks below it.",
    batch_size="How many items a batch has.",
    result_status="How its result came out.",
    confidence="How sure it is of its result, 0 to 1.",
    duration_ms="How long it took.",
    revision="1, and 1 more at each change.",
    created_at="When it was made.",
    started_at="When it was started.",
    completed_at="When it ended.",
)
faces.entity(
    Task,
    Entity(
        "Task",
        lambda task: key(task.project_id, task.tree_id, task.id),
        needs=("project_id", "tree_id", "id"),
    ),
)


@strawberry.type(description="A recursive task tree (004).")
class TaskTree(records.TaskTree, Node):
    """A recursive task tree (004)."""

    id: strawberry.Private[str]
    tree_id: str = member("id", str, "Its id in its project (004, tree_id).")
    metadata: JSON | None = stored("What its document says of the whole.")
    extra: JSON | None = stored("Members that 004 does not know, kept as they came.")
    root = single(Relation("Task", "ROOT"), OneTask, lambda: Task, "Its root task.")
    executes = connection(
        Relation("WorkNode", "EXECUTES"),
        WorkNodeConnection,
        ExecutedOrder,
        ExecutedOrder.ID,
        description="The work nodes it executed.",
    )

    tasks = _summed("How many tasks it has.", 0)
    total_tokens = _summed("Tokens of all its tasks.", 1)
    unpriced = _summed(
        "How many of them used tokens whose cost nobody stated: unknown, not zero.", 4
    )

    @computed("sums", description="Cost of all its tasks.")
    def total_cost_usd(self: Any) -> Decimal:
        """Cost of all its tasks."""
        return Decimal(money.usd(_whole(*self.sums[2:4]) if self.sums else 0))


described(
    TaskTree,
    project_id="The project it belongs to.",
    version="Version of its document's schema.",
    root_prompt="The prompt that started it.",
    session_id="The session it belongs to.",
    execution_mode="How far it can be executed again.",
    stated="Stated totals that its tasks do not give, a sentence each.",
    revision="1, and 1 more at each change.",
    added_at="When it was taken in.",
    created_at="When it was made, as its document says.",
    completed_at="When it ended, as its document says.",
)
faces.entity(
    TaskTree,
    Entity(
        "TaskTree",
        lambda tree: key(tree.project_id, tree.id),
        hidden={"sums": Expression("task_tree_sums")},
    ),
)


@strawberry.type(description="Something that tasks had in their context.")
class Document(records.Document, Node):
    """Something that tasks had in their context."""

    id: strawberry.Private[str]
    document_id: str = member("id", str, "Its id (004, doc_id).")


described(Document, project_id="The project it belongs to.", source="Its path or address.")
faces.entity(
    Document,
    Entity(
        "Document",
        lambda one: key(one.project_id, one.id, one.source),
        needs=("project_id", "id", "source"),
    ),
)


@strawberry.type(description="A task in a list.")
class TaskEdge(Edge):
    """A task in a list."""

    node: Task = strawberry.field(description="The task.")
    position: int | None = strawberry.field(description="Its place among those beside it, from 0.")


@strawberry.type(description="Tasks.")
class TaskConnection(Connection):
    """Tasks."""

    edges: list[TaskEdge] = strawberry.field(description="The rows with their cursors.")
    nodes: list[Task] = strawberry.field(description="The tasks alone.")


@strawberry.type(description="A document in a task's context.")
class ReadEdge(Edge):
    """A document in a task's context."""

    node: Document = strawberry.field(description="The document.")
    position: int | None = strawberry.field(description="Its place in the context, from 0.")
    relevance_score: float | None = strawberry.field(description="How relevant it is, 0 to 1.")
    chunk_ids: tuple[str, ...] = strawberry.field(
        default=(), description="The parts of it that were given."
    )
    excerpt: str | None = strawberry.field(description="What it says, in short.")


@strawberry.type(description="The documents in a task's context.")
class ReadConnection(Connection):
    """The documents in a task's context."""

    edges: list[ReadEdge] = strawberry.field(description="The rows with their facts.")
    nodes: list[Document] = strawberry.field(description="The documents alone.")


@strawberry.type(description="A task tree in a list.")
class TaskTreeEdge(Edge):
    """A task tree in a list."""

    node: TaskTree = strawberry.field(description="The tree.")


@strawberry.type(description="Task trees.")
class TaskTreeConnection(Connection):
    """Task trees."""

    edges: list[TaskTreeEdge] = strawberry.field(description="The rows with their cursors.")
    nodes: list[TaskTree] = strawberry.field(description="The trees alone.")
