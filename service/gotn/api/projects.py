"""Projects in GraphQL."""

from enum import Enum

import strawberry
from strawberry.scalars import JSON

from gotn.api.describing import described
from gotn.api.relay import Connection, Edge, Node
from gotn.graph import faces
from gotn.graph.fields import member, stored
from gotn.graph.paging import Key, by
from gotn.graph.reads import Entity, Expression
from gotn.work import records


@strawberry.enum(description="How projects are listed.")
class ProjectOrder(Enum):
    """How projects are listed."""

    ID = strawberry.enum_value(by(Key("key")), description="By id.")


@strawberry.type(description="A space of its own: every id, edge and journal belongs to one.")
class Project(records.Project, Node):
    """A space of its own: every id, edge and journal belongs to one."""

    id: strawberry.Private[str]
    project_id: str = member("id", str, "Its id.")
    settings: JSON | None = stored("What it is set to.")
    nodes: int = stored("How many nodes it has.", Expression("project_nodes"), 0)
    edges: int = stored("How many edges of all types it has.", Expression("project_edges"), 0)
    runs: int = stored("How many runs it has.", Expression("project_runs"), 0)
    trees: int = stored("How many task trees it has.", Expression("project_trees"), 0)
    pending: int = stored(
        "How many edges and steps wait for a node.", Expression("project_pending"), 0
    )
    unfinished_import: int | None = stored(
        "How many things a large import has staged, unseen, that has not finished: the same "
        "import again goes on with it, `gotn import --abort` takes it away. Null: there is none.",
        Expression("project_unfinished_import"),
    )


described(
    Project,
    seq="The journal's last seq.",
    created_at="When it was created.",
    updated_at="When it was last changed.",
)
faces.entity(Project, Entity("Project", lambda project: str(project.id), needs=("id",)))


@strawberry.type(description="A project in a list.")
class ProjectEdge(Edge):
    """A project in a list."""

    node: Project = strawberry.field(description="The project.")


@strawberry.type(description="Projects.")
class ProjectConnection(Connection):
    """Projects."""

    edges: list[ProjectEdge] = strawberry.field(description="The rows with their cursors.")
    nodes: list[Project] = strawberry.field(description="The projects alone.")
