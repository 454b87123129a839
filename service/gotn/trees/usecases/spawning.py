"""spawn_child_task (004, Agent protocol): new tasks below one, within the tree's limits."""

import hashlib
from collections.abc import Sequence
from typing import Any

from gotn.database.connection import Database, Tx
from gotn.errors import IllegalMove, Invalid, LimitExceeded
from gotn.journal import Ledger
from gotn.keys import key
from gotn.trees.records import Spawned, TaskNode
from gotn.trees.rules import given, moves, shaped, totals
from gotn.trees.rules.limits import Limits
from gotn.trees.store import costs, queues, trees
from gotn.trees.store.queues import Around, Opened
from gotn.trees.usecases import changing, turning
from gotn.writing import Asked, write

Row = dict[str, Any]
#: Members that spawning gives by itself.
_GIVEN = frozenset(("node_id", "parent_id", "depth", "children", "status", "result", "cost"))
#: Modes in which a task must name its seed.
_SEEDED = ("strict", "seeded")
#: Ids that are tried for one task.
_TURNS = 100


async def spawn(
    database: Database, request: Asked, tree_id: str, parent: str, children: Sequence[Row]
) -> Spawned:
    """Add tasks below one: ids minted, depth and place given, nothing beyond a limit.

    A child is a document's members (004, TaskNode) without those that spawning gives: its
    prompt, a slice of context, how to execute it. LimitExceeded names the limit; NotFound
    for a parent that is not there; IllegalMove below a task that ended.
    """

    async def work(tx: Tx, ledger: Ledger) -> Spawned:
        tree = await turning.opened(tx, ledger, tree_id)
        above = await turning.around(tx, ledger.project_id, tree_id, parent)
        found = await put(tx, ledger, tree, above, children)
        return Spawned(tree_id=tree_id, parent=parent, tasks=tuple(row["id"] for row in found))

    asked = {"tree": tree_id, "parent": parent, "children": shaped.plain(list(children))}
    first = queues.opening(request.project_id, tree_id)
    return await write(database, request, "spawnTask", asked, Spawned, work, first=first)


async def put(
    tx: Tx, ledger: Ledger, tree: Opened, above: Around, children: Sequence[Row]
) -> list[Row]:
    """Store new children and note them; totals and turns follow."""
    parent, tree_id = above.row["id"], above.row["tree"]
    if above.row["status"] in moves.ENDED:
        status = above.row["status"]
        raise IllegalMove(f"Task {parent!r} is {status}: nothing can be spawned below it.")
    found = [
        _row(tree.tree, above.row, at, child, ledger.time)
        for at, child in enumerate(children, start=above.below)
    ]
    _check_limits(limits_of(tree.tree), tree.tasks, above, found)
    if not found:
        return []
    await _mint(tx, ledger.project_id, above.row, found)
    await trees.create_tasks(tx, ledger.project_id, tree_id, found, {})
    change = totals.Total()
    for row in found:
        change.add(totals.own(row))
    await costs.add(tx, key(ledger.project_id, tree_id, parent), change)
    ledger.record("add_task", [{"task": row} for row in found])
    await changing.touch(tx, ledger, tree_id)
    await turning.added(tx, ledger, above, found)
    return found


def limits_of(tree: Row) -> Limits:
    """A tree's limits: 004's, or what its document sets under `limits`."""
    said = (tree.get("extra") or {}).get("limits")
    known = Limits.__dataclass_fields__
    said = said if isinstance(said, dict) else {}
    return Limits(**{k: v for k, v in said.items() if k in known and type(v) is int and v > 0})


def check_seed(tree: Row, config: Row | None, task: str | None = None) -> None:
    """Invalid for a task without a seed in a tree whose mode demands one (004, execution_mode)."""
    mode = (tree.get("metadata") or {}).get("execution_mode")
    if mode in _SEEDED and (config or {}).get("seed") is None:
        place = f"task {task!r}: " if task else ""
        raise Invalid(
            f"{place}execution_config.seed: is missing; the tree's mode is {mode}", field="seed"
        )


def _row(tree: Row, above: Row, position: int, child: Row, now: str) -> Row:
    """A child's row, whose id is minted later."""
    if ours := sorted(_GIVEN & child.keys()):
        raise Invalid(f"{ours[0]}: spawning gives it; leave it out", field=ours[0])
    wrong: list[str] = []
    found = shaped.shape(
        TaskNode, child, "", wrong.append, beside=_GIVEN, unknown=given.refused(wrong.append)
    )
    if wrong:
        raise Invalid("; ".join(wrong), violations=wrong)
    if not found["prompt"].strip():
        raise Invalid("prompt: expected text that is not blank, found none", field="prompt")
    members = {k: v for k, v in found.items() if v is not None}
    extra = {k: v for k, v in members.items() if k not in shaped.members(TaskNode)}
    own = {k: v for k, v in members.items() if k not in extra}
    check_seed(tree, own.get("execution_config"))
    row = {"tree": above["tree"], "id": ""}
    row |= {"parent": above["id"], "position": position, "depth": above["depth"] + 1}
    row |= own | {"status": "pending"} | ({"extra": extra} if extra else {})
    row["timestamps"] = own.get("timestamps") or {"created_at": now}
    _split(row)
    row["layout"] = {"keys": ["node_id", "parent_id", "depth", *members, "status", "timestamps"]}
    return row


def _split(row: Row) -> None:
    context = row.get("context")
    if isinstance(context, dict) and isinstance(context.get("documents"), list):
        row["documents"] = context["documents"]
        row["context"] = context | {"documents": None}


async def _mint(tx: Tx, project_id: str, above: Row, rows: list[Row]) -> None:
    """Give each row an id: the same for the same place and prompt, and none that is taken."""
    taken: set[str] = set()
    left = rows
    for turn in range(_TURNS):
        for row in left:
            row["id"] = _minted(above, row, turn)
        taken |= await queues.known(tx, project_id, above["tree"], [row["id"] for row in left])
        again = []
        for row in left:
            if row["id"] in taken:
                again.append(row)
            taken.add(row["id"])
        if not again:
            return
        left = again


def _minted(above: Row, row: Row, turn: int) -> str:
    """`task-` and eight hex digits of its place and prompt."""
    told = "\0".join((above["tree"], above["id"], str(row["position"]), row["prompt"], str(turn)))
    return f"task-{hashlib.sha256(told.encode()).hexdigest()[:8]}"


def _check_limits(limits: Limits, tasks: int, above: Around, new: list[Row]) -> None:
    """LimitExceeded for the first limit that these children are beyond."""
    context = max((int((r.get("context") or {}).get("size_tokens") or 0) for r in new), default=0)
    timeout = max(
        (int((r.get("execution_config") or {}).get("timeout_ms") or 0) for r in new), default=0
    )
    for name, value in (
        ("max_depth", above.row["depth"] + 1 if new else 0),
        ("max_children_per_node", above.below + len(new)),
        ("max_total_nodes", tasks + len(new)),
        ("max_context_tokens_per_node", context),
        ("timeout_per_node_ms", timeout),
    ):
        limit = getattr(limits, name)
        if new and value > limit:
            raise LimitExceeded(
                f"{name}: the tree allows {limit:,}, this would be {value:,}.",
                limit=limit,
                name=name,
                found=value,
            )
