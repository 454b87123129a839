"""What arriving nodes bring about: what waited for them joins, and families stay trees."""

from collections.abc import Iterable
from typing import Any

from gotn.database.connection import Tx
from gotn.journal import Ledger
from gotn.work.records import EdgeType
from gotn.work.rules import fold, parents
from gotn.work.store import edges as edge_store
from gotn.work.store import nodes as node_store
from gotn.work.usecases.taken import Taken

Row = dict[str, Any]


async def join_waiting(tx: Tx, ledger: Ledger, taken: Taken) -> None:
    """Edges and steps that waited for the new nodes become real where both ends are there."""
    arriving = [row["id"] for row in taken.new_nodes]
    waiting = await edge_store.pending_for(tx, ledger.project_id, arriving)
    if not waiting:
        return
    ends = {end for row in waiting if row["type"] != "step" for end in (row["src"], row["dst"])}
    present = set(arriving) | await node_store.existing(tx, ledger.project_id, ends)
    joined = [
        row for row in waiting if row["type"] != "step" and {row["src"], row["dst"]} <= present
    ]
    steps = [row for row in waiting if row["type"] == "step"]
    names = [fold.edge_key(row) for row in joined]
    names += [fold.pending_step_names(row) for row in steps]
    await edge_store.forget_pending(tx, ledger.project_id, names)
    fresh = {fold.edge_key(row) for row in taken.new_edges}
    taken.new_edges += [
        {name: value for name, value in row.items() if name != "pending"}
        for row in joined
        if fold.edge_key(row) not in fresh
    ]
    taken.joined_steps = [
        {name: value for name, value in row.items() if name not in ("pending", "type")}
        for row in steps
    ]


async def check_parents(tx: Tx, ledger: Ledger, taken: Taken) -> None:
    """One parent a node, and no node below itself."""
    family = [row for row in taken.new_edges if row["type"] == EdgeType.DERIVED_FROM.value]
    if not family:
        return
    new_ids = {row["id"] for row in taken.new_nodes}
    old = [row["dst"] for row in family if row["dst"] not in new_ids and not row.get("pending")]
    stored = await node_store.get(tx, ledger.project_id, old)
    known = {id_: row["parent"] for id_, row in stored.items() if row.get("parent")}
    waiting = await edge_store.pending_for(tx, ledger.project_id, (row["dst"] for row in family))
    known |= {row["dst"]: row["src"] for row in waiting if row["type"] == "derived_from"}
    parent_of = parents.reconciled(family, known)
    if old:
        parent_of |= await _ancestors(tx, ledger.project_id, family, parent_of)
    parents.refuse_cycle(parent_of)


async def _ancestors(
    tx: Tx, project_id: str, family: Iterable[Row], known: dict[str, str]
) -> dict[str, str]:
    """The stored parents above those that get children now."""
    found = await node_store.ancestors(tx, project_id, {row["src"] for row in family})
    return {child: parent for child, parent in found if child not in known}
