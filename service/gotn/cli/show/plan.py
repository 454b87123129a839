"""A plan as a person enjoys reading it."""

from typing import Any

from rich.console import Console
from rich.table import Table

from gotn.cli.show import parts
from gotn.cli.show.terminal import Text

#: Steps of one layer that are printed; `--json` has them all.
STEPS = 60


def show(plan: dict[str, Any], console: Console) -> None:
    """The whole plan: what first, why, how long, what starts now and what stands in the way."""
    _title(plan, console)
    if not plan["ordered_node_ids"]:
        console.print(_nothing(plan))
    else:
        _reason(plan, console)
        _layers(plan, console)
        _critical(plan, console)
        _ready(plan, console)
    _waiting(plan, console)
    _blocked(plan, console)
    _unmet(plan, console)
    console.print()


def _nothing(plan: dict[str, Any]) -> str:
    held = plan["blocked"] or plan["waiting_on"]
    return "Nothing to do now; see below what holds the rest." if held else "Nothing to do."


def _title(plan: dict[str, Any], console: Console) -> None:
    name = plan["run_id"] or ("preview, not stored" if plan["ordered_node_ids"] else "")
    line = Text("Plan", style="bold")
    if name:
        line.append(f" {name}", style="bold cyan")
    line.append(f"  project {plan['project_id']}", style="dim")
    console.print(line)
    if plan.get("goal"):
        console.print(Text(f"Goal: {plan['goal']}"))
    critical = plan["critical_path"]
    said = [
        parts.count(len(plan["ordered_node_ids"]), "step"),
        parts.count(len(plan["layers"]), "layer"),
        f"{plan.get('satisfied', 0)} already done",
    ]
    if critical["node_ids"]:
        said.append(f"at least {parts.duration(critical['length'], critical['unit'])}")
    console.print(Text(" · ".join(said), style="dim"))


def _reason(plan: dict[str, Any], console: Console) -> None:
    parts.heading(console, "Why in this order")
    console.print(parts.indented(Text.lines(plan["ordering_reason"] or "")))


def _layers(plan: dict[str, Any], console: Console) -> None:
    steps = {step["id"]: step for step in plan["steps"]}
    critical = set(plan["critical_path"]["node_ids"])
    unit = plan["critical_path"]["unit"]
    for number, layer in enumerate(plan["layers"], 1):
        note = f"{parts.count(len(layer), 'step')}, side by side" if len(layer) > 1 else "1 step"
        parts.heading(console, f"Layer {number}", note)
        grid = _grid()
        for id_ in layer[:STEPS]:
            _step(grid, id_, steps.get(id_, {}), critical, unit)
        console.print(parts.indented(grid))
        parts.more(console, min(len(layer), STEPS), len(layer), "--json")


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold", max_width=34)
    grid.add_column(overflow="fold")
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    return grid


def _step(grid: Table, id_: str, step: dict[str, Any], critical: set[str], unit: str) -> None:
    ready, on_path = bool(step.get("ready")), id_ in critical
    timed = unit == "minutes"
    slack = parts.duration(step.get("slack", 0), unit)
    note = Text("critical", style="red") if on_path else Text(f"slack {slack}", style="dim")
    grid.add_row(
        Text("▶" if ready else "·", style="green" if ready else "dim"),
        Text(id_, style="bold" if on_path else ""),
        Text(parts.short(step.get("summary")), style="" if ready or on_path else "dim"),
        Text(parts.duration(step.get("weight", 0), unit) if timed else "", style="dim"),
        note,
    )


def _critical(plan: dict[str, Any], console: Console) -> None:
    path = plan["critical_path"]
    length = parts.duration(path["length"], path["unit"])
    parts.heading(console, "Critical path", f"{length}; a delay here delays everything")
    console.print(parts.indented(Text(" → ".join(path["node_ids"]), style="red")))


def _ready(plan: dict[str, Any], console: Console) -> None:
    ready = [step["id"] for step in plan["steps"] if step["ready"]]
    parts.heading(console, "Ready now", parts.count(len(ready), "step"))
    names = Text(parts.ids(ready, 30) or "none", style="green")
    console.print(parts.indented(names))


def _waiting(plan: dict[str, Any], console: Console) -> None:
    if not plan["waiting_on"]:
        return
    parts.heading(console, "Waiting on running work", "steps of this plan need these first")
    after = plan.get("waiting", {})
    for id_ in plan["waiting_on"]:
        line = Text(f"  ◐ {id_}", style="yellow")
        if after.get(id_):
            line.append(f"  needed by {parts.ids(after[id_])}", style="dim")
        console.print(line)


def _blocked(plan: dict[str, Any], console: Console) -> None:
    if not plan["blocked"]:
        return
    parts.heading(console, "Blocked", "a node they need has failed")
    for item in plan["blocked"]:
        line = Text(f"  ■ {item['id']}", style="magenta")
        line.append(f"  {' → '.join(item['path'])}", style="dim")
        console.print(line)


def _unmet(plan: dict[str, Any], console: Console) -> None:
    if not plan["unmet"]:
        return
    parts.heading(console, "Unmet requirements", "nobody produces these; they block nothing")
    for item in plan["unmet"]:
        line = Text(f"  ? {item['tag']}", style="yellow")
        line.append(f"  asked for by {parts.ids(item['nodes'])}", style="dim")
        console.print(line)
