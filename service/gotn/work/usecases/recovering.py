"""Take what can be read of a damaged journal, and of an original one (001; decisions, Recovery)."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from gotn import shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Invalid
from gotn.journal import Entry
from gotn.work import exchange
from gotn.work.records import EdgeType, GraphDraft, Imported, Unknown
from gotn.work.rules import fold, forms
from gotn.work.store import edges, nodes, runs
from gotn.work.usecases import bulk, rebuilding
from gotn.work.usecases.writing import Request

Row = dict[str, Any]


def finished(entries: Iterable[Entry]) -> set[int]:
    """The numbers of the large imports that came to their end."""
    return {
        entry.staged
        for entry in entries
        if entry.event == "finish_import" and entry.staged is not None
    }


def salvaged(entries: Iterator[Entry], imports: set[int], skipped: list[Unknown]) -> fold.State:
    """The state that entries in order make, without what cannot be applied or stored.

    Of large imports only these count: the others were cut short.
    """
    state = fold.State()
    for entry in entries:
        if entry.staged is not None and entry.staged not in imports:
            continue
        for item in entry.items():
            try:
                state.apply(entry.event, [item])
            except Invalid as error:
                skipped.append(Unknown(line=None, id=str(entry.seq), reason=error.message))
    _drop(state.nodes, lambda row: check_row(row, forms.NODE | forms.NODE_OWN, ("id",)), skipped)
    _drop(state.edges, _check_edge, skipped)
    _drop(state.runs, lambda row: check_row(row, forms.RUN, ("id",)), skipped)
    rebuilding.settle_pending(state)
    return state


def _drop(table: dict[Any, Row], check: Callable[[Row], None], skipped: list[Unknown]) -> None:
    for key, row in list(table.items()):
        try:
            check(row)
        except Invalid as error:
            del table[key]
            skipped.append(Unknown(line=None, id=str(key), reason=error.message))


def check_row(row: Row, fields: dict[str, forms.Check], needed: tuple[str, ...]) -> None:
    """Raise Invalid where a row's known fields hold what they may not."""
    for name in needed:
        if name not in row:
            raise Invalid(f"{name}: is missing")
    for name, check in fields.items():
        if name in row:
            check(row[name], name)


def _check_edge(row: Row) -> None:
    check_row(row, forms.EDGE, ("type", "src", "dst"))
    if row["type"] not in fold.LABELS:
        raise Invalid(f"type: expected one of {', '.join(fold.LABELS)}, found {row['type']}")


def originals(entries: Iterator[Entry]) -> Iterator[tuple[str, Row]]:
    """What was taken over from other tools' journals, each with its event."""
    for entry in entries:
        if isinstance(entry.data, dict) and isinstance(entry.data.get("original"), dict):
            yield entry.event, entry.data["original"]


async def original(database: Database, request: Request, path: Path) -> Imported:
    """Take an original folder's or file's journal into a project; later entries win per id.

    What is stored already is completed, never replaced: a field that is there stays, and
    so do edges and runs. Times that the journal does not state are those of its entries,
    so that the same journal gives the same graph.
    """
    draft = exchange.recover(path)
    _date(draft)
    return await bulk.import_graph(database, request, draft, prepare=_giving_way)


def _date(draft: GraphDraft) -> None:
    """Give what lacks created_at the time of the entry that first told of it."""
    told: dict[Any, str] = {}
    times = [forms.time(entry["timestamp"], "timestamp") for entry in draft.journal]
    for entry, time in zip(draft.journal, times, strict=True):
        data = entry.get("data") or {}
        for kind in ("node", "edge", "run"):
            held = data.get(kind, data.get(f"{kind}s"))
            for document in held if isinstance(held, list) else [held]:
                if isinstance(document, dict):
                    told.setdefault(_named(document), time)
    for row in (*draft.nodes, *draft.edges, *draft.runs):
        if times:
            row.setdefault("created_at", told.get(_named(row), times[0]))


def _named(document: Row) -> tuple[str, ...]:
    names = ("src", "dst") if "src" in document else ("id",)
    return tuple(str(document.get(name)) for name in names)


async def _giving_way(tx: Tx, project_id: str, draft: GraphDraft) -> GraphDraft:
    """A draft without whatever is stored, so that nothing stored is replaced by less."""
    stored = await nodes.get(tx, project_id, [row["id"] for row in draft.nodes])
    known_edges = await edges.get(tx, project_id, draft.edges)
    new = [row for row in draft.edges if fold.edge_key(row) not in known_edges]
    family = await _family(tx, project_id, new)
    second = [row for row in new if _second_parent(row, family)]
    known_runs = await runs.get(tx, project_id, [row["id"] for row in draft.runs])
    return replace(
        draft,
        nodes=[_completing(row, stored.get(row["id"])) for row in draft.nodes],
        edges=[row for row in new if not _second_parent(row, family)],
        runs=[row for row in draft.runs if row["id"] not in known_runs],
        skipped=draft.skipped + [_given_up(row, family, draft) for row in second],
    )


def _completing(row: Row, known: Row | None) -> Row:
    """What a row adds to the node that is stored."""
    if known is None:
        return row
    return {k: v for k, v in row.items() if k == "id" or known.get(k) in (None, "", [], {})}


async def _family(tx: Tx, project_id: str, rows: Iterable[Row]) -> dict[str, str]:
    """The parents that these edges' children have, or wait for."""
    children = {row["dst"] for row in rows if row["type"] == EdgeType.DERIVED_FROM.value}
    stored = await nodes.get(tx, project_id, children)
    found = {id_: row["parent"] for id_, row in stored.items() if row.get("parent")}
    waiting = await edges.pending_for(tx, project_id, children)
    return found | {
        row["dst"]: row["src"] for row in waiting if row["type"] == EdgeType.DERIVED_FROM.value
    }


def _second_parent(row: Row, family: dict[str, str]) -> bool:
    return row["type"] == EdgeType.DERIVED_FROM.value and row["dst"] in family


def _given_up(row: Row, family: dict[str, str], draft: GraphDraft) -> Unknown:
    """The report of a parent that gives way."""
    src, dst = row["src"], row["dst"]
    line = draft.lines.get(f"edge {EdgeType.DERIVED_FROM.value} {src} {dst}")
    reason = (
        f"the journal's parent {shapes.shown(src)} gives way to {shapes.shown(family[dst])}, "
        "which is stored"
    )
    return Unknown(line=line, id=dst, reason=reason)
