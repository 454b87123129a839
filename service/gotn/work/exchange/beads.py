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

import re
from collections.abc import Iterable
from typing import Any

from gotn import shapes
from gotn.errors import Invalid
from gotn.work.exchange import joining
from gotn.work.exchange.families import Families, way
from gotn.work.exchange.parsing import Piece
from gotn.work.exchange.report import Report
from gotn.work.records import GraphDraft, Unknown
from gotn.work.rules import forms

Row = dict[str, Any]
PROVENANCE = {"created_by": "beads", "source": "issues.jsonl"}
STATUS = {
    "open": "ready",
    "in_progress": "running",
    "hooked": "running",
    "closed": "completed",
    "blocked": "blocked",
    "deferred": "skipped",
    "pinned": "skipped",
}
#: Statuses whose own name would be lost, kept as the reason.
_TOLD = frozenset(("hooked", "blocked", "deferred", "pinned"))
_MAPPED = frozenset(
    [
        "id",
        "title",
        "description",
        "issue_type",
        "status",
        "labels",
        "created_at",
        "updated_at",
        "dependencies",
        "parent",
    ]
)
_TAKEN = frozenset((*forms.NODE, *forms.NODE_OWN))
_BULLET = re.compile(r"(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"#{1,6}\s|\*\*[^*]+\*\*:?$|-{3,}$|`{3}")


def is_issue(value: Any) -> bool:
    """Whether an object is a beads issue rather than a node of 001."""
    if not isinstance(value, dict) or not {"id", "title"} <= value.keys():
        return False
    ours = {"summary", "prompt_text"} & value.keys()
    return not ours and bool({"issue_type", "status"} & value.keys())


def read(pieces: Iterable[Piece], report: Report) -> GraphDraft:
    """The draft of a beads file; BadDocument with every violation."""
    issues = _Issues(report)
    for piece in pieces:
        try:
            issues.take(piece)
        except RecursionError:
            report.add(piece.line, None, "nested too deeply", piece.where)
    return issues.finish()


class _Issues:
    def __init__(self, report: Report) -> None:
        self.report = report
        self.draft = GraphDraft()
        self.families = Families(report)
        self.rows: dict[str, Row] = {}
        self.edges: dict[tuple[str, str, str, str], Row] = {}

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
                self.report.add(piece.line, id_, reason, piece.where)
            return
        if self._twice(row, piece):
            return
        self.rows[id_] = row
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
            "success_criteria": criteria(issue.get("acceptance_criteria")),
            "provenance": PROVENANCE,
            "created_at": issue.get("created_at"),
            "updated_at": issue.get("updated_at"),
            "extra": _extra(issue),
            **self._status(issue, piece),
        }
        return {name: value for name, value in given.items() if value is not None}

    def _status(self, issue: Row, piece: Piece) -> Row:
        status = issue.get("status") or "open"
        found = STATUS.get(status) if isinstance(status, str) else None
        if found is None:
            reason = f"status {shapes.shown(status)} is not one of beads'; read as open"
            self._warn(piece, issue["id"], reason)
            return {"status": "ready", "status_reason": f"beads: {shapes.shown(status)}"}
        return {"status": found, "status_reason": f"beads: {status}" if status in _TOLD else None}

    def _twice(self, row: Row, piece: Piece) -> bool:
        known = self.rows.get(row["id"])
        if known is None:
            return False
        if joining.same(known, row):
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
        if isinstance(parent, str) and parent and parent != (before or {}).get("src"):
            if ("related", issue["id"], parent, "parent-child") not in self.edges:
                self._named(
                    issue, {"depends_on_id": parent, "type": "parent-child"}, piece, "parent"
                )

    def _named(self, issue: Row, found: Any, piece: Piece, where: str) -> None:
        """One dependency of an issue, if its names are sound."""
        try:
            self._dependency(_dependency(found, issue["id"]), piece)
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
        clash = self.families.say(parent, child, "edge", piece.line, document=_told(found))
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
        if child in self.rows:
            extra = self.rows[child].setdefault("extra", {})
            extra["other_parents"] = [*extra.get("other_parents", ()), parent]
        reason = f"{shapes.shown(child)} {why}; {shapes.shown(parent)} is kept in other_parents"
        self._warn(piece, child, reason)
        self._edge("related", child, parent, found, piece)

    def _edge(self, type_: str, src: str, dst: str, found: Row, piece: Piece) -> None:
        row: Row = {"type": type_, "src": src, "dst": dst, **_told(found)}
        if type_ == "related":
            row["kind"] = found["type"]
        else:
            row["origin"] = "explicit"
        key = (type_, src, dst, row.get("kind", ""))
        if key in self.edges:
            self._warn(piece, found["issue_id"], f"{found['type']} {src} → {dst} stands twice")
            return
        self.edges[key] = row
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
            self.draft.edges = [one for one in self.draft.edges if one is not row]
            piece = Piece(None, self.families.lines.get(loop[-1]))
            found = {"issue_id": row["dst"], "depends_on_id": row["src"], "type": "parent-child"}
            why = f"would stand above itself ({way(loop)})"
            self._other_parent(found | _times(row), piece, why)
        self.report.finish()
        return self.draft


def _dependency(found: Any, issue: str) -> Row:
    """A dependency whose names are sound."""
    if not isinstance(found, dict):
        raise Invalid(f"expected an object, found {shapes.shown(found)}")
    named = {"issue_id": issue, "type": "blocks", **found}
    for name in ("issue_id", "depends_on_id", "type"):
        named[name] = forms.identifier(named.get(name), name)
    if named.get("created_at") is not None:
        named["created_at"] = forms.time(named["created_at"], "created_at")
    return named


def _told(found: Row) -> Row:
    """What an edge carries beside its names: who said so, when, and beads' other keys."""
    names = ("issue_id", "depends_on_id", "type", "created_at")
    rest = {k: v for k, v in found.items() if k not in names and v is not None}
    row: Row = {
        "evidence": f"{found['issue_id']} has a {found['type']} link to {found['depends_on_id']}",
        "provenance": PROVENANCE,
        **_times(found),
    }
    return row | ({"extra": forms.leaf(rest, "dependencies")} if rest else {})


def _times(found: Row) -> Row:
    return {"created_at": found["created_at"]} if found.get("created_at") is not None else {}


def _extra(issue: Row) -> Row | None:
    extra: Row = {}
    for name, value in issue.items():
        if name not in _MAPPED and value is not None:
            extra[f"beads_{name}" if name in _TAKEN else name] = value
    minutes = issue.get("estimated_minutes")
    if isinstance(minutes, int | float) and not isinstance(minutes, bool) and minutes > 0:
        extra["estimate_minutes"] = minutes
    return extra or None


def criteria(text: Any) -> list[str] | None:
    """Acceptance criteria, one a line; the whole text where it has too many lines."""
    if not text:
        return None
    if not isinstance(text, str):
        raise Invalid(f"acceptance_criteria: expected text, found {shapes.shown(text)}")
    lines = (line.strip() for line in text.splitlines())
    found = [_BULLET.sub("", line, count=1) for line in lines if line and not _HEADING.match(line)]
    found = [line for line in found if line]
    return found if 0 < len(found) <= forms.LIST_ITEMS else [text]
