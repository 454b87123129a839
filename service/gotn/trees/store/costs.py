"""Sums of tokens and money as the database adds them, in parts that cannot overflow."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from gotn.database.connection import Tx
from gotn.errors import LimitExceeded
from gotn.keys import key
from gotn.trees.rules import money, totals

Row = dict[str, Any]
#: Groups that are told apart, at most.
GROUPS = 1000
#: Steps of a run whose costs are added.
STEPS = 100_000


def total(sums: Sequence[int]) -> totals.Total:
    """A statement's sums: the counts in their order, then each amount in two parts.

    LimitExceeded where the trees of a project come to more than the database adds exactly.
    """
    if any(isinstance(one, float) for one in sums):
        raise LimitExceeded(
            "These tasks come to more than 2^63 tokens or micro-dollars, which nobody can add "
            "exactly; ask for one tree, session or node.",
            limit=2**63 - 1,
        )
    counts = dict(zip(totals.COUNTS, sums, strict=False))
    parts = sums[len(totals.COUNTS) :]
    amounts = {
        name: money.Sum(parts[2 * i], parts[2 * i + 1]).pico
        for i, name in enumerate(totals.AMOUNTS)
    }
    return totals.Total(**counts, **amounts)


Pair = tuple[totals.Total, totals.Total]


async def of_tasks(tx: Tx, tasks: Sequence[str]) -> Pair:
    """Own and inclusive totals of tasks by key; the inclusive ones are the kept ones."""
    return _pair(await tx.row("trees/totals_of_tasks", tasks=list(tasks)))


async def of_project(tx: Tx, project_id: str, session: str | None) -> Pair:
    """The same of the roots of a project's trees, or of one session's."""
    return _pair(await tx.row("trees/totals_of_project", project=project_id, session=session))


async def has_session(tx: Tx, project_id: str, session: str) -> bool:
    """Whether any tree of a project belongs to this session."""
    return bool(await tx.value("trees/has_session", project=project_id, session=session))


def _pair(row: Row) -> Pair:
    return total(row["own"]), total(row["inclusive"])


async def recomputed(tx: Tx, task: str) -> totals.Total:
    """A task's inclusive total, added up anew."""
    return total(await tx.value("trees/recomputed", task=task))


async def add(tx: Tx, task: str, change: totals.Total) -> None:
    """Add a change to the totals kept on a task and on all above it."""
    await tx.rows("trees/add_to_totals", task=task, changes=totals.kept(change))


def difference(after: totals.Total, before: totals.Total) -> totals.Total:
    """What a change of a task's own tokens and money adds."""
    names = [one.name for one in fields(totals.Total)]
    return totals.Total(**{name: getattr(after, name) - getattr(before, name) for name in names})


@dataclass(frozen=True)
class Root:
    """A tree's root task, and what the tree cost."""

    key: str
    #: What its document states otherwise.
    stated: list[str]
    own: totals.Total
    inclusive: totals.Total


async def root(tx: Tx, project_id: str, tree_id: str) -> Root | None:
    """A tree's root with its kept totals; None without a tree."""
    row = await tx.one("trees/root_of", tree=key(project_id, tree_id))
    if row is None:
        return None
    return Root(row["root"], row["stated"], *_pair(row))


async def executors(tx: Tx, project_id: str, nodes: Sequence[str]) -> list[str]:
    """The keys of the tasks that executed these work nodes, none below another."""
    keys = [key(project_id, node) for node in nodes]
    return list(await tx.value("trees/executors", nodes=keys) or ())


async def executors_of_run(tx: Tx, project_id: str, run: str) -> list[str] | None:
    """The same for every step of a run; None where there is none."""
    nodes = await tx.value("trees/nodes_of_run", run=key(project_id, run), limit=STEPS)
    if nodes is None:
        return None
    return list(await tx.value("trees/executors", nodes=nodes) or ()) if nodes else []


async def groups_below(tx: Tx, tasks: Sequence[str], by: str) -> list[tuple[Any, totals.Total]]:
    """Tasks with all below them, by one of their properties."""
    found = await tx.value("trees/groups_below", tasks=list(tasks), by=by, limit=GROUPS)
    return [(name, total(sums)) for name, sums in found]


async def groups_of_tree(
    tx: Tx, project_id: str, tree_id: str, by: str
) -> list[tuple[Any, totals.Total]]:
    """A tree's tasks by one of their properties."""
    found = await tx.value(
        "trees/groups_of_tree", project=project_id, tree=tree_id, by=by, limit=GROUPS
    )
    return [(name, total(sums)) for name, sums in found]


async def groups_of_project(
    tx: Tx, project_id: str, session: str | None, by: str
) -> list[tuple[Any, totals.Total]]:
    """A project's tasks, or one session's, by one of their properties."""
    found = await tx.value(
        "trees/groups_of_project", project=project_id, session=session, by=by, limit=GROUPS
    )
    return [(name, total(sums)) for name, sums in found]


async def unequal(tx: Tx, project_id: str, limit: int) -> list[list[str]]:
    """Tree and task whose kept totals are not their own and their children's."""
    return list(await tx.value("trees/unequal_totals", project=project_id, limit=limit))
