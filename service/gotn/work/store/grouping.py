"""Open a window, fill it with what a group of writes will look at, and send what it put off."""

from collections.abc import Iterable
from dataclasses import dataclass

from gotn.database.connection import Tx
from gotn.work.rules import fold
from gotn.work.store import edges, nodes
from gotn.work.store.keys import key
from gotn.work.store.window import Deferred, Row, Window


@dataclass(frozen=True)
class Touches:
    """The nodes and edges that a write looks at; a hint, what it lacks is read when asked."""

    nodes: tuple[str, ...] = ()
    edges: tuple[Row, ...] = ()


def opened(tx: Tx, project_id: str) -> Window:
    """A window on this transaction."""
    return Window(tx, project_id, _send)


async def fill(tx: Window, touches: Iterable[Touches]) -> None:
    """Read everything that these writes look at, in as few statements as it takes."""
    wanted = list(touches)
    ids = list(dict.fromkeys(id_ for one in wanted for id_ in one.nodes))
    rows = {fold.edge_key(row): row for one in wanted for row in one.edges}
    await _fill(tx, ids, rows)
    tx.stale = False


async def _fill(tx: Window, ids: Iterable[str], rows: dict[fold.EdgeKey, Row]) -> None:
    await tx.flush()
    project_id, names = tx.project_id, list(ids)
    found = await tx.plain.one(
        "work/window",
        project=project_id,
        ids=names,
        keys=[key(project_id, id_) for id_ in names],
        pairs=[edges.pair(project_id, row) for row in rows.values()],
        waiting=[key(project_id, *name) for name in rows],
    )
    if found is None:
        return
    tx.nodes |= dict.fromkeys(names) | {row["id"]: nodes.plain(row) for row in found["nodes"]}
    tx.edges |= dict.fromkeys(rows)
    known = [edges.plain(*edge) for edge in found["edges"]]
    known += [edges.awaited(row["type"], row["data"]) for row in found["pending"]]
    tx.edges |= {fold.edge_key(row): row for row in known}
    tx.waiting |= {id_: {} for id_ in names}
    for id_, name, type_, data in found["waits"]:
        tx.waiting[id_][name] = edges.awaited(type_, data)
    tx.flagged, tx.concerned = found["flagged"], found["concerned"]
    tx.next_rank = found["next_rank"]


async def _send(tx: Window) -> None:
    """Write what was put off: nodes before the edges that join them."""
    sent, tx.deferred = tx.deferred, Deferred()
    rows = [row for row, _ in sent.nodes]
    ordinals = {row["id"]: ordinal for row, ordinal in sent.nodes}
    await nodes.create(tx.plain, tx.project_id, rows, ordinals)
    await nodes.update(tx.plain, tx.project_id, sent.changes)
    await edges.create(tx.plain, tx.project_id, sent.edges)
    await edges.update(tx.plain, tx.project_id, sent.edge_changes)
    await edges.delete(tx.plain, tx.project_id, sent.gone)
