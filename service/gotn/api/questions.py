"""Questions about a graph that its store answers, and the plan of what is open."""

from typing import Annotated, Any

import strawberry

from gotn.api.context import Context
from gotn.api.runs import Plan
from gotn.api.subgraph import Subgraph
from gotn.api.values import REACHED, ReachedConnection, TreeRow
from gotn.errors import Invalid
from gotn.graph.arguments import After, First, ProjectId
from gotn.graph.forms import adopt
from gotn.graph.paging import USUAL, checked, decode
from gotn.graph.reads import KEY, Ask, Read
from gotn.graph.selection import selected
from gotn.work.records import (
    BlockingPath,
    Cycle,
    CycleCheck,
    Impact,
    NodeStatus,
    UnmetRequirement,
)
from gotn.work.store import asking, subgraph
from gotn.work.usecases import planning
from gotn.work.usecases.writing import check_project

ASK = Ask()
Info = strawberry.Info[Context, None]
NodeId = Annotated[
    str, strawberry.argument(name="id", description="Id of the node in its project.")
]

RunId = Annotated[str, strawberry.argument(name="id", description="Id of the run in its project.")]
GlobalId = Annotated[
    strawberry.ID, strawberry.argument(name="id", description="`WorkNode:demo/n1`.")
]


def field(description: str, result: Any = None, read: Read = ASK) -> Any:
    """A root field with its description, its type where the annotation is not it, its read."""
    return strawberry.field(description=description, graphql_type=result, metadata={KEY: read})


async def _ask(info: Info, question: Any, project: str, *given: Any) -> Any:
    """What a function of gotn.work.store.asking answers, in one transaction."""
    check_project(project)
    return await info.context.database.read(lambda tx: question(tx, project, *given))


@strawberry.type(description="Questions about a graph.")
class Questions:
    """Questions about a graph; part of Query."""

    @field("Every node that must be done before one, nearest first.")
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

    @field("Every node that needs one, nearest first.")
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

    @field("What depends on a node.")
    async def impact(self, info: Info, id_: NodeId, project: ProjectId = "default") -> Impact:
        """What depends on a node."""
        found: Impact = await _ask(info, asking.impact, project, id_)
        return found

    @field("Why a node cannot start: a path from each cause; empty where it can.")
    async def why(
        self, info: Info, id_: NodeId, project: ProjectId = "default"
    ) -> list[BlockingPath]:
        """Why a node cannot start."""
        found: list[BlockingPath] = await _ask(info, asking.why, project, id_)
        return found

    @field("Whether a hard edge would close a cycle, and which.")
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

    @field(
        "Nodes that need each other, at most 1,000 components, each with one shortest way round."
    )
    async def cycles(self, info: Info, project: ProjectId = "default") -> list[Cycle]:
        """Nodes that need each other."""
        found: list[Cycle] = await _ask(info, asking.cycles, project)
        return found

    @field("Required tags that nobody produces, at most the first 1,000 by name.")
    async def unmet(self, info: Info, project: ProjectId = "default") -> list[UnmetRequirement]:
        """Required tags that nobody produces."""
        found: list[UnmetRequirement] = await _ask(info, asking.unmet, project)
        return found

    @field("A node and all it was broken into, parents first; LIMIT where it is more than 10,000.")
    async def tree_of(
        self, info: Info, id_: NodeId, project: ProjectId = "default"
    ) -> list[TreeRow]:
        """A node and all it was broken into, parents first."""
        return [TreeRow.of(row) for row in await _ask(info, asking.tree_of, project, id_)]

    @field("A part of the graph to look at; without `ids` and `around` the first nodes by id.")
    async def subgraph(
        self,
        info: Info,
        project: ProjectId = "default",
        ids: Annotated[
            list[str] | None,
            strawberry.argument(description="These nodes, at most 500; `status` asks nothing."),
        ] = None,
        around: Annotated[
            str | None, strawberry.argument(description="Id of a node: what is near it.")
        ] = None,
        depth: Annotated[
            int, strawberry.argument(description="Edges away from it, either way, at most 20.")
        ] = 2,
        status: Annotated[
            list[NodeStatus] | None,
            strawberry.argument(description="Only nodes in one of these, and the one in `around`."),
        ] = None,
        first: First = USUAL,
    ) -> Subgraph:
        """A part of the graph to look at."""
        scope = subgraph.Scope(
            ids=None if ids is None else tuple(ids),
            around=around,
            depth=depth,
            statuses=tuple(status or ()),
            first=first,
        )
        return Subgraph.of(await _ask(info, subgraph.part, project, scope), project)

    @field("The plan of what is open now, without storing it.")
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
            mirror=info.context.mirror,
            summaries="summary" in selected(info, "steps"),
        )
        return adopt(Plan, found)


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
