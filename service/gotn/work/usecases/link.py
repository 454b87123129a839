"""Derive hard edges from requires and produces."""

from typing import Any

from gotn import shapes
from gotn.database.connection import Database, Tx
from gotn.journal import Ledger
from gotn.work.records import EdgeOrigin, Linked
from gotn.work.rules import tags
from gotn.work.store import asking, graph
from gotn.work.usecases import blocking, order
from gotn.work.usecases.writing import Request, write

Row = dict[str, Any]


async def link(database: Database, request: Request, *, whole: bool = False) -> Linked:
    """Make derived edges what the tags imply: for nodes whose tags changed, or for all.

    An edge that closes a cycle is kept, since the tags imply it, and flagged. Linking
    again changes nothing. NotFound where there is no such project.
    """

    async def work(tx: Tx, ledger: Ledger) -> Linked:
        linked = await derive(tx, ledger, whole=whole)
        linked.unmet = tuple(await asking.unmet(tx, ledger.project_id))
        linked.cycles = tuple(await asking.cycles(tx, ledger.project_id))
        return linked

    return await write(database, request, "link", {"whole": whole}, Linked, work, create=False)


async def derive(tx: Tx, ledger: Ledger, *, whole: bool) -> Linked:
    """Run the derivation, put its edges in order, and note what changed."""
    found = await tx.row(
        "work/derive_whole" if whole else "work/derive_changed",
        project=ledger.project_id,
        now=ledger.now,
        provenance=shapes.dumps(tags.PROVENANCE),
    )
    added = [tags.derived(src, dst, names, ledger.time) for src, dst, names in found["added"]]
    flags: dict[tuple[str, str], bool] = {}
    if found["disordered"] or (_changes(found) and await graph.has_flags(tx, ledger.project_id)):
        flags = await order.settle(tx, ledger)
    for row in added:
        if flags.pop((row["src"], row["dst"]), False):
            row["closes_cycle"] = True
    ledger.record("remove_edge", [{"edge": _named(*pair)} for pair in sorted(found["removed"])])
    ledger.record("add_edge", [{"edge": row} for row in sorted(added, key=_ends)])
    changed = [{"edge": _changed(*row)} for row in sorted(found["updated"])]
    weakened = [
        {"edge": _named(*pair) | {"origin": "explicit", "tags": None}}
        for pair in sorted(found["weakened"])
    ]
    ledger.record("update_edge", changed + weakened + order.flag_items(flags))
    if added or found["removed"]:
        await blocking.review(tx, ledger)
    return Linked(
        added=len(added),
        removed=len(found["removed"]),
        updated=len(found["updated"]) + len(found["weakened"]),
    )


def _changes(found: Row) -> bool:
    """Whether the graph has other hard edges, or other explicit ones, than before."""
    return bool(found["added"] or found["removed"] or found["updated"] or found["weakened"])


def _named(src: str, dst: str) -> Row:
    return {"type": "hard_requires", "src": src, "dst": dst}


def _changed(src: str, dst: str, names: list[str], before: str) -> Row:
    """What the derivation wrote on an edge that was there; `before` is its origin then."""
    row = _named(src, dst) | {"tags": names}
    if before == EdgeOrigin.DERIVED.value:
        return row | {"evidence": tags.evidence(src, dst, names)}
    return row | {"origin": EdgeOrigin.BOTH.value}


def _ends(row: Row) -> tuple[str, str]:
    return (row["src"], row["dst"])
