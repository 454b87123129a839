"""The records that are GraphQL types as they stand: answers to questions, and reports."""

import strawberry
from strawberry.scalars import JSON

from gotn.api import enums  # noqa: F401  # the records' enums must be GraphQL's before this
from gotn.api.describing import described, value
from gotn.api.nodes import WorkNode
from gotn.api.relay import Edge
from gotn.graph.forms import adopt
from gotn.graph.pages import PageInfo
from gotn.graph.paging import encode
from gotn.work import records

#: Name of the order of reached nodes, in cursors.
REACHED = "DISTANCE"

value(records.UnmetRequirement, tag="The tag.", nodes="Ids of the nodes that ask for it, sorted.")
value(
    records.Cycle,
    nodes="Ids of every node of the component, sorted.",
    path="Ids along a shortest closed path, the first again at the end; empty where more than "
    "1,000 edges close cycles and this component's are not among the first.",
    tags="For each hop the tags it rests on, or `explicit`.",
)
value(
    records.BlockedNode,
    id="Id of the node that cannot start.",
    path="Ids from the failed node to this one.",
)
value(
    records.CriticalPath,
    node_ids="Ids of the chain, first to last.",
    length="Its length, in `unit`.",
    unit="`steps`, or `minutes` where nodes carry estimates.",
)
value(
    records.PlannedStep,
    id="Id of the node.",
    summary="The node's summary.",
    position="Its place in the order, from 0.",
    layer="Its layer, from 0.",
    slack="How much later it may end without delaying the whole, in the critical path's unit.",
    weight="How long it is expected to take, in that unit.",
    ready="Nothing stands before it in the plan, and it waits for no running node.",
)
value(
    records.StepOfPath,
    src="Id of the node that is done first.",
    dst="Id of the node that needs it.",
    tags="The tags this hop rests on.",
)
value(
    records.BlockingPath,
    cause="Id of the node that must move first.",
    status="Where that node stands.",
    hops="From the cause to the blocked node.",
)
value(records.StatusCount, status="The status.", count="How many nodes have it.")
value(
    records.Impact,
    id="Id of the node.",
    direct="Ids of the nodes that need it directly, sorted, at most 1,000.",
    dependants="How many need it, directly or not.",
    by_status="Those, by status.",
    sole_tags="Tags that others require and only this node produces.",
    runs="Ids of the unfinished runs that have it as a step, sorted, at most 1,000.",
)
value(
    records.CycleCheck,
    closes="Whether the edge would close a cycle.",
    path="Ids along the closed path, the first again at the end; empty where there is none.",
    tags="For each hop after the new edge, the tags it rests on.",
)
value(
    records.Unknown,
    line="Line of the document.",
    id="Id of the entity.",
    reason="What is the matter.",
)
value(
    records.Linked,
    added="Edges that are new.",
    removed="Edges that no tag gives any more.",
    updated="Edges whose tags or origin changed.",
    unmet="Required tags that nobody produces, at most the first 1,000 by name.",
    cycles="Cycles of hard dependencies, at most 1,000 components.",
)
value(
    records.Imported,
    nodes="Nodes that were given.",
    edges="Edges that were given.",
    runs="Runs that were given.",
    journal_entries="Journal entries that were given.",
    pending="Edges, parents and steps whose node is not there yet.",
    changed="How many of these were new or different.",
    resumed="How many nodes and edges the same import, cut short before, had staged already.",
    skipped="What could not be taken.",
    warnings="What was taken otherwise than it came.",
)
value(
    records.Removed,
    nodes="Ids of the nodes that are gone.",
    edges="How many edges are gone.",
    steps="How many steps of open runs are gone.",
)


@strawberry.type(description="A node that hard edges lead to, directly or not.")
class ReachedEdge(Edge):
    """A node that hard edges lead to, directly or not."""

    node: WorkNode = strawberry.field(description="The node.")
    distance: int = strawberry.field(description="How many edges away it is, at the nearest.")


@strawberry.type(description="Nodes that hard edges lead to, nearest first.")
class ReachedConnection:
    """Nodes that hard edges lead to, nearest first."""

    edges: list[ReachedEdge] = strawberry.field(description="The rows with their distance.")
    nodes: list[WorkNode] = strawberry.field(description="The nodes alone.")
    page_info: PageInfo = strawberry.field(description="Where this page stands in the list.")

    @staticmethod
    def of(found: list[records.Reached], first: int, after: str | None) -> "ReachedConnection":
        """A page from one row more than `first` where it goes on."""
        edges = [
            ReachedEdge(
                node=adopt(WorkNode, one.node),
                distance=one.distance,
                cursor=encode(REACHED, [one.distance, one.node.id]),
            )
            for one in found[:first]
        ]
        info = PageInfo(
            has_next_page=len(found) > first,
            has_previous_page=after is not None,
            start_cursor=edges[0].cursor if edges else None,
            end_cursor=edges[-1].cursor if edges else None,
        )
        return ReachedConnection(edges=edges, nodes=[e.node for e in edges], page_info=info)


@strawberry.type(description="A node's place in a decomposition tree.")
class TreeRow:
    """A node's place in a decomposition tree."""

    node: WorkNode = strawberry.field(description="The node.")
    depth: int = strawberry.field(description="0 for the root.")
    parent: str | None = strawberry.field(description="Id of the node above, null for the root.")
    position: int | None = strawberry.field(description="Its place among that node's children.")

    @staticmethod
    def of(found: records.TreeRow) -> "TreeRow":
        """From the record."""
        return TreeRow(
            node=adopt(WorkNode, found.node),
            depth=found.depth,
            parent=found.parent,
            position=found.position,
        )


@strawberry.type(description="Whether a journal is whole, and gives what the database holds.")
class Verification(records.Verification):
    """Whether a journal is whole, and gives what the database holds."""

    differing: JSON | None = strawberry.field(
        default=None, description="The first 20 entities that differ: {entity, difference}."
    )


described(
    Verification,
    entries="How many entries there are.",
    chain_ok="Whether seq, times and hashes fit.",
    problems="The first problems of the chain.",
    live_digest="Digest of what the database holds.",
    replay_digest="Digest of what the journal gives.",
    equal="Whether the two digests are equal.",
)
