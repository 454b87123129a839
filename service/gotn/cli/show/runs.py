"""What executing a run answers, for people."""

from typing import Any

from rich.console import Console

from gotn.cli.show import parts
from gotn.cli.show.terminal import Text

Row = dict[str, Any]


def _head(console: Console, status: str, name: str) -> None:
    console.print(parts.status(status).append("  ").append(name, style="bold white"))


def show_changed(data: Row, console: Console) -> None:
    """A run after something was done to it."""
    _head(console, data["status"], data["id"])
    names = ("goal", "on_failure", "started_at", "finished_at", "reason", "cancelled_by")
    parts.facts(console, {name.replace("_", " "): data.get(name) for name in names})


def show_ready(data: Row, console: Console) -> None:
    """Steps that can be claimed, the first that is given out first; why others cannot."""
    if not data["steps"]:
        console.print(Text(f"Nothing of {data['run_id']} can be claimed now."))
        return
    why = any(row.get("waits") for row in data["steps"])
    grid = parts.table("step", "layer", "longest", *(["why not"] if why else []), "summary")
    for row in data["steps"]:
        cells = [
            parts.text(row["id"], "bold" if row["ready"] else "dim"),
            parts.text("" if row["layer"] is None else row["layer"] + 1),
            parts.text("" if row["priority"] is None else f"{row['priority']:g}"),
        ]
        cells += [parts.text(row.get("waits"), "yellow")] if why else []
        grid.add_row(*cells, parts.text(parts.short((row["node"] or {}).get("summary"))))
    console.print(grid)


def show_claim(data: Row, console: Console) -> None:
    """A step that was claimed, with its prompt; or why there is none."""
    if data["status"] != "claimed":
        said = "Nothing is ready now" if data["status"] == "nothing_ready" else "The run is over"
        wait = data.get("retry_after_ms")
        more = f" A lease or a wait ends in {wait / 1000:.1f} s." if wait is not None else ""
        console.print(Text(f"{said}: {data['run']['id']} is {data['run']['status']}.{more}"))
        return
    node = data["node"]
    _head(console, "running", node["id"])
    console.print(Text(node["summary"] or ""))
    parts.facts(
        console,
        {
            "run": data["run"]["id"],
            "attempt": data["attempt"],
            "lease until": data["lease_until"],
            "token": data["token"],
            "time limit": _seconds(data.get("time_limit_ms")),
            "works on": node.get("exec_target"),
            "guards": data.get("guards"),
            "success": data.get("success_criteria"),
        },
    )
    for warning in data.get("warnings") or ():
        console.print(Text(f"warning: {warning}", style="yellow"))
    if data.get("prompt"):
        parts.heading(console, "Instructions")
        console.print(parts.indented(Text.lines(data["prompt"])))


def _seconds(milliseconds: float | None) -> str | None:
    return None if milliseconds is None else f"{milliseconds / 1000:g} s"


def show_heartbeat(data: Row, console: Console) -> None:
    """A lease that was renewed."""
    _head(console, data["step"]["status"], data["step"]["id"])
    parts.facts(console, {"lease until": data["lease_until"]})


def show_step(data: Row, console: Console) -> None:
    """A step after its end, or before its next attempt."""
    _head(console, data["status"], data["id"])
    facts = {"run": data["run_id"], "reason": data.get("reason")}
    facts |= {"attempt": data.get("attempt") or None, "not before": data.get("not_before")}
    parts.facts(console, facts | {"took": _seconds(data.get("duration_ms"))})


def show_replanned(data: Row, console: Console) -> None:
    """What planning anew changes; people count layers from 1, as in a run's steps."""
    moved = [f"{o['id']} ({_layer(o['from'])} → {_layer(o['to'])})" for o in data["moved"]]
    if not (data["added"] or data["removed"] or moved):
        console.print("Nothing changes: the rest is planned as it stands.")
        return
    _head(console, data["run"]["status"], data["run"]["id"])
    named = {"added": data["added"], "removed": data["removed"], "moved": moved}
    facts: Row = {name: parts.ids(ids, 30) for name, ids in named.items() if ids}
    parts.facts(console, facts | {"kept": len(data["kept"])})
    parts.heading(console, "Layers of the rest")
    for number, layer in enumerate(data["layers"], 1):
        if not layer:
            continue  # begun already
        console.print(parts.indented(Text(f"{number:>2}  {parts.ids(layer, 30)}")))


def _layer(number: int | None) -> str:
    return "none" if number is None else str(number + 1)
