"""Answers of the API (plain data, snake_case) as pictures."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from gotn.cli.show.parts import STATUS, duration
from gotn.cli.views.picture import Box, Group, Kind, Line, Picture

Row = dict[str, Any]
#: Tags that a line names.
TAGS = 2


def graph(part: Mapping[str, Any], title: str = "", cut: str = "") -> Picture:
    """Nodes with every edge between them."""
    return Picture(
        boxes=tuple(_box(node) for node in part["nodes"]),
        lines=tuple(line(edge) for edge in part["edges"]),
        title=title,
        cut=cut,
    )


def tree(rows: Iterable[Row], cut: str = "") -> Picture:
    """A decomposition, parents before children."""
    rows = list(rows)
    return Picture(
        boxes=tuple(_box(row["node"]) for row in rows),
        lines=tuple(
            Line(row["parent"], row["node"]["id"], Kind.derived) for row in rows if row["parent"]
        ),
        title=f"What {rows[0]['node']['id']} was broken into" if rows else "",
        cut=cut,
    )


def plan_ids(plan: Mapping[str, Any]) -> list[str]:
    """The nodes that a plan speaks of, the first to be done first."""
    blocked = [item["id"] for item in plan["blocked"]]
    return [*plan["waiting_on"], *plan["ordered_node_ids"], *blocked]


def plan(data: Mapping[str, Any], part: Mapping[str, Any], cut: str = "") -> Picture:
    """A plan's layers as groups, what they wait for, what is blocked, and the critical path.

    `part` has the nodes to be shown and the edges between them; the order rests on hard edges.
    """
    nodes = {node["id"]: node for node in part["nodes"]}
    critical = data["critical_path"]
    path = [id_ for id_ in critical["node_ids"] if id_ in nodes]
    hard = [line(edge) for edge in part["edges"] if edge["type"] == "hard_requires"]
    groups = [Group("Running, waited for", tuple(data["waiting_on"]))]
    groups += [
        Group(f"Layer {number}", tuple(layer)) for number, layer in enumerate(data["layers"], 1)
    ]
    groups.append(Group("Blocked", tuple(item["id"] for item in data["blocked"])))
    return Picture(
        boxes=tuple(_box(node, critical=node["id"] in path) for node in nodes.values()),
        lines=tuple(_emphasised(hard, critical["node_ids"], nodes)),
        groups=tuple(group for group in groups if any(id_ in nodes for id_ in group.ids)),
        title=_title(data),
        cut=cut,
    )


def _title(data: Mapping[str, Any]) -> str:
    critical = data["critical_path"]
    name = data.get("goal") or f"Plan of {data['project_id']}"
    if not critical["node_ids"]:
        return str(name)
    return f"{name}: at least {duration(critical['length'], critical['unit'])}"


def _emphasised(hard: list[Line], path: list[str], nodes: Mapping[str, Row]) -> Iterable[Line]:
    """The hard lines, those of the path marked; a hop of it that is no edge gets a line too."""
    hops = {hop for hop in pairwise(path) if hop[0] in nodes and hop[1] in nodes}
    for one in hard:
        on_path = (one.src, one.dst) in hops
        yield Line(one.src, one.dst, one.kind, one.text, critical=on_path)
    for src, dst in sorted(hops - {(one.src, one.dst) for one in hard}):
        yield Line(src, dst, Kind.through, critical=True)


def line(edge: Mapping[str, Any]) -> Line:
    """An edge with what tells it from others of its kind: tags, score, the other tool's word."""
    kind = Kind.cycle if edge.get("closes_cycle") else Kind(edge["type"])
    text = ""
    if kind in (Kind.hard, Kind.cycle):
        tags = list(edge.get("tags") or ())
        text = ", ".join(tags[:TAGS]) + (f" +{len(tags) - TAGS}" if len(tags) > TAGS else "")
    elif kind is Kind.soft and edge.get("score") is not None:
        text = f"{edge['score']:.2f}"
    elif kind is Kind.related:
        text = edge.get("kind") or ""
    return Line(edge["src"], edge["dst"], kind, text)


def _box(node: Mapping[str, Any], *, critical: bool = False) -> Box:
    status = node.get("status") or ""
    return Box(
        id=node["id"],
        text=node.get("summary") or "",
        status=status,
        sign=STATUS.get(status, ("", ""))[0],
        critical=critical,
    )
