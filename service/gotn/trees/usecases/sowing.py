"""Stage a tree that is too large for one transaction: unseen until the last one makes it real.

Batches carry the import's number; their journal entries count once `finish_import` is there
(decisions, All or nothing). Cut short, the same import goes on; `gotn import --abort` takes
it away, as it does any other.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from gotn import journal
from gotn.database.connection import Database, Tx
from gotn.errors import Conflict, GotnError
from gotn.journal import Ledger
from gotn.trees.records import TreeDraft
from gotn.trees.rules import totals, turns
from gotn.trees.store import staging
from gotn.writing import Asked

Row = dict[str, Any]
#: Tasks that one transaction takes; larger trees are staged.
LARGE = 20_000
#: Tasks staged, and staged ones removed, in one transaction.
BATCH = 5_000


@dataclass(frozen=True)
class Kept:
    """What is kept on the tasks of a tree, worked out once for all batches."""

    sums: dict[str, totals.Total]
    queue: dict[str, Row]


async def stage(database: Database, request: Asked, draft: TreeDraft) -> int:
    """Stage every task of a tree; returns the import's number.

    Conflict where another import of the project is unfinished, or somebody wrote meanwhile.
    """
    begun = await database.write(lambda tx: _begin(tx, request, draft.tree["content"]))
    kept = Kept(totals.inclusive(draft.tasks), turns.kept(draft.tasks))
    for start in range(begun["nodes"], len(draft.tasks), BATCH):
        some = draft.tasks[start : start + BATCH]
        try:
            await database.write(
                lambda tx, some=some, at=start: _put(tx, request, begun, some, kept, at)  # type: ignore[misc]
            )
        except GotnError:
            await give_up(database, request.project_id, begun["number"])
            raise
    return int(begun["number"])


async def _begin(tx: Tx, request: Asked, content: str) -> Row:
    """Begin an import, or go on with the same one."""
    ledger = await journal.begin(tx, request.project_id, request.actor)
    await journal.commit(tx, ledger)
    known = await staging.progress(tx, request.project_id)
    if known is not None:
        if (known["fingerprint"], known["seq"]) == (content, ledger.seq):
            return known
        raise Conflict(
            "Another large import of this project is unfinished: import that again, or take it "
            "away with `gotn import --abort`.",
            project=request.project_id,
        )
    begun: Row = {"fingerprint": content, "number": ledger.seq + 1, "seq": ledger.seq}
    begun |= {"stamp": ledger.time, "nodes": 0, "edges": 0}
    await staging.note(tx, request.project_id, **begun)
    return begun


async def _put(tx: Tx, request: Asked, begun: Row, some: list[Row], kept: Kept, at: int) -> None:
    """A batch with its journal entries, if nothing was written since the one before."""
    project_id = request.project_id
    ledger = await journal.begin(tx, project_id, request.actor)
    await _expect(tx, ledger, begun["number"], at)
    await staging.create(tx, project_id, some, kept.sums, kept.queue)
    ledger.record("add_tree", [{"task": row} for row in some], **{"import": begun["number"]})
    await journal.commit(tx, ledger)
    await staging.note(tx, project_id, nodes=at + len(some), seq=ledger.seq)


async def _expect(tx: Tx, ledger: Ledger, number: int, nodes: int) -> None:
    known = await staging.progress(tx, ledger.project_id)
    ours = {"number": number, "seq": ledger.seq, "nodes": nodes}
    if known is None or any(known[name] != value for name, value in ours.items()):
        raise Conflict(
            "The project changed while this was imported; nothing was added. Import it again.",
            project=ledger.project_id,
        )


async def finish(tx: Tx, ledger: Ledger, number: int, draft: TreeDraft) -> None:
    """Make what is staged real, in the last transaction; its entries count from now on."""
    await _expect(tx, ledger, number, len(draft.tasks))
    await staging.activate(tx, ledger.project_id, draft.tree["id"], draft.tasks)
    ledger.note("finish_import", {"items": [], "import": number})


async def give_up(database: Database, project_id: str, number: int) -> None:
    """Take away what this import staged, and nobody else's."""
    with suppress(GotnError):
        while await database.write(lambda tx: _discard(tx, project_id, number)):
            pass


async def _discard(tx: Tx, project_id: str, number: int) -> int:
    await tx.one("project/lock", project=project_id)
    known = await staging.progress(tx, project_id)
    if known is None or known["number"] != number:
        return 0
    await staging.note(tx, project_id, seq=-1)
    return await staging.discard(tx, project_id, BATCH)
