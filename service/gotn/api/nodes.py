"""Work nodes in GraphQL: the type, its relations, and how lists of it are filtered and ordered."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.scalars import JSON

from gotn.api import enums  # noqa: F401  # the records' enums must be GraphQL's before this
from gotn.api.choosing import (
    ChildOrder,
    ExecutorOrder,
    NeighbourFilter,
    NeighbourOrder,
    RelatedOrder,
    RunsOfNodeOrder,
    SoftOrder,
)
from gotn.api.describing import described
from gotn.api.relay import Connection, Edge, Node, later
from gotn.graph import faces
from gotn.graph.fields import computed, member, stored
from gotn.graph.reads import (
    Entity,
    Expression,
    Relation,
)
from gotn.graph.resolvers import connection, single
from gotn.work import records
from gotn.work.store.keys import key

WorkNodes = Annotated["WorkNodeConnection", strawberry.lazy("gotn.api.nodes")]
HardNodes = Annotated["HardRequiresConnection", strawberry.lazy("gotn.api.nodes")]
SoftNodes = Annotated["SoftSemanticConnection", strawberry.lazy("gotn.api.nodes")]
RelatedNodes = Annotated["RelatedConnection", strawberry.lazy("gotn.api.nodes")]
#: By name alone: runs are made of nodes, so their module is loaded after this one.
RunsOfNode = later("RunOfNodeConnection", "gotn.api.runs")
TreesOfNode = later("TaskTreeConnection", "gotn.api.tasks")
TasksOfNode = later("TaskConnection", "gotn.api.tasks")


def neighbours(
    relation: Relation,
    result: Any,
    order: Any,
    usual: Any,
    description: str,
    name: str | None = None,
) -> Any:
    """A connection to other work nodes."""
    return connection(
        relation, result, order, usual, NeighbourFilter, description=description, name=name
    )


@strawberry.type(description="One unit of work (001, Node).")
class WorkNode(records.WorkNode, Node):
    """One unit of work (001, Node)."""

    id: strawberry.Private[str]
    parent: strawberry.Private[str | None] = None
    children: strawberry.Private[tuple[str, ...]] = ()
    node_id: str = member("id", str, "Its id in its project (001, id).")
    requires: tuple[str, ...] = stored(
        "Tags that must be produced before it can start.", Expression("node_requires"), ()
    )
    produces: tuple[str, ...] = stored("Tags it produces.", Expression("node_produces"), ())
    tags: tuple[str, ...] = stored(
        "Keywords for filtering and search; not dependencies.", Expression("node_tags"), ()
    )
    success_criteria: JSON | None = stored("How to verify completion: texts or {type, value}.")
    guards: JSON | None = stored("Conditions that must hold before it starts.")
    artifacts: JSON | None = stored("{files, outputs, dependencies} it creates or needs.")
    embedding_ref: JSON | None = stored("Where its vector is kept: {collection, id}.")
    provenance: JSON | None = stored("Who made it, out of what: {created_by, source}.")
    extra: JSON | None = stored("Keys that 001 does not know, kept as they came.")
    parent_node: Annotated["WorkNode", strawberry.lazy("gotn.api.nodes")] | None = single(
        Relation("WorkNode", "DERIVED_FROM"),
        Annotated["WorkNode", strawberry.lazy("gotn.api.nodes")] | None,
        lambda: WorkNode,
        "The node it was broken out of.",
        name="parent",
    )
    children_nodes: WorkNodes = neighbours(
        Relation("WorkNode", "DERIVED_FROM", "in"),
        WorkNodes,
        ChildOrder,
        ChildOrder.POSITION,
        "The nodes it was broken into.",
        name="children",
    )
    prerequisites: HardNodes = neighbours(
        Relation("WorkNode", "HARD_REQUIRES", "in"),
        HardNodes,
        NeighbourOrder,
        NeighbourOrder.ID,
        "The nodes that must be done before it, directly.",
    )
    dependants: HardNodes = neighbours(
        Relation("WorkNode", "HARD_REQUIRES"),
        HardNodes,
        NeighbourOrder,
        NeighbourOrder.ID,
        "The nodes that need it, directly.",
    )
    soft_neighbours: SoftNodes = neighbours(
        Relation("WorkNode", "SOFT_SEMANTIC", "both"),
        SoftNodes,
        SoftOrder,
        SoftOrder.NEAREST,
        "The nodes that are about the same.",
    )
    related: RelatedNodes = neighbours(
        Relation("WorkNode", "RELATED", "both"),
        RelatedNodes,
        RelatedOrder,
        RelatedOrder.KIND,
        "The nodes that another tool's own relations join it to, either way.",
    )

    runs = connection(
        Relation("Run", "STEP", "in"),
        RunsOfNode,
        RunsOfNodeOrder,
        RunsOfNodeOrder.NEWEST,
        description="The runs that have it as a step.",
    )
    trees = connection(
        Relation("TaskTree", "EXECUTES", "in"),
        TreesOfNode,
        ExecutorOrder,
        ExecutorOrder.ID,
        description="The task trees that executed it, as a whole.",
    )
    tasks = connection(
        Relation("Task", "EXECUTES", "in"),
        TasksOfNode,
        ExecutorOrder,
        ExecutorOrder.ID,
        description="The single tasks that executed it.",
    )

    @computed("parent", description="The id of the node it was broken out of.")
    def parent_id(self) -> str | None:
        """The id of the node it was broken out of."""
        return self.parent

    @computed("children", description="The ids of the nodes it was broken into, in order.")
    def child_ids(self) -> tuple[str, ...]:
        """The ids of the nodes it was broken into, in order."""
        return self.children


described(
    WorkNode,
    project_id="The project it belongs to.",
    kind="`micro_prompt`, `code_symbol`, or any other text.",
    summary="One line.",
    prompt_text="Detailed instructions for whoever executes it.",
    exec_target="File or resource it operates on; shown, never run.",
    status="Where it stands.",
    status_reason="Why it has this status, where somebody said so.",
    estimate_minutes="Minutes it is expected to take.",
    version="Version of its document's schema.",
    revision="1, and 1 more at each change; what `expectedRevision` is compared with.",
    created_at="When it was created.",
    updated_at="When it was last changed.",
)
faces.entity(
    WorkNode,
    Entity(
        "WorkNode",
        lambda node: key(node.project_id, node.id),
        hidden={"parent": Expression("node_parent"), "children": Expression("node_children")},
    ),
)


@strawberry.type(description="A work node in a list.")
class WorkNodeEdge(Edge):
    """A work node in a list."""

    node: WorkNode = strawberry.field(description="The node.")


@strawberry.type(description="Work nodes.")
class WorkNodeConnection(Connection):
    """Work nodes."""

    edges: list[WorkNodeEdge] = strawberry.field(description="The rows with their cursors.")
    nodes: list[WorkNode] = strawberry.field(description="The nodes alone.")


@strawberry.type(description="A hard dependency, and the node at its other end.")
class HardRequiresEdge(Edge):
    """A hard dependency, and the node at its other end."""

    node: WorkNode = strawberry.field(description="The node at the other end.")
    origin: records.EdgeOrigin | None = strawberry.field(description="Why the edge stands.")
    tags: tuple[str, ...] = strawberry.field(
        default=(), description="The tags that give its derived part, sorted."
    )
    evidence: str | None = strawberry.field(description="Why, for people.")
    closes_cycle: bool = strawberry.field(
        default=False, description="It closes a cycle: kept, shown, and left out of the order."
    )
    provenance: JSON | None = strawberry.field(description="How it was created.")
    version: int = strawberry.field(default=1, description="Version of its document's schema.")
    created_at: datetime | None = strawberry.field(description="When it was created.")


@strawberry.type(description="Nodes joined by hard dependencies.")
class HardRequiresConnection(Connection):
    """Nodes joined by hard dependencies."""

    edges: list[HardRequiresEdge] = strawberry.field(description="The rows with their facts.")
    nodes: list[WorkNode] = strawberry.field(description="The nodes alone.")


@strawberry.type(description="A likeness, and the node it leads to.")
class SoftSemanticEdge(Edge):
    """A likeness, and the node it leads to."""

    node: WorkNode = strawberry.field(description="The node at the other end.")
    score: float | None = strawberry.field(description="How alike they are, 0 to 1.")
    evidence: str | None = strawberry.field(description="Score and model, for people.")
    model: str | None = strawberry.field(description="The model that the score comes from.")
    provenance: JSON | None = strawberry.field(description="How it was created.")
    created_at: datetime | None = strawberry.field(description="When it was created.")


@strawberry.type(description="Nodes that are about the same.")
class SoftSemanticConnection(Connection):
    """Nodes that are about the same."""

    edges: list[SoftSemanticEdge] = strawberry.field(description="The rows with their facts.")
    nodes: list[WorkNode] = strawberry.field(description="The nodes alone.")


@strawberry.type(description="Another tool's own relation, and the node it leads to.")
class RelatedEdge(Edge):
    """Another tool's own relation, and the node it leads to."""

    node: WorkNode = strawberry.field(description="The node at the other end.")
    kind: str = strawberry.field(default="", description="The other tool's name of the relation.")
    evidence: str | None = strawberry.field(description="Why, for people.")
    provenance: JSON | None = strawberry.field(description="How it was created.")
    created_at: datetime | None = strawberry.field(description="When it was created.")


@strawberry.type(description="Nodes joined by other tools' own relations.")
class RelatedConnection(Connection):
    """Nodes joined by other tools' own relations."""

    edges: list[RelatedEdge] = strawberry.field(description="The rows with their facts.")
    nodes: list[WorkNode] = strawberry.field(description="The nodes alone.")
