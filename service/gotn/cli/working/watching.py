"""Following a run that this process or others execute: its steps now, and what changed.

Polled with a bounded interval: quickly while something happens, slowly otherwise.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from gotn.cli.absence import Absence
from gotn.cli.working.door import Door
from gotn.cli.working.waiting import rest
from gotn.errors import Unavailable

Row = dict[str, Any]

#: Seconds between two looks: while something changes, and at most.
QUICK, SLOW = 0.5, 2.0
#: Steps that are followed one by one; of a longer run the first.
STEPS = 2000
#: Run statuses after which nothing happens any more.
OVER = frozenset(("completed", "failed", "cancelled"))


@dataclass
class Picture:
    """A run as it was seen last."""

    run: Row = field(default_factory=dict)
    #: Steps by node, in the plan's order: what is fixed and what changes.
    steps: dict[str, Row] = field(default_factory=dict)
    total: int = 0
    #: Ids of the longest chain of the steps that are followed.
    critical: tuple[str, ...] = ()

    @property
    def over(self) -> bool:
        """Nothing happens any more."""
        return self.run.get("status") in OVER

    @property
    def counts(self) -> Counter[str]:
        """Steps by status."""
        return Counter(step.get("status") or "ready" for step in self.steps.values())

    def layers(self) -> dict[int, list[Row]]:
        """The steps of each layer."""
        found: dict[int, list[Row]] = {}
        for step in self.steps.values():
            found.setdefault(step.get("layer") or 0, []).append(step)
        return dict(sorted(found.items()))

    def draw(self, rows: list[Row], total: int) -> None:
        """Take what is fixed: places, names, what needs what."""
        known = self.steps
        self.steps = {row["id"]: {**known.get(row["id"], {}), **row} for row in rows}
        self.total = total
        self.critical = critical(self.steps)

    def seen(self, run: Row, rows: list[Row]) -> Iterator[str]:
        """Take what changed; a line for each change."""
        before, self.run = self.run.get("status"), run
        for row in rows:
            step = self.steps.setdefault(row["id"], {"id": row["id"]})
            moved = step.get("status"), step.get("attempt")
            step |= row
            fresh = moved[0] is None and step["status"] in ("ready", None)
            if not fresh and moved != (step.get("status"), step.get("attempt")):
                yield change(step)
        if before != run["status"]:
            why = f": {run['reason']}" if run.get("reason") else ""
            yield f"Run {run['id']} {run['status']}{why}"


def change(step: Row) -> str:
    """A step's move, in a line."""
    parts = [step["id"], step.get("status") or "ready"]
    if step.get("worker"):
        parts.append(f"[{step['worker']}, attempt {step.get('attempt') or 1}]")
    if step.get("status") in ("completed", "failed") and step.get("duration_ms") is not None:
        parts.append(f"{step['duration_ms'] / 1000:.1f} s")
    if step.get("reason") and step.get("status") != "running":
        parts.append(f"({step['reason']})")
    return "  ".join(parts)


def critical(steps: dict[str, Row]) -> tuple[str, ...]:
    """The longest chain of hard edges among the steps, by estimates or else in steps."""
    timed = any(step.get("estimate_minutes") for step in steps.values())
    length: dict[str, float] = {}
    before: dict[str, str] = {}
    order = sorted(steps.values(), key=lambda step: (step.get("layer") or 0, step["position"]))
    for step in order:  # a layer needs only those before it
        needed = [row["id"] for row in step.get("prerequisites") or () if row["id"] in length]
        own = float(step.get("estimate_minutes") or 0) if timed else 1.0
        if needed:
            before[step["id"]] = max(needed, key=lambda id_: length[id_])
        length[step["id"]] = own + (length[before[step["id"]]] if needed else 0.0)
    if not length:
        return ()
    path = [max(length, key=lambda id_: length[id_])]
    while path[-1] in before:
        path.append(before[path[-1]])
    return tuple(reversed(path))


@dataclass(kw_only=True)
class Watch:
    """Looks at a run again and again."""

    door: Door
    picture: Picture = field(default_factory=Picture)
    #: Is given each change as a line.
    told: Callable[[str], None] = lambda _: None
    #: Is given what hinders looking, and its end.
    hindered: Callable[[str], None] = lambda _: None
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    async def follow(self) -> Picture:
        """Look until the run is over or this is stopped; a database that is away is waited for."""
        pause, absence = QUICK, Absence(self.hindered)
        while not self.stop.is_set():
            try:
                changed = await self.look()
            except Unavailable:
                absence.seen(there=False)
                changed = False
            else:
                absence.seen(there=True)
            if self.picture.over:
                break
            pause = QUICK if changed else min(pause * 1.5, SLOW)
            await rest(pause, self.stop)
        return self.picture

    async def look(self) -> bool:
        """Look once; whether something changed."""
        pulse = await self._pages("RunPulse")
        if pulse["total"] != self.picture.total or not self.picture.steps:
            drawn = await self._pages("RunPicture")  # planned anew, or seen for the first time
            self.picture.draw(drawn["rows"], drawn["total"])
        run = {name: value for name, value in pulse.items() if name not in ("rows", "total")}
        lines = list(self.picture.seen(run, pulse["rows"]))
        for line in lines:
            self.told(line)
        return bool(lines)

    async def _pages(self, operation: str) -> Row:
        """A run with its first steps; more than a page of them is read page by page."""
        found: Row = await self.door.ask(operation, id=self.door.run_id)
        rows, total = found.pop("steps"), found.pop("steps_total")
        if total > len(rows):
            rows = await self.door.pages(operation, STEPS, "steps", id=self.door.run_id)
        return found | {"rows": rows, "total": total}


def elapsed(step: Row) -> float:
    """Seconds since a step was started, by this machine's clock; never below 0."""
    started = step.get("started_at")
    if not started:
        return 0.0
    try:
        begun = datetime.fromisoformat(str(started).replace("Z", "+00:00"))
    except ValueError:
        return 0.0
    return max((datetime.now(UTC) - begun).total_seconds(), 0.0)


def clock(seconds: float) -> str:
    """A time that passes: 0:07, 12:34, 1:02:03."""
    minutes, rest_ = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest_:02}" if hours else f"{minutes}:{rest_:02}"
