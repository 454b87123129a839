"""The original program's journal: what its entries say, as rows (001, Journal Entry).

Later entries win, id by id and field by field. What cannot be read is listed with its line
and the rest recovered; recovery takes less than `add` (decisions, Recovery).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gotn import shapes
from gotn.work.exchange import joining
from gotn.work.exchange.gathering import Gathering
from gotn.work.exchange.kinds import entry_violations
from gotn.work.exchange.parsing import Piece
from gotn.work.exchange.report import Skipping, of_file
from gotn.work.records import EdgeType, GraphDraft, Unknown
from gotn.work.rules import fold, forms

Row = dict[str, Any]
#: What an event's data holds, and under which key it may stand.
_HOLDS = {
    "add_node": "node",
    "update_node": "node",
    "add_edge": "edge",
    "update_edge": "edge",
    "remove_node": "node",
    "remove_edge": "edge",
    "start_run": "run",
    "update_run": "run",
    "finish_run": "run",
}
#: Events that change no node, edge or run.
_QUIET = frozenset(("workspace_initialized", "execute_step"))
#: Keys under which an update may hold just the fields it changes.
_CHANGES = ("changes", "updates", "patch", "fields")


def fold_original(
    entries: Iterable[Any], lines: Sequence[int | None] = (), name: str = ""
) -> GraphDraft:
    """What a journal of 001's {event, timestamp, data} entries implies, as one draft.

    `lines` are the entries' lines in the file called `name`, for messages. The draft's
    journal is empty: the entries themselves are the caller's. Nodes that lack what adding
    needs are there, each with a warning that names it.
    """
    draft = told(entries, lines, name)
    note_missing(draft, name=name)
    return draft


def told(entries: Iterable[Any], lines: Sequence[int | None], name: str) -> GraphDraft:
    """`fold_original` without the warnings, for a draft that is merged with others.

    Its rows are in plain lists: whoever merges or dates them does so in place.
    """
    folding = _Folding(name)
    for i, entry in enumerate(entries):
        folding.take(entry, lines[i] if i < len(lines) else None)
    draft = folding.finish()
    draft.nodes, draft.edges = list(draft.nodes), list(draft.edges)
    return draft


class _Folding:
    """Documents by id, each merged from the entries that tell of it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.skipped: list[Unknown] = []
        self.report = Skipping(name, self.skipped)
        self.warnings: list[Unknown] = []
        self.documents: dict[tuple[str, ...], Piece] = {}

    def take(self, entry: Any, line: int | None) -> None:
        if reasons := entry_violations(entry):
            self.report.add(line, None, reasons[0])
            return
        event, data = entry["event"], entry["data"]
        kind = _HOLDS.get(event)
        if kind is None:
            if event not in _QUIET:
                reason = f"the event {shapes.shown(event)} is kept, and changes nothing here"
                self.warnings.append(Unknown(line=line, id=None, reason=reason))
            return
        found = _objects(data, kind)
        for document in found:
            self._merge(event, kind, document, line)
        if not found:
            self.report.add(line, None, f"data: expected a {kind}, found {shapes.shown(data)}")

    def _merge(self, event: str, kind: str, document: Row, line: int | None) -> None:
        name = _name(kind, document)
        if name is None:
            self.report.add(line, None, f"data: this {kind} has no id: {shapes.shown(document)}")
            return
        if event.startswith("remove_"):
            self.documents.pop(name, None)
            return
        before = self.documents.get(name)
        merged = {**before.value, **document} if before else document
        self.documents[name] = Piece(merged, line, "", kind)

    def finish(self) -> GraphDraft:
        gathering = Gathering(self.report, complete=False)
        for piece in self.documents.values():
            gathering.take(piece)
        draft = gathering.finish()
        draft.skipped = self.skipped
        draft.warnings = of_file(self.name, self.warnings + draft.warnings)
        return draft


def _objects(data: Any, kind: str) -> list[Row]:
    """The objects in an entry's data: under a key, in a list, as changes, or the data itself."""
    if not isinstance(data, dict):
        return []
    for held in (data.get(kind), data.get(f"{kind}s"), data.get("plan" if kind == "run" else kind)):
        if isinstance(held, dict):
            return [held]
        if isinstance(held, list) and any(isinstance(item, dict) for item in held):
            return [item for item in held if isinstance(item, dict)]
    if kind == "node":
        return _changed_node(data)
    return [data] if _name(kind, data) else []


def _changed_node(data: Row) -> list[Row]:
    id_ = data.get("id", data.get("node_id"))
    if not isinstance(id_, str):
        return []
    for key in _CHANGES:
        if isinstance(data.get(key), dict):
            return [{"id": id_, **data[key]}]
    return [{"id": id_, **{k: v for k, v in data.items() if k not in ("id", "node_id")}}]


def _name(kind: str, document: Row) -> tuple[str, ...] | None:
    keys = ("type", "src", "dst") if kind == "edge" else ("id",)
    names = [document.get(key) for key in keys]
    found = [name for name in names if isinstance(name, str)]
    if len(found) < len(names):
        return None
    related = document.get("kind") if kind == "edge" else None
    return (kind, *found, *([related] if isinstance(related, str) else []))


def merge(draft: GraphDraft, other: GraphDraft, name: str = "") -> None:
    """Add to a document's draft what its journal tells; the document's own word wins.

    `name` is what messages call the journal.
    """
    for own, more in ((draft.nodes, other.nodes), (draft.runs, other.runs)):
        by_id = {row["id"]: row for row in own}
        for row in more:
            known = by_id.get(row["id"])
            if known is None:
                own.append(row)
            else:
                _fill(known, row)
    _turn(draft, other, name)
    _merge_edges(draft, other)
    for what, line in other.lines.items():
        draft.lines.setdefault(what, line)
    draft.skipped += other.skipped
    draft.warnings += other.warnings


def _turn(draft: GraphDraft, other: GraphDraft, name: str) -> None:
    """Turn what the tags of the whole contradict: a journal's own nodes often have none."""
    tags = joining.Tags(draft.nodes)
    for row in other.edges:
        if row["type"] != EdgeType.HARD_REQUIRES.value:
            continue
        line = other.lines.get(f"edge {row['type']} {row['src']} {row['dst']}")
        if reason := joining.turned(row, tags):
            draft.warnings += of_file(name, [Unknown(line=line, id=None, reason=reason)])


def note_missing(draft: GraphDraft, names: Mapping[str, str] | None = None, name: str = "") -> None:
    """Warn of every node that a recovery could not make whole.

    `names` are the files of nodes that are not from the file called `name`.
    """
    for row in draft.nodes:
        if missing := [field for field in forms.NEEDED if not str(row.get(field) or "").strip()]:
            line = draft.lines.get(f"node {row['id']}")
            reason = f"recovered without {', '.join(missing)}"
            found = Unknown(line=line, id=row["id"], reason=reason)
            draft.warnings += of_file((names or {}).get(row["id"], name), [found])


def _fill(known: Row, other: Row) -> None:
    nulls = known.get("layout", {}).get("nulls", ())
    for name, value in other.items():
        if name == "extra" and "extra" in known:
            known["extra"] = {**value, **known["extra"]}
        elif name not in known and name not in nulls and name != "reversed":
            known[name] = value


def _merge_edges(draft: GraphDraft, other: GraphDraft) -> None:
    known = {fold.edge_key(row): row for row in draft.edges}
    derived = EdgeType.DERIVED_FROM.value
    parent_of = {row["dst"]: row["src"] for row in draft.edges if row["type"] == derived}
    for row in other.edges:
        if (own := known.get(fold.edge_key(row))) is not None:
            _fill(own, row)
        elif row["type"] == derived and row["dst"] in parent_of:
            reason = f"the journal's parent {shapes.shown(row['src'])} gives way to the document's"
            draft.warnings.append(Unknown(line=None, id=row["dst"], reason=reason))
        else:
            draft.edges.append(row)
