"""beads' issues.jsonl as a work graph, by the mapping of DECISIONS.md.

status: see STATUS; deferred and pinned are skipped, with that reason; tombstones are left
out. title → summary, description → prompt_text (empty: the title), issue_type → kind,
labels → tags. acceptance_criteria → success_criteria: one a line, its list marker taken
off, headings left out; the text itself stays in `extra`, as do all other keys. A key that
001 uses for something else is kept as `beads_KEY`. `blocks`: the blocker is src;
`blocked-by` the reverse; parent-child: the parent is depends_on_id; any other type becomes
a related edge of that kind. A second parent stays in `extra.other_parents` and as a related
edge of kind parent-child, so that no dependency is lost.
"""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

from gotn import shapes
from gotn.errors import Invalid
from gotn.work.exchange import issues, joining
from gotn.work.exchange.families import Families, way
from gotn.work.exchange.parsing import Piece
from gotn.work.exchange.report import Report
from gotn.work.records import EdgeType, GraphDraft, Unknown
from gotn.work.records.shelf import Shelf
from gotn.work.rules import forms

Row = dict[str, Any]


def read(pieces: Iterable[Piece], report: Report) -> GraphDraft:
    """The draft of a beads file; BadDocument with every violation."""
    found = _Issues(report)
    for piece in pieces:
        try:
            found.take(piece)
        except RecursionError:
            report.add(piece.line, None, "nested too deeply", piece.where)
    return found.finish()


class _Issues:
    def __init__(self, report: Report) -> None:
        self.report = report
        self.draft = GraphDraft(nodes=Shelf(), edges=Shelf())
        self.families = Families(report)
        #: Where each issue stands in the draft, and a hash of its dependencies.
        self.places: dict[str, tuple[int, bytes]] = {}
        self.edges: set[tuple[str, str, str, str]] = set()
        self.other_parents: dict[str, list[str]] = {}

    def take(self, piece: Piece) -> None:
        """Take in one issue and its dependencies."""
        issue = piece.value
        if not isinstance(issue, dict) or not isinstance(issue.get("id"), str):
            reason = f"expected an issue with an id, found {shapes.shown(issue)}"
            self.report.add(piece.line, None, reason, piece.where)
            return
        id_ = issue["id"]
        if issue.get("status") == "tombstone":
            self.draft.skipped.append(Unknown(line=piece.line, id=id_, reason="a tombstone"))
            return
        try:
            row = forms.node_row(self._given(issue, piece))
        except Invalid as error:
            for reason in error.facts.get("violations", [error.message]):
                self.report.add(piece.line, id_, issues.reason(reason), piece.where)
            return
        if self._twice(row, issue.get("dependencies"), piece):
            return
        self.places[id_] = (len(self.draft.nodes), _hash(issue.get("dependencies")))
        self.draft.nodes.append(row)
        if piece.line:
            self.draft.lines[f"node {id_}"] = piece.line
        self._dependencies(issue, piece)

    def _given(self, issue: Row, piece: Piece) -> Row:
        """An issue's values under 001's names."""
        given: Row = {
            "id": issue["id"],
            "kind": issue.get("issue_type") or "task",
            "summary": issue.get("title"),
            "prompt_text": issue.get("description") or issue.get("title"),
            "tags": issue.get("labels") or None,
            "success_criteria": issues.criteria(issue.get("acceptance_criteria")),
            "provenance": issues.PROVENANCE,
            "created_at": issue.get("created_at"),
            "updated_at": issue.get("updated_at"),
            "extra": issues.extra_of(issue),
            **self._status(issue, piece),
        }
        return {name: value for name, value in given.items() if value is not None}

    def _status(self, issue: Row, piece: Piece) -> Row:
        status = issue.get("status") or "open"
        found = issues.STATUS.get(status) if isinstance(status, str) else None
        if found is None:
            reason = f"status {shapes.shown(status)} is not one of beads'; read as open"
            self._warn(piece, issue["id"], reason)
            return {"status": "ready", "status_reason": f"beads: {shapes.shown(status)}"}
        return {
            "status": found,
            "status_reason": f"beads: {status}" if status in issues.TOLD else None,
        }

    def _twice(self, row: Row, listed: Any, piece: Piece) -> bool:
        if row["id"] not in self.places:
            return False
        place, before = self.places[row["id"]]
        if joining.same(self.draft.nodes[place], row) and _hash(listed) == before:
            self._warn(piece, row["id"], f"issue {shapes.shown(row['id'])} stands twice, alike")
        else:
            at = self.draft.lines.get(f"node {row['id']}")
            reason = f"id: expected each id once, found {shapes.shown(row['id'])} again, differing"
            self.report.add(piece.line, row["id"], reason + (f" from line {at}" if at else ""))
        return True

    def _dependencies(self, issue: Row, piece: Piece) -> None:
        listed = issue.get("dependencies") or []
        if not isinstance(listed, list):
            reason = f"dependencies: expected a list, found {shapes.shown(listed)}"
            self.report.add(piece.line, issue["id"], reason, piece.where)
            return
        for i, found in enumerate(listed):
            self._named(issue, found, piece, f"dependencies[{i}]")
        parent = issue.get("parent")
        before = self.families.rows.get(issue["id"])
        known = ("related", issue["id"], parent, "parent-child") in self.edges
        if isinstance(parent, str) and parent not in ("", (before or {}).get("src")) and not known:
            named = {"depends_on_id": parent, "type": "parent-child"}
            self._named(issue, named, piece, "parent")

    def _named(self, issue: Row, found: Any, piece: Piece, where: str) -> None:
        """One dependency of an issue, if its names are sound."""
        try:
            self._dependency(issues.dependency(found, issue["id"]), piece)
        except Invalid as error:
            path = f"{piece.where}.{where}".lstrip(".")
            self.report.add(piece.line, issue["id"], error.message, path)

    def _dependency(self, found: Row, piece: Piece) -> None:
        type_, issue, other = found["type"], found["issue_id"], found["depends_on_id"]
        if issue == other:
            raise Invalid(f"depends_on_id: {shapes.shown(issue)} cannot be joined to itself")
        if type_ == "parent-child":
            self._parent(found, piece)
        elif type_ == "blocks":
            self._edge("hard_requires", other, issue, found, piece)
        elif type_ == "blocked-by":
            self._edge("hard_requires", issue, other, found, piece)
        else:
            self._edge("related", issue, other, found, piece)

    def _parent(self, found: Row, piece: Piece) -> None:
        child, parent = found["issue_id"], found["depends_on_id"]
        new = child not in self.families.rows
        clash = self.families.say(parent, child, "edge", piece.line, document=issues.told(found))
        if clash:
            self._other_parent(found, piece, f"has the parent {shapes.shown(clash.before)} already")
        elif new:
            self.families.say(parent, child, "parent", piece.line)
            self.draft.edges.append(self.families.rows[child])
            self._note_line(self.families.rows[child], piece)
        else:
            self._warn(piece, child, f"parent-child {child} → {parent} stands twice")

    def _other_parent(self, found: Row, piece: Piece, why: str) -> None:
        child, parent = found["issue_id"], found["depends_on_id"]
        self.other_parents.setdefault(child, []).append(parent)
        reason = f"{shapes.shown(child)} {why}; {shapes.shown(parent)} is kept in other_parents"
        self._warn(piece, child, reason)
        self._edge("related", child, parent, found, piece)

    def _edge(self, type_: str, src: str, dst: str, found: Row, piece: Piece) -> None:
        row: Row = {"type": type_, "src": src, "dst": dst, **issues.told(found)}
        if type_ == "related":
            row["kind"] = found["type"]
        else:
            row["origin"] = "explicit"
        key = (type_, src, dst, row.get("kind", ""))
        if key in self.edges:
            self._warn(piece, found["issue_id"], f"{found['type']} {src} → {dst} stands twice")
            return
        self.edges.add(key)
        self.draft.edges.append(row)
        self._note_line(row, piece)

    def _note_line(self, row: Row, piece: Piece) -> None:
        if piece.line:
            self.draft.lines[f"edge {row['type']} {row['src']} {row['dst']}"] = piece.line

    def _warn(self, piece: Piece, id_: str, reason: str) -> None:
        self.draft.warnings.append(Unknown(line=piece.line, id=id_, reason=reason))

    def finish(self) -> GraphDraft:
        """Take one parent out of each way round; raise what was wrong."""
        for loop in self.families.loops():
            row = self.families.rows.pop(loop[-1])
            piece = Piece(None, self.families.lines.get(loop[-1]))
            found = {"issue_id": row["dst"], "depends_on_id": row["src"], "type": "parent-child"}
            why = f"would stand above itself ({way(loop)})"
            self._other_parent(found | issues.times(row), piece, why)
        self._settle_families()
        for id_, parents in self.other_parents.items():
            if id_ in self.places:
                place, _ = self.places[id_]
                row = self.draft.nodes[place]
                row["extra"] = {**row.get("extra", {}), "other_parents": parents}
                self.draft.nodes[place] = row
        self.report.finish(self.draft)
        return self.draft

    def _settle_families(self) -> None:
        """Put every derived_from row as it became; the ones taken out of a way round go."""
        derived = EdgeType.DERIVED_FROM.value
        gone = []
        for at, row in enumerate(self.draft.edges):
            if row["type"] == derived:
                if (whole := self.families.rows.get(row["dst"])) is None:
                    gone.append(at)
                else:
                    self.draft.edges[at] = whole
        for at in reversed(gone):
            del self.draft.edges[at]


def _hash(value: Any) -> bytes:
    """What tells two lists of dependencies apart."""
    return blake2b(repr(value).encode(errors="replace"), digest_size=16).digest()
