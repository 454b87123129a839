"""What a large import stages: nodes no query knows, edges between them, how far it came."""

from collections.abc import Sequence
from typing import Any

from gotn.database.connection import Tx
from gotn.work.rules import fold
from gotn.work.store import edges, nodes
from gotn.work.store.keys import batches, key

Row = dict[str, Any]


async def progress(tx: Tx, project_id: str) -> Row | None:
    """How far the project's import came; None where none is staged."""
    return await tx.one("staging/get_import", project=project_id)


async def note(tx: Tx, project_id: str, **properties: Any) -> None:
    """Keep how far it came."""
    await tx.rows("staging/put_import", project=project_id, properties=properties)


async def create_nodes(tx: Tx, project_id: str, numbered: Sequence[tuple[Row, int]]) -> None:
    """Stage nodes with their tags and keywords, each with its place in the order of arrival."""
    for some in batches(numbered):
        stored = [nodes.stored(project_id, row) | {"ordinal": at} for row, at in some]
        await tx.rows("staging/create_nodes", nodes=stored)
    rows = [row for row, _ in numbered]
    for member in fold.TAGGED:
        await nodes.put_tags(tx, project_id, member, rows, put="staging/put_{}")


async def create_edges(tx: Tx, project_id: str, numbered: Sequence[tuple[Row, int]]) -> None:
    """Stage edges between staged nodes."""
    for some in batches(numbered):
        await tx.rows("staging/create_edges", edges=edges.stored(project_id, some))


async def activate(tx: Tx, project_id: str, ids: Sequence[str]) -> int:
    """Make staged nodes work nodes, ranked in the order given; how many there were."""
    count = 0
    for some in batches(ids, 20_000):
        count += await tx.value(
            "staging/activate",
            project=project_id,
            keys=[key(project_id, id_) for id_ in some],
        )
    return count


async def discard(tx: Tx, project_id: str, limit: int) -> int:
    """Delete some of what is staged; 0 when nothing is left."""
    count = await tx.value("staging/discard_nodes", project=project_id, limit=limit)
    if not count:
        count = await tx.value("staging/idle_tags", project=project_id, limit=limit)
    if not count:
        await tx.rows("staging/discard_import", project=project_id)
    return int(count)


async def finish(tx: Tx, project_id: str) -> bool:
    """Forget the import, everything being real now; whether there was one."""
    return bool(await tx.value("staging/discard_import", project=project_id))
