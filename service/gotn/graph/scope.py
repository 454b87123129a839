"""Which project a read is about: an empty answer must not hide a mistyped name."""

from gotn.database.connection import Tx
from gotn.errors import NotFound


async def require_project(tx: Tx, project_id: str) -> None:
    """NotFound where there is no such project. Ask only where nothing was found in it."""
    if await tx.one("project/exists", project=project_id) is None:
        raise NotFound(f"There is no project {project_id!r}.", project=project_id)
