"""Relay's own shapes: entities with a global id, edges and connections."""

from typing import Annotated, Any

import strawberry

from gotn.graph import fields
from gotn.graph.pages import PageInfo


@strawberry.interface(description="Anything with a global id.")
class Node:
    """Anything with a global id."""

    global_id: strawberry.ID = fields.global_id()


@strawberry.interface(description="One row of a page.")
class Edge:
    """One row of a page; subclasses add the node and what is known of its relationship."""

    cursor: str = strawberry.field(description="Where this row stands, for `after`.")


@strawberry.interface(description="One page of a list.")
class Connection:
    """One page of a list; subclasses add edges and nodes."""

    page_info: PageInfo = strawberry.field(description="Where this page stands in the list.")
    total_count: int = strawberry.field(
        description="How many rows the whole list has; counted only when it is selected."
    )


def later(name: str, module: str) -> Any:
    """The type of this name in a module that is loaded afterwards."""
    annotated: Any = Annotated
    return annotated[name, strawberry.lazy(module)]
