"""Entries of other tools' journals, kept whole in the project's own."""

from collections import Counter
from typing import Any

from gotn import journal
from gotn.database.connection import Tx
from gotn.journal import Ledger

Row = dict[str, Any]


async def keep(tx: Tx, ledger: Ledger, originals: list[Row]) -> None:
    """Note each entry that the journal has not taken over yet; what it says is in the rows.

    Equal entries are told apart by how many there are: two in a file are two in the
    journal, and the same file again brings none.
    """
    named = [(journal.fingerprint(original), original) for original in originals]
    known = await journal.known(tx, ledger.project_id, list(dict(named)))
    met: Counter[str] = Counter()
    for name, original in named:
        met[name] += 1
        if met[name] > known.get(name, 0):
            event = str(original.get("event", "unknown"))
            ledger.note(event, {"items": [], "original": original})
