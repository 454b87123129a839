"""Everything that can be read."""

from typing import Annotated, Any

import strawberry

from gotn import __version__
from gotn.api import edges as edge_lists
from gotn.api.choosing import WorkNodeFilter, WorkNodeOrder
from gotn.api.edges import WorkEdge, WorkEdgeConnection, WorkEdgeFilter
from gotn.api.history import JournalConnection, JournalFilter, JournalOrder
from gotn.api.inputs import KIND
from gotn.api.nodes import WorkNode, WorkNodeConnection
from gotn.api.projects import Project, ProjectConnection, ProjectOrder
from gotn.api.questions import Info, NodeId, Questions, field
from gotn.api.relay import Node
from gotn.api.runs import Run, RunConnection, RunFilter, RunOrder
from gotn.api.values import Verification
from gotn.errors import Invalid
from gotn.graph import faces
from gotn.graph.arguments import FILTER, ORDER, After, First, ProjectId
from gotn.graph.forms import adopt
from gotn.graph.paging import USUAL
from gotn.graph.reads import Relation
from gotn.graph.resolvers import fetched, listed
from gotn.graph.scope import require_project
from gotn.work.records import EdgeType, WorkEdgeDraft
from gotn.work.store.keys import key
from gotn.work.usecases import edges, replay
from gotn.work.usecases.writing import check_project


@strawberry.type(description="Everything that can be read.")
class Query(Questions):
    """Everything that can be read."""

    @field("Anything by its global id, or null.", Node | None)
    async def node(
        self,
        info: Info,
        id_: Annotated[
            strawberry.ID, strawberry.argument(name="id", description="`WorkNode:demo/n1`.")
        ],
    ) -> Any:
        """Anything by its global id, or null."""
        label, _, name = id_.partition(":")
        cls = faces.labelled(label)
        if cls is None or not name:
            raise Invalid("id: expected a global id such as WorkNode:demo/n1", field="id")
        return await fetched(info, cls, name.partition("/")[0], name)

    @field("Projects.", ProjectConnection)
    async def projects(
        self,
        info: Info,
        first: First = USUAL,
        after: After = None,
        order_by: Annotated[ProjectOrder, ORDER] = ProjectOrder.ID,
    ) -> Any:
        """Projects."""
        relation = Relation("Project", scoped=False)
        return await listed(info, relation, "", order_by, first, after)

    @field("A project, or null.", Project | None)
    async def project(self, info: Info, project: ProjectId = "default") -> Any:
        """A project, or null."""
        return await fetched(info, Project, check_project(project), project)

    @field("A work node, or null.", WorkNode | None)
    async def work_node(self, info: Info, id_: NodeId, project: ProjectId = "default") -> Any:
        """A work node, or null."""
        return await fetched(info, WorkNode, check_project(project), key(project, id_))

    @field("Work nodes.", WorkNodeConnection)
    async def work_nodes(
        self,
        info: Info,
        project: ProjectId = "default",
        first: First = USUAL,
        after: After = None,
        filter_: Annotated[WorkNodeFilter | None, FILTER] = None,
        order_by: Annotated[WorkNodeOrder, ORDER] = WorkNodeOrder.ID,
    ) -> Any:
        """Work nodes."""
        check_project(project)
        return await listed(info, Relation("WorkNode"), project, order_by, first, after, filter_)

    @field("An edge, or null; a soft edge is found either way round.", WorkEdge | None)
    async def work_edge(
        self,
        info: Info,
        src: Annotated[str, strawberry.argument(description="Id of the node it comes from.")],
        dst: Annotated[str, strawberry.argument(description="Id of the node it leads to.")],
        project: ProjectId = "default",
        type_: Annotated[
            EdgeType, strawberry.argument(name="type", description="What it means.")
        ] = EdgeType.HARD_REQUIRES,
        kind: Annotated[str | None, strawberry.argument(description=KIND)] = None,
    ) -> Any:
        """An edge, or null."""
        draft = WorkEdgeDraft(src=src, dst=dst, type=type_, kind=kind)
        found = await edges.show(info.context.database, project, draft)
        return None if found is None else adopt(WorkEdge, found)

    @field("Edges of the work graph, by source, type and target.", WorkEdgeConnection)
    async def work_edges(
        self,
        info: Info,
        project: ProjectId = "default",
        first: First = USUAL,
        after: After = None,
        filter_: Annotated[WorkEdgeFilter | None, FILTER] = None,
    ) -> Any:
        """Edges of the work graph."""
        return await edge_lists.listed(info, check_project(project), first, after, filter_)

    @field("Nodes that can be claimed now.", WorkNodeConnection)
    async def ready(
        self,
        info: Info,
        project: ProjectId = "default",
        first: First = USUAL,
        after: After = None,
        filter_: Annotated[WorkNodeFilter | None, FILTER] = None,
        order_by: Annotated[WorkNodeOrder, ORDER] = WorkNodeOrder.ID,
    ) -> Any:
        """Nodes that can be claimed now."""
        check_project(project)
        relation = Relation("WorkNode", where="node_is_ready", pinned="status")
        return await listed(info, relation, project, order_by, first, after, filter_)

    @field("Nodes that no edge joins to another.", WorkNodeConnection)
    async def orphans(
        self,
        info: Info,
        project: ProjectId = "default",
        first: First = USUAL,
        after: After = None,
        order_by: Annotated[WorkNodeOrder, ORDER] = WorkNodeOrder.ID,
    ) -> Any:
        """Nodes that no edge joins to another."""
        check_project(project)
        relation = Relation("WorkNode", where="node_is_orphan")
        return await listed(info, relation, project, order_by, first, after)

    @field("A run, or null.", Run | None)
    async def run(
        self,
        info: Info,
        id_: Annotated[
            str, strawberry.argument(name="id", description="Id of the run in its project.")
        ],
        project: ProjectId = "default",
    ) -> Any:
        """A run, or null."""
        return await fetched(info, Run, check_project(project), key(project, id_))

    @field("Runs.", RunConnection)
    async def runs(
        self,
        info: Info,
        project: ProjectId = "default",
        first: First = USUAL,
        after: After = None,
        filter_: Annotated[RunFilter | None, FILTER] = None,
        order_by: Annotated[RunOrder, ORDER] = RunOrder.NEWEST,
    ) -> Any:
        """Runs."""
        check_project(project)
        return await listed(info, Relation("Run"), project, order_by, first, after, filter_)

    @field("The journal of a project.", JournalConnection)
    async def journal(
        self,
        info: Info,
        project: ProjectId = "default",
        first: First = USUAL,
        after: After = None,
        filter_: Annotated[JournalFilter | None, FILTER] = None,
        order_by: Annotated[JournalOrder, ORDER] = JournalOrder.SEQ,
    ) -> Any:
        """The journal of a project."""
        check_project(project)
        return await listed(
            info, Relation("JournalEntry"), project, order_by, first, after, filter_
        )

    @field("Whether the journal is whole and gives what the database holds; reads everything.")
    async def journal_verification(
        self, info: Info, project: ProjectId = "default"
    ) -> Verification:
        """Whether the journal is whole and gives what the database holds."""
        return adopt(Verification, await replay.verify(info.context.database, project))

    @field("SHA-256 over everything a project holds; reads everything.")
    async def digest(self, info: Info, project: ProjectId = "default") -> str:
        """SHA-256 over everything a project holds."""
        await info.context.database.read(lambda tx: require_project(tx, check_project(project)))
        return await replay.current_digest(info.context.database, project)

    @field("Version of this service.")
    def version(self) -> str:
        """Version of this service."""
        return __version__
