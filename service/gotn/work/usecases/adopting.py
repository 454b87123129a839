"""Take changes that somebody made by hand in the database over into the journal."""

from dataclasses import dataclass, field
from typing import Any

import orjson

from gotn import journal, shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Conflict, Invalid
from gotn.journal import Ledger
from gotn.work.records import Adopted, EdgeType
from gotn.work.rules import fold, forms, parents
from gotn.work.store import digest, edges, nodes
from gotn.work.store.keys import key
from gotn.work.usecases import blocking, bulk, comparing, order
from gotn.work.usecases.chain import Chain, folded
from gotn.work.usecases.recovering import check_row
from gotn.work.usecases.writing import Request, write

Row = dict[str, Any]
#: What a node's own fields and tags are called in a digest.
_OF_NODE = ("WorkNode", "REQUIRES", "PRODUCES", "TAGGED")


@dataclass
class _Found:
    """What differs, by kind."""

    nodes: set[str] = field(default_factory=set)
    edges: dict[fold.EdgeKey, Row] = field(default_factory=dict)
    #: Runs, steps and pending edges by their identity, as the database has them, if it has.
    others: dict[fold.Identity, Row | None] = field(default_factory=dict)


async def adopt(database: Database, request: Request) -> Adopted:
    """Make what was changed by hand part of the journal; verification is equal afterwards.

    All or nothing: Invalid lists what cannot be taken over (a relationship of another type,
    a field with what it may not hold, a second parent) and must be undone by hand.
    Conflict where the journal itself is damaged.
    """

    async def work(tx: Tx, ledger: Ledger) -> Adopted:
        chain = Chain()
        entries = journal.entries(database, ledger.project_id, until=ledger.seq)
        state = await folded(entries, chain)
        if not chain.whole:
            raise Conflict(f"The journal itself is damaged: {chain.problems[0]}")
        replayed = fold.digests(fold.entities(state))
        live = await digest.live_in(tx, ledger.project_id)
        names = {n for n in live.keys() | replayed.keys() if live.get(n) != replayed.get(n)}
        if names:
            await _take_over(tx, ledger, state, names)
        return Adopted(entities=len(names))

    return await write(database, request, "adopt", {}, Adopted, work, create=False)


async def _take_over(tx: Tx, ledger: Ledger, state: fold.State, names: set[bytes]) -> None:
    found = _sorted(names)
    async for identity, row in digest.stored(tx, ledger.project_id, names):
        if identity in found.others:
            found.others[identity] = row
    items = await _nodes(tx, ledger, state, found)
    edge_items = await _edges(tx, ledger, state, found)
    other_items = _others(state, found.others)
    for event, some in (*edge_items[:1], *items, *edge_items[1:], *other_items):
        ledger.record(event, some)
    await tx.rows("digest/remove_idle_tags", project=ledger.project_id)
    said = [(k[1], k[2]) for k in found.edges if k[0] == EdgeType.HARD_REQUIRES.value]
    stored = await edges.get(tx, ledger.project_id, found.edges.values())
    said = [pair for pair in said if ("hard_requires", *pair, "") in stored]
    ledger.record(
        "update_edge", order.flag_items(await order.settle(tx, ledger, flag_explicit=said))
    )
    await blocking.review(tx, ledger)


def _sorted(names: set[bytes]) -> _Found:
    """What differs, told by its name; Invalid lists what no journal can say."""
    found, strange = _Found(), []
    types = {label: type_ for type_, label in fold.LABELS.items()}
    for identity in (tuple(orjson.loads(name)) for name in sorted(names)):
        label = identity[0]
        if label in _OF_NODE:
            found.nodes.add(identity[1])
        elif label in types:
            start, end, kind = identity[1:]
            if start == end or (label == "SOFT_SEMANTIC" and start > end):
                strange.append(f"{label} {start!r} → {end!r}: turn it round, or remove it")
            turned = label == "DERIVED_FROM"
            row = {"type": types[label], "src": end if turned else start}
            row |= {"dst": start if turned else end} | ({"kind": kind} if kind else {})
            found.edges[fold.edge_key(row)] = row
        elif label in ("Run", "STEP", "PendingEdge"):
            found.others[identity] = None
        elif label not in ("Tag", "Keyword"):
            ends = " → ".join(repr(name) for name in identity[1:])
            strange.append(f"{label} {ends}: only a journal can say this; undo it by hand")
    if strange:
        _refuse(strange)
    return found


def _refuse(violations: list[str]) -> None:
    shown = "; ".join(violations[:20])
    raise Invalid(f"This cannot be taken over: {shown}", violations=violations[:1000])


async def _nodes(
    tx: Tx, ledger: Ledger, state: fold.State, found: _Found
) -> list[tuple[str, list[Row]]]:
    """The items of nodes, which get whatever a hand left out."""
    project_id = ledger.project_id
    named = [{"id": id_, "key": key(project_id, id_)} for id_ in sorted(found.nodes)]
    await tx.rows("digest/mend_nodes", project=project_id, nodes=named, now=ledger.now)
    stored = await _readable(tx, project_id, found.nodes)
    removed = [{"node": {"id": i}} for i in sorted(found.nodes - stored.keys()) if i in state.nodes]
    added, changed = [], []
    for id_, row in sorted(stored.items()):
        before = state.nodes.get(id_)
        if before is None:
            added.append({"node": row})
            await nodes.update(tx, project_id, [{"id": id_} | {m: row.get(m) for m in fold.TAGGED}])
        else:
            change = comparing.touched(before, _difference(row, before), ledger)
            tags = {m: change.get(m, before.get(m)) for m in fold.TAGGED}
            await nodes.update(tx, project_id, [change | tags])
            changed.append({"node": change})
    return [("remove_node", removed), ("add_node", added), ("update_node", changed)]


async def _readable(tx: Tx, project_id: str, ids: set[str]) -> dict[str, Row]:
    """The stored nodes as rows a journal can hold; Invalid lists what is wrong with them."""
    rows: dict[str, Row] = {}
    wrong: list[str] = []
    for id_ in sorted(ids):
        try:
            found = await nodes.get(tx, project_id, [id_])
            if id_ in found:
                rows[id_] = _portable(nodes.row_of(found[id_]))
                check_row(rows[id_], forms.NODE | forms.NODE_OWN, ("id",))
        except (ValueError, TypeError, AttributeError):
            wrong.append(f"node {id_!r}: a field that must be JSON is not")
        except Invalid as error:
            wrong.append(f"node {id_!r}: {error.message}")
    if wrong:
        _refuse(wrong)
    return rows


def _portable(row: Row) -> Row:
    """The row as plain JSON, whatever types a hand gave its properties."""
    found: Row = shapes.loads(orjson.dumps(row, default=fold.plain))
    return found


def _difference(row: Row, before: Row) -> Row:
    names = row.keys() | before.keys()
    empty: tuple[Any, ...] = (None, [])
    return {
        n: row.get(n)
        for n in sorted(names)
        if row.get(n) != before.get(n) and not (row.get(n) in empty and before.get(n) in empty)
    }


async def _edges(
    tx: Tx, ledger: Ledger, state: fold.State, found: _Found
) -> list[tuple[str, list[Row]]]:
    """The items of edges: removed ones first."""
    project_id = ledger.project_id
    pairs = [edges.pair(project_id, row) for row in found.edges.values()]
    await tx.rows("digest/mend_edges", project=project_id, pairs=pairs, now=ledger.now)
    stored = await edges.get(tx, project_id, found.edges.values())
    removed = [{"edge": row} for k, row in found.edges.items() if k not in stored]
    added, changed = [], []
    for name, whole in stored.items():
        row, before = _portable(whole), state.edges.get(name)
        check_row(row, forms.EDGE, ("type", "src", "dst"))
        if before is None:
            added.append({"edge": row})
        else:
            changed.append({"edge": found.edges[name] | _difference(row, before)})
    await edges.update(tx, project_id, [item["edge"] for item in (*added, *changed)])
    await _check_family(tx, project_id, [item["edge"] for item in added])
    gone = [item for item in removed if fold.edge_key(item["edge"]) in state.edges]
    return [("remove_edge", gone), ("add_edge", added), ("update_edge", changed)]


async def _check_family(tx: Tx, project_id: str, added: list[Row]) -> None:
    """Invalid for a second parent, and for a node above itself."""
    children = [row["dst"] for row in added if row["type"] == EdgeType.DERIVED_FROM.value]
    if not children:
        return
    joined = await edges.of_nodes(tx, project_id, children, bulk.ITEMS)
    family = [r for r in joined if r["type"] == "derived_from" and r["dst"] in set(children)]
    parents.reconciled(family, {})
    parents.refuse_cycle(dict(await nodes.ancestors(tx, project_id, children)))


def _others(
    state: fold.State, others: dict[fold.Identity, Row | None]
) -> list[tuple[str, list[Row]]]:
    """The items of runs, steps and what waits."""
    gone: list[tuple[str, list[Row]]] = []
    kept: list[Row] = []
    for identity, stored in others.items():
        label = identity[0]
        if label == "PendingEdge":
            gone.append(_pending_gone(identity, stored))
        elif label == "Run":
            row = {"id": identity[1]} | _own(
                stored or {}, ("key", "caption", "ordinal", "revision")
            )
            if stored is None:
                gone.append(("remove_run", [{"run": {"id": identity[1]}}]))
            else:
                kept.append({"run": row | _absent(row, state.runs.get(identity[1], {}))})
        else:
            names = {"run": identity[1], "node": identity[2], "position": identity[3]}
            if stored is None:
                gone.append(("remove_step", [{"step": names}]))
            else:
                row = names | _own(stored, ("run_key",))
                before = state.steps.get((identity[1], identity[3]), {})
                kept.append({"step": row | _absent(row, before)})
    return [*gone, ("update_run", kept)]


def _pending_gone(identity: fold.Identity, stored: Row | None) -> tuple[str, list[Row]]:
    _, type_, src, dst, kind = identity
    if stored is not None:
        _refuse([f"PendingEdge {src!r} → {dst!r} was changed: remove it, and add the edge again"])
    if type_ == "step":
        return "remove_step", [{"step": {"run": src, "node": dst, "position": int(kind)}}]
    names = {"type": type_, "src": src, "dst": dst} | ({"kind": kind} if kind else {})
    return "remove_edge", [{"edge": names}]


def _own(stored: Row, beside: tuple[str, ...]) -> Row:
    """A run's or step's properties as plain JSON."""
    own = {k: v for k, v in stored.items() if k not in (*beside, "project_id")}
    try:
        return _portable(shapes.row(own, leaves=forms.LEAVES, moments=()))
    except (ValueError, TypeError, AttributeError):
        raise Invalid("This cannot be taken over: a field that must be JSON is not") from None


def _absent(row: Row, before: Row) -> Row:
    """What was there and is not any more, as None."""
    return dict.fromkeys(before.keys() - row.keys() - {"pending"})
