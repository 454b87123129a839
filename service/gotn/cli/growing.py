"""gotn tree show --follow: a tree drawn anew whenever the project's journal says something."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from gotn.cli.call import Call
from gotn.cli.planting import drawn_lines
from gotn.database.connection import Database
from gotn.errors import Unavailable
from gotn.trees.records import TreeDraft
from gotn.trees.rules import moves
from gotn.trees.usecases import exporting
from gotn.work.usecases import projects

if TYPE_CHECKING:
    from rich.console import RenderableType

#: Seconds between two looks at the journal's head: a change shows well within a second.
PAUSE = 0.25
#: Tasks of a tree that is followed: it is read whole at each change.
MOST = 20_000
Draw = Callable[[TreeDraft], None]


def follow(call: Call, tree_id: str, limit: int) -> None:
    """Draw a tree until all its tasks have ended."""
    console = call.console
    if not console.is_terminal:
        call.run(lambda db: _follow(db, call.project, tree_id, _printed(call, limit)))
        return
    from rich.live import Live  # noqa: PLC0415

    with Live(console=console, auto_refresh=False, vertical_overflow="ellipsis") as live:

        def draw(found: TreeDraft) -> None:
            live.update(_picture(found, limit), refresh=True)

        call.run(lambda db: _follow(db, call.project, tree_id, draw))


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


async def _follow(database: Database, project_id: str, tree_id: str, draw: Draw) -> None:
    """Look at the journal's head, and draw where it moved; a database that is away is awaited."""
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
                if all(row["status"] in moves.ENDED for row in found.tasks):
                    return
        except Unavailable:
            pass
        await asyncio.sleep(PAUSE)
