"""What the import of a large tree stages: tasks that no query knows, and how far it came."""

from collections.abc import Mapping, Sequence
from typing import Any

from gotn.database.connection import Tx
from gotn.keys import batches, key
from gotn.trees.rules import totals
from gotn.trees.store import trees

Row = dict[str, Any]
#: Tasks that become real in one statement.
ACTIVATED = 20_000


async def progress(tx: Tx, project_id: str) -> Row | None:
    """How far the project's unfinished import came; None where there is none."""
    return await tx.one("staging/get_import", project=project_id)


async def note(tx: Tx, project_id: str, **properties: Any) -> None:
    """Keep how far it came."""
    await tx.rows("staging/put_import", project=project_id, properties=properties)


async def create(
    tx: Tx,
    project_id: str,
    tasks: Sequence[Row],
    sums: Mapping[str, totals.Total],
    queue: Mapping[str, Row],
) -> None:
    """Stage tasks below those that are staged already."""
    for some in batches(tasks, trees.PAGE):
        rows = [trees.stored(project_id, row, sums[row["id"]], queue) for row in some]
        await tx.rows("trees/stage_tasks", tasks=rows)


async def is_staged(tx: Tx, project_id: str, task: Row) -> bool:
    """Whether a task is staged."""
    place = key(project_id, task["tree"], task["id"])
    return bool(await tx.value("trees/is_staged", task=place))


async def activate(tx: Tx, project_id: str, tree_id: str, tasks: Sequence[Row]) -> int:
    """Make the staged tasks of a stored tree real, with their documents; how many there were."""
    tree, count = key(project_id, tree_id), 0
    root = key(project_id, tree_id, tasks[0]["id"])
    for some in batches(tasks, ACTIVATED):
        keys = [key(project_id, tree_id, row["id"]) for row in some]
        count += await tx.value("trees/activate_tasks", keys=keys, tree=tree, root=root)
    await trees.create_reads(tx, project_id, tasks)
    await tx.rows("staging/discard_import", project=project_id)
    return count


async def discard(tx: Tx, project_id: str, limit: int) -> int:
    """Delete some of what is staged; 0 when nothing is left, the import being forgotten then."""
    count = await tx.value("staging/discard_nodes", project=project_id, limit=limit)
    if not count:
        await tx.rows("staging/discard_import", project=project_id)
    return int(count)
