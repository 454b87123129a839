"""Which work node a tree, or one of its tasks, executed (graph-model, EXECUTES)."""

from collections.abc import Sequence

from gotn.database.connection import Database, Tx
from gotn.errors import NotFound
from gotn.journal import Ledger
from gotn.trees.records import Executed
from gotn.trees.store import trees
from gotn.writing import Asked, check_project, write

#: Executed nodes that are told of.
MOST = 1000


async def link(
    database: Database, request: Asked, tree_id: str, node: str, task: str | None = None
) -> Executed:
    """Note that a tree, or one of its tasks, executed a work node; the same again is nothing.

    What it cost then counts for the node. NotFound for a tree, task or node that is not there.
    """

    async def work(tx: Tx, ledger: Ledger) -> Executed:
        if await trees.get(tx, ledger.project_id, tree_id) is None:
            raise _missing("tree", tree_id, ledger)
        if task is not None and await trees.task(tx, ledger.project_id, tree_id, task) is None:
            raise _missing("task", task, ledger)
        changed = await join(tx, ledger, tree_id, node, task)
        return Executed(tree_id=tree_id, task_id=task, node=node, changed=changed)

    given = {"tree": tree_id, "task": task, "node": node}
    return await write(database, request, "linkTree", given, Executed, work, create=False)


async def executed(
    database: Database, project_id: str, tree_id: str, tasks: Sequence[str]
) -> list[Executed]:
    """The work nodes that a tree, and those of its tasks that are named, executed; at most 1,000.

    Those of the whole tree come first.
    """
    pairs = await database.read(
        lambda tx: trees.executed_nodes(tx, check_project(project_id), tree_id, tasks, MOST)
    )
    return [Executed(tree_id=tree_id, task_id=task, node=node) for task, node in pairs]


def told(found: Sequence[Executed]) -> list[str]:
    """What was executed, a line each."""
    return [f"{one.task_id} executed {one.node}" if one.task_id else one.node for one in found]


async def join(tx: Tx, ledger: Ledger, tree_id: str, node: str, task: str | None = None) -> int:
    """Join and note it; 1 where that is new."""
    nodes, known = await trees.executed(tx, ledger.project_id, tree_id, node, task)
    if not known:
        raise _missing("node", node, ledger)
    if node in nodes:
        return 0
    names = {"tree": tree_id, "node": node} | ({"task": task} if task is not None else {})
    await trees.put_executes(tx, ledger.project_id, names)
    ledger.record("add_executes", [{"executes": names}])
    return 1


def _missing(what: str, id_: str, ledger: Ledger) -> NotFound:
    return NotFound(f"There is no {what} {id_!r} in project {ledger.project_id!r}.", id=id_)
