"""The agent protocol of task trees in GraphQL: spawn, claim, finish, cancel, merge."""

from collections.abc import Sequence
from typing import Annotated, Any

import strawberry
from strawberry.scalars import JSON

from gotn.api.changing import GIVEN
from gotn.api.context import Context
from gotn.api.describing import choices, value
from gotn.api.errors import Conflict, IllegalMove, InvalidInput, LimitExceeded, NotFound
from gotn.api.inputs import key_member, project_member
from gotn.errors import Invalid
from gotn.trees import records
from gotn.trees.usecases import claiming, executing, retrying, spawning

Info = strawberry.Info[Context, None]

value(
    records.Spawned,
    tree_id="Id of the tree.",
    parent="Id of the task they are below.",
    tasks="Ids of the new tasks, in their order.",
)
choices(
    records.TaskClaimStatus,
    CLAIMED="The task is the worker's.",
    NOTHING_READY="Nothing can be claimed now; something else must end first, or time pass.",
    STUCK="Nothing more can happen by itself: somebody must retry a task, or cancel it.",
    TREE_ENDED="Nothing is left: every task has ended.",
)
value(
    records.Claimed,
    tree_id="Id of the tree.",
    status="What the claim came to: whether to ask again.",
    nothing="Why there is no task.",
    task_id="Id of the task; null where none is handed out.",
    prompt="The prompt with its context, as a model is asked.",
    context="What it was made of: {source, text}, {source, file} or {source, document}; "
    "results of other tasks as `result:ID`.",
    execution_config="How it is executed.",
    quality_gate="The score that its result must reach, and who judges it.",
    attempt="1 for the first.",
    token="What finishing it needs.",  # noqa: S106  # a description
    lease_until="When the claim ends.",
    warnings="Context that could not be found.",
)
value(
    records.Ended,
    tree_id="Id of the tree.",
    task_id="Id of the task.",
    status="Where it stands now: pending again where a try is left.",
    spawned="Ids of the tasks spawned below it.",
    cancelled="Ids of the tasks whose turn cannot come any more, or that were below it.",
)

REFUSALS = NotFound | InvalidInput | Conflict | IllegalMove | LimitExceeded
SpawnedResult = Annotated[
    records.Spawned | REFUSALS,
    strawberry.union("SpawnedResult", description="New tasks, or why there are none."),
]
ClaimedResult = Annotated[
    records.Claimed | REFUSALS,
    strawberry.union("ClaimedResult", description="A claimed task, or why it was refused."),
]
EndedResult = Annotated[
    records.Ended | REFUSALS,
    strawberry.union("EndedResult", description="What became of a task, or why it was refused."),
]
TREE, TASK = "Id of the tree.", "Id of the task."
COST = (
    '(004, CostTracking); amounts as texts, such as "0.01". Numbers are taken below 4,096 USD and '
    "with at most 12 decimals, where none loses a digit."
)


def about(description: str) -> Any:
    """A member of an input that is needed."""
    return strawberry.field(description=description)


def maybe(description: str, default: Any = None) -> Any:
    """A member of an input that may be left out."""
    return strawberry.field(default=default, description=description)


@strawberry.input(description="What `spawnTasks` takes.")
class SpawnTasksInput:
    """What `spawnTasks` takes."""

    tree: str = about(TREE)
    parent: str = about("Id of the task they are below.")
    children: list[JSON] = about("Tasks as documents have them (004, TaskNode): {prompt, …}.")
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What `claimTask` takes.")
class ClaimTaskInput:
    """What `claimTask` takes."""

    tree: str = about(TREE)
    worker: str = about("Who executes it.")
    task: str | None = maybe("Id of the task; none: the first that may start.")
    lease_ms: int | None = maybe(
        "How long the claim holds, 1,000 to 3,600,000; null: as long as the task may take."
    )
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What `finishTask` takes.")
class FinishTaskInput:
    """What `finishTask` takes."""

    tree: str = about(TREE)
    task: str = about(TASK)
    token: str = about("What claiming it gave.")
    status: records.TaskStatus = maybe("COMPLETED or FAILED.", records.TaskStatus.COMPLETED)
    result: JSON | None = maybe("What came of it (004, TaskResult).")
    cost: JSON | None = maybe(f"Its tokens and money {COST}")
    children: tuple[JSON, ...] = maybe("Tasks to spawn below it in the same transaction.", ())
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What `cancelTask` takes.")
class CancelTaskInput:
    """What `cancelTask` takes."""

    tree: str = about(TREE)
    task: str = about(TASK)
    reason: str = maybe("Why.", "cancelled")
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What `retryTask` takes.")
class RetryTaskInput:
    """What `retryTask` takes."""

    tree: str = about(TREE)
    task: str = about(TASK)
    project: str = project_member()
    idempotency_key: str | None = key_member()


def an_object(given: Any, name: str) -> dict[str, Any] | None:
    """An object of an input, or null."""
    if given is not None and not isinstance(given, dict):
        raise Invalid(f"{name}: expected an object", field=name)
    return given


def _objects(given: Sequence[Any], name: str) -> list[dict[str, Any]]:
    return [an_object(one, f"{name}[{i}]") or {} for i, one in enumerate(given)]


@strawberry.type(description="What agents do with task trees.")
class ProtocolMutations:
    """What agents do with task trees; part of Mutation."""

    @strawberry.mutation(
        graphql_type=SpawnedResult, description="Add tasks below one, within the tree's limits."
    )
    async def spawn_tasks(
        self, info: Info, given: Annotated[SpawnTasksInput, GIVEN]
    ) -> records.Spawned:
        """Add tasks below one."""
        request = info.context.request(given.project, given.idempotency_key)
        children = _objects(given.children, "children")
        database = info.context.database
        return await spawning.spawn(database, request, given.tree, given.parent, children)

    @strawberry.mutation(
        graphql_type=ClaimedResult, description="Take a task under a lease, with its prompt."
    )
    async def claim_task(
        self, info: Info, given: Annotated[ClaimTaskInput, GIVEN]
    ) -> records.Claimed:
        """Take a task under a lease."""
        request = info.context.request(given.project, given.idempotency_key)
        return await claiming.claim(
            info.context.database,
            request,
            given.tree,
            given.worker,
            task=given.task,
            lease_ms=given.lease_ms,
        )

    @strawberry.mutation(
        graphql_type=EndedResult,
        description="End a claimed task with its result and usage, and spawn its children.",
    )
    async def finish_task(
        self, info: Info, given: Annotated[FinishTaskInput, GIVEN]
    ) -> records.Ended:
        """End a claimed task."""
        request = info.context.request(given.project, given.idempotency_key)
        return await executing.finish(
            info.context.database,
            request,
            given.tree,
            given.task,
            given.token,
            status=given.status.value,
            result=an_object(given.result, "result"),
            cost=an_object(given.cost, "cost"),
            children=tuple(_objects(given.children, "children")),
        )

    @strawberry.mutation(
        graphql_type=EndedResult, description="Cancel a task and what is open below it."
    )
    async def cancel_task(
        self, info: Info, given: Annotated[CancelTaskInput, GIVEN]
    ) -> records.Ended:
        """Cancel a task and what is open below it."""
        request = info.context.request(given.project, given.idempotency_key)
        return await executing.cancel(
            info.context.database, request, given.tree, given.task, given.reason
        )

    @strawberry.mutation(
        graphql_type=EndedResult,
        description="Make a task that failed for good pending again, with all its tries.",
    )
    async def retry_task(
        self, info: Info, given: Annotated[RetryTaskInput, GIVEN]
    ) -> records.Ended:
        """Make a task that failed for good pending again."""
        request = info.context.request(given.project, given.idempotency_key)
        return await retrying.retry(info.context.database, request, given.tree, given.task)
