"""From what a caller gives to rows."""

from collections.abc import Iterable
from typing import Any

from gotn import shapes
from gotn.errors import Invalid
from gotn.work.records import EdgeType, GraphDraft, WorkEdgeDraft, WorkNodeDraft
from gotn.work.rules import forms

Row = dict[str, Any]
#: Where a parent set through the API is printed: on the child and on the parent.
SAID = ["children", "parent"]


def drafted(nodes: Iterable[WorkNodeDraft] = (), edges: Iterable[WorkEdgeDraft] = ()) -> GraphDraft:
    """Rows of new nodes and edges; Invalid lists every violation with its place."""
    draft = GraphDraft()
    violations: list[str] = []
    for at, node in enumerate(nodes):
        given = shapes.plain(node)
        parent, children = given.pop("parent", None), given.pop("children", None)
        try:
            draft.nodes.append(forms.node_row(given))
            draft.edges += family(node.id, parent, children)
        except Invalid as error:
            violations.append(f"nodes[{at}]: {error.message}")
    for at, edge in enumerate(edges):
        try:
            row = forms.edge_row(shapes.plain(edge))
            draft.edges.append(row | ({"said": ["edge"]} if _is_family(row) else {}))
        except Invalid as error:
            violations.append(f"edges[{at}]: {error.message}")
    if violations:
        raise Invalid("; ".join(violations[:20]), violations=violations[:1000])
    return once(draft)


def _is_family(row: Row) -> bool:
    return bool(row["type"] == EdgeType.DERIVED_FROM.value)


def family(id_: str, parent: Any, children: Any) -> list[Row]:
    """The derived_from rows of one node's parent and children."""
    rows: list[Row] = []
    if parent is not None:
        rows.append(_derived(forms.identifier(parent, "parent"), id_))
    listed = () if children is None else children
    for position, child in enumerate(forms.children(listed, "children")):
        rows.append(_derived(id_, child) | {"position": position})
    for row in rows:
        if row["src"] == row["dst"]:
            raise Invalid(f"parent: {id_!r} cannot be its own parent", field="parent")
    return rows


def _derived(parent: str, child: str) -> Row:
    return {"type": EdgeType.DERIVED_FROM.value, "src": parent, "dst": child, "said": SAID}


def once(draft: GraphDraft) -> GraphDraft:
    """The draft with each thing named once; Invalid where two rows of one id differ."""
    known: dict[str, Row] = {}
    for row in draft.nodes:
        before = known.setdefault(row["id"], row)
        if before != row:
            raise Invalid(f"id: {row['id']!r} is given twice, with different content", id=row["id"])
    draft.nodes = list(known.values())
    joined: dict[tuple[str, ...], Row] = {}
    for row in draft.edges:
        name = (row["type"], row["src"], row["dst"], row.get("kind", ""))
        joined[name] = joined.get(name, {}) | row
    draft.edges = list(joined.values())
    return draft
