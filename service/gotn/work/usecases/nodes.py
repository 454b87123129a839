"""Add, change and remove single nodes."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from gotn import shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Conflict, Invalid, LimitExceeded, StaleRevision
from gotn.journal import Ledger
from gotn.work.records import (
    GraphDraft,
    NodeStatus,
    Removed,
    WorkNode,
    WorkNodeDraft,
)
from gotn.work.rules import fold, forms, moves
from gotn.work.store import asking, edges, graph, runs
from gotn.work.store import nodes as store
from gotn.work.store.touches import Touches
from gotn.work.usecases import blocking, bulk, comparing, order
from gotn.work.usecases.drafting import SAID, drafted, family
from gotn.work.usecases.grouping import Write
from gotn.work.usecases.writing import Request, perform, write, writing

Row = dict[str, Any]
#: Edges and steps of one node that a removal takes with it, at most of each.
EDGES = 100_000
_FAMILY = frozenset(("parent", "children"))


async def add(database: Database, request: Request, draft: WorkNodeDraft) -> WorkNode:
    """Store a node; the same again changes nothing, another content is a Conflict."""
    return await perform(database, request, adding(request, draft))


def adding(request: Request, draft: WorkNodeDraft) -> Write[WorkNode]:
    """`add`, to be performed alone or with other writes."""
    rows = drafted([draft])

    async def work(tx: Tx, ledger: Ledger) -> WorkNode:
        await bulk.take(tx, ledger, rows, strict=True)
        return await _read(tx, ledger.project_id, draft.id)

    touches = _touches(draft.id, rows.edges)
    given = shapes.plain(draft)
    return writing(request, "addNode", given, WorkNode, work, touches=touches)


def _touches(id_: str, family_rows: Sequence[Row]) -> Touches:
    """A node, its parent and children, and the edges between."""
    ends = (end for row in family_rows for end in (row["src"], row["dst"]))
    return Touches((id_, *ends), tuple(family_rows))


async def _read(tx: Tx, project_id: str, id_: str) -> WorkNode:
    found = await asking.require(tx, project_id, id_)
    return store.record(found[id_] | {"project_id": project_id})


async def update(
    database: Database,
    request: Request,
    id_: str,
    changes: dict[str, Any],
    expected_revision: int | None = None,
) -> WorkNode:
    """Set fields of a node; None clears one. Only legal status moves (IllegalMove otherwise).

    `changes` has WorkNodeDraft's names. A revision other than the expected one is a
    StaleRevision that carries the current one.
    """
    asked = updating(request, id_, changes, expected_revision)
    return await perform(database, request, asked)


def updating(
    request: Request, id_: str, changes: dict[str, Any], expected_revision: int | None = None
) -> Write[WorkNode]:
    """`update`, to be performed alone or with other writes."""
    given = {name: _plain(value) for name, value in changes.items() if name != "id"}
    row, cleared = _checked(given)

    async def work(tx: Tx, ledger: Ledger) -> WorkNode:
        known = (await asking.require(tx, ledger.project_id, id_))[id_]
        _expect(known, expected_revision)
        if "status" in row:
            moves.check_move(NodeStatus(known["status"]), NodeStatus(row["status"]))
        changed = blocking.restated(known, row, comparing.difference(row | cleared, known))
        if "status" in row and "blocked_by" in known:
            changed["blocked_by"] = None  # whoever says it stays blocked must free it, too
        waiting = await edges.pending_for(
            tx, ledger.project_id, [id_] if _FAMILY & given.keys() else []
        )
        removed, added = await _family_changes(tx, ledger.project_id, known, given, waiting)
        if changed or removed or added:
            change = comparing.touched(known, changed, ledger)
            await store.update(tx, ledger.project_id, [change])
            ledger.record("update_node", [{"node": change}])
            await _refamily(tx, ledger, removed, added)
        if "status" in changed:
            await blocking.review(tx, ledger)
        return await _read(tx, ledger.project_id, id_)

    asked = {"id": id_, "changes": given, "expected_revision": expected_revision}
    touches = _touches(id_, family(id_, given.get("parent"), given.get("children")))
    return writing(
        request,
        "updateNode",
        asked,
        WorkNode,
        work,
        create=False,
        touches=touches,
    )


def _plain(value: Any) -> Any:
    if isinstance(value, NodeStatus):
        return value.value
    if isinstance(value, datetime):
        return shapes.iso(shapes.moment(value))
    return list(value) if isinstance(value, tuple) else value


def _checked(given: Row) -> tuple[Row, Row]:
    """The fields that are set, validated, and those that are cleared."""
    known = WorkNodeDraft.__dataclass_fields__.keys() - {"id"}
    if unknown := sorted(given.keys() - known):
        raise Invalid(f"{unknown[0]}: there is no such field", field=unknown[0])
    own = {k: v for k, v in given.items() if k not in ("parent", "children")}
    row = forms.node_row({k: v for k, v in own.items() if v is not None}, complete=False)
    cleared = {k: None for k, v in own.items() if v is None}
    for name in (*forms.NEEDED, "status", "version", "created_at"):
        if name in cleared or (name in forms.NEEDED and not str(row.get(name, "x")).strip()):
            raise Invalid(f"{name}: cannot be empty", field=name)
    return row, cleared


def _expect(known: Row, revision: int | None) -> None:
    if revision is not None and known["revision"] != revision:
        raise StaleRevision(
            f"The node is at revision {known['revision']}, not {revision}: read it again.",
            expected=revision,
            current=known["revision"],
        )


async def _family_changes(
    tx: Tx, project_id: str, known: Row, given: Row, waiting: list[Row]
) -> tuple[list[Row], list[Row]]:
    """derived_from rows to remove and to add, so that parent and children become as given.

    A pair that stays keeps its edge: it is added only where its position is another.
    """
    wanted = family(known["id"], given.get("parent"), given.get("children"))
    before = _family_before(known, given, waiting)
    if before == wanted:
        return [], []
    pairs = {fold.edge_key(row) for row in wanted}
    stored = await edges.get(tx, project_id, [row for row in before if fold.edge_key(row) in pairs])
    removed = [row for row in before if fold.edge_key(row) not in pairs]
    added = [
        row
        for row in wanted
        if (edge := stored.get(fold.edge_key(row))) is None
        or row.get("position", edge.get("position")) != edge.get("position")
    ]
    return removed, added


def _family_before(known: Row, given: Row, waiting: list[Row]) -> list[Row]:
    """The derived_from rows of what is given anew, stored ones and those that wait."""
    id_ = known["id"]
    before: list[Row] = []
    above = {row["src"] for row in waiting if (row["type"], row["dst"]) == ("derived_from", id_)}
    below = {row["dst"] for row in waiting if (row["type"], row["src"]) == ("derived_from", id_)}
    if "parent" in given:
        for parent in sorted(above | {known["parent"]} if known.get("parent") else above):
            before += family(id_, parent, None)
    if "children" in given:
        before += family(id_, None, [*known.get("children", ()), *sorted(below)])
    return before


async def _refamily(tx: Tx, ledger: Ledger, removed: list[Row], added: list[Row]) -> None:
    """Take a node from its old parent or children and give it the new ones, or new places."""
    names = [{k: row[k] for k in ("type", "src", "dst")} for row in removed]
    stored = await edges.get(tx, ledger.project_id, names)
    gone = [stored[k] for k in stored]
    await edges.delete(tx, ledger.project_id, gone)
    ledger.record(
        "remove_edge", [{"edge": {k: row[k] for k in ("type", "src", "dst")}} for row in gone]
    )
    await bulk.take(tx, ledger, GraphDraft(edges=[row | {"said": SAID} for row in added]))


async def remove(
    database: Database,
    request: Request,
    id_: str,
    *,
    cascade: bool = False,
    expected_revision: int | None = None,
) -> Removed:
    """Remove a node. With edges, children or steps in an open run only by `cascade`.

    The Conflict otherwise lists what would go. Children stay, without a parent. Steps wait,
    with what they tell of their runs, and join again if the node comes back.
    """

    async def work(tx: Tx, ledger: Ledger) -> Removed:
        known = (await asking.require(tx, ledger.project_id, id_))[id_]
        _expect(known, expected_revision)
        joined = await joined_to(tx, ledger.project_id, id_)
        waiting = await edges.pending_for(tx, ledger.project_id, [id_])
        open_runs = await runs.open_with(tx, ledger.project_id, id_)
        if (joined or waiting or open_runs) and not cascade:
            raise _refused(id_, known, joined + waiting, open_runs)
        steps = await take_out(tx, ledger, id_, joined + waiting)
        await resettle(tx, ledger)
        return Removed(nodes=(id_,), edges=len(joined + waiting), steps=steps)

    asked = {"id": id_, "cascade": cascade, "expected_revision": expected_revision}
    touches = Touches((id_,))
    return await write(
        database, request, "removeNode", asked, Removed, work, create=False, touches=touches
    )


async def take_out(tx: Tx, ledger: Ledger, id_: str, joined: list[Row]) -> int:
    """Remove a node with these edges, all it has; its steps wait for it. How many steps wait."""
    steps = await _waiting_steps(tx, ledger.project_id, id_)
    await edges.delete(tx, ledger.project_id, joined)
    await store.delete(tx, ledger.project_id, [id_])
    names = ("type", "src", "dst", "kind")
    gone = [{k: row[k] for k in names if k in row} for row in joined]
    ledger.record("remove_edge", [{"edge": row} for row in gone])
    ledger.record("remove_node", [{"node": {"id": id_}}])
    await runs.create_steps(tx, ledger.project_id, steps)
    ledger.record("update_run", [{"step": step} for step in steps])
    return len(steps)


async def joined_to(tx: Tx, project_id: str, id_: str) -> list[Row]:
    """Every edge of a node; LimitExceeded for more than one removal takes along."""
    found = await edges.of_nodes(tx, project_id, [id_], EDGES + 1)
    _check_size(id_, found, "edges")
    return found


async def _waiting_steps(tx: Tx, project_id: str, id_: str) -> list[Row]:
    """Every step of a node, as it waits once the node is gone."""
    found = await runs.steps_of(tx, project_id, id_, EDGES + 1)
    _check_size(id_, found, "steps in runs")
    return [step | {"pending": True} for step in found]


def _check_size(id_: str, found: list[Row], what: str) -> None:
    if len(found) > EDGES:
        raise LimitExceeded(
            f"{id_!r} has more than {EDGES} {what}, too many for one removal.",
            id=id_,
            limit=EDGES,
        )


def _refused(id_: str, known: Row, joined: list[Row], open_runs: list[str]) -> Conflict:
    children = known.get("children", [])
    parts = [
        f"{len(joined)} edge{'' if len(joined) == 1 else 's'}" if joined else "",
        f"{len(children)} child{'' if len(children) == 1 else 'ren'}" if children else "",
        f"steps in {', '.join(open_runs[:5])}" if open_runs else "",
    ]
    return Conflict(
        f"{id_!r} has {' and '.join(part for part in parts if part)}; removing it takes the edges "
        "and steps along: ask for cascade.",
        id=id_,
        edges=[f"{row['src']} → {row['dst']} ({row['type']})" for row in joined[:1000]],
        children=list(children)[:1000],
        runs=open_runs,
    )


async def resettle(tx: Tx, ledger: Ledger) -> None:
    """After a removal: a flagged edge may close no cycle any more, a failed node hold less."""
    if await graph.has_flags(tx, ledger.project_id):
        flags = await order.settle(tx, ledger)
        ledger.record("update_edge", order.flag_items(flags))
    await blocking.review(tx, ledger)
