"""Edges of the work graph in GraphQL: all types in one list, those that wait included."""

from collections.abc import Mapping
from typing import Any

import strawberry
from strawberry.scalars import JSON

from gotn import shapes
from gotn.api import enums  # noqa: F401  # the records' enums must be GraphQL's before this
from gotn.api.describing import described
from gotn.api.nodes import WorkNode
from gotn.api.relay import Connection, Edge
from gotn.graph import faces, paging
from gotn.graph.arguments import After, First
from gotn.graph.fields import stored
from gotn.graph.forms import build
from gotn.graph.pages import PageInfo
from gotn.graph.reads import KEY, End, Relationships
from gotn.graph.relationships import ORDER, AskedEdges, Branch, page, parameters
from gotn.graph.resolvers import found_by_key
from gotn.graph.selection import selected
from gotn.work import records
from gotn.work.records import EdgeType
from gotn.work.store import edges as store
from gotn.work.store.keys import key
from gotn.work.usecases.writing import check_project

#: Each stored type's branch; soft edges have no direction.
BRANCHES = {
    EdgeType.HARD_REQUIRES: Branch("edge_hard_requires", type="hard_requires"),
    EdgeType.DERIVED_FROM: Branch("edge_derived_from", type="derived_from"),
    EdgeType.RELATED: Branch("edge_related", type="related", kinds=True),
    EdgeType.SOFT_SEMANTIC: Branch("edge_soft_semantic", type="soft_semantic"),
}
SOFT_OF = Branch("edge_soft_semantic_of", type="soft_semantic")
PENDING = {
    type_: Branch(
        "edge_pending",
        src="edge.src",
        dst="edge.dst",
        type=type_.value,
        kinds=type_ is EdgeType.RELATED,
        waiting=True,
    )
    for type_ in EdgeType
}
#: Members that come from a relationship's names, not from its properties.
NAMED = frozenset(("src", "dst", "type", "projectId", "pending"))


@strawberry.input(description="Which edges; members are joined by AND, null asks nothing.")
class WorkEdgeFilter:
    """Which edges; members are joined by AND, null asks nothing."""

    type: list[EdgeType] | None = strawberry.field(
        default=None, description="Of one of these types."
    )
    src: str | None = strawberry.field(default=None, description="From the node of this id.")
    dst: str | None = strawberry.field(default=None, description="To the node of this id.")
    pending: bool | None = strawberry.field(
        default=None, description="true: only those that wait for a node; false: only the others."
    )


@strawberry.type(description="A relationship between two nodes (001, Edge).")
class WorkEdge(records.WorkEdge):
    """A relationship between two nodes (001, Edge)."""

    provenance: JSON | None = stored("How it was created.")
    extra: JSON | None = stored("Keys that 001 does not know, kept as they came.")

    @strawberry.field(
        description="The node it comes from; null while that is not stored.",
        graphql_type=WorkNode | None,
        metadata={KEY: End("src")},
    )
    async def src_node(self, info: strawberry.Info) -> Any:
        """The node it comes from; null while that is not stored."""
        return await _end(self, info, self.src)

    @strawberry.field(
        description="The node it leads to; null while that is not stored.",
        graphql_type=WorkNode | None,
        metadata={KEY: End("dst")},
    )
    async def dst_node(self, info: strawberry.Info) -> Any:
        """The node it leads to; null while that is not stored."""
        return await _end(self, info, self.dst)


async def _end(edge: records.WorkEdge, info: strawberry.Info, id_: str) -> Any:
    return await found_by_key(info, WorkNode, edge.project_id, key(edge.project_id, id_))


described(
    WorkEdge,
    src="Id of the node it comes from; for hard_requires the one that is done first.",
    dst="Id of the node it leads to.",
    project_id="The project it belongs to.",
    type="What it means.",
    kind="The other tool's own name of the relation, for related edges.",
    origin="Why a hard edge stands.",
    tags="The tags that give the derived part of a hard edge, sorted.",
    closes_cycle="This hard edge closes a cycle: kept, shown, and left out of the order.",
    score="How strong it is, 0 to 1, for soft edges.",
    model="The model that the score of a derived soft edge comes from.",
    evidence="Why, for people.",
    version="Version of its document's schema.",
    created_at="When it was created.",
    pending="One of its nodes is not stored yet; it joins when that node arrives.",
)


@strawberry.type(description="An edge in a list.")
class WorkEdgeEdge(Edge):
    """An edge in a list."""

    node: WorkEdge = strawberry.field(description="The edge.")


@strawberry.type(description="Edges.")
class WorkEdgeConnection(Connection):
    """Edges."""

    edges: list[WorkEdgeEdge] = strawberry.field(description="The rows with their cursors.")
    nodes: list[WorkEdge] = strawberry.field(description="The edges alone.")


async def listed(
    info: strawberry.Info,
    project: str,
    first: First,
    after: After,
    filter_: WorkEdgeFilter | None,
) -> WorkEdgeConnection:
    """A page of a project's edges, by source, type, target and kind."""
    chosen = selected(info)
    names = selected(info, "edges", "node") | selected(info, "nodes")
    members = faces.face(WorkEdge).members(names - NAMED)
    given = filter_ or WorkEdgeFilter()
    asked = AskedEdges(
        branches=_branches(given),
        members=tuple(sorted(members.items())),
        src=given.src is not None,
        dst=given.dst is not None,
        after=after is not None,
        rows=bool(chosen & {"edges", "nodes", "pageInfo"}),
        total="totalCount" in chosen,
    )
    rows, total = await info.context.database.read(
        lambda tx: page(
            tx,
            project,
            asked,
            first=first,
            after=after,
            src=given.src,
            dst=given.dst,
            name="graph/Query.workEdges",
        )
    )
    return _connection(rows, total, first, after, project, members)


def _branches(given: WorkEdgeFilter) -> tuple[Branch, ...]:
    """What to look through: the stored types, and those that wait, where types do not matter."""
    types = given.type or list(EdgeType)
    one_end = given.src is not None or given.dst is not None
    found = [] if given.pending else [BRANCHES[type_] for type_ in EdgeType if type_ in types]
    if one_end:
        found = [SOFT_OF if branch.type == "soft_semantic" else branch for branch in found]
    waiting = (
        [] if given.pending is False else [PENDING[type_] for type_ in EdgeType if type_ in types]
    )
    return (*found, *waiting)


def _connection(
    rows: list[Any],
    total: int | None,
    first: int,
    after: str | None,
    project: str,
    members: dict[str, Any],
) -> WorkEdgeConnection:
    edges = [
        WorkEdgeEdge(node=_edge(names, row, project, members), cursor=paging.encode(ORDER, names))
        for names, row in rows[:first]
    ]
    info = PageInfo(
        has_next_page=len(rows) > first,
        has_previous_page=after is not None,
        start_cursor=edges[0].cursor if edges else None,
        end_cursor=edges[-1].cursor if edges else None,
    )
    return WorkEdgeConnection(
        edges=edges,
        nodes=[edge.node for edge in edges],
        page_info=info,
        total_count=total,  # type: ignore[arg-type]  # read only where it is selected
    )


def _edge(names: list[str], row: dict[str, Any], project: str, members: dict[str, Any]) -> WorkEdge:
    src, type_, dst, _ = names
    if "data" in row:
        return _waiting(row["data"], project)
    return build(
        WorkEdge,
        row,
        faces.face(WorkEdge).forms(members),
        src=src,
        dst=dst,
        type=EdgeType(type_),
        project_id=project,
        pending=False,
    )


def _waiting(data: str, project: str) -> WorkEdge:
    """An edge that waits for a node, from its document."""
    found = store.record(shapes.loads(data) | {"pending": True}, project)
    return WorkEdge(**vars(found))


def _asked(given: Mapping[str, Any]) -> tuple[tuple[Branch, ...], dict[str, Any]]:
    """What the arguments of a list ask for."""
    wanted = given.get("filter_") or WorkEdgeFilter()
    project = check_project(given["project"])
    after = given.get("after")
    return _branches(wanted), parameters(project, given["first"], after, wanted.src, wanted.dst)


#: A root field that lists a project's edges.
EDGES = Relationships(_asked, _waiting)
