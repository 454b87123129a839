"""Relay's pages: what a document wants of one, and the page made from rows."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import strawberry
from strawberry.types.base import (
    StrawberryList,
    StrawberryOptional,
    get_object_definition,
)

from gotn.graph import faces, paging
from gotn.graph.forms import build
from gotn.graph.reads import Read
from gotn.graph.selection import selected


@strawberry.type(description="Where a page stands in its list.")
class PageInfo:
    """Where a page stands in its list."""

    has_next_page: bool = strawberry.field(description="Whether rows follow.")
    has_previous_page: bool = strawberry.field(description="Whether this page began at a cursor.")
    start_cursor: str | None = strawberry.field(description="Cursor of the first row.")
    end_cursor: str | None = strawberry.field(description="Cursor of the last row.")


@dataclass(frozen=True)
class Wanted:
    """What a document selects of a connection."""

    page_class: Any
    edge_class: Any
    node_class: Any
    members: dict[str, Read]
    facts: dict[str, Read]
    rows: bool
    total: bool

    def page(
        self,
        rows: list[Any],
        total: int | None,
        first: int,
        order: str,
        after: str | None,
        project: str,
    ) -> Any:
        """A page from rows of [entity, facts, cursor's values], one more where it goes on."""
        edges = [self._edge(row, order, project) for row in rows[:first]]
        page = self.page_class.__new__(self.page_class)
        page.edges = edges
        page.nodes = [edge.node for edge in edges]
        page.total_count = total
        page.page_info = PageInfo(
            has_next_page=len(rows) > first,
            has_previous_page=after is not None,
            start_cursor=edges[0].cursor if edges else None,
            end_cursor=edges[-1].cursor if edges else None,
        )
        return page

    def _edge(self, row: list[Any], order: str, project: str) -> Any:
        entity, facts, values = row
        node_forms = faces.face(self.node_class).forms(self.members)
        node = build(self.node_class, entity, node_forms, project_id=project)
        forms = faces.face(self.edge_class).forms(self.facts)
        return build(self.edge_class, facts, forms, node=node, cursor=paging.encode(order, values))


def wanted(page_class: type, info: Any) -> Wanted:
    """What a document selects of this connection."""
    edge_class, node_class = classes(page_class)
    chosen = selected(info)
    names = selected(info, "edges", "node") | selected(info, "nodes")
    facts = faces.face(edge_class).members(selected(info, "edges") - {"node", "cursor"})
    return Wanted(
        page_class=page_class,
        edge_class=edge_class,
        node_class=node_class,
        members=faces.face(node_class).members(names),
        facts=facts,
        rows=bool(chosen & {"edges", "nodes", "pageInfo"}),
        total="totalCount" in chosen,
    )


@cache
def classes(page_class: type) -> tuple[type, type]:
    """The classes of a connection's edges and of what they lead to."""
    edge = _inner(page_class, "edges")
    return edge, _inner(edge, "node")


def _inner(cls: type, name: str) -> type:
    definition = get_object_definition(cls, strict=True)
    kind: Any = next(f for f in definition.fields if f.python_name == name).type
    while isinstance(kind, StrawberryList | StrawberryOptional):
        kind = kind.of_type
    found: type = kind
    return found
