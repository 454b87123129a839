"""A part of a graph in GraphQL: nodes, and every edge between them."""

import asyncio
from typing import Any

import strawberry

from gotn.api.edges import WorkEdge
from gotn.api.nodes import WorkNode
from gotn.graph.forms import adopt
from gotn.graph.resolvers import found_by_key
from gotn.work.store import subgraph
from gotn.work.store.keys import key


@strawberry.type(description="A part of a graph: some nodes, and every edge between them.")
class Subgraph:
    """A part of a graph: some nodes, and every edge between them."""

    project_id: strawberry.Private[str]
    ids: strawberry.Private[tuple[str, ...]]
    edges: list[WorkEdge] = strawberry.field(
        description="The edges that have both ends among the nodes, at most 5,000."
    )
    more: bool = strawberry.field(
        description="Nodes were left out because there are more than `first`, or edges."
    )

    @strawberry.field(
        description="The nodes: the nearest first, or as they were asked for, or by id.",
        graphql_type=list[WorkNode],
    )
    async def nodes(self, info: strawberry.Info) -> Any:
        """The nodes, with what the document selects of them, in one statement."""
        keys = [key(self.project_id, id_) for id_ in self.ids]
        found = await asyncio.gather(
            *(found_by_key(info, WorkNode, self.project_id, one) for one in keys)
        )
        return [node for node in found if node is not None]

    @staticmethod
    def of(found: subgraph.Part, project_id: str) -> "Subgraph":
        """From what the store found."""
        return Subgraph(
            project_id=project_id,
            ids=found.ids,
            edges=[adopt(WorkEdge, edge) for edge in found.edges],
            more=found.more,
        )
