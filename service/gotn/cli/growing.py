"""gotn tree show --follow: a tree drawn anew whenever the project's journal says something."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from gotn.cli.call import Call
from gotn.cli.planting import drawn_lines
from gotn.cli.protocol import stuck
from gotn.database.connection import Database
from gotn.errors import Unavailable
from gotn.trees.usecases import exporting, queueing
from gotn.trees.usecases.exporting import Part
from gotn.work.usecases import projects

if TYPE_CHECKING:
    from rich.console import RenderableType

#: Seconds between two looks at the journal's head: a change shows well within a second.
PAUSE = 0.25
Draw = Callable[[Part], None]


def follow(call: Call, tree_id: str, limit: int) -> None:
    """Draw a tree until all its tasks have ended, or none can go on by itself."""
    console = call.console
    if not console.is_terminal:
        drawn = _printed(call)
        why = call.run(lambda db: _follow(db, call.project, tree_id, limit, drawn))
        _end(call, tree_id, why)
        return
    from rich.live import Live  # noqa: PLC0415

    with Live(console=console, auto_refresh=False, vertical_overflow="ellipsis") as live:

        def draw(found: Part) -> None:
            live.update(_picture(found), refresh=True)

        why = call.run(lambda db: _follow(db, call.project, tree_id, limit, draw))
    _end(call, tree_id, why)


def _end(call: Call, tree_id: str, why: str | None) -> None:
    """Say how to go on, where following ended before the tree did."""
    if why:
        call.console.print(stuck(tree_id, why), markup=False, soft_wrap=True)


def _printed(call: Call) -> Draw:
    """Where no terminal can be drawn over, one picture after the other, an empty line between."""
    first = [True]

    def draw(found: Part) -> None:
        if not first.pop():
            call.console.print()
        first.append(False)
        call.console.print(_picture(found), soft_wrap=True)
        call.console.file.flush()

    return draw


def _picture(found: Part) -> "RenderableType":
    from rich.console import Group  # noqa: PLC0415

    return Group(*drawn_lines(found))


async def _follow(
    database: Database, project_id: str, tree_id: str, limit: int, draw: Draw
) -> str | None:
    """Look at the journal's head, and draw where it moved; a database that is away is awaited.

    Returns why the tree goes no further, where its tasks have not all ended.
    """
    seen, before = -1, None
    while True:
        try:
            seq = (await projects.show(database, project_id)).seq
            if seq != seen:
                found = await exporting.first(database, project_id, tree_id, limit)
                seen = seq
                if found != before:
                    draw(found)
                    before = found
                if not found.open:
                    return None
                queue = await queueing.queue(database, project_id, tree_id, first=1)
                if queue.stuck:
                    return queue.stuck
        except Unavailable:
            pass
        await asyncio.sleep(PAUSE)
