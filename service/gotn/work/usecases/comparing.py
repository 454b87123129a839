"""What a draft says anew: its rows against what is stored."""

from collections.abc import Iterable
from sys import intern
from typing import Any

from gotn.database.connection import Tx
from gotn.errors import Conflict, NotFound
from gotn.journal import Ledger
from gotn.work.records import EdgeOrigin, EdgeType, GraphDraft, NodeStatus
from gotn.work.rules import fold
from gotn.work.store import edges as edge_store
from gotn.work.store import nodes as node_store
from gotn.work.store.keys import streamed
from gotn.work.usecases import blocking, completing
from gotn.work.usecases.taken import Taken

Row = dict[str, Any]
#: Row fields that say how a document was written, not what it says.
_MANNER = frozenset(("layout", "said", "touched", "origin"))


async def sort_nodes(tx: Tx, ledger: Ledger, draft: GraphDraft, taken: Taken, strict: bool) -> None:
    """Sort the draft's nodes into new and changed ones; `strict` refuses to change any."""
    rest = (row for row in draft.nodes if row["id"] not in taken.staged.nodes)
    for some in streamed(rest):
        stored = await node_store.get(tx, ledger.project_id, (row["id"] for row in some))
        _sort(ledger, some, stored, taken, strict)


def _sort(
    ledger: Ledger, rows: Iterable[Row], stored: dict[str, Row], taken: Taken, strict: bool
) -> None:
    for row in rows:
        known = stored.get(row["id"])
        if known is None:
            taken.new_nodes.append(completing.node(row, ledger.time))
            continue
        changed = difference(row, known)
        if known.get("blocked_by") and changed.get("status") == NodeStatus.READY.value:
            del changed["status"]  # held by a failed node, it is ready in every other respect
        if changed and strict:
            raise Conflict(
                f"There is a node {row['id']!r} already, with another "
                f"{', '.join(sorted(changed))}; update it instead.",
                id=row["id"],
                fields=sorted(changed),
            )
        if changed:
            changed = blocking.restated(known, row, changed)
            taken.changed_nodes.append(touched(known, changed, ledger))


def difference(row: Row, known: Row) -> Row:
    """The fields in which a row says something else than what is stored.

    An estimate stands in `extra` (`forms`): another extra without one takes it away.
    """
    said = {"estimate_minutes": None, **row} if "extra" in row else row
    return {
        name: value
        for name, value in said.items()
        if name not in _MANNER and _said(value) != _said(known.get(name))
        if name != "embedding_ref" or not _own(known)
    }


def _own(known: Row) -> bool:
    """Whether a node has a vector of this service's own: an imported one does not replace it."""
    said = known.get("embedding_ref")
    if not isinstance(said, dict) or not isinstance(vector := said.get("id"), str):
        return False
    return vector.startswith("vec_") and vector.endswith(f"_{known['id']}")


def _said(value: Any) -> Any:
    """An empty list, object or text says as much as none."""
    return None if value in ([], {}, "") else value


def touched(known: Row, changed: Row, ledger: Ledger) -> Row:
    """A change of a node: its id, the fields, when, and which fields exports must now print."""
    names = sorted({*known.get("touched", ()), *changed} - {"updated_at"})
    stamp = {} if "updated_at" in changed else {"updated_at": ledger.time}
    kept = {"touched": names} if "layout" in known else {}
    return {"id": known["id"], **changed, **stamp, **kept}


async def sort_edges(tx: Tx, ledger: Ledger, draft: GraphDraft, taken: Taken, strict: bool) -> None:
    """Sort the draft's edges into new, waiting and changed ones; `strict` as for nodes."""
    arriving = set(taken.arriving())
    present = arriving | await _present(tx, ledger.project_id, draft, taken)
    if strict:
        _require_ends(ledger.project_id, draft.edges, present)
    fresh: dict[fold.EdgeKey, Row] = {}
    rest = (row for row in draft.edges if not taken.staged.holds(row))
    for some in streamed(rest):
        stored = await edge_store.get(tx, ledger.project_id, some)
        _sort_edges(ledger, some, stored, fresh, present, taken, strict)


async def _present(tx: Tx, project_id: str, draft: GraphDraft, taken: Taken) -> set[str]:
    """The ends of edges, staged ones left out, that are stored."""
    ends = {
        intern(end)
        for row in draft.edges
        if not taken.staged.holds(row)
        for end in (row["src"], row["dst"])
    }
    return await node_store.existing(tx, project_id, ends.difference(taken.arriving()))


def _sort_edges(
    ledger: Ledger,
    rows: Iterable[Row],
    stored: dict[fold.EdgeKey, Row],
    fresh: dict[fold.EdgeKey, Row],
    present: set[str],
    taken: Taken,
    strict: bool,
) -> None:
    """Sort some edges; `fresh` are those that this draft brought before."""
    for row in rows:
        key = fold.edge_key(row)
        known = stored.get(key) or fresh.get(key)
        if known and known.get("pending") and {row["src"], row["dst"]} <= present:
            changed = _edge_difference(row, known, strict)
            taken.new_edges.append({k: v for k, v in (known | changed).items() if k != "pending"})
        elif known is None:
            waits = not {row["src"], row["dst"]} <= present
            new = completing.edge(row, ledger.time, pending=waits)
            fresh[key] = new
            taken.new_edges.append(new)
        else:
            taken.waiting += bool(known.get("pending") and key in stored)
            if changed := _edge_difference(row, known, strict):
                whole = known if known.get("pending") else _names(known)
                taken.changed_edges.append(whole | changed)


def _require_ends(project_id: str, rows: Iterable[Row], present: set[str]) -> None:
    """An edge asked for by itself needs both its nodes; a parent or child may come later."""
    for row in rows:
        for end in (row["src"], row["dst"]):
            if end not in present and row["type"] != EdgeType.DERIVED_FROM.value:
                raise NotFound(f"There is no node {end!r} in project {project_id!r}.", id=end)


def _names(row: Row) -> Row:
    return {name: row[name] for name in ("type", "src", "dst", "kind") if name in row}


def _edge_difference(row: Row, known: Row, strict: bool) -> Row:
    """What changes on a stored edge; an explicit edge over a derived one makes it both."""
    names = ("type", "src", "dst", "kind")
    if not strict and _is_weaker_turn(row, known):
        return {}
    changed = {k: v for k, v in difference(row, known).items() if k not in names}
    if row.get("origin") == EdgeOrigin.DERIVED.value:
        both = {"origin": EdgeOrigin.BOTH.value, "tags": row["tags"]}
        return both if known.get("origin") == EdgeOrigin.EXPLICIT.value else {}
    if known.get("origin") == EdgeOrigin.DERIVED.value:
        # What the edge says of itself is now what was said; its tags tell the derived part.
        fields: tuple[str, ...] = ("evidence", "provenance", "layout")
        own = {name: row.get(name) for name in fields if name in row or name in known}
        return {**changed, **own, "origin": EdgeOrigin.BOTH.value}
    said = sorted({*known.get("said", ()), *row.get("said", ())})
    if said and said != known.get("said"):
        changed["said"] = said
    if changed.keys() - {"said", "position"} and strict:
        raise Conflict(
            f"There is an edge {row['src']!r} → {row['dst']!r} already, with another "
            f"{', '.join(sorted(changed))}; remove it first.",
            src=row["src"],
            dst=row["dst"],
        )
    return changed


def _is_weaker_turn(row: Row, known: Row) -> bool:
    """Whether a soft edge comes the other way round with no higher score: the stored one stays."""
    turned = row["type"] == EdgeType.SOFT_SEMANTIC.value and row["src"] != known["src"]
    return turned and bool(row.get("score", 0) <= known.get("score", 0))
