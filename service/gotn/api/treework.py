"""Working on task trees in GraphQL: what may start, merged results, costs, documents."""

from enum import Enum
from typing import Annotated

import strawberry

from gotn.api.changing import GIVEN
from gotn.api.describing import value
from gotn.api.inputs import key_member, project_member
from gotn.api.protocol import COST, REFUSALS, TASK, TREE, about, an_object, maybe
from gotn.api.protocol import Info as Changing
from gotn.api.questions import Info, field
from gotn.graph.arguments import ProjectId
from gotn.similarity import summarising
from gotn.trees import exchange, records
from gotn.trees.exchange import reporting
from gotn.trees.rules import merging
from gotn.trees.usecases import costing, executing, exporting, linking, queueing

#: Tasks of a tree that is given as a document, at most; the command line writes any.
MOST = 20_000
#: Tasks of each kind that a queue shows.
SHOWN = 1000

value(
    records.QueuedTask,
    task_id="Id of the task.",
    prompt="What it is asked.",
    reason="Why it waits, or what became of its lease.",
    worker="Who executes it, or did last.",
    lease_until="When its claim ends.",
)
value(
    records.Queue,
    tree_id="Id of the tree.",
    ready="What may start now, in the order in which it is handed out; at most 1,000.",
    running="What runs; at most 1,000.",
    waiting="What waits, each with the reason; at most 1,000.",
    total="How many tasks these are in all.",
    stuck="Why nothing more can happen by itself, and how to go on; null where something can.",
)
value(
    records.Executed,
    tree_id="Id of the tree.",
    task_id="Id of the task; null for the tree as a whole.",
    node="Id of the work node.",
    changed="1 where that is new.",
)
value(
    merging.MergedResults,
    strategy="How they were put together.",
    output="The output; null where a model must write it from `prompt`, or nothing is there.",
    merged="Ids of the tasks whose results count, in their order.",
    left_out="Tasks left out, each with the reason.",
    chosen="Id of the task that was chosen, by vote or as the best.",
    prompt="For a summary: what a model is to be asked.",
    inputs="For a summary: the outputs that are in `prompt`, in the order of `merged`.",
    extract="For a summary: the sentences of `inputs` nearest their mean, in their order, 500 "
    "tokens at most. Local embeddings chose them; no model wrote it. Null without an encoder.",
    extracted_by="The model of those embeddings.",
    note="Why there is no extract, and what to install.",
)

Tree = Annotated[str, strawberry.argument(description=TREE)]
TaskId = Annotated[str, strawberry.argument(description=TASK)]
RecordedResult = Annotated[
    records.CostTotal | REFUSALS,
    strawberry.union("RecordedResult", description="The task with all below it, or a refusal."),
]
ExecutedResult = Annotated[
    records.Executed | REFUSALS,
    strawberry.union("ExecutedResult", description="What was joined, or why it was refused."),
]


@strawberry.enum(description="What a tree is written as.")
class TreeFormat(Enum):
    """What a tree is written as."""

    JSON = strawberry.enum_value("json", description="Its document.")
    YAML = strawberry.enum_value("yaml", description="Its document.")
    REPORT = strawberry.enum_value("report", description="Its report, in Markdown.")


@strawberry.type(description="A tree as text.")
class TreeText:
    """A tree as text."""

    text: str = strawberry.field(description="The document or report.")
    replaced: tuple[str, ...] = strawberry.field(
        default=(), description="Ids that strict replaced: `old → new` each."
    )


@strawberry.type(description="Questions of who works on task trees.")
class TreeWorkQueries:
    """Questions of who works on task trees; part of Query."""

    @field("What of a tree may start now, what runs, and what waits for what.")
    async def task_queue(
        self, info: Info, tree: Tree, project: ProjectId = "default"
    ) -> records.Queue:
        """What of a tree may start now."""
        return await queueing.queue(info.context.database, project, tree, first=SHOWN)

    @field("The results of a task's children put together; changes nothing.")
    async def merged_results(
        self,
        info: Info,
        tree: Tree,
        task: TaskId,
        strategy: Annotated[
            records.Merging | None, strawberry.argument(description="How; none: as the task says.")
        ] = None,
        project: ProjectId = "default",
    ) -> merging.MergedResults:
        """The results of a task's children put together."""
        way = strategy.value if strategy else None
        found = await executing.merge(info.context.database, project, tree, task, way)
        return await summarising.extracted(info.context.similarity, found)

    @field("A tree as its document or report, of at most 20,000 tasks.")
    async def task_tree_text(
        self,
        info: Info,
        tree: Tree,
        format_: Annotated[
            TreeFormat, strawberry.argument(name="format", description="What it is written as.")
        ] = TreeFormat.JSON,
        strict: Annotated[
            bool, strawberry.argument(description="As the published schema wants it.")
        ] = False,
        project: ProjectId = "default",
    ) -> TreeText:
        """A tree as its document or report."""
        found = await exporting.whole(info.context.database, project, tree, most=MOST)
        if format_ is TreeFormat.REPORT:
            ids = [row["id"] for row in found.tasks]
            executed = await linking.executed(info.context.database, project, tree, ids)
            return TreeText(text=reporting.report(found.tree, found.tasks, linking.told(executed)))
        document = exchange.document(found.tree, found.tasks)
        names: dict[str, str] = {}
        if strict:
            document, names = exchange.strict(document)
        text = exchange.text(document, str(format_.value))
        return TreeText(text=text, replaced=tuple(f"{old} → {new}" for old, new in names.items()))


@strawberry.input(description="What `recordCost` takes.")
class RecordCostInput:
    """What `recordCost` takes."""

    tree: str = about(TREE)
    task: str = about(TASK)
    cost: strawberry.scalars.JSON = about(f"Its tokens and money {COST}")
    add: bool = maybe("Add to what it cost before, not in place of it.", default=False)
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What `linkTree` takes.")
class LinkTreeInput:
    """What `linkTree` takes."""

    tree: str = about(TREE)
    node: str = about("Id of the work node.")
    task: str | None = maybe("Id of a task; none: the tree as a whole.")
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.type(description="Costs of tasks, and what they executed.")
class TreeWorkMutations:
    """Costs of tasks, and what they executed; part of Mutation."""

    @strawberry.mutation(
        graphql_type=RecordedResult,
        description="Set what a task alone cost, or add to it; the totals above it follow.",
    )
    async def record_cost(
        self, info: Changing, given: Annotated[RecordCostInput, GIVEN]
    ) -> records.CostTotal:
        """Set what a task alone cost."""
        request = info.context.request(given.project, given.idempotency_key)
        cost = an_object(given.cost, "cost") or {}
        database = info.context.database
        return await costing.spend(database, request, given.tree, given.task, cost, add=given.add)

    @strawberry.mutation(
        graphql_type=ExecutedResult,
        description="Note that a tree, or one of its tasks, executed a work node.",
    )
    async def link_tree(
        self, info: Changing, given: Annotated[LinkTreeInput, GIVEN]
    ) -> records.Executed:
        """Note that a tree, or one of its tasks, executed a work node."""
        request = info.context.request(given.project, given.idempotency_key)
        return await linking.link(
            info.context.database, request, given.tree, given.node, given.task
        )
