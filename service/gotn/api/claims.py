"""What executing a run answers, in GraphQL."""

import strawberry
from strawberry.scalars import JSON

from gotn.api import enums  # noqa: F401  # the records' enums must be GraphQL's before this
from gotn.api.context import Context
from gotn.api.describing import described
from gotn.api.nodes import WorkNode
from gotn.api.runs import Run
from gotn.graph.forms import adopt
from gotn.graph.resolvers import found_by_key
from gotn.graph.selection import selected
from gotn.work import records
from gotn.work.store.keys import key

Info = strawberry.Info[Context, None]


#: What an operation on a run answers without reading it again.
BRIEF = frozenset(
    {"__typename", "id", "runId", "projectId", "goal", "status", "workspacePath", "onFailure"}
    | {"startedAt", "finishedAt", "reason", "cancelledBy", "version", "revision"}
    | {"createdAt", "updatedAt", "code", "message", "facts"}
)


async def whole_run(info: Info, found: records.Run) -> Run:
    """A run that an operation gave back, with what it left out where that is selected."""
    if selected(info) <= BRIEF:
        return adopt(Run, found)
    place = key(found.project_id, found.id)
    read: Run | None = await found_by_key(info, Run, found.project_id, place)
    return adopt(Run, found) if read is None else read


@strawberry.type(description="A node's place in a run, and what became of it there.")
class StepOfRun(records.StepOfRun):
    """A node's place in a run, and what became of it there."""

    duration_ms: float | None = strawberry.field(
        default=None, description="How long the last attempt took, as its worker says."
    )
    outputs: JSON | None = strawberry.field(
        default=None, description="What the last attempt brought."
    )
    attempts: JSON | None = strawberry.field(
        default=None,
        description="The attempts that ended: {number, worker, started_at, finished_at, outcome, "
        "reason, outputs, artifacts, duration_ms}; the last 100.",
    )

    @strawberry.field(description="The node.")
    async def node(self, info: Info) -> WorkNode | None:
        """The node."""
        place = key(self.project_id, self.node_id)
        return await found_by_key(info, WorkNode, self.project_id, place)  # type: ignore[no-any-return]

    @strawberry.field(description="The run.")
    async def run(self, info: Info) -> Run | None:
        """The run."""
        place = key(self.project_id, self.run_id)
        return await found_by_key(info, Run, self.project_id, place)  # type: ignore[no-any-return]


described(
    StepOfRun,
    run_id="Id of the run.",
    node_id="Id of the node.",
    project_id="The project it belongs to.",
    position="Its place in the order, from 0.",
    layer="Its layer, from 0.",
    status="Where the step stands.",
    worker="Who has it, or had it last.",
    attempt="How often it was claimed.",
    started_at="When it was started.",
    finished_at="When it ended.",
    reason="Why it failed, is blocked or was skipped.",
    not_before="Not claimable before: a retry waits.",
    lease_until="Until when its worker has it.",
    heartbeat_at="When its worker was last heard of.",
    priority="How long the longest chain from it to the end is, in steps, or in minutes where any "
    "has an estimate; the longest is claimed first. Null before the run's first claim.",
    artifacts="Paths that the last attempt made.",
)


@strawberry.type(description="A step with everything that its worker needs, or why there is none.")
class Claim(records.Claim):
    """A step with everything that its worker needs, or why there is none."""

    @strawberry.field(description="The run as it is now.")  # type: ignore[misc]  # kept beside it
    async def run(self, info: Info) -> Run:
        """The run as it is now."""
        return await whole_run(info, vars(self)["run"])

    step: StepOfRun | None = strawberry.field(default=None, description="The step.")
    node: WorkNode | None = strawberry.field(default=None, description="Its node.")

    @strawberry.field(description="What to do: the node's prompt_text.")
    def prompt(self) -> str | None:
        """What to do."""
        return self.node.prompt_text if self.node else None

    @strawberry.field(description="Conditions that must hold before it starts.")
    def guards(self) -> JSON | None:
        """Conditions that must hold before it starts."""
        return self.node.guards if self.node else None

    @strawberry.field(description="How to verify completion.")
    def success_criteria(self) -> JSON | None:
        """How to verify completion."""
        return self.node.success_criteria if self.node else None

    @strawberry.field(description="{files, outputs, dependencies} it creates or needs.")
    def artifacts(self) -> JSON | None:
        """What it creates or needs."""
        return self.node.artifacts if self.node else None

    @staticmethod
    def of(found: records.Claim) -> "Claim":
        """From the record."""
        claim = adopt(Claim, found)
        claim.step = None if found.step is None else adopt(StepOfRun, found.step)
        claim.node = None if found.node is None else adopt(WorkNode, found.node)
        return claim


described(
    Claim,
    status="What came of it.",
    attempt="The number of this attempt, from 1.",
    lease_until="Until when the step is the worker's; a heartbeat renews it.",
    token="What heartbeatStep, completeStep and failStep ask for.",  # noqa: S106  # a description
    time_limit_ms="How long this attempt may take, by the node's retry policy.",
    retry_after_ms="When to ask again, where time alone makes something ready.",
    warnings="What is wrong with the node's retry policy.",
)


@strawberry.type(description="A step that stands in another layer than before.")
class Moved(records.Moved):
    """A step that stands in another layer than before."""

    from_layer: int | None = strawberry.field(
        name="from", default=None, description="Its layer before."
    )
    to_layer: int | None = strawberry.field(name="to", default=None, description="Its layer now.")


described(Moved, id="Id of the node.")


@strawberry.type(description="What planning the rest of a run anew changes.")
class Replanned(records.Replanned):
    """What planning the rest of a run anew changes."""

    @strawberry.field(description="The run as it is now.")  # type: ignore[misc]  # kept beside it
    async def run(self, info: Info) -> Run:
        """The run as it is now."""
        return await whole_run(info, vars(self)["run"])

    moved: tuple[Moved, ...] = strawberry.field(
        default=(), description="Steps that stand in another layer."
    )

    @staticmethod
    def of(found: records.Replanned) -> "Replanned":
        """From the record."""
        made = adopt(Replanned, found)
        made.moved = tuple(adopt(Moved, one) for one in found.moved)
        return made


described(
    Replanned,
    added="Ids of nodes that come into the run, in order.",
    removed="Ids of nodes that leave it.",
    kept="Ids of nodes whose steps stay as they are: ended, running, or held by a failed one.",
    layers="What is not begun, by the run's layers from the first; one without any is empty.",
)


@strawberry.type(description="A step that is not begun, and what stands against beginning it.")
class NextStep(records.NextStep):
    """A step that is not begun, and what stands against beginning it."""

    step: StepOfRun = strawberry.field(description="The step.")

    @staticmethod
    def of(found: records.NextStep) -> "NextStep":
        """From the record."""
        made = adopt(NextStep, found)
        made.step = adopt(StepOfRun, found.step)
        return made


described(
    NextStep,
    ready="It can be claimed now.",
    reason="Why it cannot; null of what is ready.",
)
