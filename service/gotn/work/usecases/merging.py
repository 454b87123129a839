"""Two nodes that mean the same become one, and two again.

A merge moves what the one has to the other and removes it; the journal's entry `merge_nodes`
keeps all that was taken and added, and undoing reads it from there.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gotn import journal
from gotn.database.connection import Database, Tx
from gotn.errors import Conflict, Invalid, NotFound
from gotn.journal import Ledger, paging
from gotn.work.records import EdgeOrigin, EdgeType, GraphDraft, Merged
from gotn.work.rules import fold
from gotn.work.store import asking, edges, nodes, runs
from gotn.work.usecases import bulk, comparing, link
from gotn.work.usecases.nodes import joined_to, resettle, take_out
from gotn.work.usecases.writing import Request, check_project, write

Row = dict[str, Any]
#: Why a node is not merged as things stand now: of what stays, what goes and the edges of that.
Unless = Callable[[Row, Row, Sequence[Row]], str | None]
#: The entry that a merge can be undone by.
EVENT, UNDONE = "merge_nodes", "unmerge_nodes"
#: What an edge says of a place that it loses with its end.
_OF_ITS_PLACE = frozenset(("closes_cycle", "layout", "origin", "reversed", "tags", "touched"))
_LISTS = tuple(fold.TAGGED)


async def merge(
    database: Database,
    request: Request,
    keep: str,
    gone: str,
    reason: str = "",
    unless: Unless | None = None,
) -> Merged:
    """Give `keep` the edges and tags of `gone`, and remove that.

    What both have stays once; an edge between the two goes. Conflict where `gone` is a step of
    an open run, was executed by a task tree or waits for nodes that are not there, or where
    `unless` says why not; CycleRefused where one must come before the other.
    """
    if keep == gone:
        raise Invalid("keep: expected two different nodes", field="keep")

    async def work(tx: Tx, ledger: Ledger) -> Merged:
        known = await asking.require(tx, ledger.project_id, keep, gone)
        joined = await joined_to(tx, ledger.project_id, gone)
        if unless is not None and (why := unless(known[keep], known[gone], joined)):
            raise Conflict(why, id=gone)
        await _check(tx, ledger.project_id, gone)
        own = await joined_to(tx, ledger.project_id, keep)
        moved = _moved(joined, own, keep, gone)
        steps = await take_out(tx, ledger, gone, joined)
        tags = await _union(tx, ledger, known[keep], known[gone])
        await bulk.take(tx, ledger, GraphDraft(edges=moved))
        await _relink(tx, ledger, joined)
        entry = {"keep": keep, "gone": nodes.row_of(known[gone]), "edges": joined, "tags": tags}
        entry |= {"added": [_names(row) for row in moved], "reason": reason}
        ledger.note(EVENT, {"items": [], **entry})
        return Merged(merge=ledger.seq, keep=keep, gone=gone, edges=len(moved), steps=steps)

    given = {"keep": keep, "gone": gone, "reason": reason}
    return await write(database, request, "mergeNodes", given, Merged, work, create=False)


async def undo(database: Database, request: Request, merge_seq: int) -> Merged:
    """Take a merge back: the node that went returns with its edges, as it was then.

    The last first: Conflict, with its number, where a later merge has to be taken back before,
    and where there is a node of that name again. NotFound where the journal has no such merge
    or the other node is gone too.
    """
    check_project(request.project_id)
    told = await _entry(database, request.project_id, merge_seq)

    async def work(tx: Tx, ledger: Ledger) -> Merged:
        keep, row = told["keep"], told["gone"]
        if await nodes.existing(tx, ledger.project_id, [row["id"]]):
            raise Conflict(f"There is a node {row['id']!r} again: nothing to undo.", id=row["id"])
        await _last_first(tx, ledger.project_id, merge_seq, told)
        known = (await asking.require(tx, ledger.project_id, keep))[keep]
        there = await edges.get(tx, ledger.project_id, told["added"])
        await edges.delete(tx, ledger.project_id, list(there.values()))
        ledger.record("remove_edge", [{"edge": _names(one)} for one in there.values()])
        await _separate(tx, ledger, known, told["tags"])
        back = [one for one in map(_restored, told["edges"]) if one is not None]
        await bulk.take(tx, ledger, GraphDraft(nodes=[row], edges=back))
        await _relink(tx, ledger, told["edges"])
        ledger.note(UNDONE, {"items": [], "merge": merge_seq, "keep": keep, "gone": row["id"]})
        return Merged(merge=merge_seq, keep=keep, gone=row["id"], edges=len(there))

    given = {"merge": merge_seq}
    return await write(database, request, "undoMerge", given, Merged, work, create=False)


async def _entry(database: Database, project_id: str, seq: int) -> Row:
    """What a merge took and added."""
    if seq > 0:
        async for entry in journal.entries(database, project_id, seq - 1, seq):
            if entry.event == EVENT:
                told: Row = entry.data
                return told
    raise NotFound(f"The journal of {project_id!r} has no merge {seq}.", id=str(seq))


async def _last_first(tx: Tx, project_id: str, seq: int, told: Row) -> None:
    """Refuse to undo a merge before a later one that built on it: its edges would stay.

    A later merge notes the edges that it finds, and gives them back when it is undone; those
    that an earlier merge made would come back though nobody stated them.
    """
    names = {told["keep"], told["gone"]["id"]}
    near = {row[end] for row in told["edges"] for end in ("src", "dst")}
    later: dict[int, Row] = {}
    async for entry in paging.telling_of(tx, project_id, (EVENT, UNDONE), seq):
        if entry.event == UNDONE:
            later.pop(entry.data["merge"], None)
        elif entry.data["keep"] in names or entry.data["gone"]["id"] in names | near:
            later[entry.seq] = {"keep": entry.data["keep"], "gone": entry.data["gone"]["id"]}
    if later:
        last, one = max(later.items())
        raise Conflict(
            f"{one['gone']!r} went into {one['keep']!r} after that: take back merge {last} first.",
            id=str(last),
        )


async def _check(tx: Tx, project_id: str, gone: str) -> None:
    if open_runs := await runs.open_with(tx, project_id, gone):
        raise Conflict(f"{gone!r} is a step of {', '.join(open_runs[:5])}.", id=gone)
    if await asking.tied(tx, project_id, [gone]):
        raise Conflict(f"A task tree executed {gone!r}, or the like: it has to stay.", id=gone)
    if await edges.pending_for(tx, project_id, [gone]):
        raise Conflict(f"{gone!r} has edges whose other node is not there.", id=gone)


def _moved(joined: Sequence[Row], own: Sequence[Row], keep: str, gone: str) -> list[Row]:
    """The edges that the one node gets from the other."""
    have = {fold.edge_key(row) for row in own}
    adopted = any(row["type"] == _PARENT and row["dst"] == keep for row in own)
    found = []
    for row in joined:
        ends = {end: keep if row[end] == gone else row[end] for end in ("src", "dst")}
        moved = {k: v for k, v in row.items() if k not in _OF_ITS_PLACE} | ends
        another_parent = row["type"] == _PARENT and row["dst"] == gone and adopted
        if ends["src"] == ends["dst"] or another_parent or _follows(row):
            continue
        if fold.edge_key(moved) not in have:
            found.append(moved)
    return found


_PARENT = EdgeType.DERIVED_FROM.value


def _follows(row: Row) -> bool:
    """Whether an edge follows from tags or texts, and will be derived again where it should."""
    by = (row.get("provenance") or {}).get("created_by")
    return row.get("origin") == EdgeOrigin.DERIVED.value or by == "soft_engine"


def _restored(row: Row) -> Row | None:
    """An edge as it comes back; None for one that tags give."""
    if row.get("origin") == EdgeOrigin.DERIVED.value:
        return None
    kept = {k: v for k, v in row.items() if k not in ("closes_cycle", "tags")}
    return kept | ({"origin": EdgeOrigin.EXPLICIT.value} if edges.is_hard(row) else {})


async def _union(tx: Tx, ledger: Ledger, known: Row, gone: Row) -> dict[str, list[str]]:
    """Give a node the tags of another; those it did not have."""
    new = {
        member: [name for name in gone.get(member, ()) if name not in known.get(member, ())]
        for member in _LISTS
    }
    new = {member: names for member, names in new.items() if names}
    await _retag(tx, ledger, known, {m: [*known.get(m, ()), *names] for m, names in new.items()})
    return new


async def _separate(tx: Tx, ledger: Ledger, known: Row, added: dict[str, list[str]]) -> None:
    """Take tags away again that a merge gave."""
    left = {
        member: [name for name in known.get(member, ()) if name not in names]
        for member, names in added.items()
    }
    await _retag(tx, ledger, known, left)


async def _retag(tx: Tx, ledger: Ledger, known: Row, lists: dict[str, list[str]]) -> None:
    if not lists:
        return
    change = comparing.touched(known, dict(lists), ledger)
    await nodes.update(tx, ledger.project_id, [change])
    ledger.record("update_node", [{"node": change}])


async def _relink(tx: Tx, ledger: Ledger, joined: Iterable[Row]) -> None:
    """Derive hard edges again where there were any, and look at flags and statuses."""
    if any(row.get("origin") in ("derived", "both") for row in joined):
        await link.derive(tx, ledger, whole=False)
    await resettle(tx, ledger)


def _names(row: Row) -> Row:
    return {name: row[name] for name in ("type", "src", "dst", "kind") if name in row}
