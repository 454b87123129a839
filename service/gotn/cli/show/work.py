"""Nodes and the answers about them: lists, links, cycles, paths, trees."""

from typing import Any

from rich.console import Console
from rich.tree import Tree

from gotn.cli.show import parts
from gotn.cli.show.terminal import Text

Row = dict[str, Any]
#: Rows that the API lists of what has no pages: unmet tags and cycles.
LISTED = 1000

#: What `why` says about a node that is past starting.
_PAST = {
    "running": "it has started already; nothing holds it.",
    "completed": "it is done already; nothing holds it.",
    "skipped": "it was left out; it will not start.",
    "failed": "it has started and failed; set it ready to try again.",
}


def show_nodes(data: Row, console: Console) -> None:
    """A list of nodes; with distances where they were reached."""
    rows = data["nodes"]
    if not rows:
        console.print("No nodes.")
        return
    far = "distance" in rows[0]
    columns = ["away"] if far else []
    grid = parts.table(*columns, "id", "status", "kind", "summary", right=("away",))
    for row in rows:
        cells = [str(row["distance"])] if far else []
        grid.add_row(
            *cells,
            parts.text(row["id"], "bold"),
            parts.status(row["status"]),
            parts.text(row["kind"], "dim"),
            parts.text(parts.short(row["summary"])),
        )
    console.print(grid)
    if data.get("total") is not None:
        parts.more(console, len(rows), data["total"])
    elif data.get("more"):
        console.print(Text("… and more; --limit shows them.", style="dim"))


def show_linked(data: Row, console: Console) -> None:
    """What deriving edges changed."""
    changed = f"{data['added']} added, {data['removed']} removed"
    if data.get("updated"):
        changed += f", {data['updated']} updated"
    console.print(Text(f"Edges derived from tags: {changed}.", style="bold"))
    if data["unmet"]:
        parts.heading(console, "Unmet requirements", "nobody produces these; they block nothing")
        _unmet(data["unmet"], console)
    if data["cycles"]:
        parts.heading(console, "Cycles", "flagged; a plan of these nodes is refused")
        _cycles(data["cycles"], console)


def show_unmet(data: Row, console: Console) -> None:
    """Tags that nobody produces."""
    if not data["unmet"]:
        console.print("Every required tag has a producer.")
    _unmet(data["unmet"], console)


def _unmet(rows: list[Row], console: Console) -> None:
    for row in rows:
        line = Text(f"  ? {row['tag']}", style="yellow")
        console.print(line.append(f"  asked for by {parts.ids(row['nodes'])}", style="dim"))
    _cut(rows, console)


def _cut(rows: list[Row], console: Console) -> None:
    """Say it where a list without pages is as long as it can be."""
    if len(rows) >= LISTED:
        console.print(Text(f"… only the first {LISTED:,} are listed.", style="yellow"))


def show_cycles(data: Row, console: Console) -> None:
    """Every component of nodes that need each other."""
    if not data["components"]:
        console.print(Text("No cycles.", style="green"))
        return
    found = data["components"]
    console.print(Text(parts.count(len(found), "cycle") + ":", style="bold red"))
    _cycles(found, console)


def _cycles(rows: list[Row], console: Console) -> None:
    for row in rows:
        line = Text("  ↻ ", style="red")
        line.append(row["path"][0] if row["path"] else "a way round not looked for", style="bold")
        for tag, name in zip(row["tags"], row["path"][1:], strict=False):
            line.append(f" —{tag}→ ", style="dim").append(name, style="bold")
        console.print(line)
        if len(row["nodes"]) >= len(row["path"]):
            console.print(Text(f"    among {parts.ids(row['nodes'])}", style="dim"))
    _cut(rows, console)


def show_why(data: Row, console: Console) -> None:
    """The paths that keep a node from starting."""
    if not data["paths"] or data.get("status") in _PAST:
        console.print(_free(data))
        return
    console.print(Text(f"{data['id']} waits for:", style="bold"))
    for path in data["paths"]:
        sign, style = parts.STATUS.get(path["status"], ("·", ""))
        line = Text(f"  {sign} {path['cause']}", style=style)
        line.append(f" ({path['status']})", style="dim")
        for hop in path["hops"]:
            tags = ", ".join(hop["tags"]) or "explicit"
            line.append(f" —{tags}→ ", style="dim").append(hop["dst"])
        console.print(line)


def _free(data: Row) -> Text:
    """That nothing holds a node; one that is past starting says so, where its status is known."""
    status = data.get("status")
    if status in _PAST:
        return Text().append(parts.status(status)).append(f"  {data['id']}: {_PAST[status]}")
    return Text(f"Nothing keeps {data['id']} from starting.", style="green")


def show_impact(data: Row, console: Console) -> None:
    """What depends on a node."""
    needs = "needs" if data["dependants"] == 1 else "need"
    counts = " · ".join(f"{one['count']} {one['status']}" for one in data["by_status"])
    console.print(
        Text(parts.count(data["dependants"], "node"), style="bold").append(
            f" {needs} {data['id']}{' (' + counts + ')' if counts else ''}", style=""
        )
    )
    parts.facts(
        console,
        {
            "Directly": parts.ids(data["direct"], 30),
            "Tags only it produces": parts.ids(data["sole_tags"], 30),
            "Open runs": parts.ids(data["runs"], 30),
        },
    )


def show_tree(data: Row, console: Console) -> None:
    """A decomposition tree, parents before children."""
    branches: dict[str, Tree] = {}
    top: Tree | None = None
    for row in data["rows"]:
        node = row["node"]
        label = parts.status(node["status"])
        label = Text(label.plain.split(" ")[0] + " ", style=label.style)
        label.append(node["id"], style="bold").append(f"  {parts.short(node['summary'])}", "dim")
        above = branches.get(row["parent"] or "")
        branch = above.add(label) if above is not None else Tree(label, guide_style="dim")
        branches[node["id"]] = branch
        top = top or branch
    if top is not None:
        console.print(top)
