"""Large imports: staged in batches that nobody sees, made real by the last transaction.

Up to 20,000 items are one transaction. Above that new nodes are created as :Staged, with
their tags and the edges between them, in transactions of their own; the last one gives them
their label, adds what touches other nodes, checks cycles and writes the journal. A run that
was cut short goes on where it was when the same document comes again, `abort` takes it
away (decisions, All or nothing, at size).
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from gotn import journal, shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Conflict, NotFound
from gotn.work.records import GraphDraft
from gotn.work.rules import fold
from gotn.work.store import nodes as node_store
from gotn.work.store import staging as store
from gotn.work.store.keys import batches
from gotn.work.usecases import completing
from gotn.work.usecases.taken import Staged
from gotn.work.usecases.writing import Request, check_project

Row = dict[str, Any]
#: Items of one transaction.
ITEMS = 20_000


def is_large(draft: GraphDraft) -> bool:
    """Whether a draft is more than one transaction should take."""
    return len(draft.nodes) + len(draft.edges) > ITEMS


async def stage(database: Database, request: Request, draft: GraphDraft) -> Staged:
    """Create the new nodes of a draft, and the edges between them, unseen.

    Rows of the draft that are staged are completed, so that the last transaction notes in
    the journal just what was written.
    """
    project_id = check_project(request.project_id)
    print_ = _fingerprint(draft)
    begun = await database.write(lambda tx: _begin(tx, request, print_))
    if begun is None:
        await abort(database, project_id)
        begun = await database.write(lambda tx: _begin(tx, request, print_))
    if begun is None:
        raise Conflict("Another import of this project began at the same time; try again.")
    fresh = await _new_nodes(database, project_id, draft, begun["stamp"])
    if not fresh:  # nothing to stage: the last transaction is all there is
        await abort(database, project_id)
        return Staged()
    staged = Staged(nodes={row["id"] for row in fresh})
    between = _new_edges(draft, staged.nodes, begun["stamp"])
    staged.edges = {fold.edge_key(row) for row in between}
    await _put_nodes(database, project_id, fresh, begun["nodes"])
    numbered = [(row, begun["ordinal"] + len(fresh) + n) for n, row in enumerate(between)]
    await _put_edges(database, project_id, numbered, begun["edges"])
    return staged


async def finish(
    tx: Tx, project_id: str, staged: Staged, ids: Sequence[str], ordinals: Mapping[str, int]
) -> None:
    """Make what is staged real, in the last transaction; Conflict if it is not ours any more.

    `ids` are the staged nodes that the last transaction found new, in the order of their
    ranks: somebody may have stored one of the staged meanwhile.
    """
    if len(staged.nodes) == len(ids) and await store.finish(tx, project_id):
        await store.activate(tx, project_id, ids, ordinals)
    else:
        raise Conflict(
            "The project changed while this was imported; nothing was added. Import it again.",
            project=project_id,
        )


async def give_up(database: Database, project_id: str, staged: Staged) -> None:
    """Take away what was staged for an import that was refused."""
    if staged.nodes:
        await abort(database, project_id)


def _fingerprint(draft: GraphDraft) -> str:
    whole = hashlib.sha256()
    for row in (*draft.nodes, *draft.edges):
        whole.update(shapes.dumps(row).encode())
    return whole.hexdigest()


async def _begin(tx: Tx, request: Request, print_: str) -> Row | None:
    """Begin an import, or go on with it; None where another one must be taken away first."""
    ledger = await journal.begin(tx, request.project_id, request.actor)
    await journal.commit(tx, ledger)
    known = await store.progress(tx, request.project_id)
    if known is not None:
        same = known["fingerprint"] == print_ and known["seq"] == ledger.seq
        return known if same else None
    begun: Row = {
        "fingerprint": print_,
        "seq": ledger.seq,
        "stamp": ledger.time,
        "ordinal": ledger.ordinal,
        "nodes": 0,
        "edges": 0,
    }
    await store.note(tx, request.project_id, **begun)
    return begun


async def _new_nodes(
    database: Database, project_id: str, draft: GraphDraft, stamp: str
) -> list[Row]:
    """The rows of nodes that are not stored, completed in the draft."""
    ids = [row["id"] for row in draft.nodes]
    known = await database.read(lambda tx: node_store.existing(tx, project_id, ids))
    fresh: list[Row] = []
    for at, row in enumerate(draft.nodes):
        if row["id"] not in known:
            draft.nodes[at] = completing.node(row, stamp)
            fresh.append(draft.nodes[at])
    return fresh


def _new_edges(draft: GraphDraft, ids: set[str], stamp: str) -> list[Row]:
    """The rows of edges between staged nodes, completed in the draft."""
    fresh: list[Row] = []
    for at, row in enumerate(draft.edges):
        if store.is_between(row, ids):
            draft.edges[at] = completing.edge(row, stamp)
            fresh.append(draft.edges[at])
    return fresh


async def _put_nodes(database: Database, project_id: str, rows: Sequence[Row], done: int) -> None:
    for some in batches(rows[done:], ITEMS):
        done += len(some)

        async def work(tx: Tx, some: Sequence[Row] = some, done: int = done) -> None:
            await store.create_nodes(tx, project_id, some)
            await store.note(tx, project_id, nodes=done)

        await database.write(work)


async def _put_edges(
    database: Database, project_id: str, numbered: Sequence[tuple[Row, int]], done: int
) -> None:
    for some in batches(numbered[done:], ITEMS):
        done += len(some)

        async def work(tx: Tx, some: Sequence[tuple[Row, int]] = some, done: int = done) -> None:
            await store.create_edges(tx, project_id, some)
            await store.note(tx, project_id, edges=done)

        await database.write(work)


async def abort(database: Database, project_id: str) -> None:
    """Take away what an unfinished import staged; NotFound where there is none."""
    check_project(project_id)
    if await database.read(lambda tx: store.progress(tx, project_id)) is None:
        raise NotFound(f"No import of project {project_id!r} is unfinished.", project=project_id)
    while await database.write(lambda tx: store.discard(tx, project_id, ITEMS)):
        pass
