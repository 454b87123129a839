"""Costs and task trees as root fields: what is read, and what takes a document in."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

import strawberry

from gotn import shapes
from gotn.api.changing import GIVEN
from gotn.api.context import Context
from gotn.api.describing import choices, value
from gotn.api.errors import Conflict, InvalidInput, LimitExceeded, NotFound
from gotn.api.inputs import check_key, key_member, project_member
from gotn.api.questions import Info, field
from gotn.api.tasks import Task, TaskTree, TaskTreeConnection, TaskTreeFilter, TaskTreeOrder
from gotn.graph.arguments import FILTER, ORDER, After, First, ProjectId
from gotn.graph.paging import USUAL
from gotn.graph.reads import Find, Listed, Relation
from gotn.graph.resolvers import fetched, listed
from gotn.keys import key
from gotn.trees import exchange, records
from gotn.trees.records import StateDraft
from gotn.trees.usecases import costing, planting
from gotn.writing import check_project

TREES = Relation("TaskTree")

choices(
    records.Grouping,
    MODEL="By the model.",
    DEPTH="By how far below the root.",
    STRATEGY="By how the tasks below are executed.",
    STATUS="By where the task stands.",
    DAY="By the day in UTC on which it ended, else started, else was made.",
)
value(
    records.CostTotal,
    tasks="How many tasks are counted.",
    input_tokens="Input tokens.",
    output_tokens="Output tokens.",
    total_tokens="All tokens.",
    cache_hits="Answers that came from a cache.",
    unpriced="How many of the tasks used tokens whose cost nobody stated: unknown, not zero.",
    total_cost_usd="What was paid.",
    cache_savings_usd="What caching saved.",
    effective_cost_usd="Cost less what caching saved.",
)
value(
    records.CostGroup,
    name="The model, depth, strategy, status or day; null where a task has none.",
    total="The tasks of the group, each alone.",
)
value(
    records.Costs,
    own="The tasks that were asked for alone: of trees, their roots.",
    inclusive="Those with all below them.",
    groups="All these tasks by groups, at most the first 1,000 by name; empty where none asked.",
    stated="Stated totals that the tasks do not give, a sentence each.",
)
value(
    records.Finding,
    line="Line of the document.",
    id="Id of the tree or task.",
    reason="What is the matter.",
)
value(
    records.Disagreement,
    id="Id of the task it was stated for; null for the whole tree.",
    member="The member that states it.",
    stated="What it states.",
    ours="What the tasks give.",
)
value(
    records.Planted,
    tree_id="Id of the tree; empty for a state that names none.",
    tasks="Tasks that were given.",
    documents="Documents that these tasks read.",
    changed="How many entities were new or different.",
    variables="Names of the variables that a state brought.",
    executes="Id of the work node that the tree executed.",
    warnings="What was taken although the published rules say otherwise.",
    disagreements="Stated totals that the tasks do not give.",
)


def _of_project(given: Mapping[str, Any]) -> str:
    return check_project(given["project"])


def _tree(given: Mapping[str, Any]) -> tuple[str, str, str]:
    project = check_project(given["project"])
    return "TaskTree", project, key(project, given["id_"])


def _task(given: Mapping[str, Any]) -> tuple[str, str, str]:
    project = check_project(given["project"])
    return "Task", project, key(project, given["tree"], given["id_"])


TreeId = Annotated[str, strawberry.argument(name="id", description="Id of the tree.")]


def _about(description: str) -> Any:
    return strawberry.argument(description=description)


@strawberry.type(description="Questions about task trees and costs.")
class TaskQueries:
    """Questions about task trees and costs; part of Query."""

    @field("A task tree, or null.", TaskTree | None, Find(_tree))
    async def task_tree(self, info: Info, id_: TreeId, project: ProjectId = "default") -> Any:
        """A task tree, or null."""
        return await fetched(info, TaskTree, check_project(project), key(project, id_))

    @field("Task trees.", TaskTreeConnection, Listed(TREES, _of_project))
    async def task_trees(
        self,
        info: Info,
        project: ProjectId = "default",
        first: First = USUAL,
        after: After = None,
        filter_: Annotated[TaskTreeFilter | None, FILTER] = None,
        order_by: Annotated[TaskTreeOrder, ORDER] = TaskTreeOrder.NEWEST,
    ) -> Any:
        """Task trees."""
        check_project(project)
        return await listed(info, TREES, project, order_by, first, after, filter_)

    @field("A task of a tree, or null.", Task | None, Find(_task))
    async def task(
        self,
        info: Info,
        tree: Annotated[str, _about("Id of its tree.")],
        id_: Annotated[str, strawberry.argument(name="id", description="Id of the task.")],
        project: ProjectId = "default",
    ) -> Any:
        """A task of a tree, or null."""
        return await fetched(info, Task, check_project(project), key(project, tree, id_))

    @field("What work cost: of the project, or of one tree, task, session, node or run.")
    async def costs(
        self,
        info: Info,
        project: ProjectId = "default",
        tree: Annotated[str | None, _about("Id of a tree.")] = None,
        task: Annotated[str | None, _about("Id of a task of that tree.")] = None,
        session: Annotated[str | None, _about("A session.")] = None,
        node: Annotated[str | None, _about("Id of a work node: what executed it.")] = None,
        run: Annotated[str | None, _about("Id of a run: what executed its steps.")] = None,
        group_by: Annotated[records.Grouping | None, _about("Tasks by these groups.")] = None,
    ) -> records.Costs:
        """What work cost."""
        scope = costing.Scope(tree=tree, task=task, session=session, node=node, run=run)
        return await costing.show(info.context.database, project, scope, group_by)


@strawberry.input(description="What `importTree` takes.")
class ImportTreeInput:
    """What `importTree` takes."""

    content: str = strawberry.field(
        description="A tree, costs, a trajectory or a state, as JSON or YAML."
    )
    project: str = project_member()
    as_id: str | None = strawberry.field(
        default=None, description="Another id for the tree; of a state, the tree it belongs to."
    )
    executes: str | None = strawberry.field(
        default=None, description="Id of the work node that this tree executed."
    )
    dry_run: bool = strawberry.field(default=False, description="Say what would happen only.")
    idempotency_key: str | None = key_member()


PlantedResult = Annotated[
    records.Planted | NotFound | InvalidInput | Conflict | LimitExceeded,
    strawberry.union("PlantedResult", description="What was taken in, or why nothing was."),
]


@strawberry.type(description="Changes of task trees.")
class TaskMutations:
    """Changes of task trees; part of Mutation."""

    @strawberry.mutation(
        graphql_type=PlantedResult,
        description="Take in a document of task trees: all of it, or nothing. The same again "
        "changes nothing; another tree of the same id is a conflict.",
    )
    async def import_tree(
        self,
        info: strawberry.Info[Context, None],
        given: Annotated[ImportTreeInput, GIVEN],
    ) -> records.Planted:
        """Take in a document of task trees."""
        check_key(given.idempotency_key)
        shapes.check_text(given.content, "content")
        draft = await asyncio.to_thread(
            exchange.read, given.content, name="content", as_id=given.as_id
        )
        request = info.context.request(given.project, given.idempotency_key)
        if isinstance(draft, StateDraft):
            return await planting.keep_state(info.context.database, request, draft)
        return await planting.plant(
            info.context.database,
            request,
            draft,
            executes=given.executes,
            dry_run=given.dry_run,
        )
