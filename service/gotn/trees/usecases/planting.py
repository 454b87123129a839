"""Take a document in: a tree with its tasks, or the variables of a state, all or nothing."""

from typing import Any

from gotn.database.connection import Database, Tx
from gotn.errors import Conflict, GotnError, LimitExceeded
from gotn.journal import Ledger
from gotn.trees.records import Disagreement, Planted, StateDraft, TreeDraft
from gotn.trees.rules import content
from gotn.trees.store import trees
from gotn.trees.usecases import exporting, linking, sowing
from gotn.writing import Asked, check_project, write

Row = dict[str, Any]
#: Tasks of one tree.
TASKS = 2_000_000


async def plant(
    database: Database,
    request: Asked,
    draft: TreeDraft,
    *,
    executes: str | None = None,
    dry_run: bool = False,
) -> Planted:
    """Store a tree, and that it executed a work node; the same again changes nothing.

    Conflict for a tree of this id with other content; NotFound for a work node that is not
    there; LimitExceeded for too many tasks. A large tree is staged unseen before (`sowing`).
    """
    if len(draft.tasks) > TASKS:
        raise LimitExceeded(
            f"At most {TASKS:,} tasks a tree, found {len(draft.tasks):,}.", limit=TASKS
        )

    number = None if dry_run else await _staged(database, request, draft)

    async def work(tx: Tx, ledger: Ledger) -> Planted:
        answer = _answer(draft)
        if not await _is_known(tx, ledger, draft):
            await _plant(tx, ledger, draft, number)
            answer.changed = 1 + len(draft.tasks)
        if executes is not None:
            answer.executes = executes
            answer.changed += await linking.join(tx, ledger, draft.tree["id"], executes)
        if dry_run:
            raise _Undo(answer)
        return answer

    given = {"content": draft.tree["content"], "id": draft.tree["id"], "executes": executes}
    try:
        return await write(database, request, "importTree", given, Planted, work)
    except _Undo as undone:
        return undone.answer
    except GotnError:
        if number is not None:
            await sowing.give_up(database, request.project_id, number)
        raise


async def _is_known(tx: Tx, ledger: Ledger, draft: TreeDraft) -> bool:
    """Whether this tree is stored, as it was taken in or as it is now; Conflict for another."""
    known = await trees.get(tx, ledger.project_id, draft.tree["id"])
    if known is None:
        return False
    if known.get("content") == draft.tree["content"]:
        return True
    if not known.get("touched") or await _now(tx, ledger, known) != draft.tree["content"]:
        raise Conflict(
            f"There is a tree {draft.tree['id']!r} already, with other content; "
            "import this one with --as another id.",
            id=draft.tree["id"],
        )
    return True


async def _now(tx: Tx, ledger: Ledger, tree: Row) -> str:
    """The fingerprint of a tree that changed since it was taken in, as its export would have it."""
    pages = trees.pages(tx, ledger.project_id, tree["id"])
    tasks = exporting.ordered([row async for page in pages for row in page])
    return content.fingerprint(exporting.restated(tree, tasks), tasks)


class _Undo(Exception):
    """Carries a dry run's answer out of the transaction that it undoes."""

    def __init__(self, answer: Planted) -> None:
        self.answer = answer
        super().__init__()


def _answer(draft: TreeDraft) -> Planted:
    read = {(d["doc_id"], d["source"]) for row in draft.tasks for d in row.get("documents", ())}
    return Planted(
        tree_id=draft.tree["id"],
        tasks=len(draft.tasks),
        documents=len(read),
        warnings=tuple(draft.warnings),
        disagreements=tuple(draft.disagreements),
    )


async def _staged(database: Database, request: Asked, draft: TreeDraft) -> int | None:
    """Stage a large tree; the import's number, or None where one transaction takes it."""
    if len(draft.tasks) <= sowing.LARGE:
        return None
    project_id, id_ = check_project(request.project_id), draft.tree["id"]
    if await database.read(lambda tx: trees.get(tx, project_id, id_)) is not None:
        return None
    return await sowing.stage(database, request, draft)


async def _plant(tx: Tx, ledger: Ledger, draft: TreeDraft, number: int | None) -> None:
    tree = draft.tree | {"added_at": ledger.time}
    if draft.disagreements:
        tree["stated"] = [_line(one) for one in draft.disagreements[:_STATED]]
    if number is None:
        await trees.create(tx, ledger.project_id, tree, draft.tasks)
        ledger.record("add_tree", [{"tree": tree}, *({"task": row} for row in draft.tasks)])
        return
    await trees.create_tree(tx, ledger.project_id, tree, draft.tasks)
    await sowing.finish(tx, ledger, number, draft)
    ledger.record("add_tree", [{"tree": tree}])


#: Disagreements that are kept with a tree.
_STATED = 1000


def _line(one: Disagreement) -> str:
    """A disagreement as it is kept: what was stated where, and what the tasks give."""
    place = f"{one.id}: " if one.id else ""
    return f"{place}{one.member} says {one.stated}, the tasks give {one.ours}"


async def keep_state(database: Database, request: Asked, draft: StateDraft) -> Planted:
    """Keep the variables of a state; the same again changes nothing, another one replaces it."""

    async def work(tx: Tx, ledger: Ledger) -> Planted:
        row = draft.state
        known = await trees.get_state(tx, ledger.project_id, row["id"])
        if known != row:
            await trees.put_state(tx, ledger.project_id, row)
            ledger.record("add_state", [{"state": row}])
        return Planted(
            tree_id=row.get("tree", ""),
            changed=int(known != row),
            variables=tuple(row["document"].get("variables") or ()),
            warnings=tuple(draft.warnings),
        )

    return await write(database, request, "importState", draft.state, Planted, work)
