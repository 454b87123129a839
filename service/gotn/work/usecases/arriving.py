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
#: Parents in a row that wait for a node and are followed upwards, at most.
CLIMBS = 100


async def join_waiting(tx: Tx, ledger: Ledger, taken: Taken) -> None:
    """Edges and steps that waited for the new nodes become real where both ends are there."""
    arriving = taken.arriving()
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
    """One parent a node, and no node below itself; what still waits counts like the rest."""
    family = [row for row in taken.new_edges if row["type"] == EdgeType.DERIVED_FROM.value]
    family += taken.staged.families
    if not family:
        return
    children = {row["dst"] for row in family}
    known = await _waiting_parents(tx, ledger.project_id, children)
    old = children.difference(taken.arriving())
    stored = await node_store.get(tx, ledger.project_id, sorted(old))
    known |= {id_: row["parent"] for id_, row in stored.items() if row.get("parent")}
    parent_of = parents.reconciled(family, known)
    if old or any(row.get("pending") for row in family):
        await _climb(tx, ledger.project_id, {row["src"] for row in family}, parent_of)
    parents.refuse_cycle(parent_of)


async def _waiting_parents(tx: Tx, project_id: str, children: Iterable[str]) -> dict[str, str]:
    """The parents of these children that wait for one of the two."""
    wanted = set(children)
    waiting = await edge_store.pending_for(tx, project_id, sorted(wanted))
    return {
        row["dst"]: row["src"]
        for row in waiting
        if row["type"] == EdgeType.DERIVED_FROM.value and row["dst"] in wanted
    }


async def _climb(tx: Tx, project_id: str, start: set[str], parent_of: dict[str, str]) -> None:
    """Add every parent above `start` to `parent_of`: the stored ones, and those that wait.

    Above CLIMBS waiting ones in a row it stops: a cycle there is refused when they join.
    """
    tops = start - parent_of.keys()
    for _ in range(CLIMBS):
        stored = dict(await node_store.ancestors(tx, project_id, tops))
        tops = (tops | set(stored.values())) - stored.keys() - parent_of.keys()
        parent_of.update({child: up for child, up in stored.items() if child not in parent_of})
        waiting = await _waiting_parents(tx, project_id, tops)
        if not waiting:
            return
        parent_of.update(waiting)
        tops = set(waiting.values()) - parent_of.keys()
