"""Pages of a journal for whoever follows it: short ones, however long its entries are."""

from collections.abc import AsyncGenerator, Collection

from gotn.database.connection import Database, Tx
from gotn.journal.entry import DATA, Entry, read

#: Entries of some events that are read at once: each may be long.
FEW = 20


async def page(
    database: Database, project_id: str, *, after: int, first: int, size: int
) -> list[tuple[Entry, int]]:
    """The next entries, each with the length of its data; none at the journal's end.

    At most `first`, and none after the one with which their data is longer than `size`: a page
    of long entries is one entry.
    """
    rows = await database.read(
        lambda tx: tx.value(
            "journal/page_within", project=project_id, after=after, first=first, bytes=size
        )
    )
    return [(read(row), len(row[DATA])) for row in rows or ()]


async def telling_of(
    tx: Tx, project_id: str, events: Collection[str], after: int
) -> AsyncGenerator[Entry]:
    """The entries above `after` that tell of these events, in order; a few at once."""
    while True:
        rows = await tx.value(
            "journal/page_events",
            project=project_id, events=list(events), after=after, first=FEW,
        )  # fmt: skip
        for row in rows or ():
            entry = read(row)
            after = entry.seq
            yield entry
        if len(rows or ()) < FEW:
            return
