"""What work cost: totals of anything that tasks make up, and what a task spent."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gotn.database.connection import Database, Tx
from gotn.errors import Invalid, NotFound
from gotn.graph.scope import require_project
from gotn.journal import Ledger
from gotn.keys import key
from gotn.trees.records import CostGroup, Costs, CostTotal, Grouping
from gotn.trees.records.costs import Count
from gotn.trees.rules import adding, given, money, totals
from gotn.trees.store import costs, trees
from gotn.trees.usecases import changing
from gotn.writing import Asked, check_project, write

Row = dict[str, Any]
#: Tasks whose kept totals are wrong that are named.
SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What is asked about: the project where nothing is named."""

    tree: str | None = None
    #: A task of that tree.
    task: str | None = None
    session: str | None = None
    #: A work node, through the trees and tasks that executed it.
    node: str | None = None
    #: A run, through the work nodes of its steps.
    run: str | None = None

    def __post_init__(self) -> None:
        chosen = [n for n in ("tree", "session", "node", "run") if getattr(self, n) is not None]
        if len(chosen) > 1:
            raise Invalid(
                f"Expected one of tree, session, node and run, found {' and '.join(chosen)}."
            )
        if self.task is not None and self.tree is None:
            raise Invalid(
                f"task: a task is looked for in its tree; name the tree of {self.task!r} too",
                field="task",
            )


async def show(
    database: Database, project_id: str, scope: Scope, by: Grouping | None = None
) -> Costs:
    """Own and inclusive tokens and money of a scope, and the groups of its tasks.

    NotFound for a project, tree, task, session or run that is not there. A work node that
    nothing executed cost nothing; where a task executed it below another one that did, it
    counts once.
    """
    check_project(project_id)

    async def read(tx: Tx) -> Costs:
        if scope.tree is not None and scope.task is None and by is None:
            return _whole(scope.tree, project_id, await costs.root(tx, project_id, scope.tree))
        roots, stated = await _roots(tx, project_id, scope)
        if roots is None:
            own, whole = await costs.of_project(tx, project_id, scope.session)
            if not whole.tasks:
                await _check_there(tx, project_id, scope.session)
        else:
            own, whole = await costs.of_tasks(tx, roots)
        groups = await _groups(tx, project_id, scope, roots, by) if by else []
        return Costs(
            own=shown(own),
            inclusive=shown(whole),
            groups=tuple(CostGroup(name=name, total=shown(one)) for name, one in groups),
            stated=tuple(stated),
        )

    return await database.read(read)


async def _check_there(tx: Tx, project_id: str, session: str | None) -> None:
    """NotFound where what cost nothing is not there at all."""
    await require_project(tx, project_id)
    if session is not None and not await costs.has_session(tx, project_id, session):
        raise _missing("session", session, project_id)


def _whole(tree_id: str, project_id: str, root: costs.Root | None) -> Costs:
    """A whole tree's costs, read in one statement."""
    if root is None:
        raise _missing("tree", tree_id, project_id)
    return Costs(own=shown(root.own), inclusive=shown(root.inclusive), stated=tuple(root.stated))


async def _roots(tx: Tx, project_id: str, scope: Scope) -> tuple[list[str] | None, list[str]]:
    """The keys of the tasks whose totals make up the scope; None for all of a project."""
    if scope.node is not None:
        _, known = await trees.executed(tx, project_id, "", scope.node)
        if not known:
            raise _missing("node", scope.node, project_id)
        return await costs.executors(tx, project_id, [scope.node]), []
    if scope.run is not None:
        found = await costs.executors_of_run(tx, project_id, scope.run)
        if found is None:
            raise _missing("run", scope.run, project_id)
        return found, []
    if scope.tree is None:
        return None, []
    root = await costs.root(tx, project_id, scope.tree)
    if root is None:
        raise _missing("tree", scope.tree, project_id)
    if scope.task is None:
        return [root.key], root.stated
    if await trees.task(tx, project_id, scope.tree, scope.task) is None:
        raise _missing("task", scope.task, project_id)
    start = f"{scope.task}: "
    return [key(project_id, scope.tree, scope.task)], [
        s for s in root.stated if s.startswith(start)
    ]


def _missing(what: str, id_: str, project_id: str) -> NotFound:
    return NotFound(f"There is no {what} {id_!r} in project {project_id!r}.", id=id_)


async def _groups(
    tx: Tx, project_id: str, scope: Scope, roots: list[str] | None, by: Grouping
) -> list[tuple[Any, totals.Total]]:
    if roots is None:
        return await costs.groups_of_project(tx, project_id, scope.session, by.value)
    if scope.tree is not None and scope.task is None:
        return await costs.groups_of_tree(tx, project_id, scope.tree, by.value)
    return await costs.groups_below(tx, roots, by.value)


def shown(total: totals.Total) -> CostTotal:
    """A sum as it is shown: money in USD."""
    return CostTotal(
        **{name: Count(getattr(total, name)) for name in totals.COUNTS},
        total_cost_usd=Decimal(money.usd(total.cost)),
        cache_savings_usd=Decimal(money.usd(total.savings)),
        effective_cost_usd=Decimal(money.usd(total.effective)),
    )


async def spend(
    database: Database, request: Asked, tree_id: str, task_id: str, cost: Row, *, add: bool = False
) -> CostTotal:
    """Set what a task alone cost, or add to it; the totals above it follow at once.

    `cost` is a document's (004, CostTracking), its amounts Decimals or texts. Returns the task's
    inclusive total. NotFound for a task that is not there.
    """
    wrong: list[str] = []
    checked = given.cost(cost, wrong.append)
    if wrong:
        raise Invalid("; ".join(wrong), violations=wrong)

    async def work(tx: Tx, ledger: Ledger) -> CostTotal:
        return shown(await _spent(tx, ledger, tree_id, task_id, checked, add=add))

    asked = {"tree": tree_id, "task": task_id, "cost": checked, "add": add}
    first = trees.spending(request.project_id, tree_id, task_id)
    return await write(database, request, "spend", asked, CostTotal, work, first=first)


async def _spent(
    tx: Tx, ledger: Ledger, tree_id: str, task_id: str, cost: Row, *, add: bool
) -> totals.Total:
    """Store a task's own cost and note it; what is the same changes nothing."""
    row = trees.spent(ledger.found, tree_id, task_id)
    if row is None:
        raise _missing("task", task_id, ledger.project_id)
    if add:
        cost = adding.added(row.get("cost"), cost)
    if row.get("cost") == cost:
        return (await costs.of_tasks(tx, [key(ledger.project_id, tree_id, task_id)]))[1]
    return await changing.change(tx, ledger, row, {"cost": cost})


async def unequal(database: Database, project_id: str) -> list[str]:
    """Tasks whose kept totals are not what they and their children cost, the first few.

    Where each task agrees with its children, every kept total is the sum of its subtree.
    """
    found = await database.read(lambda tx: costs.unequal(tx, project_id, SHOWN))
    return [f"{tree} / {task}" for tree, task in found]
