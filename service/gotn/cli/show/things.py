"""Projects, single nodes and edges, runs, journal entries."""

import json
from typing import Any

from rich.console import Console

from gotn.cli.show import parts
from gotn.cli.show.terminal import Text
from gotn.cli.show.visible import hint

Row = dict[str, Any]
#: The event that makes real what a large import staged.
FINISH = "finish_import"


def show_projects(data: Row, console: Console) -> None:
    """The projects and how much they hold."""
    if not data["projects"]:
        console.print(f"No projects yet. Try: {hint('demo --once')}", markup=False)
        return
    grid = parts.table(
        *("project", "nodes", "edges", "runs", "trees", "seq", "changed"),
        right=("nodes", "edges", "runs", "trees", "seq"),
    )
    for row in data["projects"]:
        grid.add_row(
            parts.text(row["id"], "bold"),
            *(f"{row[name]:,}" for name in ("nodes", "edges", "runs", "trees", "seq")),
            parts.text(row["updated_at"], "dim"),
        )
    console.print(grid)
    parts.more(console, len(data["projects"]), data.get("total"))


def show_project(data: Row, console: Console) -> None:
    """One project."""
    console.print(Text(f"Project {data['id']}", style="bold"))
    names = ("nodes", "edges", "runs", "trees", "pending", "seq", "created_at", "updated_at")
    parts.facts(console, {name.replace("_", " "): data.get(name) for name in names})
    if (staged := data.get("unfinished_import")) is not None:
        said = f"A large import is not finished: {staged:,} of its things are staged, unseen. "
        said += "Import the same again to go on, or take it away: "
        words = f"import --abort -p {data['id']}"
        console.print(Text(said + hint(words), style="yellow"), soft_wrap=True)
    show_settings(data, console)


def show_settings(data: Row, console: Console) -> None:
    """A project's settings."""
    settings = data.get("settings") or {}
    for name in sorted(settings):
        console.print(Text(f"{name} = {_said(settings[name])}"))
    if not settings:
        console.print(Text("No settings.", style="dim"))


def show_removed_project(data: Row, console: Console) -> None:
    """What a project was."""
    console.print(
        Text(
            f"Project {data['id']} is gone: {parts.count(data['nodes'], 'node')}, "
            f"{parts.count(data['edges'], 'edge')}, {parts.count(data['runs'], 'run')}, "
            f"{data['seq']} journal entries."
        )
    )


def show_node(data: Row, console: Console) -> None:
    """A node with everything it holds."""
    head = parts.status(data["status"]).append("  ").append(data["id"], style="bold white")
    console.print(head)
    console.print(Text(data["summary"]))
    names = (
        ("kind", "kind"), ("works on", "exec_target"), ("why", "status_reason"),
        ("parent", "parent"), ("children", "children"), ("requires", "requires"),
        ("produces", "produces"), ("tags", "tags"), ("success", "success_criteria"),
        ("guards", "guards"), ("artifacts", "artifacts"), ("minutes", "estimate_minutes"),
        ("provenance", "provenance"), ("extra", "extra"), ("revision", "revision"),
        ("created", "created_at"), ("updated", "updated_at"),
    )  # fmt: skip
    parts.facts(console, {label: _said(data.get(name)) for label, name in names})
    for title, name in (("Needs", "prerequisites"), ("Needed by", "dependants")):
        _neighbours(console, title, data.get(name) or [], data.get(f"{name}_total"))
    _executors(console, data)
    if data.get("prompt_text"):
        parts.heading(console, "Instructions")
        console.print(parts.indented(Text.lines(data["prompt_text"])))


def _neighbours(console: Console, title: str, rows: list[Row], total: int | None) -> None:
    """The nodes at the other ends of hard edges, with the tags they rest on."""
    if not rows:
        return
    parts.heading(console, title)
    for row in rows:
        line = Text("  ").append_text(parts.status(row["status"])).append(f"  {row['id']}", "bold")
        tags = ", ".join(row.get("tags") or ()) or "explicit"
        console.print(line.append(f"  {tags}", style="dim").append_text(_marks(row)))
    parts.more(console, len(rows), total, f"{hint('prerequisites')}, {hint('dependants')}")


def _executors(console: Console, data: Row) -> None:
    """The task trees, and single tasks of others, that executed a node."""
    trees, tasks = data.get("trees") or [], data.get("tasks") or []
    if not trees and not tasks:
        return
    parts.heading(console, "Executed by")
    for row in trees:
        tokens = f"{parts.count(row['tasks'], 'task')}, {row['total_tokens']:,} tokens"
        console.print(Text("  ").append(row["tree_id"], "bold").append(f"  {tokens}", "dim"))
    for row in tasks:
        line = Text("  ").append(f"{row['tree_id']} / {row['task_id']}", "bold")
        console.print(line.append(f"  {row['inclusive_total_tokens']:,} tokens", "dim"))
    many = [data.get(f"{name}_total") or len(data.get(name) or []) for name in ("trees", "tasks")]
    parts.more(console, len(trees) + len(tasks), sum(many), "--json")
    console.print(Text(f"  {hint('cost show --node ' + data['id'])}", style="dim"))


def _said(value: Any) -> Any:
    """A leaf as people read it; sentences in a list stay apart."""
    if value is None or value in ([], (), {}):
        return None
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return value if any(" " in one for one in value) else ", ".join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def show_edges(data: Row, console: Console) -> None:
    """A list of edges."""
    if not data["edges"]:
        console.print("No edges.")
        return
    grid = parts.table("src", "dst", "type", "origin", "because")
    for row in data["edges"]:
        because = ", ".join(row.get("tags") or ()) or row.get("evidence")
        grid.add_row(
            parts.text(row["src"], "bold"),
            parts.text(row["dst"], "bold"),
            parts.text(row.get("kind") or row["type"]),
            parts.text(row.get("origin"), "dim"),
            parts.text(parts.short(because, 50), "dim").append_text(_marks(row)),
        )
    console.print(grid)
    parts.more(console, len(data["edges"]), data.get("total"))


def _marks(row: Row) -> Text:
    flags = Text()
    if row.get("closes_cycle"):
        flags.append(" closes a cycle", style="red")
    if row.get("pending"):
        flags.append(" pending", style="yellow")
    return flags


def show_edge(data: Row, console: Console) -> None:
    """One edge."""
    kind = data.get("kind") or data["type"]
    line = Text(data["src"], style="bold").append(f" —{kind}→ ", style="dim")
    console.print(line.append(data["dst"], style="bold").append_text(_marks(data)))
    names = ("origin", "tags", "score", "evidence", "provenance", "extra")
    parts.facts(console, {name: _said(data.get(name)) for name in names})


def show_removed(data: Row, console: Console) -> None:
    """What a removal took away."""
    said = [parts.count(len(data["nodes"]), "node")] if data["nodes"] else []
    said += [parts.count(data["edges"], "edge")] if data["edges"] or not said else []
    said += [parts.count(data["steps"], "step")] if data["steps"] else []
    console.print(f"Removed {', '.join(said)}.")


def show_check(data: Row, console: Console) -> None:
    """Whether an edge would close a cycle."""
    if not data["closes"]:
        console.print(Text("This edge closes no cycle.", style="green"))
        return
    line = Text("This edge would close a cycle: ", style="red")
    console.print(line.append(" → ".join(data["path"]), style="bold"))


def show_runs(data: Row, console: Console) -> None:
    """A list of runs."""
    if not data["runs"]:
        console.print(f"No runs yet. Make one with: {hint('plan')}", markup=False)
        return
    grid = parts.table("run", "status", "steps", "created", "goal", right=("steps",))
    for row in data["runs"]:
        grid.add_row(
            parts.text(row["id"], "bold"),
            parts.status(row["status"]),
            str(row["step_count"]),
            parts.text(row["created_at"], "dim"),
            parts.text(parts.short(row["goal"], 50)),
        )
    console.print(grid)
    parts.more(console, len(data["runs"]), data.get("total"))


def show_run(data: Row, console: Console) -> None:
    """One run with its layers."""
    console.print(parts.status(data["status"]).append("  ").append(data["id"], style="bold white"))
    names = (
        "goal",
        "reason",
        "on_failure",
        "workspace_path",
        "created_at",
        "started_at",
        "finished_at",
    )
    standing = [f"{n} {name}" for name, n in (data.get("counts") or {}).items() if n]
    told = {name.replace("_", " "): data.get(name) for name in names}
    parts.facts(console, told | {"steps": ", ".join(standing)})
    if data.get("ordering_reason"):
        parts.heading(console, "Why in this order")
        console.print(parts.indented(Text.lines(data["ordering_reason"])))
    parts.heading(console, "Layers")
    for number, layer in enumerate(data.get("layers") or (), 1):
        console.print(parts.indented(Text(f"{number:>2}  {parts.ids(layer, 30)}")))


def show_steps(data: Row, console: Console) -> None:
    """The steps of a run; people count them and their layers from 1, as in a plan."""
    if not data["steps"]:
        console.print("This run has no steps.")
        return
    grid = parts.table("#", "layer", "step", "status", "worker", "summary", right=("#", "layer"))
    for row in data["steps"]:
        grid.add_row(
            str(row["position"] + 1),
            "" if row["layer"] is None else str(row["layer"] + 1),
            parts.text(row["id"], "bold"),
            parts.step_status(row),
            parts.text(parts.worker(row), "dim"),
            parts.text(parts.short(row.get("reason") or row["summary"])),
        )
    console.print(grid)
    parts.more(console, len(data["steps"]), data.get("total"))


def show_entries(data: Row, console: Console) -> None:
    """The end of a journal."""
    if not data["entries"]:
        console.print("The journal is empty.")
        return
    grid = parts.table("seq", "time", "event", "actor", "what", right=("seq",))
    for row in data["entries"]:
        grid.add_row(
            str(row["seq"]),
            parts.text(row["timestamp"], "dim"),
            parts.text(row["event"], "bold").append("" if row["counts"] else " void", "yellow"),
            parts.text(row["actor"]),
            parts.text(_items(row.get("data")), "dim"),
        )
    console.print(grid)
    if not all(row["counts"] for row in data["entries"]):
        console.print(Text("void: counts for nothing, its import did not finish.", "yellow"))
    total = data.get("total")
    if total and total > len(data["entries"]):
        console.print(Text(f"… {total - len(data['entries'])} earlier ones.", style="dim"))


def entry_line(row: Row) -> Text:
    """One entry of a journal that is followed."""
    line = Text(f"{row['seq']}", style="bold").append(f"  {row['timestamp']}", style="dim")
    line.append(f"  {row['event']}  {row['actor']}")
    line.append(f"  {_items(row.get('data'))}", style="dim")
    staged = _staged(row)
    if staged is not None and row["event"] != FINISH:
        line.append(f"  counts once import {staged} is finished", style="yellow")
    return line


def settle(entries: list[Row]) -> None:
    """Note with each of a journal's last entries whether it counts.

    What a large import staged counts once its last entry is there, which comes after them all.
    """
    finished = {_staged(row) for row in entries if row["event"] == FINISH}
    for row in entries:
        number = _staged(row)
        row["counts"] = number is None or number in finished


def _staged(row: Row) -> int | None:
    """The number of the large import that an entry belongs to."""
    data = row.get("data")
    number = data.get("import") if isinstance(data, dict) else None
    return number if isinstance(number, int) else None


def _items(data: Any) -> str:
    """What an entry touched, in a few words."""
    items = data.get("items") if isinstance(data, dict) else None
    if not items:
        return _merged(data)
    names = [name for item in items[:3] if (name := _named(item))]
    more = f" and {len(items) - len(names)} more" if len(items) > len(names) else ""
    return parts.short(", ".join(names) + more, 70)


def _merged(data: Any) -> str:
    """The two nodes of a merge, whose number takes it back, or of one that was taken back."""
    if not isinstance(data, dict) or not data.get("keep") or not data.get("gone"):
        return ""
    gone = data["gone"]
    return f"{data['keep']} ← {gone.get('id') if isinstance(gone, dict) else gone}"


def _named(item: Any) -> str:
    for row in item.values() if isinstance(item, dict) else ():
        if isinstance(row, dict) and "src" in row:
            return f"{row['src']} → {row.get('dst')}"
        if isinstance(row, dict) and "id" in row:
            return str(row["id"])
    return ""
