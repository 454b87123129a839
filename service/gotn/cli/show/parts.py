"""What every picture is made of: status colours, short texts, tables, facts."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table

from gotn.cli.show.terminal import Text

#: Status -> (sign, style); the words of nodes, steps and runs.
STATUS: dict[str, tuple[str, str]] = {
    "ready": ("○", "cyan"),
    "running": ("◐", "yellow"),
    "completed": ("●", "green"),
    "skipped": ("⊘", "bright_black"),
    "failed": ("✗", "red"),
    "blocked": ("■", "magenta"),
    "planned": ("○", "cyan"),
    "cancelled": ("⊘", "bright_black"),
}


def status(value: str | None) -> Text:
    """A status with its sign, in its colour."""
    sign, style = STATUS.get(value or "", ("·", ""))
    return Text(f"{sign} {value or '–'}", style=style)


def step_status(step: Mapping[str, Any]) -> Text:
    """The status of a step; a running one says when its lease is over, as of this clock."""
    shown, until = status(step["status"]), step.get("lease_until")
    if step["status"] == "running" and until and datetime.fromisoformat(until) < datetime.now(UTC):
        shown.append(", lease over", style="dim")
    return shown


def worker(step: Mapping[str, Any]) -> str:
    """Whose a step is or was; nobody's before its next attempt."""
    return "" if step["status"] in ("ready", "blocked") else step.get("worker") or ""


def short(value: Any, length: int = 60) -> str:
    """One line of a text, cut with an ellipsis."""
    line = " ".join(str(value if value is not None else "").split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def table(*columns: str, right: Iterable[str] = (), wrap: str = "") -> Table:
    """A plain table: a head, no lines; ids are folded, never cut."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in columns:
        made.add_column(
            name,
            justify="right" if name in right else "left",
            overflow="fold",
            no_wrap=False,
            ratio=1 if name == wrap else None,
        )
    return made


def text(value: Any, style: str = "") -> Text:
    """A value as it is: brackets of an id are no markup."""
    return Text(str(value if value is not None else ""), style=style)


def ids(values: Sequence[Any], most: int = 12) -> str:
    """Some names with commas, and how many more."""
    shown = ", ".join(str(value) for value in values[:most])
    return f"{shown} and {len(values) - most} more" if len(values) > most else shown


def indented(what: RenderableType) -> Padding:
    """Something two columns to the right."""
    return Padding(what, (0, 0, 0, 2), expand=False)


def heading(console: Console, title: str, note: str = "") -> None:
    """A line over a section."""
    console.print()
    line = Text(title, style="bold")
    if note:
        line.append(f"  {note}", style="dim")
    console.print(line)


def facts(console: Console, values: Mapping[str, Any]) -> None:
    """Names and values below each other; what is absent is left out."""
    width = max((len(name) for name in values), default=0)
    for name, value in values.items():
        if value in (None, "", (), []):
            continue
        for one in value if isinstance(value, list) else [value]:
            line = Text(f"{name:<{width}}  ", style="dim")
            console.print(line.append(str(one), style=""))
            name = ""  # noqa: PLW2901  # the second line of a value stands below the first


def more(console: Console, shown: int, total: int | None, hint: str = "--limit") -> None:
    """How much a list did not show."""
    if total is not None and total > shown:
        console.print(Text(f"… {total - shown} more of {total}; {hint} shows them.", style="dim"))


def count(number: int, one: str, many: str = "") -> str:
    """A number with its noun: "1 node", "2 nodes"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def duration(value: float, unit: str) -> str:
    """A length of a plan: "2 h 30 min", or steps where nothing is estimated."""
    if unit != "minutes":
        return count(round(value), "step")
    hours, minutes = divmod(round(value), 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
