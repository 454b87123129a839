"""Large imports: staged in batches that nobody sees, made real by the last transaction.

Up to 20,000 items are one transaction. Above that new nodes are created as :Staged, with
their tags, the edges between them and their journal entries, in transactions of their own;
the last one gives them their label, adds what touches other nodes, checks cycles and writes
the entry from which on the others count. A run that was cut short goes on where it was when
the same document comes again, `abort` takes it away: its entries stay, and count for
nothing (decisions, All or nothing, at size).
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from sys import intern
from typing import Any

from gotn import journal, shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Conflict, NotFound
from gotn.journal import Ledger
from gotn.work.records import EdgeOrigin, EdgeType, GraphDraft
from gotn.work.store import nodes as node_store
from gotn.work.store import staging as store
from gotn.work.store.keys import BATCH, batches
from gotn.work.usecases import completing
from gotn.work.usecases.taken import Staged
from gotn.work.usecases.writing import Request, check_project

Row = dict[str, Any]
#: The fingerprint of an import that is being taken away.
SPOILT = ""
#: Items of one transaction, and characters of their prompts, about.
ITEMS = 20_000
TEXT = 4_000_000


def is_large(draft: GraphDraft) -> bool:
    """Whether a draft is more than one transaction should take."""
    return len(draft.nodes) + len(draft.edges) > ITEMS


async def stage(
    database: Database, request: Request, draft: GraphDraft, *, noted: bool = True
) -> Staged:
    """Create the new nodes of a draft, and the edges between them, unseen.

    Each batch is a transaction with its journal entries, which count only once the import's
    last entry is there. A dry run's are not `noted`.
    """
    project_id = check_project(request.project_id)
    print_ = _fingerprint(draft) + ("" if noted else " dry")
    begun = await database.write(lambda tx: _begin(tx, request, print_))
    if begun is None:
        with suppress(NotFound):
            await abort(database, project_id)
        begun = await database.write(lambda tx: _begin(tx, request, print_))
    if begun is None:
        raise Conflict("Another import of this project began at the same time; try again.")
    staged = Staged(number=begun["number"], noted=noted, resumed=begun["nodes"] + begun["edges"])
    for some in batches(draft.nodes, BATCH):
        staged.nodes |= dict.fromkeys(map(intern, await _unknown(database, project_id, some)))
    if not staged.nodes:  # nothing to stage: the last transaction is all there is
        await abort(database, project_id, staged.number)
        return Staged()
    fresh = (row for row in draft.nodes if row["id"] in staged.nodes)
    nodes = _Batches(database, request, staged, begun, "nodes")
    await nodes.put(completing.node(row, begun["stamp"]) for row in fresh)
    between = (row for row in draft.edges if staged.holds(row))
    edges = _Batches(database, request, staged, begun, "edges")
    await edges.put(_kept(row, begun["stamp"], staged) for row in between)
    return staged


def _kept(row: Row, stamp: str, staged: Staged) -> Row:
    """An edge's row, completed; what the last transaction needs of it is kept."""
    staged.edges += 1
    names = (intern(row["src"]), intern(row["dst"]))
    if row["type"] == EdgeType.DERIVED_FROM.value:
        staged.families.append({"type": row["type"], "src": row["src"], "dst": row["dst"]})
    elif row["type"] == EdgeType.HARD_REQUIRES.value:
        tagged = row.get("origin") == EdgeOrigin.DERIVED.value
        (staged.tagged if tagged else staged.said).append(names)
    return completing.edge(row, stamp)


async def _unknown(database: Database, project_id: str, rows: Sequence[Row]) -> list[str]:
    """The ids among these that are not stored."""
    ids = [row["id"] for row in rows]
    known = await database.read(lambda tx: node_store.existing(tx, project_id, ids))
    return [id_ for id_ in ids if id_ not in known]


class _Batches:
    """Stages rows of one kind, a batch a transaction, from where an earlier run stopped."""

    def __init__(
        self, database: Database, request: Request, staged: Staged, begun: Row, kind: str
    ) -> None:
        self._database, self._request = database, request
        self._staged, self._begun, self._kind = staged, begun, kind

    async def put(self, rows: Iterable[Row]) -> None:
        """Store these rows but those that are staged already."""
        done = self._begun[self._kind]
        rest = islice(rows, done, None)
        while some := list(_some(rest)):
            done += len(some)
            await self._database.write(lambda tx, some=some, done=done: self._store(tx, some, done))  # type: ignore[misc]

    async def _store(self, tx: Tx, rows: list[Row], done: int) -> None:
        project_id = self._request.project_id
        ledger = await journal.begin(tx, project_id, self._request.actor)
        await _expect(tx, ledger, self._staged, **{self._kind: done - len(rows)})
        numbered = list(zip(rows, ledger.ordinals(len(rows)), strict=True))
        if self._kind == "nodes":
            await store.create_nodes(tx, project_id, numbered)
            items, event = [{"node": row} for row in rows], "add_node"
        else:
            await store.create_edges(tx, project_id, numbered)
            items, event = [{"edge": row} for row in rows], "add_edge"
        if self._staged.noted:
            ledger.record(event, items, **{"import": self._staged.number})
        await journal.commit(tx, ledger)
        await store.note(tx, project_id, **{self._kind: done, "seq": ledger.seq})


def _some(rows: Iterator[Row]) -> Iterator[Row]:
    """The next rows that one transaction takes well; a long prompt weighs more than an edge."""
    size = 0
    for row in islice(rows, ITEMS):
        yield row
        size += len(row.get("prompt_text", ""))
        if size > TEXT:
            return


async def _expect(tx: Tx, ledger: Ledger, staged: Staged, **counts: int) -> None:
    """Conflict where somebody wrote since the import's last batch, or took it away or on."""
    known = await store.progress(tx, ledger.project_id)
    ours = {"number": staged.number, "seq": ledger.seq, **counts}
    if known is None or any(known[name] != value for name, value in ours.items()):
        raise _changed(ledger.project_id)


def _changed(project_id: str) -> Conflict:
    return Conflict(
        "The project changed while this was imported; nothing was added. Import it again.",
        project=project_id,
    )


async def finish(tx: Tx, ledger: Ledger, staged: Staged, ids: Sequence[str]) -> None:
    """Make what is staged real, in the last transaction; Conflict if it is not ours any more.

    `ids` are the staged nodes in the order of their ranks.
    """
    await _expect(tx, ledger, staged, nodes=len(staged.nodes), edges=staged.edges)
    await store.finish(tx, ledger.project_id)
    if await store.activate(tx, ledger.project_id, ids) != len(ids):
        raise _changed(ledger.project_id)


async def give_up(database: Database, project_id: str, staged: Staged) -> None:
    """Take away what was staged for an import that was refused, and nobody else's."""
    if staged.nodes:
        with suppress(NotFound):
            await abort(database, project_id, staged.number)


def _fingerprint(draft: GraphDraft) -> str:
    whole = hashlib.sha256()
    for row in chain(draft.nodes, draft.edges):
        whole.update(shapes.dumps(row).encode())
    return whole.hexdigest()


async def _begin(tx: Tx, request: Request, print_: str) -> Row | None:
    """Begin an import, or go on with it; None where another one must be taken away first."""
    ledger = await journal.begin(tx, request.project_id, request.actor)
    await journal.commit(tx, ledger)
    known = await store.progress(tx, request.project_id)
    if known is not None:
        same = (known["fingerprint"], known["seq"]) == (print_, ledger.seq) and known["number"]
        return known if same else None
    begun: Row = {
        "fingerprint": print_,
        "number": ledger.seq + 1,
        "seq": ledger.seq,
        "stamp": ledger.time,
        "nodes": 0,
        "edges": 0,
    }
    await store.note(tx, request.project_id, **begun)
    return begun


async def abort(database: Database, project_id: str, number: int | None = None) -> None:
    """Take away what an unfinished import staged; NotFound where there is none (of this number).

    The first transaction spoils the import for whoever runs it, so that none goes on with
    what is only half there; where this is cut short, the next abort or import ends it.
    """
    check_project(project_id)
    if not await database.write(lambda tx: _spoil(tx, project_id, number)):
        raise NotFound(f"No import of project {project_id!r} is unfinished.", project=project_id)
    while await database.write(lambda tx: _discard(tx, project_id)):
        pass


async def _spoil(tx: Tx, project_id: str, number: int | None) -> bool:
    """Mark the import as one that ends; whether there is one."""
    known = await _locked(tx, project_id)
    if known is None or number not in (None, known["number"]):
        return False
    await store.note(tx, project_id, fingerprint=SPOILT, seq=-1)
    return True


async def _discard(tx: Tx, project_id: str) -> int:
    """Delete some of what a spoilt import staged; 0 where nothing is left of it."""
    known = await _locked(tx, project_id)
    if known is None or known["fingerprint"] != SPOILT:
        return 0
    return await store.discard(tx, project_id, ITEMS)


async def _locked(tx: Tx, project_id: str) -> Row | None:
    await tx.one("project/lock", project=project_id)
    return await store.progress(tx, project_id)
