"""A stored tree as its document, and as the files of `--layout aiwg` (004, Storage paths)."""

from typing import Any

from gotn.database.connection import Database, Tx
from gotn.errors import LimitExceeded, NotFound
from gotn.trees.records import TreeDraft
from gotn.trees.rules import money, totals
from gotn.trees.store import trees
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


def restated(tree: Row, tasks: list[Row]) -> Row:
    """The tree; what its document says of the whole is worked out anew where a task changed."""
    if not tree.get("touched") or "metadata" not in tree:
        return tree
    whole = totals.inclusive(tasks)[tasks[0]["id"]]
    ours: Row = {
        "max_depth": max(row["depth"] for row in tasks),
        "total_nodes": len(tasks),
        "completed_nodes": sum(row["status"] == "completed" for row in tasks),
        "failed_nodes": sum(row["status"] == "failed" for row in tasks),
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
