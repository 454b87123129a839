"""Runs and plans in GraphQL."""

from datetime import datetime
from enum import Enum
from typing import Annotated

import strawberry
from strawberry.scalars import JSON

from gotn.api import values  # noqa: F401  # a plan is made of these records
from gotn.api.choosing import NeighbourFilter
from gotn.api.describing import described
from gotn.api.nodes import WorkNode
from gotn.api.relay import Connection, Edge, Node
from gotn.graph import faces
from gotn.graph.fields import member, stored
from gotn.graph.filters import where
from gotn.graph.forms import LEAF
from gotn.graph.paging import Key, by
from gotn.graph.reads import Above, Entity, Expression, In, Property, Relation
from gotn.graph.resolvers import connection
from gotn.work import records
from gotn.work.store.keys import key

Steps = Annotated["StepConnection", strawberry.lazy("gotn.api.runs")]


@strawberry.enum(description="How runs are listed; ids break ties.")
class RunOrder(Enum):
    """How runs are listed; ids break ties."""

    ID = strawberry.enum_value(by(Key("id"), prefix="project_id"), description="By id.")
    NEWEST = strawberry.enum_value(
        by(
            Key("created_at", descending=True, temporal=True),
            Key("id", descending=True),
            prefix="project_id",
        ),
        description="Last created first.",
    )


@strawberry.enum(description="How the steps of a run are listed.")
class StepOrder(Enum):
    """How the steps of a run are listed."""

    POSITION = strawberry.enum_value(
        by(Key("position", on="edge", missing=0), Key("id")), description="As planned."
    )


@strawberry.input(description="Which runs; members are joined by AND, null asks nothing.")
class RunFilter:
    """Which runs; members are joined by AND, null asks nothing."""

    status: list[records.RunStatus] | None = where(In("status"), "In one of these statuses.")
    created_after: datetime | None = where(Above("created_at"), "Created after this moment.")


@strawberry.type(description="An execution session with ordered steps (001, Run).")
class Run(records.Run, Node):
    """An execution session with ordered steps (001, Run)."""

    id: strawberry.Private[str]
    run_id: str = member("id", str, "Its id in its project (001, id).")
    layers: tuple[tuple[str, ...], ...] | None = stored(
        "Ids of nodes that can run in parallel, layer by layer.", Property("layers", LEAF)
    )
    extra: JSON | None = stored("Keys that 001 does not know, kept as they came.")
    step_count: int = stored("How many steps it has.", Expression("run_steps"), 0)
    steps: Steps = connection(
        Relation("WorkNode", "STEP"),
        Steps,
        StepOrder,
        StepOrder.POSITION,
        NeighbourFilter,
        description="Its steps in order.",
    )


described(
    Run,
    project_id="The project it belongs to.",
    goal="What it is for.",
    ordered_node_ids="Ids of its nodes in a safe order.",
    ordering_reason="Why in this order, for people.",
    status="Where it stands; null where an import did not say.",
    workspace_path="The folder it applies to.",
    on_failure="What it does when a step failed for good; null until it was started.",
    started_at="When it was started.",
    finished_at="When it ended.",
    reason="Why it failed or was cancelled.",
    cancelled_by="Who cancelled it.",
    version="Version of its document's schema.",
    revision="1, and 1 more at each change.",
    created_at="When it was planned.",
    updated_at="When it was last changed.",
)
faces.entity(Run, Entity("Run", lambda run: key(run.project_id, run.id)))


@strawberry.type(description="A run in a list.")
class RunEdge(Edge):
    """A run in a list."""

    node: Run = strawberry.field(description="The run.")


@strawberry.type(description="Runs.")
class RunConnection(Connection):
    """Runs."""

    edges: list[RunEdge] = strawberry.field(description="The rows with their cursors.")
    nodes: list[Run] = strawberry.field(description="The runs alone.")


@strawberry.interface(description="A node's place in a run.")
class Step:
    """A node's place in a run."""

    position: int = strawberry.field(default=0, description="Its place in the order, from 0.")
    layer: int | None = strawberry.field(description="Its layer, from 0.")
    status: records.StepStatus | None = strawberry.field(description="Where the step stands.")
    started_at: datetime | None = strawberry.field(description="When it was started.")
    finished_at: datetime | None = strawberry.field(description="When it ended.")
    worker: str | None = strawberry.field(default=None, description="Who has it, or had it last.")
    attempt: int | None = strawberry.field(
        default=None, description="How often it was claimed; null: never."
    )
    reason: str | None = strawberry.field(
        default=None, description="Why it failed, is blocked or was skipped."
    )
    lease_until: datetime | None = strawberry.field(
        default=None, description="Until when its worker has it."
    )
    not_before: datetime | None = strawberry.field(
        default=None, description="Not claimable before: a retry waits."
    )
    duration_ms: float | None = strawberry.field(
        default=None, description="How long the last attempt took, as its worker says."
    )
    outputs: JSON | None = stored("What the last attempt brought.")
    artifacts: JSON | None = stored("Paths that the last attempt made.")
    attempts: JSON | None = stored(
        "The attempts that ended: {number, worker, started_at, finished_at, outcome, reason, "
        "outputs, artifacts, duration_ms}; the last 100."
    )


@strawberry.type(description="A step, and the node it executes.")
class StepEdge(Step, Edge):
    """A step, and the node it executes."""

    node: WorkNode = strawberry.field(description="The node.")


@strawberry.type(description="The steps of a run.")
class StepConnection(Connection):
    """The steps of a run."""

    edges: list[StepEdge] = strawberry.field(description="The steps.")
    nodes: list[WorkNode] = strawberry.field(description="Their nodes alone.")


@strawberry.type(description="A step, and the run it belongs to.")
class RunOfNodeEdge(Step, Edge):
    """A step, and the run it belongs to."""

    node: Run = strawberry.field(description="The run.")


@strawberry.type(description="The runs that have a node as a step.")
class RunOfNodeConnection(Connection):
    """The runs that have a node as a step."""

    edges: list[RunOfNodeEdge] = strawberry.field(description="The steps.")
    nodes: list[Run] = strawberry.field(description="Their runs alone.")


@strawberry.type(description="A safe order of the open work; stored as a Run unless previewed.")
class Plan(records.Plan):
    """A safe order of the open work; stored as a Run unless previewed."""


described(
    Plan,
    run_id="Id of the run it is stored as; null for a preview, or where nothing is left to do.",
    project_id="The project it belongs to.",
    goal="What it is for.",
    layers="Ids of nodes that can run in parallel, layer by layer.",
    ordered_node_ids="Ids of all nodes in that order.",
    ordering_reason="Why in this order, for people.",
    steps="Each node's place.",
    unmet="Required tags that nobody produces; listed, never blocking.",
    blocked="Nodes that a failed one keeps from starting.",
    waiting_on="Ids of running nodes that steps wait for, sorted.",
    critical_path="The longest chain, which nothing can shorten.",
    satisfied="How many nodes are left out because they are completed or skipped.",
    workspace_path="The folder it applies to.",
    created_at="When it was made.",
)
