"""Pages of a journal for whoever follows it: short ones, however long its entries are."""

from gotn.database.connection import Database
from gotn.journal.entry import DATA, Entry, read


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
