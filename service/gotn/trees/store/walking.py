"""The first tasks of a tree in its order, read level by level."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gotn.database.connection import Tx
from gotn.keys import batches, key
from gotn.trees.rules import totals, turns
from gotn.trees.store import costs, trees
from gotn.trees.store.queues import Around

Row = dict[str, Any]
#: Tasks that one statement looks below.
BRANCHES = 1000
#: What counts every task.
ALL = ("sub_tasks",)


@dataclass(frozen=True)
class Seen:
    """A task as a walk comes by it."""

    row: Row
    #: Its place and the places of all above it: they sort tasks in their tree's order.
    path: tuple[int, ...]
    #: Its stored properties.
    kept: Row

    @property
    def total(self) -> totals.Total:
        """What it cost with all below it."""
        return total(self.kept)

    def size(self, kept: Sequence[str]) -> int:
        """How many tasks of its subtree are counted by these."""
        return sum(self.kept.get(name) or 0 for name in kept)

    def own(self, kept: Sequence[str]) -> int:
        """1 where it is counted itself."""
        if kept == ALL:
            return 1
        return int(self.kept.get("turn") is not None and turns.COUNTS[self.kept["turn"]] in kept)


def total(kept: Row) -> totals.Total:
    """What a task cost with all below it, by its stored properties."""
    return costs.total([kept[name] for name in _SUMS])


_SUMS = tuple(totals.kept(totals.Total()))


async def walk(
    tx: Tx, project_id: str, tree_id: str, top: Around, most: int, kept: Sequence[str]
) -> list[Seen]:
    """The first tasks of a subtree in the tree's order, level by level.

    `kept` names the properties that count what is looked for: `sub_tasks` for every task. Where
    it is less, the tasks above what is found are among the answer, beyond `most`.
    """
    start = Seen(top.row, (), top.kept)
    found = [start] if start.size(kept) else []
    level = {top.row["id"]: (start, min(most, start.size(kept)))} if found else {}
    while level:
        below: dict[str, tuple[Seen, int]] = {}
        for some in batches(list(level), BRANCHES):
            page = await tx.value(
                "trees/branches",
                tasks=[key(project_id, tree_id, id_) for id_ in some],
                kept=list(kept),
                first=most,
            )
            for id_, rows in page:
                below |= _shared(tree_id, *level[id_], rows, kept)
        found += [one for one, _ in below.values()]
        level = {id_: (one, left) for id_, (one, left) in below.items() if left > one.own(kept)}
    return sorted(found, key=lambda one: one.path)


def _shared(
    tree_id: str, above: Seen, left: int, rows: list[Any], kept: Sequence[str]
) -> dict[str, tuple[Seen, int]]:
    """Children, each with how many of what is left for their parent fall to it."""
    found: dict[str, tuple[Seen, int]] = {}
    left -= above.own(kept)
    for stored, up, reads in rows:
        if left <= 0:
            break
        row = trees.as_row(tree_id, stored, up, reads)
        one = Seen(row, (*above.path, row["position"]), stored)
        share = min(left, one.size(kept))
        found[row["id"]] = (one, share)
        left -= share
    return found
