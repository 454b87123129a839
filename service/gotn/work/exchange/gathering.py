"""Objects of GoTN documents into the rows of one draft (001; decisions, Work graph)."""

from typing import Any

from gotn import shapes
from gotn.errors import Invalid
from gotn.work.exchange import joining
from gotn.work.exchange.families import Families
from gotn.work.exchange.kinds import entry_violations, kind_of, refuse_our_journal
from gotn.work.exchange.parsing import ABOUT, SECTIONS, Piece
from gotn.work.exchange.report import Report
from gotn.work.records import EdgeOrigin, EdgeType, GraphDraft, Unknown
from gotn.work.records.shelf import Shelf
from gotn.work.rules import forms

Row = dict[str, Any]
#: What a node says that names neither parent nor children.
_ALONE: tuple[Any, list[str]] = (None, [])
_NAMES = ("src:", "dst:", "type:", "kind:", "expected")


class Gathering:
    """Takes objects one by one; `finish` makes them one draft.

    `complete` asks of a node what adding needs. A recovery takes less, and says what is
    missing: its report leaves out what cannot be read instead of refusing the whole.
    """

    def __init__(self, report: Report, *, complete: bool = True) -> None:
        self.report = report
        self.complete = complete
        self.draft = GraphDraft(nodes=Shelf(), edges=Shelf())
        self.families = Families(report)
        #: Lines of `draft.journal`.
        self.journal_lines: list[int | None] = []
        #: Where each node stands in the draft, and what it says of parent and children.
        self._at: dict[str, int] = {}
        self._stated: dict[str, tuple[Any, list[str]]] = {}
        self._edges = joining.Edges(self.draft, report)
        self._runs: dict[str, Row] = {}

    def take(self, piece: Piece) -> None:
        """Take in one object, whatever it is."""
        try:
            self._take(piece)
        except RecursionError:
            self.report.add(piece.line, None, "nested too deeply", piece.where)

    def _take(self, piece: Piece) -> None:
        kind = piece.section or kind_of(piece.value)
        refuse_our_journal(piece, self.report)
        if kind == "node":
            self.node(piece)
        elif kind == "edge":
            self.edge(piece)
        elif kind == "run":
            self.run(piece)
        elif kind == "journal":
            self.entry(piece)
        elif kind == "about":
            self._about(piece)
        else:
            self.report.add(piece.line, None, kind, piece.where)

    def _note(self, piece: Piece, id_: str | None, reasons: list[str]) -> None:
        for reason in reasons:
            self.report.add(piece.line, id_, reason, piece.where)

    def warn(self, line: int | None, id_: str | None, reason: str) -> None:
        """Note something that was mended."""
        self.draft.warnings.append(Unknown(line=line, id=id_, reason=reason))

    def node(self, piece: Piece) -> None:
        """A node document; its parent and children become rows of their own."""
        reading = forms.read_node(piece.value, complete=self.complete)
        row = reading.row
        id_ = row.get("id")
        self._note(piece, id_, reading.violations)
        if id_ is None:
            return
        stated = (row.pop("parent", None), row.pop("children", []))
        if (at := self._at.get(id_)) is not None:
            if joining.same(self.draft.nodes[at], row) and self._stated.get(id_, _ALONE) == stated:
                self.warn(piece.line, id_, f"node {shapes.shown(id_)} stands twice, alike")
            else:
                line = self.draft.lines.get(f"node {id_}")
                reason = f"id: expected each id once, found {shapes.shown(id_)} again, differing"
                self._note(piece, id_, [reason + (f" from line {line}" if line else "")])
            return
        self._at[id_] = len(self.draft.nodes)
        if stated != _ALONE:
            self._stated[id_] = stated
        self.draft.nodes.append(row)
        if piece.line:
            self.draft.lines[f"node {id_}"] = piece.line

    def edge(self, piece: Piece) -> None:
        """An edge document."""
        reading = forms.read_edge(piece.value)
        row = reading.row
        if isinstance(piece.value, dict) and piece.value.get("type") == EdgeType.RELATED.value:
            _keep_kind(piece.value, row, reading.violations)
        self._note(piece, None, reading.violations)
        if any(reason.startswith(_NAMES) for reason in reading.violations):
            return
        if row["type"] == EdgeType.HARD_REQUIRES.value:
            row["origin"] = EdgeOrigin.EXPLICIT.value
        self._edges.add(row, piece)

    def run(self, piece: Piece) -> None:
        """A run document."""
        reading = forms.read_run(piece.value)
        id_ = reading.row.get("id")
        self._note(piece, id_, reading.violations)
        if id_ is None:
            return
        if (known := self._runs.get(id_)) is None:
            self._runs[id_] = reading.row
            self.draft.runs.append(reading.row)
            if piece.line:
                self.draft.lines[f"run {id_}"] = piece.line
        elif joining.same(known, reading.row):
            self.warn(piece.line, id_, f"run {shapes.shown(id_)} stands twice, alike")
        else:
            reason = f"id: expected each id once, found {shapes.shown(id_)} again, differing"
            self._note(piece, id_, [reason])

    def entry(self, piece: Piece) -> None:
        """A journal entry of the original program, kept whole."""
        reasons = entry_violations(piece.value)
        self._note(piece, None, reasons)
        if not reasons:
            self.draft.journal.append(piece.value)
            self.journal_lines.append(piece.line)

    def _about(self, piece: Piece) -> None:
        """What the document says about itself: only its version matters."""
        version = piece.value.get("version")
        if isinstance(version, int):
            try:
                forms.version(version, "version")
            except Invalid as error:
                self._note(piece, None, [error.message])
        for key, value in piece.value.items():
            if key in SECTIONS and value is not None:
                self._note(piece, None, [f"{key}: expected a list, found {shapes.shown(value)}"])
            elif key not in ABOUT and key not in SECTIONS:
                self.warn(piece.line, None, f"{shapes.shown(key)}: unknown here, left out")

    def finish(self) -> GraphDraft:
        """Turn, join and reconcile; raises BadDocument with every violation."""
        for id_, (parent, _) in self._stated.items():
            self.families.from_child(id_, parent, self._line(id_))
        for id_, (_, children) in self._stated.items():
            self.families.from_parent(id_, children, self._line(id_))
        for row, line in self._edges.families():
            self.families.from_edge(row, line)
        self.families.refuse_loops()
        self._edges.finish(self.families.rows)
        self._append_families()
        self.report.finish(self.draft)
        return self.draft

    def _line(self, id_: str) -> int | None:
        return self.draft.lines.get(f"node {id_}")

    def _append_families(self) -> None:
        """What only nodes state, as the nodes tell it: a parent, then children."""
        written = {r["dst"] for r in self.draft.edges if r["type"] == EdgeType.DERIVED_FROM.value}
        for id_, (_, children) in self._stated.items():
            for child in (id_, *children):
                row = self.families.rows.get(child)
                if row is not None and child not in written:
                    written.add(child)
                    self.draft.edges.append(row)
                    if line := self.families.lines.get(child):
                        self.draft.lines[f"edge derived_from {row['src']} {child}"] = line


def _keep_kind(document: Row, row: Row, violations: list[str]) -> None:
    """A related edge's own kind: any text; null is remembered, anything else refused."""
    kind = document.get("kind")
    if kind is not None:
        try:
            row["kind"] = forms.identifier(kind, "kind")
        except Invalid as error:
            violations.append(error.message)
    elif "kind" in document:
        row["layout"].setdefault("nulls", []).append("kind")
