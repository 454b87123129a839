"""Every invariant of a project, of all its contexts (graph-model, Invariants)."""

from collections.abc import AsyncIterator

from gotn.database.connection import Database
from gotn.trees.usecases import costing
from gotn.work.usecases import doctor
from gotn.work.usecases.doctor import Check


async def invariants(database: Database, project_id: str) -> AsyncIterator[Check]:
    """Each invariant of one project."""
    async for check in doctor.invariants(database, project_id):
        yield check
    yield await _rollups(database, project_id)


async def _rollups(database: Database, project_id: str) -> Check:
    wrong = await costing.unequal(database, project_id)
    return Check(
        name="5 rollups",
        ok=not wrong,
        found=f"kept totals are not the sums: {', '.join(wrong)}"
        if wrong
        else "every kept total is the sum of its tasks",
        mend="rebuild the project from its journal: "
        f"gotn journal replay --from-project {project_id} -p {project_id[:50]}-rebuilt"
        if wrong
        else "",
        project=project_id,
    )
