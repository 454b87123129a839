"""gotn journal tail --follow: the newest entries, then each new one, whoever writes it."""

import asyncio
import json
import sys
from typing import Any

from gotn.cli import operations
from gotn.cli.absence import Absence
from gotn.cli.call import Call
from gotn.cli.show import things
from gotn.database.connection import Database
from gotn.errors import Unavailable

Row = dict[str, Any]

#: Seconds between two looks: after something new, and at most.
QUICK, SLOW = 0.25, 1.0


def follow(call: Call, limit: int) -> None:
    """Print entries until this is interrupted; a database that is away is waited for."""
    call.run(lambda database: _follow(call, database, limit))


async def _follow(call: Call, database: Database, limit: int) -> None:
    found = await _page(call, database, limit, orderBy="NEWEST")
    _print(call, found[::-1])
    seen, pause = found[0]["seq"] if found else 0, QUICK
    absence = Absence(lambda text: print(text, file=sys.stderr, flush=True))
    while True:
        await asyncio.sleep(pause)
        try:
            found = await _page(
                call, database, operations.PAGE, orderBy="SEQ", filter={"afterSeq": seen}
            )
        except Unavailable:
            absence.seen(there=False)
            found = []
        else:
            absence.seen(there=True)
        _print(call, found)
        seen = found[-1]["seq"] if found else seen
        pause = QUICK if found else min(pause * 1.5, SLOW)


async def _page(call: Call, database: Database, limit: int, **asked: Any) -> list[Row]:
    """At most so many entries, as the order asks for them."""
    given = {"project": call.project} | asked
    actor = call.settings.actor
    rows: list[Row] = (
        await operations.pages(database, "JournalTail", given, actor, limit, "entries")
    )["entries"]
    return rows


def _print(call: Call, entries: list[Row]) -> None:
    """A line for each; lost readers end this as they end every command."""
    for row in entries:
        if call.as_json:
            print(json.dumps(row, ensure_ascii=True), flush=True)
        else:
            call.console.print(things.entry_line(row), soft_wrap=True)
    if entries and not call.as_json:
        call.console.file.flush()
