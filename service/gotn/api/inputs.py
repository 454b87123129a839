"""What mutations take; drafts inherit the records, so the use cases take them as they are."""

from enum import Enum
from typing import Any

import strawberry
from strawberry import Maybe
from strawberry.scalars import JSON

from gotn import shapes
from gotn.api import enums  # noqa: F401  # the records' enums must be GraphQL's before this
from gotn.api.describing import choices, described
from gotn.errors import Invalid
from gotn.idempotency import KEY_BYTES
from gotn.work import records

KEY = "The same key with the same input gives the first answer again; kept 7 days."
KIND = "The other tool's own name of the relation, for related edges."
PROJECT = "Id of the project; one that does not exist is created by the first write that adds."


def project_member() -> Any:
    """`project` of an input."""
    return strawberry.field(default="default", description=PROJECT)


def key_member() -> Any:
    """`idempotencyKey` of an input."""
    return strawberry.field(default=None, description=KEY)


@strawberry.input(description="A node to be added.")
class WorkNodeInput(records.WorkNodeDraft):
    """A node to be added."""

    success_criteria: JSON | None = strawberry.field(
        default=None, description="How to verify completion: texts or {type, value}."
    )
    guards: JSON | None = strawberry.field(
        default=None, description="Conditions that must hold before it starts."
    )
    artifacts: JSON | None = strawberry.field(
        default=None, description="{files, outputs, dependencies} it creates or needs."
    )
    embedding_ref: JSON | None = strawberry.field(
        default=None, description="Where an imported vector is kept: {collection, id}."
    )
    provenance: JSON | None = strawberry.field(
        default=None, description="Who made it, out of what: {created_by, source}."
    )
    extra: JSON | None = strawberry.field(
        default=None, description="Keys that 001 does not know, kept as they come."
    )


_NODE = {
    "kind": "`micro_prompt`, `code_symbol`, or any other text.",
    "summary": "One line.",
    "prompt_text": "Detailed instructions for whoever executes it, at most 1 MiB.",
    "exec_target": "File or resource it operates on; shown, never run.",
    "parent": "Id of the node it is broken out of; null: of none.",
    "children": "Ids of the nodes it is broken into, in order.",
    "requires": "Tags that must be produced before it can start.",
    "produces": "Tags it produces.",
    "tags": "Keywords; not dependencies.",
    "status": "Where it stands.",
    "status_reason": "Why it has this status.",
    "version": "Version of its document's schema.",
    "created_at": "When it was created, if not now.",
    "updated_at": "When it was last changed, if not now.",
}
described(WorkNodeInput, id="Unique in its project: any text of 1 to 1,000 bytes.", **_NODE)


@strawberry.input(description="An edge to be added.")
class WorkEdgeInput(records.WorkEdgeDraft):
    """An edge to be added."""

    provenance: JSON | None = strawberry.field(default=None, description="How it came about.")
    extra: JSON | None = strawberry.field(
        default=None, description="Keys that 001 does not know, kept as they come."
    )


described(
    WorkEdgeInput,
    src="Id of the node it comes from; for hard_requires the one that is done first.",
    dst="Id of the node it leads to.",
    type="What it means.",
    kind=KIND,
    score="0 to 1, for soft edges only.",
    evidence="Why, for people.",
    version="Version of its document's schema.",
    created_at="When it was created, if not now.",
)


@strawberry.input(description="What addNode takes.")
class AddNodeInput:
    """What addNode takes."""

    node: WorkNodeInput = strawberry.field(description="The node.")
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(
    description="What updateNode takes: a member that is absent stays, null takes it away."
)
class UpdateNodeInput:
    """What updateNode takes: a member that is absent stays, null takes it away."""

    id: str = strawberry.field(description="Id of the node in its project.")
    project: str = project_member()
    expected_revision: int | None = strawberry.field(
        default=None, description="Refuse the change if the node has another revision."
    )
    idempotency_key: str | None = key_member()
    kind: Maybe[str | None] = strawberry.field(description=_NODE["kind"])
    summary: Maybe[str | None] = strawberry.field(description=_NODE["summary"])
    prompt_text: Maybe[str | None] = strawberry.field(description=_NODE["prompt_text"])
    exec_target: Maybe[str | None] = strawberry.field(description=_NODE["exec_target"])
    parent: Maybe[str | None] = strawberry.field(description=_NODE["parent"])
    children: Maybe[list[str] | None] = strawberry.field(description=_NODE["children"])
    requires: Maybe[list[str] | None] = strawberry.field(description=_NODE["requires"])
    produces: Maybe[list[str] | None] = strawberry.field(description=_NODE["produces"])
    tags: Maybe[list[str] | None] = strawberry.field(description=_NODE["tags"])
    success_criteria: Maybe[JSON | None] = strawberry.field(description="How to verify completion.")
    guards: Maybe[JSON | None] = strawberry.field(description="Conditions before it starts.")
    artifacts: Maybe[JSON | None] = strawberry.field(
        description="{files, outputs, dependencies} it creates or needs."
    )
    status: Maybe[records.NodeStatus | None] = strawberry.field(description=_NODE["status"])
    status_reason: Maybe[str | None] = strawberry.field(description=_NODE["status_reason"])
    provenance: Maybe[JSON | None] = strawberry.field(description="Who made it, out of what.")
    extra: Maybe[JSON | None] = strawberry.field(description="Keys that 001 does not know.")


#: Members of UpdateNodeInput that say which node and how, not what changes.
_WHICH = frozenset(("id", "project", "expected_revision", "idempotency_key"))


def changes(given: UpdateNodeInput) -> dict[str, object]:
    """The members that were given, null among them."""
    return {
        name: some.value
        for name, some in vars(given).items()
        if name not in _WHICH and some is not None
    }


@strawberry.input(description="What removeNode takes.")
class RemoveNodeInput:
    """What removeNode takes."""

    id: str = strawberry.field(description="Id of the node in its project.")
    project: str = project_member()
    cascade: bool = strawberry.field(
        default=False, description="Take its edges, and its steps in open runs, along."
    )
    expected_revision: int | None = strawberry.field(
        default=None, description="Refuse the removal if the node has another revision."
    )
    idempotency_key: str | None = key_member()


@strawberry.input(description="What addEdge takes.")
class AddEdgeInput:
    """What addEdge takes."""

    edge: WorkEdgeInput = strawberry.field(description="The edge.")
    project: str = project_member()
    idempotency_key: str | None = key_member()


def edge_type() -> Any:
    """`type` of an input that names an edge."""
    return strawberry.field(default=records.EdgeType.HARD_REQUIRES, description="What it means.")


@strawberry.input(
    description="What updateEdge takes: a member that is absent stays, null takes it away. "
    "An edge has no revision to expect: of two changes the last one holds."
)
class UpdateEdgeInput:
    """What updateEdge takes: a member that is absent stays, null takes it away."""

    src: str = strawberry.field(description="Id of the node it comes from.")
    dst: str = strawberry.field(description="Id of the node it leads to.")
    type: records.EdgeType = edge_type()
    kind: str | None = strawberry.field(default=None, description=KIND)
    project: str = project_member()
    idempotency_key: str | None = key_member()
    score: Maybe[float | None] = strawberry.field(description="0 to 1, for soft edges only.")
    evidence: Maybe[str | None] = strawberry.field(description="Why, for people.")
    provenance: Maybe[JSON | None] = strawberry.field(description="How it came about.")
    extra: Maybe[JSON | None] = strawberry.field(description="Keys that 001 does not know.")


def edge_changes(given: UpdateEdgeInput) -> dict[str, object]:
    """The members that were given, null among them."""
    found = {name: getattr(given, name) for name in ("score", "evidence", "provenance", "extra")}
    return {name: some.value for name, some in found.items() if some is not None}


@strawberry.input(description="What removeEdge takes.")
class RemoveEdgeInput:
    """What removeEdge takes."""

    src: str = strawberry.field(description="Id of the node it comes from.")
    dst: str = strawberry.field(description="Id of the node it leads to.")
    type: records.EdgeType = edge_type()
    kind: str | None = strawberry.field(default=None, description=KIND)
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What addGraph takes: all of it is added, or nothing.")
class AddGraphInput:
    """What addGraph takes: all of it is added, or nothing."""

    nodes: list[WorkNodeInput] = strawberry.field(description="The nodes.")
    edges: list[WorkEdgeInput] = strawberry.field(
        default_factory=list, description="The edges, also between nodes that are stored already."
    )
    link: bool = strawberry.field(
        default=False, description="Derive edges from the tags of what changed."
    )
    flag_cycles: bool = strawberry.field(
        default=False, description="Keep and flag hard edges that close a cycle."
    )
    project: str = project_member()
    idempotency_key: str | None = key_member()


class DocumentFormat(Enum):
    """What a document is."""

    AUTO = "auto"
    GOTN = "gotn"
    BEADS = "beads"
    TASKMASTER = "taskmaster"


choices(
    DocumentFormat,
    AUTO="Look for yourself.",
    GOTN="001's nodes, edges, runs and journal entries: JSON, or JSONL.",
    BEADS="beads' issues.jsonl.",
    TASKMASTER="Taskmaster's tasks.json, with tags or without.",
)


@strawberry.input(description="What importGraph takes: all of it is taken in, or nothing.")
class ImportGraphInput:
    """What importGraph takes: all of it is taken in, or nothing."""

    content: str = strawberry.field(description="The document's text.")
    format: DocumentFormat = strawberry.field(
        default=DocumentFormat.AUTO, description="What it is."
    )
    dry_run: bool = strawberry.field(
        default=False, description="Say what would happen; change nothing."
    )
    flag_cycles: bool = strawberry.field(
        default=False, description="Keep and flag hard edges that close a cycle."
    )
    link: bool = strawberry.field(
        default=False, description="Derive edges from the tags of what changed."
    )
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What link takes.")
class LinkInput:
    """What link takes."""

    project: str = project_member()
    whole: bool = strawberry.field(
        default=False, description="Look at all nodes, not only at those that changed."
    )
    idempotency_key: str | None = key_member()


@strawberry.input(description="What plan takes.")
class PlanInput:
    """What plan takes."""

    project: str = project_member()
    goal: str = strawberry.field(default="", description="What the run is for.")
    targets: list[str] = strawberry.field(
        default_factory=list, description="Ids to reach with what they need; none: all open work."
    )
    leaves: bool = strawberry.field(default=False, description="Leave out nodes with children.")
    workspace: str | None = strawberry.field(
        default=None, description="The folder the run applies to."
    )
    idempotency_key: str | None = key_member()


@strawberry.input(description="What updateProjectSettings takes.")
class ProjectSettingsInput:
    """What updateProjectSettings takes."""

    settings: JSON = strawberry.field(
        description="Settings to change, by name; null takes one away."
    )
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What removeProject takes.")
class RemoveProjectInput:
    """What removeProject takes."""

    project: str = strawberry.field(description="Id of the project; it has no default here.")
    idempotency_key: str | None = strawberry.field(
        default=None,
        description="Any key makes a repeated removal a success: a project that is not there, "
        "any more or ever, is answered with zero counts instead of NotFound. The key itself is "
        "not kept, as what a project remembers goes with it; a project made anew under this id "
        "in between is removed as well.",
    )


def check_key(key: str | None) -> None:
    """Invalid for an idempotency key that no write would take."""
    if key is None:
        return
    shapes.check_text(key, "idempotencyKey")
    if not key or len(key.encode()) > KEY_BYTES:
        raise Invalid(
            f"idempotencyKey: expected 1 to {KEY_BYTES} bytes, found {shapes.shown(key)}",
            field="idempotencyKey",
        )
