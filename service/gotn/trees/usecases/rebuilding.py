"""Store the trees of a folded state in a project that has none."""

from gotn.database.connection import Tx
from gotn.journal import Ledger
from gotn.trees.rules.fold import TreesState
from gotn.trees.store import trees
from gotn.trees.usecases.exporting import ordered


async def write(tx: Tx, ledger: Ledger, state: TreesState) -> None:
    """Store every tree with its tasks, what they executed, and the states."""
    by_tree: dict[str, list[dict[str, object]]] = {id_: [] for id_ in state.trees}
    for (tree_id, _), row in state.tasks.items():
        by_tree.setdefault(tree_id, []).append(row)
    for tree_id, tree in state.trees.items():
        await trees.create(tx, ledger.project_id, tree, ordered(by_tree[tree_id]))
    for names in state.executes.values():
        await trees.put_executes(tx, ledger.project_id, names)
    for row in state.states.values():
        await trees.put_state(tx, ledger.project_id, row)
