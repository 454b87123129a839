"""A part of a graph on a terminal: what was broken into what, and what each node needs."""

from typing import Any

from rich.console import Console
from rich.tree import Tree

from gotn.cli.show import parts
from gotn.cli.show.terminal import Text

Row = dict[str, Any]


def show(data: Row, console: Console) -> None:
    """Every node once, below the one it was broken out of, with the edges that lead to it."""
    if not data["nodes"]:
        console.print("No nodes.")
        return
    nodes = {node["id"]: node for node in data["nodes"]}
    below: dict[str, list[str]] = {}
    arriving: dict[str, list[Row]] = {}
    above: set[str] = set()
    for edge in data["edges"]:
        if edge["type"] == "derived_from":
            below.setdefault(edge["src"], []).append(edge["dst"])
            above.add(edge["dst"])
        else:
            arriving.setdefault(edge["dst"], []).append(edge)
    shown: set[str] = set()
    for id_ in [*(id_ for id_ in nodes if id_ not in above), *nodes]:
        if id_ not in shown:
            console.print(_tree(id_, nodes, below, arriving, shown))


def _tree(
    root: str,
    nodes: dict[str, Row],
    below: dict[str, list[str]],
    arriving: dict[str, list[Row]],
    shown: set[str],
) -> Tree:
    """A node and what it was broken into; a node that was shown is not shown again."""
    shown.add(root)
    top = Tree(_label(nodes[root], arriving.get(root, [])), guide_style="dim")
    todo = [(root, top)]
    while todo:
        id_, branch = todo.pop()
        for child in below.get(id_, ()):
            if child not in shown:
                shown.add(child)
                made = branch.add(_label(nodes[child], arriving.get(child, [])))
                todo.append((child, made))
    return top


def _label(node: Row, edges: list[Row]) -> Text:
    sign, style = parts.STATUS.get(node["status"], ("·", ""))
    label = Text(f"{sign} ", style=style)
    label.append(node["id"], style="bold").append(f"  {parts.short(node['summary'])}", "dim")
    words = {
        "needs": [e["src"] for e in edges if _hard(e) and not e["closes_cycle"]],
        "in a cycle with": [e["src"] for e in edges if e["closes_cycle"]],
        "about the same as": [e["src"] for e in edges if e["type"] == "soft_semantic"],
        "related to": [e["src"] for e in edges if e["type"] == "related"],
    }
    for word, ids in words.items():
        if ids:
            label.append(f"  {word} ", "red" if word == "in a cycle with" else "dim")
            label.append(parts.ids(ids), "cyan" if word == "needs" else "")
    return label


def _hard(edge: Row) -> bool:
    return bool(edge["type"] == "hard_requires")
