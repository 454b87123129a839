"""Trees, their tasks and documents, and states: written whole, read page by page."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

from gotn import shapes
from gotn.database.connection import Tx
from gotn.keys import batches, key, streamed
from gotn.trees.rules import fold, totals, turns
from gotn.writing import First

Row = dict[str, Any]
#: Tasks written or read in one statement.
PAGE = 1000
#: Characters of a caption.
_CAPTION = 60


async def get(tx: Tx, project_id: str, tree_id: str) -> Row | None:
    """A tree's row, or None."""
    found = await tx.value("trees/get_trees", keys=[key(project_id, tree_id)])
    return fold.plain(found[0], fold.OF_TREE) if found else None


async def create(tx: Tx, project_id: str, tree: Row, tasks: Sequence[Row]) -> None:
    """Store a new tree: its tasks, parents first, with the totals kept on each."""
    await create_tree(tx, project_id, tree, tasks)
    await create_tasks(tx, project_id, tree["id"], tasks, turns.kept(tasks))


async def create_tree(tx: Tx, project_id: str, tree: Row, tasks: Sequence[Row]) -> None:
    """Store a new tree and how its tasks stand, without these."""
    caption = (tree.get("metadata") or {}).get("root_prompt") or tree["id"]
    properties = fold.tree_properties(tree) | turns.of_tree(tasks)
    properties |= {
        "key": key(project_id, tree["id"]),
        "project_id": project_id,
        "caption": caption[:_CAPTION],
        "revision": 1,
    }
    await tx.rows("trees/create_tree", properties=properties)


async def create_tasks(
    tx: Tx, project_id: str, tree_id: str, tasks: Sequence[Row], queue: Mapping[str, Row]
) -> None:
    """Store tasks of a tree, parents first, with the totals and turns kept on each."""
    sums = totals.inclusive(tasks)
    for some in batches(tasks, PAGE):
        rows = [stored(project_id, row, sums[row["id"]], queue) for row in some]
        await tx.rows("trees/create_tasks", tree=key(project_id, tree_id), tasks=rows)
        await create_reads(tx, project_id, some)


async def create_reads(tx: Tx, project_id: str, tasks: Iterable[Row]) -> None:
    """Join tasks to the documents in their contexts."""
    for some in streamed(_reads(project_id, tasks), PAGE):
        await tx.rows("trees/create_reads", reads=some)


def stored(project_id: str, row: Row, total: totals.Total, queue: Mapping[str, Row]) -> Row:
    """A task as a statement that creates it takes it, with what `queue` keeps of its turns."""
    parent = row.get("parent")
    up = None if parent is None else key(project_id, row["tree"], parent)
    return {
        "up": up,
        "position": row["position"],
        "properties": fold.task_properties(row)
        | totals.kept(total)
        | turn(project_id, row, queue.get(row["id"]))
        | ({"lease_until": 0} if is_lost(row) else {})
        | {
            "key": key(project_id, row["tree"], row["id"]),
            "project_id": project_id,
            "caption": (row.get("prompt") or row["id"])[:_CAPTION],
            "revision": 1,
        },
    }


def turn(project_id: str, row: Row, kept: Row | None) -> Row:
    """What is kept of a task's turn and of those below it as properties."""
    if kept is None:
        return {}
    found = dict(kept)
    if found.get(turns.COUNTS[turns.READY]):
        parent = row.get("parent")
        names = (row["tree"],) if parent is None else (row["tree"], parent)
        found["ready_under"] = key(project_id, *names)
    return found


def is_lost(row: Row) -> bool:
    """Whether nobody can hold a running task that comes out of a journal: leases are in none."""
    return row["status"] == "running" and row.get("worker") is not None


def _reads(project_id: str, rows: Iterable[Row]) -> Iterable[Row]:
    for row in rows:
        for position, one in enumerate(row.get("documents", ())):
            id_, source = one["doc_id"], one["source"]
            yield {
                "task": key(project_id, row["tree"], row["id"]),
                "document": {
                    "key": key(project_id, id_, source),
                    "project_id": project_id,
                    "caption": source[:_CAPTION],
                    "id": id_,
                    "source": source,
                },
                "properties": fold.read_properties(one, position) | {"project_id": project_id},
            }


async def pages(tx: Tx, project_id: str, tree_id: str) -> AsyncIterator[list[Row]]:
    """The rows of a tree's tasks by id, a page at a time."""
    after = ""
    while True:
        page = await tx.value(
            "trees/page_tasks", project=project_id, tree=tree_id, after=after, first=PAGE
        )
        yield [as_row(tree_id, *found) for found in page]
        if len(page) < PAGE:
            return
        after = page[-1][0]["id"]


def as_row(tree_id: str, stored: Row, up: list[Any] | None, reads: list[list[Any]]) -> Row:
    """A task's row as statements give it: properties, parent and place, documents."""
    row = fold.plain(stored, fold.OF_TASK) | {"tree": tree_id, "position": up[1] if up else 0}
    if up:
        row["parent"] = up[0]
    if reads:
        row["documents"] = [fold.reference(*one) for one in reads]
    return row


async def task(tx: Tx, project_id: str, tree_id: str, id_: str) -> Row | None:
    """A task's row, or None."""
    found = await tx.value("trees/get_task", task=key(project_id, tree_id, id_))
    return None if found is None else as_row(tree_id, *found)


def spending(project_id: str, tree_id: str, id_: str) -> First:
    """What takes the project's lock and reads what a task cost."""
    return First("trees/lock_and_cost", {"task": key(project_id, tree_id, id_)})


def spent(found: Row, tree_id: str, id_: str) -> Row | None:
    """Of a task's row its names and what it cost, as `spending` found it; None without a task."""
    if not found["known"]:
        return None
    row = {"tree": tree_id, "id": id_}
    return row | ({"cost": shapes.loads(found["cost"])} if found["cost"] else {})


async def change(
    tx: Tx, project_id: str, before: Row, after: Row, difference: totals.Total, lease: Row | None
) -> Row:
    """Store what is different in a task's row, and what its own totals changed by.

    Two rows that lack the same members leave these as they are.
    Its place and documents stay. A lease stays where none is given; an empty one ends it.
    Returns whether its tree is first changed now (`touched`), and its kept totals
    (`inclusive`).
    """
    old, new = fold.task_properties(before), fold.task_properties(after)
    properties = {name: new.get(name) for name in old | new if old.get(name) != new.get(name)}
    if lease is not None:
        properties |= dict.fromkeys(fold.LEASE) | lease
    return await tx.row(
        "trees/change_task",
        task=key(project_id, after["tree"], after["id"]),
        tree=key(project_id, after["tree"]),
        properties=properties,
        changes=totals.kept(difference) if any(vars(difference).values()) else None,
    )


async def executed(
    tx: Tx, project_id: str, tree_id: str, node: str, task: str | None = None
) -> tuple[list[str], bool]:
    """The work nodes that a tree or task executed, and whether there is a node of this id."""
    row = await tx.row(
        "trees/executes",
        tree=key(project_id, tree_id),
        task=None if task is None else key(project_id, tree_id, task),
        node=key(project_id, node),
    )
    return row["nodes"], row["known"]


async def executed_nodes(
    tx: Tx, project_id: str, tree_id: str, tasks: Sequence[str], limit: int
) -> list[list[Any]]:
    """Pairs of a task, None for the whole tree, and a work node that it executed."""
    found: list[list[Any]] = await tx.value(
        "trees/executed_nodes",
        tree=key(project_id, tree_id),
        tasks=[key(project_id, tree_id, id_) for id_ in tasks[:PAGE]],
        limit=limit,
    )
    return found


async def put_executes(tx: Tx, project_id: str, names: Row) -> None:
    """Join a tree, or one of its tasks, to the work node that it executed."""
    task = names.get("task")
    await tx.rows(
        "trees/put_executes",
        tree=key(project_id, names["tree"]),
        task=None if task is None else key(project_id, names["tree"], task),
        node=key(project_id, names["node"]),
        properties={"project_id": project_id},
    )


async def get_state(tx: Tx, project_id: str, id_: str) -> Row | None:
    """A state's row, or None."""
    found = await tx.value("trees/get_state", key=key(project_id, id_))
    if found is None:
        return None
    row = fold.plain(found, frozenset())
    names = {"tree_id": "tree", "session_id": "session"}
    return {names.get(name, name): value for name, value in row.items()}


async def put_state(tx: Tx, project_id: str, row: Row) -> None:
    """Keep a state in place of what it said before."""
    place = key(project_id, row["id"])
    beside = {"key": place, "project_id": project_id, "caption": row["id"][:_CAPTION]}
    await tx.rows("trees/put_state", key=place, properties=fold.state_properties(row) | beside)


async def leases(tx: Tx, project_id: str, tree_id: str, limit: int) -> dict[str, int]:
    """The tasks of a tree that are leased, and until when, in milliseconds since 1970."""
    found = await tx.value("trees/leases", project=project_id, tree=tree_id, limit=limit)
    return dict(found)


async def touch(tx: Tx, project_id: str, tree_id: str) -> bool:
    """Note that a tree is not what its document says any more; whether that is new."""
    return bool(await tx.value("trees/touch_tree", tree=key(project_id, tree_id)))


async def variables(tx: Tx, project_id: str, tree_id: str) -> Row:
    """The variables of a tree's states by name; of two states the later by id wins."""
    found: Row = {}
    for text in await tx.value("trees/variables", project=project_id, tree=tree_id, limit=100):
        found |= shapes.loads(text).get("variables") or {}
    return found
