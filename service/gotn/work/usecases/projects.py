"""Projects: what is in one, its settings, and its end."""

from dataclasses import replace
from typing import Any

from gotn import shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Invalid, NotFound
from gotn.journal import Ledger
from gotn.work.records import Project
from gotn.work.rules import forms
from gotn.work.usecases.writing import Request, check_project, write

#: Entities removed in one transaction.
BATCH = 2_000
#: Neighbours of each node that soft edges are looked for among, and the least cosine of one.
SOFT_K, SOFT_THRESHOLD = "soft_k", "soft_threshold"


def _neighbours(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 50:
        raise Invalid(f"{name}: expected 1 to 50, found {shapes.shown(value)}", field=name)
    return value


#: What a project can be set to, with what checks each.
SETTINGS: dict[str, forms.Check] = {
    "description": forms.text,
    SOFT_K: _neighbours,
    SOFT_THRESHOLD: forms.score,
}


async def show(database: Database, project_id: str) -> Project:
    """A project with its counts; NotFound where there is none."""
    check_project(project_id)
    return await database.read(lambda tx: read(tx, project_id))


async def read(tx: Tx, project_id: str) -> Project:
    """A project with its counts, in a running transaction."""
    row = await tx.one("project/show", project=project_id)
    if row is None:
        raise NotFound(f"There is no project {project_id!r}.", project=project_id)
    return _record(row["project"])


def _record(stored: dict[str, Any]) -> Project:
    plain = shapes.row(stored, leaves=("settings",), moments=forms.MOMENTS)
    return shapes.build(Project, plain)


async def listed(database: Database, first: int = 50, after: str = "") -> list[Project]:
    """Projects by id, at most 500."""
    found = await database.read(
        lambda tx: tx.value("project/list", first=min(first, 500), after=after)
    )
    return [_record(stored) for stored in found]


async def settings(database: Database, request: Request, changes: dict[str, Any]) -> Project:
    """Change a project's settings; None takes one away."""
    for name, value in changes.items():
        if name not in SETTINGS:
            raise Invalid(f"{name}: expected one of {', '.join(SETTINGS)}", field=name)
        if value is not None:
            SETTINGS[name](value, name)

    async def work(tx: Tx, ledger: Ledger) -> Project:
        before = (await read(tx, ledger.project_id)).settings or {}
        after = {k: v for k, v in (before | changes).items() if v is not None}
        if after != before:
            await tx.rows(
                "project/set_settings", project=ledger.project_id, settings=shapes.dumps(after)
            )
            ledger.record("update_project", [{"settings": after}])
        found = await read(tx, ledger.project_id)
        if not ledger.entries:
            return found
        return replace(found, seq=ledger.seq, updated_at=ledger.now)

    return await write(database, request, "updateProjectSettings", changes, Project, work)


async def remove(database: Database, request: Request) -> Project:
    """Remove everything a project has, its journal included; returns what it was. No undo.

    Large projects go in several transactions. The first marks the project, so that nothing
    is written to it any more; a removal that was cut short goes on when it is asked for again.
    """
    project_id = check_project(request.project_id)
    project = await show(database, project_id)
    if not await database.write(lambda tx: _remove_batch(tx, project_id, first=True)):
        return project
    await go_on_removing(database, project_id)
    return project


async def go_on_removing(database: Database, project_id: str) -> None:
    """End a removal that was begun; another project that has the name by now is left alone."""
    while await database.write(lambda tx: _remove_batch(tx, project_id, first=False)):
        pass


async def _remove_batch(tx: Tx, project_id: str, *, first: bool) -> bool:
    """Remove a part, and the project itself with the last; whether anything can be left.

    Every part takes the lock that writes take. Unless it is the `first`, a project without
    the mark is another one of that name: somebody else ended this removal.
    """
    if not await tx.value("project/mark_removing", project=project_id, first=first):
        return False
    if await tx.value("project/remove_batch", project=project_id, limit=BATCH):
        return True
    await tx.rows("project/remove", project=project_id)
    return False
