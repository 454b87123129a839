"""gotn tree show --follow: a tree drawn anew whenever the project's journal says something."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from gotn.cli.call import Call
from gotn.cli.planting import drawn_lines
from gotn.cli.protocol import stuck
from gotn.database.connection import Database
from gotn.errors import Unavailable
from gotn.trees.records import TreeDraft
from gotn.trees.usecases import claiming, exporting
from gotn.work.usecases import projects

if TYPE_CHECKING:
    from rich.console import RenderableType

#: Seconds between two looks at the journal's head: a change shows well within a second.
PAUSE = 0.25
#: Tasks of a tree that is followed: it is read whole at each change.
MOST = 20_000
Draw = Callable[[TreeDraft], None]


def follow(call: Call, tree_id: str, limit: int) -> None:
    """Draw a tree until all its tasks have ended, or none can go on by itself."""
    console = call.console
    if not console.is_terminal:
        drawn = _printed(call, limit)
        _end(call, tree_id, call.run(lambda db: _follow(db, call.project, tree_id, drawn)))
        return
    from rich.live import Live  # noqa: PLC0415

    with Live(console=console, auto_refresh=False, vertical_overflow="ellipsis") as live:

        def draw(found: TreeDraft) -> None:
            live.update(_picture(found, limit), refresh=True)

        why = call.run(lambda db: _follow(db, call.project, tree_id, draw))
    _end(call, tree_id, why)


def _end(call: Call, tree_id: str, why: str | None) -> None:
    """Say how to go on, where following ended before the tree did."""
    if why:
        call.console.print(stuck(tree_id, why), markup=False, soft_wrap=True)


def _printed(call: Call, limit: int) -> Draw:
    """Where no terminal can be drawn over, one picture after the other, an empty line between."""
    first = [True]

    def draw(found: TreeDraft) -> None:
        if not first.pop():
            call.console.print()
        first.append(False)
        call.console.print(_picture(found, limit), soft_wrap=True)
        call.console.file.flush()

    return draw


def _picture(found: TreeDraft, limit: int) -> "RenderableType":
    from rich.console import Group  # noqa: PLC0415

    return Group(*drawn_lines(found, limit))


async def _follow(database: Database, project_id: str, tree_id: str, draw: Draw) -> str | None:
    """Look at the journal's head, and draw where it moved; a database that is away is awaited.

    Returns why the tree goes no further, where its tasks have not all ended.
    """
    seen, before = -1, None
    while True:
        try:
            seq = (await projects.show(database, project_id)).seq
            if seq != seen:
                found = await exporting.whole(database, project_id, tree_id, most=MOST)
                seen = seq
                if found != before:
                    draw(found)
                    before = found
                queue = await claiming.queue(database, project_id, tree_id, first=1)
                if not queue.total or queue.stuck:
                    return queue.stuck
        except Unavailable:
            pass
        await asyncio.sleep(PAUSE)
