"""Everything that can be read."""

from collections.abc import Mapping
from typing import Annotated, Any

import strawberry

from gotn import __version__
from gotn.api import edges as edge_lists
from gotn.api.alike import SimilarityQueries
from gotn.api.choosing import WorkNodeFilter, WorkNodeOrder
from gotn.api.costs import TaskQueries
from gotn.api.edges import WorkEdge, WorkEdgeConnection, WorkEdgeFilter
from gotn.api.history import JournalConnection, JournalFilter, JournalOrder
from gotn.api.inputs import KIND
from gotn.api.looking import Looking
from gotn.api.nodes import WorkNode, WorkNodeConnection
from gotn.api.projects import Project, ProjectConnection, ProjectOrder
from gotn.api.questions import Info, NodeId, Questions, field
from gotn.api.relay import Node
from gotn.api.runs import Run, RunConnection, RunFilter, RunOrder
from gotn.api.treework import TreeWorkQueries
from gotn.api.values import Verification
from gotn.errors import Invalid
from gotn.graph import faces
from gotn.graph.arguments import FILTER, ORDER, After, First, ProjectId
from gotn.graph.forms import adopt
from gotn.graph.paging import USUAL
from gotn.graph.reads import Find, Listed, Relation
from gotn.graph.resolvers import fetched, listed
from gotn.graph.scope import require_project
from gotn.work.records import EdgeType, WorkEdgeDraft
from gotn.work.store.keys import key
from gotn.work.usecases import edges, replay
from gotn.work.usecases.writing import check_project

PROJECTS = Relation("Project", scoped=False)
NODES = Relation("WorkNode")
READY = Relation("WorkNode", where="node_is_ready", pinned="status")
ORPHANS = Relation("WorkNode", where="node_is_orphan")
RUNS = Relation("Run")
ENTRIES = Relation("JournalEntry")


def _project(given: Mapping[str, Any]) -> str:
    return check_project(given["project"])


def _everywhere(_: Mapping[str, Any]) -> str:
    return ""


def _global(given: Mapping[str, Any]) -> tuple[str, str, str]:
    """Label, project and key of a global id; Invalid for what is none."""
    label, _, name = given["id_"].partition(":")
    if faces.labelled(label) is None or not name:
        raise Invalid("id: expected a global id such as WorkNode:demo/n1", field="id")
    return label, name.partition("/")[0], name


def _within(label: str) -> Find:
    """What is found by its id in a project."""

    def place(given: Mapping[str, Any]) -> tuple[str, str, str]:
        project = _project(given)
        return label, project, key(project, given["id_"])

    return Find(place)


def _itself(given: Mapping[str, Any]) -> tuple[str, str, str]:
    return "Project", _project(given), given["project"]


def _of_project(relation: Relation) -> Listed:
    return Listed(relation, _project)


@strawberry.type(description="Everything that can be read.")
class Query(Questions, TaskQueries, TreeWorkQueries, SimilarityQueries, Looking):
    """Everything that can be read."""

    @field("Anything by its global id, or null.", Node | None, Find(_global))
    async def node(
        self,
        info: Info,
        id_: Annotated[
            strawberry.ID, strawberry.argument(name="id", description="`WorkNode:demo/n1`.")
        ],
    ) -> Any:
        """Anything by its global id, or null."""
        label, project, name = _global({"id_": id_})
        found = faces.labelled(label)
        return None if found is None else await fetched(info, found, project, name)

    @field("Projects.", ProjectConnection, Listed(PROJECTS, _everywhere))
    async def projects(
        self,
        info: Info,
        first: First = USUAL,
        after: After = None,
        order_by: Annotated[ProjectOrder, ORDER] = ProjectOrder.ID,
    ) -> Any:
        """Projects."""
        return await listed(info, PROJECTS, "", order_by, first, after)

    @field("A project, or null.", Project | None, Find(_itself))
    async def project(self, info: Info, project: ProjectId = "default") -> Any:
        """A project, or null."""
        return await fetched(info, Project, check_project(project), project)

    @field("A work node, or null.", WorkNode | None, _within("WorkNode"))
    async def work_node(self, info: Info, id_: NodeId, project: ProjectId = "default") -> Any:
        """A work node, or null."""
        return await fetched(info, WorkNode, check_project(project), key(project, id_))

    @field("Work nodes.", WorkNodeConnection, _of_project(NODES))
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
        return await listed(info, NODES, project, order_by, first, after, filter_)

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

    @field(
        "Edges of the work graph, by source, type and target.",
        WorkEdgeConnection,
        edge_lists.EDGES,
    )
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

    @field("Nodes that can be claimed now.", WorkNodeConnection, _of_project(READY))
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
        return await listed(info, READY, project, order_by, first, after, filter_)

    @field("Nodes that no edge joins to another.", WorkNodeConnection, _of_project(ORPHANS))
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
        return await listed(info, ORPHANS, project, order_by, first, after)

    @field("A run, or null.", Run | None, _within("Run"))
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

    @field("Runs.", RunConnection, _of_project(RUNS))
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
        return await listed(info, RUNS, project, order_by, first, after, filter_)

    @field("The journal of a project.", JournalConnection, _of_project(ENTRIES))
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
        return await listed(info, ENTRIES, project, order_by, first, after, filter_)

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
