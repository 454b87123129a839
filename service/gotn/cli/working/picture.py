"""A run while it is executed: layers, steps, workers, the critical path; drawn anew in place."""

import contextlib
import time
from collections.abc import Iterator
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table

from gotn.cli.show import parts
from gotn.cli.show.terminal import Text
from gotn.cli.working.telling import Telling
from gotn.cli.working.watching import Picture, clock, elapsed

Row = dict[str, Any]

#: Layers and running steps that are drawn at once, and signs of a layer.
LAYERS, RUNNING, SIGNS = 12, 16, 60
#: Pictures a second.
RATE = 4
#: The order in which counts are told.
ORDER = ("completed", "running", "ready", "failed", "blocked", "skipped")


class LiveView(Telling):
    """Lines above, the run's picture below."""

    def __init__(self, console: Console, picture: Picture) -> None:
        super().__init__(lambda text: self._console.print(Text(text), soft_wrap=True))
        self._console = console
        self._picture = picture
        self._begun = time.monotonic()
        self._live = Live(
            get_renderable=self._drawn, console=console, refresh_per_second=RATE, transient=False
        )

    @contextlib.contextmanager
    def shown(self) -> Iterator["LiveView"]:
        """Draw until the end; the last picture stays."""
        with self._live:
            yield self

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        """Draw nothing while somebody is asked."""
        self._live.stop()
        try:
            yield
        finally:
            self._live.start()

    def _drawn(self) -> RenderableType:
        return drawn(self._picture, time.monotonic() - self._begun)


def drawn(picture: Picture, seconds: float) -> RenderableType:
    """The picture of a run, `seconds` after somebody began to look."""
    if not picture.run:
        return Text("…", style="dim")
    pieces: list[RenderableType] = [_title(picture, seconds), _layers(picture)]
    running = [s for s in picture.steps.values() if s.get("status") == "running"]
    if running:
        pieces.append(_running(running, set(picture.critical)))
    if picture.critical:
        pieces.append(_critical(picture))
    return Group(*pieces)


def _title(picture: Picture, seconds: float) -> Text:
    run, counts = picture.run, picture.counts
    line = Text("Run ", style="bold").append(str(run["id"]), style="bold cyan").append("  ")
    line.append(parts.status(run.get("status")))
    told = [f"{counts[name]} {name}" for name in ORDER if counts[name]]
    if picture.total > len(picture.steps):
        told.append(f"{picture.total - len(picture.steps)} more not drawn")
    line.append(f"  {' · '.join(told)} of {picture.total}", style="dim")
    return line.append(f"  {clock(seconds)}", style="dim")


def _layers(picture: Picture) -> Table:
    """A row of signs for each layer, around the first that is not done."""
    layers = list(picture.layers().items())
    done = ("completed", "skipped")
    first = next(
        (
            i
            for i, (_, steps) in enumerate(layers)
            if any(s.get("status") not in done for s in steps)
        ),
        len(layers),
    )
    start = max(min(first - 2, len(layers) - LAYERS), 0)
    grid = Table.grid(padding=(0, 2, 0, 0))
    for number, steps in layers[start : start + LAYERS]:
        ended = sum(step.get("status") in done for step in steps)
        row = Text(f"{ended}/{len(steps)}", style="dim")
        grid.add_row(Text(f"  Layer {number + 1}"), _signs(steps), row)
    if start or len(layers) > start + LAYERS:
        grid.add_row(Text(f"  … {parts.count(len(layers), 'layer')}", style="dim"), "", "")
    return grid


def _signs(steps: list[Row]) -> Text:
    line = Text()
    for step in steps[:SIGNS]:
        sign, style = parts.STATUS.get(step.get("status") or "ready", ("·", ""))
        line.append(sign, style=style)
    return line.append("…", style="dim") if len(steps) > SIGNS else line


def _running(steps: list[Row], critical: set[str]) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    for step in sorted(steps, key=elapsed, reverse=True)[:RUNNING]:
        attempt = step.get("attempt") or 1
        grid.add_row(
            Text("  ◐", style="yellow"),
            Text(str(step["id"]), style="bold red" if step["id"] in critical else "bold"),
            Text(parts.short(step.get("summary"), 40), style="dim"),
            Text(str(step.get("worker") or "")),
            Text(f"attempt {attempt}" if attempt > 1 else ""),
            Text(clock(elapsed(step)), style="dim"),
        )
    if len(steps) > RUNNING:
        grid.add_row("", Text(f"and {len(steps) - RUNNING} more", style="dim"))
    return grid


def _critical(picture: Picture) -> Text:
    line = Text("  Critical path  ", style="dim")
    for number, id_ in enumerate(picture.critical):
        sign, style = parts.STATUS.get(picture.steps[id_].get("status") or "ready", ("·", ""))
        line.append(" → " if number else "", style="dim").append(f"{sign} {id_}", style=style)
    return line
