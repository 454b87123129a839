"""Everything that can be changed: one call of a use case each."""

import asyncio
import io
from typing import Annotated

import strawberry

from gotn import errors, shapes
from gotn.api import inputs
from gotn.api.alike import SimilarityMutations
from gotn.api.changing import GIVEN, mutation, union
from gotn.api.context import Context
from gotn.api.costs import TaskMutations
from gotn.api.deduping import DedupeMutations
from gotn.api.edges import WorkEdge
from gotn.api.errors import (
    Conflict,
    CycleRefused,
    IllegalMove,
    InvalidInput,
    LimitExceeded,
    NotFound,
    StaleRevision,
)
from gotn.api.executing import Executing
from gotn.api.nodes import WorkNode
from gotn.api.projects import Project
from gotn.api.protocol import ProtocolMutations
from gotn.api.runs import Plan
from gotn.api.treework import TreeWorkMutations
from gotn.errors import Invalid
from gotn.graph.forms import adopt
from gotn.graph.selection import selected
from gotn.work import exchange, records
from gotn.work.records import Imported, Linked, Removed, WorkEdgeDraft
from gotn.work.usecases import bulk, edges, link, nodes, planning, projects

Info = strawberry.Info[Context, None]


WorkNodeResult = Annotated[
    WorkNode
    | NotFound
    | InvalidInput
    | Conflict
    | StaleRevision
    | CycleRefused
    | LimitExceeded
    | IllegalMove,
    union("WorkNodeResult", "A node, or why it was refused."),
]
WorkEdgeResult = Annotated[
    WorkEdge | NotFound | InvalidInput | Conflict | CycleRefused | LimitExceeded,
    union("WorkEdgeResult", "An edge, or why it was refused."),
]
RemovedResult = Annotated[
    Removed | NotFound | InvalidInput | Conflict | StaleRevision | LimitExceeded,
    union("RemovedResult", "What is gone, or why nothing is."),
]
ImportedResult = Annotated[
    Imported | NotFound | InvalidInput | Conflict | CycleRefused | LimitExceeded,
    union("ImportedResult", "What was added, or why nothing was."),
]
LinkedResult = Annotated[
    Linked | NotFound | InvalidInput | Conflict | LimitExceeded,
    union("LinkedResult", "What deriving changed, or why it was refused."),
]
PlanResult = Annotated[
    Plan | NotFound | InvalidInput | Conflict | CycleRefused | LimitExceeded,
    union("PlanResult", "A plan, or why there is none."),
]
ProjectResult = Annotated[
    Project | NotFound | InvalidInput | Conflict | LimitExceeded,
    union("ProjectResult", "A project, or why it was refused."),
]


@strawberry.type(description="Everything that can be changed; every change is journalled.")
class Mutation(
    Executing,
    TaskMutations,
    ProtocolMutations,
    TreeWorkMutations,
    SimilarityMutations,
    DedupeMutations,
):
    """Everything that can be changed; every change is journalled."""

    @mutation(WorkNodeResult, "Add a node; the same again changes nothing.")
    async def add_node(self, info: Info, given: Annotated[inputs.AddNodeInput, GIVEN]) -> WorkNode:
        """Add a node."""
        request = info.context.request(given.project, given.idempotency_key)
        return adopt(WorkNode, await nodes.add(info.context.database, request, given.node))

    @mutation(WorkNodeResult, "Change a node; absent members stay as they are.")
    async def update_node(
        self, info: Info, given: Annotated[inputs.UpdateNodeInput, GIVEN]
    ) -> WorkNode:
        """Change a node."""
        request = info.context.request(given.project, given.idempotency_key)
        found = await nodes.update(
            info.context.database,
            request,
            given.id,
            inputs.changes(given),
            given.expected_revision,
        )
        return adopt(WorkNode, found)

    @mutation(RemovedResult, "Remove a node; what it is joined to only goes along by cascade.")
    async def remove_node(
        self, info: Info, given: Annotated[inputs.RemoveNodeInput, GIVEN]
    ) -> Removed:
        """Remove a node."""
        request = info.context.request(given.project, given.idempotency_key)
        return await nodes.remove(
            info.context.database,
            request,
            given.id,
            cascade=given.cascade,
            expected_revision=given.expected_revision,
        )

    @mutation(WorkEdgeResult, "Join two nodes; the same again changes nothing.")
    async def add_edge(self, info: Info, given: Annotated[inputs.AddEdgeInput, GIVEN]) -> WorkEdge:
        """Join two nodes."""
        request = info.context.request(given.project, given.idempotency_key)
        return adopt(WorkEdge, await edges.add(info.context.database, request, given.edge))

    @mutation(
        WorkEdgeResult, "Change an edge; absent members stay. What tags alone give is refused."
    )
    async def update_edge(
        self, info: Info, given: Annotated[inputs.UpdateEdgeInput, GIVEN]
    ) -> WorkEdge:
        """Change an edge."""
        request = info.context.request(given.project, given.idempotency_key)
        draft = WorkEdgeDraft(src=given.src, dst=given.dst, type=given.type, kind=given.kind)
        changes = inputs.edge_changes(given)
        return adopt(WorkEdge, await edges.update(info.context.database, request, draft, changes))

    @mutation(RemovedResult, "Take an edge away; of one that tags also give, the explicit part.")
    async def remove_edge(
        self, info: Info, given: Annotated[inputs.RemoveEdgeInput, GIVEN]
    ) -> Removed:
        """Take an edge away."""
        request = info.context.request(given.project, given.idempotency_key)
        draft = WorkEdgeDraft(src=given.src, dst=given.dst, type=given.type, kind=given.kind)
        return await edges.remove(info.context.database, request, draft)

    @mutation(ImportedResult, "Add many nodes and edges at once: all of it, or nothing.")
    async def add_graph(
        self, info: Info, given: Annotated[inputs.AddGraphInput, GIVEN]
    ) -> Imported:
        """Add many nodes and edges at once."""
        request = info.context.request(given.project, given.idempotency_key)
        return await bulk.add_graph(
            info.context.database,
            request,
            list(given.nodes),
            list(given.edges),
            link=given.link,
            flag_cycles=given.flag_cycles,
        )

    @mutation(
        ImportedResult,
        "Take in a document of this or another tool: all of it, or nothing. The same again "
        "changes nothing; what is stored already gets what the document says of it.",
    )
    async def import_graph(
        self, info: Info, given: Annotated[inputs.ImportGraphInput, GIVEN]
    ) -> Imported:
        """Take in a document of this or another tool."""
        inputs.check_key(given.idempotency_key)
        shapes.check_text(given.content, "content")
        content = io.BytesIO(given.content.encode())
        # Reading a large document takes seconds, in which others are answered.
        draft = await asyncio.to_thread(exchange.read, content, given.format.value, name="content")
        return await bulk.import_graph(
            info.context.database,
            info.context.request(given.project, given.idempotency_key),
            draft,
            flag_cycles=given.flag_cycles,
            derive=given.link,
            dry_run=given.dry_run,
        )

    @mutation(LinkedResult, "Derive hard edges from required and produced tags.")
    async def link(self, info: Info, given: Annotated[inputs.LinkInput, GIVEN]) -> Linked:
        """Derive hard edges from tags."""
        request = info.context.request(given.project, given.idempotency_key)
        return await link.link(info.context.database, request, whole=given.whole)

    @mutation(PlanResult, "Put the open work in a safe order and keep it as a run.")
    async def plan(self, info: Info, given: Annotated[inputs.PlanInput, GIVEN]) -> Plan:
        """Put the open work in a safe order and keep it as a run."""
        request = info.context.request(given.project, given.idempotency_key)
        found = await planning.plan(
            info.context.database,
            request,
            goal=given.goal,
            targets=tuple(given.targets),
            leaves=given.leaves,
            workspace=given.workspace,
            summaries="summary" in selected(info, "steps"),
        )
        return adopt(Plan, found)

    @mutation(ProjectResult, "Change a project's settings.")
    async def update_project_settings(
        self, info: Info, given: Annotated[inputs.ProjectSettingsInput, GIVEN]
    ) -> Project:
        """Change a project's settings."""
        if not isinstance(given.settings, dict):
            raise Invalid("settings: expected an object", field="settings")
        request = info.context.request(given.project, given.idempotency_key)
        found = await projects.settings(info.context.database, request, given.settings)
        return adopt(Project, found)

    @mutation(ProjectResult, "Remove a project with all it has, its journal too. There is no undo.")
    async def remove_project(
        self, info: Info, given: Annotated[inputs.RemoveProjectInput, GIVEN]
    ) -> Project:
        """Remove a project with all it has; answers with what it was."""
        inputs.check_key(given.idempotency_key)
        request = info.context.request(given.project, None)
        try:
            return adopt(Project, await projects.remove(info.context.database, request))
        except errors.NotFound:
            if given.idempotency_key is None:
                raise
            return adopt(Project, records.Project(id=given.project))
