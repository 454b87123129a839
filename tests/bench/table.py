"""What people and programs get to see of the results."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import goals, machine
from bench.timing import Result


@dataclass(frozen=True)
class Row:
    """A result with its ratio, held against its goal."""

    result: Result
    measure: goals.Measure

    @property
    def ratio(self) -> float:
        """The figure that the goal is about."""
        return self.ratio_of(self.measure.by)

    def ratio_of(self, figure: str) -> float:
        """Ours over the floor, by median or p99; the other way round for a gain."""
        floor, ours = self.result.floor.of(figure), self.result.measured.of(figure)
        return floor / ours if self._is_gain else ours / floor

    @property
    def _is_gain(self) -> bool:
        return self.goal is not None and self.goal.of == "gain"

    @property
    def goal(self) -> goals.Goal | None:
        """What it may take."""
        return self.measure.goal(self.result.case)

    @property
    def reached(self) -> bool | None:
        """Whether the goal is; None without one."""
        if self.goal is None:
            return None
        figure = self.result.measured.median * 1000 if self.goal.of == "ms" else self.ratio
        return self.goal.reached(figure)

    def data(self) -> dict[str, Any]:
        """For programs; seconds."""
        found = self.result
        return {
            "measure": found.measure,
            "what": self.measure.what,
            "case": found.case,
            "measured_is": self.measure.whose,
            "floor": self.measure.floor,
            "floor_median": found.floor.median,
            "floor_p99": found.floor.p99,
            "measured_median": found.measured.median,
            "measured_p99": found.measured.p99,
            "samples": [len(found.floor.seconds), len(found.measured.seconds)],
            "things": found.things,
            "ratio_median": self.ratio_of("median"),
            "ratio_p99": self.ratio_of("p99"),
            "goal_is_about": self.measure.by,
            "goal": self.goal.text if self.goal else None,
            "reached": self.reached,
            "note": found.note,
        }


def rows(results: list[Result]) -> list[Row]:
    """The results in the order of the goals."""
    order = list(goals.BY_NAME)
    found = [Row(result, goals.BY_NAME[result.measure]) for result in results]
    return sorted(found, key=lambda row: order.index(row.measure.name))


def show(found: list[Row], on: dict[str, Any], console: Console) -> None:
    """One table, a section a measure."""
    table = Table(title="Ratios to floors measured in the same run", title_justify="left")
    table.add_column("name", style="bold", no_wrap=True)
    table.add_column("case", no_wrap=True)
    for heading in ("floor", "p99", "measured", "p99", "ratio", "p99 ratio", "goal"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("reached", no_wrap=True)
    before = ""
    for row in found:
        if row.measure.name != before:
            table.add_section()
        table.add_row(row.measure.name if row.measure.name != before else "", *_cells(row))
        before = row.measure.name
    console.print(table)
    for text in dict.fromkeys(map(_said, found)):
        console.print(text, markup=False, highlight=False)
    console.print(machine.line(on), markup=False, highlight=False)


def _said(row: Row) -> str:
    """What stands under the table of a measure."""
    by = ", the ratio by p99" if row.measure.by == "p99" else ""
    measure = row.measure
    return (
        f"{measure.name}: measured is {measure.whose}: {measure.what}; floor: {measure.floor}{by}."
    )


def _cells(row: Row) -> list[str]:
    floor, ours = row.result.floor, row.result.measured
    is_many = row.result.operation
    reached = {True: "[green]yes[/green]", False: "[red]no[/red]", None: ""}[row.reached]
    return [
        row.result.case,
        time(floor.median),
        time(floor.p99) if is_many else "",
        time(ours.median),
        time(ours.p99) if is_many else "",
        f"{row.ratio_of('median'):.2f}x",
        f"{row.ratio_of('p99'):.2f}x" if is_many else "",
        row.goal.text if row.goal else "",
        reached,
    ]


def time(seconds: float) -> str:
    """Seconds with three digits, in the unit that fits."""
    value, unit = (seconds, "s") if seconds >= 1 else (seconds * 1000, "ms")
    digits = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:.{digits}f} {unit}"


def save(found: list[Row], on: dict[str, Any], path: Path) -> None:
    """The same as JSON."""
    data = {"schema_version": 1, "machine": on, "rows": [row.data() for row in found]}
    path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
