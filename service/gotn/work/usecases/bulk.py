"""Take a whole draft into the graph in one transaction: one cycle check, one derivation.

Everything that adds to the graph goes through `take`: one node through the API, a file of
a hundred thousand, a recovery. What is there already and says the same changes nothing.
"""

import hashlib
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

import numpy as np

from gotn import shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Conflict, CycleRefused, Invalid, LimitExceeded
from gotn.journal import Ledger
from gotn.work.records import (
    EdgeOrigin,
    GraphDraft,
    Imported,
    WorkEdgeDraft,
    WorkNodeDraft,
)
from gotn.work.rules import ranks
from gotn.work.store import edges as edge_store
from gotn.work.store import nodes as node_store
from gotn.work.usecases import (
    arriving,
    blocking,
    comparing,
    order,
    originals,
    runs,
    staging,
)
from gotn.work.usecases import link as linking
from gotn.work.usecases.drafting import drafted
from gotn.work.usecases.taken import Staged, Taken, size
from gotn.work.usecases.writing import Request, recalled, write

Row = dict[str, Any]
#: Makes another draft of one, which it leaves as it is: a transaction may run twice.
Prepare = Callable[[Tx, str, GraphDraft], Awaitable[GraphDraft]]
#: Items of one call, at most: what one transaction takes in the memory a laptop has.
ITEMS = 500_000
#: New hard edges that are put in order one by one; more are ordered all at once.
SINGLY = 8


async def import_graph(
    database: Database,
    request: Request,
    draft: GraphDraft,
    *,
    flag_cycles: bool = False,
    derive: bool = False,
    dry_run: bool = False,
    prepare: Prepare | None = None,
) -> Imported:
    """Take in a document: new entities are added, known ones get what the document says of them.

    `dry_run` does everything and undoes it; `prepare` has the last word on the draft, inside
    the transaction. Raises CycleRefused for explicit edges that
    close a cycle unless `flag_cycles` keeps and flags them; Invalid for a second parent.
    """
    staged = Staged()

    async def work(tx: Tx, ledger: Ledger) -> Imported:
        found = await prepare(tx, ledger.project_id, draft) if prepare else draft
        try:
            taken = await take(tx, ledger, found, flag_cycles=flag_cycles, staged=staged)
        except CycleRefused as error:
            raise _located(error, draft) from None
        await originals.keep(tx, ledger, draft.journal)
        if derive:
            await linking.derive(tx, ledger, whole=False)
        answer = _imported(found, taken)
        if dry_run:
            raise _Undo(answer)
        return answer

    given = {
        "document": _fingerprint(draft) if request.idempotency_key else "",
        "flag_cycles": flag_cycles,
        "derive": derive,
    } | ({"prepared": True} if prepare else {})
    _check_size(draft)
    known = await recalled(database, request, "importGraph", given, Imported)
    if known is not None:
        return known
    if staging.is_large(draft) and prepare is None:
        if not flag_cycles:
            _refuse_round(draft)
        staged = await staging.stage(database, request, draft, noted=not dry_run)
    try:
        return await write(database, request, "importGraph", given, Imported, work)
    except _Undo as undone:
        await staging.give_up(database, request.project_id, staged)
        return undone.answer
    except (Invalid, Conflict):
        await staging.give_up(database, request.project_id, staged)
        raise


async def add_graph(
    database: Database,
    request: Request,
    nodes: list[WorkNodeDraft],
    edges: list[WorkEdgeDraft],
    *,
    link: bool = False,
    flag_cycles: bool = False,
) -> Imported:
    """Add many nodes and edges: one call, one derivation, one cycle check, all or nothing."""
    draft = drafted(nodes, edges)

    async def work(tx: Tx, ledger: Ledger) -> Imported:
        taken = await take(tx, ledger, draft, flag_cycles=flag_cycles, strict=True)
        if link:
            await linking.derive(tx, ledger, whole=False)
        return _imported(draft, taken)

    given = {
        # Only a key's fingerprint needs the input again.
        "document": _fingerprint(draft) if request.idempotency_key else "",
        "link": link,
        "flag_cycles": flag_cycles,
    }
    return await write(database, request, "addGraph", given, Imported, work)


def _located(error: CycleRefused, draft: GraphDraft) -> CycleRefused:
    """The error with the lines of the file that its path's edges stand on."""
    hops = pairwise(error.facts.get("path", ()))
    found = [draft.lines.get(f"edge hard_requires {src} {dst}") for src, dst in hops]
    lines = sorted({line for line in found if line})
    if not lines:
        return error
    said = f"{error.message} (line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))})"
    return CycleRefused(said, **error.facts, lines=lines)


def _refuse_round(draft: GraphDraft) -> None:
    """CycleRefused for explicit edges of the draft that go round, before any is staged."""
    place: dict[str, int] = {}
    src, dst = [], []
    for row in draft.edges:
        if edge_store.is_hard(row) and not _is_tagged(row):
            src.append(place.setdefault(row["src"], len(place)))
            dst.append(place.setdefault(row["dst"], len(place)))
    pairs = ranks.Edges(np.array(src, dtype=np.int64), np.array(dst, dtype=np.int64))
    if path := ranks.round_in(len(place), pairs):
        names = list(place)
        way = [names[at] for at in path]
        raise _located(order.refused(way, [[] for _ in way[1:]]), draft)


def _fingerprint(draft: GraphDraft) -> str:
    whole = hashlib.sha256()
    for rows in (draft.nodes, draft.edges, draft.runs, draft.journal):
        whole.update(b"[")
        for row in rows:
            whole.update(shapes.dumps(row).encode())
    return whole.hexdigest()


class _Undo(Exception):
    """Carries a dry run's answer out of the transaction that it undoes."""

    def __init__(self, answer: Imported) -> None:
        self.answer = answer
        super().__init__()


def _imported(draft: GraphDraft, taken: Taken) -> Imported:
    waiting = [*taken.new_edges, *taken.new_steps]
    return Imported(
        nodes=len(draft.nodes),
        edges=len(draft.edges),
        runs=len(draft.runs),
        journal_entries=len(draft.journal),
        pending=taken.waiting + sum(1 for row in waiting if row.get("pending")),
        changed=taken.changes(),
        resumed=taken.staged.resumed,
        skipped=tuple(draft.skipped),
        warnings=tuple(draft.warnings),
    )


def _check_size(draft: GraphDraft) -> None:
    if (count := size(draft)) > ITEMS:
        raise LimitExceeded(
            f"At most {ITEMS} nodes, edges, runs, steps and journal entries a call, found {count}.",
            limit=ITEMS,
        )


async def take(
    tx: Tx,
    ledger: Ledger,
    draft: GraphDraft,
    *,
    flag_cycles: bool = False,
    strict: bool = False,
    staged: Staged | None = None,
) -> Taken:
    """Write what a draft brings and note it; `strict` refuses to change what is stored.

    What a large import `staged` is there already and only becomes real.
    """
    _check_size(draft)
    taken = Taken(staged=staged or Staged())
    await comparing.sort_nodes(tx, ledger, draft, taken, strict)
    await comparing.sort_edges(tx, ledger, draft, taken, strict)
    await arriving.join_waiting(tx, ledger, taken)
    await arriving.check_parents(tx, ledger, taken)
    await _write_nodes(tx, ledger, taken)
    flags = await _write_edges(tx, ledger, taken, flag_cycles)
    await runs.take(tx, ledger, draft.runs, taken)
    taken.note(ledger, order.flag_items(flags))
    hard = taken.staged.said or taken.staged.tagged
    if (
        hard
        or any(map(edge_store.is_hard, taken.new_edges))
        or any("status" in row for row in taken.changed_nodes)
    ):
        await blocking.review(tx, ledger)
    return taken


async def _write_nodes(tx: Tx, ledger: Ledger, taken: Taken) -> None:
    staged = taken.staged
    if staged.nodes:
        await staging.finish(
            tx, ledger, staged, ranks.first_to_last([*staged.nodes], staged.said + staged.tagged)
        )
    ids = [row["id"] for row in taken.new_nodes]
    ordinals = dict(zip(ids, ledger.ordinals(len(ids)), strict=True))
    pairs = [(row["src"], row["dst"]) for row in taken.new_edges if edge_store.is_hard(row)]
    by_id = {row["id"]: row for row in taken.new_nodes}
    fresh = [by_id[id_] for id_ in ranks.first_to_last(ids, pairs)]
    await node_store.create(tx, ledger.project_id, fresh, ordinals)
    await node_store.update(tx, ledger.project_id, taken.changed_nodes)


async def _write_edges(
    tx: Tx, ledger: Ledger, taken: Taken, flag_cycles: bool
) -> dict[tuple[str, str], bool]:
    """Create the edges, what was said before what tags give; returns old edges' changed flags.

    As in linking, an edge that tags give is flagged where it goes round, never refused.
    """
    numbered = list(zip(taken.new_edges, ledger.ordinals(len(taken.new_edges)), strict=True))
    tagged = [pair for pair in numbered if _is_tagged(pair[0])]
    others = [pair for pair in numbered if not _is_tagged(pair[0])]
    changed = await _write_said(tx, ledger, taken, others, flag_cycles)
    if tagged or taken.staged.tagged:
        await edge_store.create(tx, ledger.project_id, tagged)
        changed |= await order.settle(tx, ledger)
    for row in filter(edge_store.is_hard, taken.new_edges):
        if changed.pop((row["src"], row["dst"]), False):
            row["closes_cycle"] = True
    return changed


async def _write_said(
    tx: Tx, ledger: Ledger, taken: Taken, numbered: list[tuple[Row, int]], flag_cycles: bool
) -> dict[tuple[str, str], bool]:
    """Create what is not from tags in order, or settle the whole; returns the changed flags."""
    hard = [row for row, _ in numbered if edge_store.is_hard(row) and not row.get("pending")]
    placed = not hard and not taken.staged.said
    if len(hard) <= SINGLY and not flag_cycles and not taken.staged.nodes:
        placed = await _create_singly(tx, ledger, numbered)
    else:
        await edge_store.create(tx, ledger.project_id, numbered)
    await edge_store.update(tx, ledger.project_id, taken.changed_edges)
    found = [*hard, *(row for row in taken.changed_edges if "tags" not in row)]
    said = [(row["src"], row["dst"]) for row in found if _is_said(row)] + taken.staged.said
    if placed and not await order.touches_flags(tx, ledger.project_id, said):
        return {}
    if flag_cycles:
        return await order.settle(tx, ledger, flag_explicit=said)
    return await order.settle(tx, ledger, said=said)


def _is_tagged(row: Row) -> bool:
    """Whether tags alone give this edge, as its document says and its nodes confirm."""
    return row.get("origin") == EdgeOrigin.DERIVED.value


def _is_said(row: Row) -> bool:
    """Whether a row makes a hard edge explicit: a new one, or one that only tags gave before."""
    return edge_store.is_hard(row) and "origin" in row and not row.get("pending")


async def _create_singly(tx: Tx, ledger: Ledger, numbered: list[tuple[Row, int]]) -> bool:
    """Each hard edge into its place, then created; whether all found room."""
    placed = True
    for row, ordinal in numbered:
        if edge_store.is_hard(row) and not row.get("pending"):
            room = await order.insert(tx, ledger.project_id, row["src"], row["dst"])
            placed = placed and room
            await edge_store.create(tx, ledger.project_id, [(row, ordinal)])
    others = [
        pair for pair in numbered if not edge_store.is_hard(pair[0]) or pair[0].get("pending")
    ]
    await edge_store.create(tx, ledger.project_id, others)
    return placed
