"""Whose turn it is after something changed: settled around what changed, never for a whole tree."""

from collections.abc import Sequence
from typing import Any

from gotn.database.connection import Tx
from gotn.errors import NotFound
from gotn.journal import Ledger
from gotn.trees.rules import moves, turns
from gotn.trees.store import queues, trees
from gotn.trees.store.queues import Around, Opened
from gotn.trees.usecases import changing
from gotn.trees.usecases.exporting import ordered

Row = dict[str, Any]
#: A status on which what may start below a task depends (rules.moves).
_FELT_BELOW = frozenset(("pending", "cancelled"))


async def opened(tx: Tx, ledger: Ledger, tree_id: str) -> Opened:
    """The tree that `queues.opening` read, to be worked on; NotFound without one.

    The first time, what its document leaves without a turn is given up: this once the whole
    tree is read, as it is for one that was stored before queues were kept.
    """
    found = _there(queues.as_opened(ledger.found), ledger.project_id, tree_id)
    if found.kept.get("queue"):
        return found
    tasks = await whole(tx, ledger.project_id, tree_id)
    if found.kept.get("queue") is None:
        await queues.keep(tx, ledger.project_id, tree_id, tasks)
    gone = await _give_up(tx, ledger, tasks)
    families = await queues.families(tx, ledger.project_id, tree_id, gone)
    changes = dict(pair for one in families for pair in _changes(one, one[1:]))
    changes |= dict.fromkeys(gone)
    await queues.settle(tx, ledger.project_id, tree_id, list(changes.items()))
    await queues.note(tx, ledger.project_id, tree_id, {"queue": True})
    return await read(tx, ledger.project_id, tree_id)


async def read(tx: Tx, project_id: str, tree_id: str) -> Opened:
    """A tree as it stands; NotFound without one."""
    return _there(await queues.opened(tx, project_id, tree_id), project_id, tree_id)


def _there(found: Opened | None, project_id: str, tree_id: str) -> Opened:
    if found is None:
        raise NotFound(f"There is no tree {tree_id!r} in project {project_id!r}.", id=tree_id)
    return found


async def whole(tx: Tx, project_id: str, tree_id: str) -> list[Row]:
    """Every task of a tree, parents first."""
    return ordered([row async for page in trees.pages(tx, project_id, tree_id) for row in page])


async def around(tx: Tx, project_id: str, tree_id: str, id_: str) -> Around:
    """A task and what stands around it; NotFound where the tree has none of this id."""
    found = await queues.around(tx, project_id, tree_id, id_)
    if found is None:
        raise NotFound(f"There is no task {id_!r} in tree {tree_id!r}.", id=id_)
    return found


async def reason(tx: Tx, project_id: str, at: Around) -> str | None:
    """Why a pending task may not start, where its order holds it."""
    return moves.waiting(await beside(tx, project_id, at)).get(at.row["id"])


async def beside(tx: Tx, project_id: str, at: Around) -> list[Row]:
    """What decides whose turn it is: a task below its parent, with all others where they count."""
    if at.parent is None:
        return [_now(at)]
    if at.ordered:
        return (await queues.families(tx, project_id, at.row["tree"], [at.parent["id"]]))[0]
    return [at.parent, _now(at)]


def _now(at: Around) -> Row:
    return at.row | {"turn": at.turn}


async def moved(tx: Tx, ledger: Ledger, at: Around, before: str) -> tuple[str, ...]:
    """Settle whose turn it is now that a task's status is another one than before.

    Returns the ids of those beside it that are given up: their turn cannot come any more.
    """
    row = at.row
    family = await beside(tx, ledger.project_id, at)
    gone = await _give_up(tx, ledger, family)
    parents = list(gone)
    if at.below and _FELT_BELOW & {before, row["status"]}:
        parents.append(row["id"])
    families = await queues.families(tx, ledger.project_id, row["tree"], parents)
    counts = {name: (row["status"] == name) - (before == name) for name in ("completed", "failed")}
    changes = _changes(family, family[1:] or family)
    for one in families:
        changes += _changes(one, one[1:])
    await queues.settle(tx, ledger.project_id, row["tree"], changes, **counts)
    return gone


def _changes(family: Sequence[Row], rows: Sequence[Row]) -> list[tuple[str, str | None]]:
    """Those of a family's tasks whose turn is another one than is kept."""
    turn_of = turns.every(family)
    return [(row["id"], turn_of[row["id"]]) for row in rows if turn_of[row["id"]] != row["turn"]]


async def _give_up(tx: Tx, ledger: Ledger, family: list[Row]) -> tuple[str, ...]:
    """Cancel what a conditional order leaves no turn for, one after the other."""
    gone: list[str] = []
    while lost := moves.given_up(family):
        for row in family:
            if row["id"] not in lost:
                continue
            stored = await trees.task(tx, ledger.project_id, row["tree"], row["id"])
            if stored is not None:
                await changing.cancel(tx, ledger, stored, lost[row["id"]])
            row["status"] = "cancelled"
            gone.append(row["id"])
    return tuple(gone)


async def added(tx: Tx, ledger: Ledger, above: Around, new: Sequence[Row]) -> None:
    """Settle whose turn it is now that tasks stand below one."""
    row = above.row
    if row.get("decomposition_strategy") in moves.ORDERED:
        family = (await queues.families(tx, ledger.project_id, row["tree"], [row["id"]]))[0]
    else:
        top = {name: value for name, value in row.items() if name != "parent"}
        family = [top, *(one | {"turn": None} for one in new)]
    changes, depth = _changes(family, family[1:]), row["depth"] + 1
    await queues.settle(tx, ledger.project_id, row["tree"], changes, deepest=depth)
