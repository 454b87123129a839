"""Everything that can be read."""

from typing import Annotated, Any

import strawberry

from gotn import __version__
from gotn.api import edges as edge_lists
from gotn.api.context import Context
from gotn.api.edges import WorkEdgeConnection, WorkEdgeFilter
from gotn.api.history import JournalConnection, JournalFilter, JournalOrder
from gotn.api.nodes import WorkNode, WorkNodeConnection, WorkNodeFilter, WorkNodeOrder
from gotn.api.projects import Project, ProjectConnection, ProjectOrder
from gotn.api.relay import Node
from gotn.api.runs import Plan, Run, RunConnection, RunFilter, RunOrder
from gotn.api.values import REACHED, ReachedConnection, TreeRow, Verification
from gotn.errors import Invalid
from gotn.graph import faces
from gotn.graph.arguments import FILTER, ORDER, After, First, ProjectId
from gotn.graph.forms import adopt
from gotn.graph.paging import USUAL, checked, decode
from gotn.graph.reads import Relation
from gotn.graph.resolvers import fetched, listed
from gotn.work.records import (
    BlockingPath,
    Cycle,
    CycleCheck,
    Impact,
    UnmetRequirement,
)
from gotn.work.store import asking
from gotn.work.store.keys import key
from gotn.work.usecases import planning, replay
from gotn.work.usecases.writing import check_project

Info = strawberry.Info[Context, None]
NodeId = Annotated[
    str, strawberry.argument(name="id", description="Id of the node in its project.")
]

RunId = Annotated[str, strawberry.argument(name="id", description="Id of the run in its project.")]
GlobalId = Annotated[
    strawberry.ID, strawberry.argument(name="id", description="`WorkNode:demo/n1`.")
]


def _field(description: str, result: Any = None) -> Any:
    return strawberry.field(description=description, graphql_type=result)


async def _ask(info: Info, question: Any, project: str, *given: Any) -> Any:
    """What a function of gotn.work.store.asking answers, in one transaction."""
    check_project(project)
    return await info.context.database.read(lambda tx: question(tx, project, *given))


@strawberry.type(description="Everything that can be read.")
class Query:
    """Everything that can be read."""

    @_field("Anything by its global id, or null.", Node | None)
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

    @_field("Projects.", ProjectConnection)
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

    @_field("A project, or null.", Project | None)
    async def project(self, info: Info, project: ProjectId = "default") -> Any:
        """A project, or null."""
        return await fetched(info, Project, check_project(project), project)

    @_field("A work node, or null.", WorkNode | None)
    async def work_node(self, info: Info, id_: NodeId, project: ProjectId = "default") -> Any:
        """A work node, or null."""
        return await fetched(info, WorkNode, check_project(project), key(project, id_))

    @_field("Work nodes.", WorkNodeConnection)
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

    @_field("Edges of the work graph, by source, type and target.", WorkEdgeConnection)
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

    @_field("Nodes that can be claimed now.", WorkNodeConnection)
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

    @_field("Nodes that no edge joins to another.", WorkNodeConnection)
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

    @_field("Every node that must be done before one, nearest first.")
    async def prerequisites(
        self,
        info: Info,
        id_: NodeId,
        project: ProjectId = "default",
        first: First = USUAL,
        after: After = None,
    ) -> ReachedConnection:
        """Every node that must be done before one, nearest first."""
        return await _reached(info, asking.prerequisites, project, id_, first, after)

    @_field("Every node that needs one, nearest first.")
    async def dependants(
        self,
        info: Info,
        id_: NodeId,
        project: ProjectId = "default",
        first: First = USUAL,
        after: After = None,
    ) -> ReachedConnection:
        """Every node that needs one, nearest first."""
        return await _reached(info, asking.dependants, project, id_, first, after)

    @_field("What depends on a node.")
    async def impact(self, info: Info, id_: NodeId, project: ProjectId = "default") -> Impact:
        """What depends on a node."""
        found: Impact = await _ask(info, asking.impact, project, id_)
        return found

    @_field("Why a node cannot start: a path from each cause; empty where it can.")
    async def why(
        self, info: Info, id_: NodeId, project: ProjectId = "default"
    ) -> list[BlockingPath]:
        """Why a node cannot start."""
        found: list[BlockingPath] = await _ask(info, asking.why, project, id_)
        return found

    @_field("Whether a hard edge would close a cycle, and which.")
    async def would_cycle(
        self,
        info: Info,
        src: Annotated[str, strawberry.argument(description="Id of the node done first.")],
        dst: Annotated[str, strawberry.argument(description="Id of the node that needs it.")],
        project: ProjectId = "default",
    ) -> CycleCheck:
        """Whether a hard edge would close a cycle, and which."""
        found: CycleCheck = await _ask(info, asking.would_cycle, project, src, dst)
        return found

    @_field("Nodes that need each other, with one shortest way round for each component.")
    async def cycles(self, info: Info, project: ProjectId = "default") -> list[Cycle]:
        """Nodes that need each other."""
        found: list[Cycle] = await _ask(info, asking.cycles, project)
        return found

    @_field("Required tags that nobody produces, at most 1,000.")
    async def unmet(self, info: Info, project: ProjectId = "default") -> list[UnmetRequirement]:
        """Required tags that nobody produces."""
        found: list[UnmetRequirement] = await _ask(info, asking.unmet, project)
        return found

    @_field("A node and all it was broken into, parents first, at most 10,000.")
    async def tree_of(
        self, info: Info, id_: NodeId, project: ProjectId = "default"
    ) -> list[TreeRow]:
        """A node and all it was broken into, parents first."""
        return [TreeRow.of(row) for row in await _ask(info, asking.tree_of, project, id_)]

    @_field("A run, or null.", Run | None)
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

    @_field("Runs.", RunConnection)
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

    @_field("The plan of what is open now, without storing it.")
    async def plan_preview(
        self,
        info: Info,
        project: ProjectId = "default",
        goal: Annotated[str, strawberry.argument(description="What it is for.")] = "",
        targets: Annotated[
            list[str] | None,
            strawberry.argument(description="Ids to reach with what they need; none: all."),
        ] = None,
        leaves: Annotated[
            bool, strawberry.argument(description="Leave out nodes with children.")
        ] = False,
    ) -> Plan:
        """The plan of what is open now, without storing it."""
        found = await planning.plan(
            info.context.database,
            info.context.request(project, None),
            goal=goal,
            targets=tuple(targets or ()),
            leaves=leaves,
            dry_run=True,
        )
        return adopt(Plan, found)

    @_field("The journal of a project.", JournalConnection)
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

    @_field("Whether the journal is whole and gives what the database holds; reads everything.")
    async def journal_verification(
        self, info: Info, project: ProjectId = "default"
    ) -> Verification:
        """Whether the journal is whole and gives what the database holds."""
        return adopt(Verification, await replay.verify(info.context.database, project))

    @_field("SHA-256 over everything a project holds; reads everything.")
    async def digest(self, info: Info, project: ProjectId = "default") -> str:
        """SHA-256 over everything a project holds."""
        return await replay.current_digest(info.context.database, check_project(project))

    @_field("Version of this service.")
    def version(self) -> str:
        """Version of this service."""
        return __version__


async def _reached(
    info: Info, question: Any, project: str, id_: str, first: int, after: str | None
) -> ReachedConnection:
    at = (0, "")
    if after is not None:
        distance, last = decode(REACHED, 2, after)
        if not isinstance(distance, int) or not isinstance(last, str):
            raise Invalid("after: this is not a cursor of this list", field="after")
        at = (distance, last)
    found = await _ask(info, question, project, id_, checked(first) + 1, at)
    return ReachedConnection.of(found, first, after)
