"""A stored tree as its document, and as the files of `--layout aiwg` (004, Storage paths)."""

from dataclasses import dataclass
from typing import Any

from gotn.database.connection import Database, Tx
from gotn.errors import LimitExceeded, NotFound
from gotn.trees.records import TreeDraft
from gotn.trees.rules import money, moves, totals, turns
from gotn.trees.store import queues, trees, walking
from gotn.writing import check_project

Row = dict[str, Any]


async def whole(
    database: Database, project_id: str, tree_id: str, *, most: int | None = None
) -> TreeDraft:
    """A tree and all its tasks, parents first; NotFound where there is none.

    LimitExceeded for one of more than `most` tasks.
    """
    check_project(project_id)

    async def read(tx: Tx) -> TreeDraft:
        tree = await trees.get(tx, project_id, tree_id)
        if tree is None:
            raise NotFound(f"There is no tree {tree_id!r} in project {project_id!r}.", id=tree_id)
        found: list[Row] = []
        async for page in trees.pages(tx, project_id, tree_id):
            found += page
            if most is not None and len(found) > most:
                raise LimitExceeded(f"The tree has more than {most:,} tasks.", limit=most)
        tasks = ordered(found)
        return TreeDraft(tree=restated(tree, tasks), tasks=tasks)

    return await database.read(read)


@dataclass(frozen=True, kw_only=True)
class Part:
    """The first tasks of a tree, in its order."""

    tree: Row
    tasks: list[Row]
    #: What each of them cost with all below it.
    sums: dict[str, totals.Total]
    #: How many tasks the tree has, and how many of them have not ended.
    total: int
    open: int


async def first(database: Database, project_id: str, tree_id: str, count: int) -> Part:
    """A tree and the first of its tasks; NotFound where there is none.

    It reads what it gives, not the tree; whole only one that is very deep, or whose queue is
    not kept yet.
    """
    check_project(project_id)

    async def read(tx: Tx) -> Part | None:
        found = await queues.opened(tx, project_id, tree_id)
        if found is None or not found.walkable or found.tasks <= count:
            return None
        top = await queues.around(tx, project_id, tree_id, found.root)
        if top is None:
            return None
        seen = await walking.walk(tx, project_id, tree_id, top, count, walking.ALL)
        return Part(
            tree=_kept(found),
            tasks=[one.row for one in seen],
            sums={one.row["id"]: one.total for one in seen},
            total=found.tasks,
            open=sum(map(found.count, turns.TURNS)),
        )

    return await database.read(read) or _cut(await whole(database, project_id, tree_id), count)


def _cut(found: TreeDraft, count: int) -> Part:
    sums = totals.inclusive(found.tasks)
    return Part(
        tree=found.tree,
        tasks=found.tasks[:count],
        sums={row["id"]: sums[row["id"]] for row in found.tasks[:count]},
        total=len(found.tasks),
        open=sum(row["status"] not in moves.ENDED for row in found.tasks),
    )


def restated(tree: Row, tasks: list[Row]) -> Row:
    """The tree; what its document says of the whole is worked out anew where a task changed."""
    whole = totals.inclusive(tasks)[tasks[0]["id"]] if tree.get("touched") else totals.Total()
    return _restated(tree, turns.of_tree(tasks), whole)


def _kept(found: queues.Opened) -> Row:
    """The same by what is kept."""
    return _restated(found.tree, found.kept, walking.total(found.kept))


def _restated(tree: Row, kept: Row, whole: totals.Total) -> Row:
    if not tree.get("touched") or "metadata" not in tree:
        return tree
    ours: Row = {
        "max_depth": kept["kept_depth"],
        "total_nodes": whole.tasks,
        "completed_nodes": kept["kept_completed"],
        "failed_nodes": kept["kept_failed"],
        "total_tokens": whole.total_tokens,
        "total_cost_usd": money.short(whole.cost),
    }
    return tree | {"metadata": tree["metadata"] | ours}


def ordered(tasks: list[Row]) -> list[Row]:
    """Parents before their children, children in their order."""
    children: dict[str | None, list[Row]] = {}
    for row in sorted(tasks, key=lambda row: row["position"]):
        children.setdefault(row.get("parent"), []).append(row)
    found: list[Row] = []
    todo = list(reversed(children.get(None, ())))
    while todo:
        row = todo.pop()
        found.append(row)
        todo += reversed(children.get(row["id"], ()))
    return found
