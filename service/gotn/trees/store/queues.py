"""What is kept of whose turn it is: read around one task, and settled where it changed.

Nothing here but `keep` reads or writes more of a tree than the way from its root, and the tasks
beside and below the ones that are asked about.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gotn import shapes
from gotn.database.connection import Tx
from gotn.keys import batches, key
from gotn.trees.rules import fold, moves, turns
from gotn.trees.store import trees
from gotn.writing import First

Row = dict[str, Any]
#: Levels below which a tree is read whole rather than level by level.
DEEP = 200


@dataclass(frozen=True)
class Opened:
    """A tree, and what is kept of all its tasks."""

    tree: Row
    #: The root's id.
    root: str
    #: Properties of the root and of the tree that are no members.
    kept: Row

    @property
    def walkable(self) -> bool:
        """Whether its queue is kept, and it can be read level by level."""
        return bool(self.kept.get("queue")) and self.kept["kept_depth"] <= DEEP

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return int(self.kept["sub_tasks"])

    def count(self, turn: str) -> int:
        """How many tasks have this turn."""
        return int(self.kept.get(turns.COUNTS[turn]) or 0)


async def opened(tx: Tx, project_id: str, tree_id: str) -> Opened | None:
    """A tree with what is kept of it; None where there is none."""
    return as_opened(await tx.one("trees/opened", tree=key(project_id, tree_id)))


def opening(project_id: str, tree_id: str) -> First:
    """What takes the project's lock and reads the same."""
    return First("trees/lock_and_open", {"tree": key(project_id, tree_id)})


def as_opened(found: Row | None) -> Opened | None:
    """A tree as these statements give it."""
    if found is None or found["tree"] is None:
        return None
    said = {name: found["tree"].get(name) for name in turns.OF_TREE}
    tree = fold.plain(found["tree"], fold.OF_TREE)
    return Opened(tree, found["kept"]["id"], found["kept"] | said)


@dataclass
class Around:
    """A task with what decides whether it may start, and who holds it."""

    row: Row
    #: The task above it: its id, status, result and strategy.
    parent: Row | None
    #: How many tasks stand below it, and below its parent.
    below: int
    beside: int
    turn: str | None
    until: int | None
    token: str | None
    kept: Row

    @property
    def ordered(self) -> bool:
        """Whether it has to do with the tasks beside it."""
        return (self.parent or {}).get("decomposition_strategy") in moves.ORDERED


async def around(tx: Tx, project_id: str, tree_id: str, id_: str) -> Around | None:
    """A task and what stands around it, or None."""
    found = await tx.one("trees/around", task=key(project_id, tree_id, id_))
    if found is None:
        return None
    above = found["parent"]
    return Around(
        row=trees.as_row(tree_id, *found["found"]),
        parent=None if above is None else fold.plain(above, fold.OF_TASK) | {"tree": tree_id},
        below=found["below"],
        beside=found["beside"] or 1,
        turn=found["turn"],
        until=found["until"],
        token=found["token"],
        kept=found["found"][0],
    )


async def children(
    tx: Tx, project_id: str, tree_id: str, id_: str, places: range | None = None
) -> list[Row]:
    """A task's children in their order, or those of some places."""
    first, last = (places.start, places.stop) if places is not None else (0, 2**31)
    if first == last:
        return []
    found = await tx.value(
        "trees/children", **{"task": key(project_id, tree_id, id_), "from": first, "to": last}
    )
    return [trees.as_row(tree_id, *one) for one in found or ()]


async def families(
    tx: Tx, project_id: str, tree_id: str, parents: Iterable[str]
) -> list[list[Row]]:
    """Tasks, each before its children, as rows of what decides whose turn it is."""
    keys = [key(project_id, tree_id, id_) for id_ in parents]
    if not keys:
        return []
    found = await tx.value("trees/families", parents=keys)
    return [
        [_light(tree_id, None, *above), *(_light(tree_id, above[0], *one) for one in below)]
        for above, below in found
    ]


def _light(tree_id: str, parent: str | None, id_: str, status: str, *said: Any) -> Row:
    result, strategy, turn, context = said
    row = {"tree": tree_id, "id": id_, "status": status, "result": {"status": result}}
    row |= {"decomposition_strategy": strategy, "turn": turn}
    row |= {"context": shapes.loads(context)} if context else {}
    return row if parent is None else row | {"parent": parent}


async def known(tx: Tx, project_id: str, tree_id: str, ids: Iterable[str]) -> set[str]:
    """Those of the ids that are a tree's tasks already."""
    keys = [key(project_id, tree_id, id_) for id_ in ids]
    return set(await tx.value("trees/known_tasks", keys=keys))


@dataclass(frozen=True)
class Due:
    """What the clock changed: ids of tasks whose worker is late, and how many wait for a try."""

    lost: list[str]
    paused: int


async def due(tx: Tx, project_id: str, tree_id: str, now: int, limit: int) -> Due:
    """What the clock changed in a tree, at most so many."""
    row = await tx.row("trees/due", project=project_id, tree=tree_id, now=now, limit=limit)
    return Due(row["lost"], row["paused"])


async def first_ready(tx: Tx, project_id: str, tree_id: str) -> str | None:
    """The first task of a tree that may start, in the tree's order."""
    under = key(project_id, tree_id)
    while True:
        row = await tx.one("trees/next_task", under=under)
        if row is None or row["at"] == under:
            return None
        if row["found"]:
            return str(row["id"])
        under = row["at"]


async def settle(
    tx: Tx,
    project_id: str,
    tree_id: str,
    turn_of: Sequence[tuple[str, str | None]],
    *,
    completed: int = 0,
    failed: int = 0,
    deepest: int = 0,
) -> None:
    """Give tasks their turns; what is kept above them and of the tree follows."""
    tasks = [{"task": key(project_id, tree_id, id_), "turn": turn} for id_, turn in turn_of]
    if tasks or completed or failed:
        await tx.rows(
            "trees/settle",
            tree=key(project_id, tree_id),
            tasks=tasks,
            completed=completed,
            failed=failed,
            deepest=deepest,
        )


async def keep(tx: Tx, project_id: str, tree_id: str, tasks: Sequence[Row]) -> None:
    """Keep the queue of a tree that has none, all of whose tasks are given, parents first."""
    found = turns.kept(tasks)
    rows = [
        {
            "task": key(project_id, tree_id, row["id"]),
            "properties": trees.turn(project_id, row, found[row["id"]]),
            "lost": trees.is_lost(row),
        }
        for row in tasks
        if row["id"] in found
    ]
    for some in batches(rows, trees.PAGE):
        await tx.rows("trees/keep_turns", tasks=some)
    await note(tx, project_id, tree_id, turns.of_tree(tasks))


async def note(tx: Tx, project_id: str, tree_id: str, properties: Row) -> None:
    """Keep properties on a tree."""
    await tx.rows("trees/keep_tree", tree=key(project_id, tree_id), properties=properties)
