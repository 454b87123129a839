"""Open a window, fill it with what a group of writes will look at, and send what it put off."""

from collections.abc import Sequence

from gotn.database.connection import Tx
from gotn.work.rules import fold
from gotn.work.store import edges, nodes, running
from gotn.work.store.keys import key
from gotn.work.store.touches import Touches
from gotn.work.store.window import Deferred, Row, Window


async def locked(tx: Tx, project_id: str, touches: Sequence[Touches]) -> tuple[Row | None, Window]:
    """The project's head under its lock, None where there is no project; and a filled window."""
    window = Window(tx, project_id, _send)
    head = await tx.one("work/lock_window", **_asked(project_id, touches))
    if head is not None:
        _know(window, touches, head)
        await running.fill(window, touches)
    return head, window


async def fill(tx: Window, touches: Sequence[Touches]) -> None:
    """Read again everything that these writes look at, in one statement."""
    await tx.flush()
    found = await tx.plain.row("work/lock_window", **_asked(tx.project_id, touches))
    _know(tx, touches, found)
    await running.fill(tx, touches)


def _asked(project_id: str, touches: Sequence[Touches]) -> Row:
    ids, rows = _named(touches)
    return {
        "project": project_id,
        "ids": ids,
        "keys": [key(project_id, id_) for id_ in ids],
        "pairs": [edges.pair(project_id, row) for row in rows.values()],
        "waiting": [key(project_id, *name) for name in rows],
    }


def _named(touches: Sequence[Touches]) -> tuple[list[str], dict[fold.EdgeKey, Row]]:
    ids = list(dict.fromkeys(id_ for one in touches for id_ in one.nodes))
    return ids, {fold.edge_key(row): row for one in touches for row in one.edges}


def _know(tx: Window, touches: Sequence[Touches], found: Row) -> None:
    ids, rows = _named(touches)
    tx.nodes |= dict.fromkeys(ids) | {row["id"]: nodes.plain(row) for row in found["nodes"]}
    known = [edges.plain(*edge) for edge in found["edges"]]
    known += [edges.awaited(row["type"], row["data"]) for row in found["pending"]]
    tx.edges |= dict.fromkeys(rows) | {fold.edge_key(row): row for row in known}
    tx.waiting |= {id_: {} for id_ in ids}
    for id_, name, type_, data in found["waits"]:
        tx.waiting[id_][name] = edges.awaited(type_, data)
    tx.flagged, tx.concerned = found["flagged"], found["concerned"]
    tx.next_rank, tx.stale = found["next_rank"], False


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
    await running.send(tx.plain, tx.project_id, sent)
