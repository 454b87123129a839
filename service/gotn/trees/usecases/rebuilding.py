"""Store the trees of a folded state in a project that has none."""

from collections.abc import Iterator
from typing import Any

from gotn.database.connection import Database, Tx
from gotn.journal import Ledger
from gotn.keys import batches
from gotn.trees.rules import totals, turns
from gotn.trees.rules.fold import TreesState
from gotn.trees.store import staging, trees
from gotn.trees.usecases import sowing
from gotn.trees.usecases.exporting import ordered

Row = dict[str, Any]


def _tasks(state: TreesState) -> Iterator[tuple[Row, list[Row]]]:
    """Each tree with its tasks, parents first."""
    by_tree: dict[str, list[Row]] = {id_: [] for id_ in state.trees}
    for (tree_id, _), row in state.tasks.items():
        by_tree.setdefault(tree_id, []).append(row)
    for tree_id, tree in state.trees.items():
        yield tree, ordered(by_tree[tree_id])


def large(state: TreesState) -> bool:
    """Whether all tasks are more than one transaction takes."""
    return len(state.tasks) > sowing.LARGE


async def stage(database: Database, project_id: str, state: TreesState) -> None:
    """Store all tasks unseen, if they are that many; `write` makes them real."""
    if not large(state):
        return
    for _, tasks in _tasks(state):
        sums, queue = totals.inclusive(tasks), turns.kept(tasks)
        for some in batches(tasks, sowing.BATCH):
            await database.write(
                lambda tx, some=some, sums=sums, queue=queue: staging.create(  # type: ignore[misc]
                    tx, project_id, some, sums, queue
                )
            )


async def write(tx: Tx, ledger: Ledger, state: TreesState) -> None:
    """Store every tree with its tasks, what they executed, and the states."""
    for tree, tasks in _tasks(state):
        await trees.create_tree(tx, ledger.project_id, tree, tasks)
        known = large(state) and await staging.is_staged(tx, ledger.project_id, tasks[0])
        if known:
            await staging.activate(tx, ledger.project_id, tree["id"], tasks)
        else:
            queue = turns.kept(tasks)
            await trees.create_tasks(tx, ledger.project_id, tree["id"], tasks, queue)
    for names in state.executes.values():
        await trees.put_executes(tx, ledger.project_id, names)
    for row in state.states.values():
        await trees.put_state(tx, ledger.project_id, row)
