"""Edges of one document put right: turned round, soft ones joined, doubles left out."""

from collections.abc import Iterable, Iterator, Mapping
from sys import intern
from typing import Any

import orjson

from gotn import shapes
from gotn.work.exchange.parsing import Piece
from gotn.work.exchange.report import Report, placed
from gotn.work.records import EdgeOrigin, EdgeType, GraphDraft, Unknown
from gotn.work.records.shelf import Shelf
from gotn.work.rules import fold
from gotn.work.rules import tags as tagged

Row = dict[str, Any]
#: Row fields that say how something was written, not what it says.
_MANNER = frozenset(("layout", "said", "reversed"))


def same(one: Row, other: Row) -> bool:
    """Whether two rows say the same, however they were written."""
    return _content(one) == _content(other)


def _content(row: Row) -> bytes:
    said = {name: value for name, value in row.items() if name not in _MANNER}
    return orjson.dumps(said, option=orjson.OPT_SORT_KEYS)


class Edges:
    """Gathers a document's edges, derived_from left aside, and puts them into the draft."""

    def __init__(self, draft: GraphDraft, report: Report) -> None:
        self.draft, self.report = draft, report
        #: Each edge with its line and place: `row`, `line`, `where`.
        self._found = Shelf()
        self._documents = Shelf()

    def add(self, row: Row, piece: Piece) -> None:
        """Take in one edge."""
        self._found.append({"row": row, "line": piece.line, "where": piece.where})

    def families(self) -> Iterator[tuple[Row, int | None]]:
        """The derived_from edges, with their lines."""
        for found in self._found:
            if found["row"]["type"] == EdgeType.DERIVED_FROM.value:
                yield found["row"], found["line"]

    def finish(self, families: Mapping[str, Row]) -> None:
        """Turn what the tags contradict, then leave one row a pair, in the document's order.

        `families` has the whole row of each child: an edge document states a part of it.
        """
        tags = Tags(self.draft.nodes)
        known: dict[fold.EdgeKey, int] = {}
        for found in self._found:
            row, piece = found["row"], Piece(None, found["line"], found["where"])
            hard = row["type"] == EdgeType.HARD_REQUIRES.value
            if hard and (reason := turned(row, tags)):
                self._warn(piece, reason)
            type_, src, dst, kind = fold.edge_key(row)
            key = (intern(type_), intern(src), intern(dst), intern(kind))
            if key in known:
                at = known[key]
                self._documents[at] = self._joined(self._documents[at], row, piece)
                continue
            known[key] = len(self._documents)
            self._documents.append(row)
            if piece.line:
                self.draft.lines[f"edge {row['type']} {row['src']} {row['dst']}"] = piece.line
        for row in self._documents:
            if whole := _whole(row, families):
                self.draft.edges.append(whole)

    def _joined(self, before: Row, row: Row, piece: Piece) -> Row:
        """The one of two edges of a pair that stays."""
        if before["type"] == EdgeType.SOFT_SEMANTIC.value and before["src"] != row["src"]:
            self._warn(
                piece, f"soft_semantic {row['src']} ↔ {row['dst']}: two directions joined to one"
            )
            return row if _score(row) > _score(before) else before
        if before.get("reversed") != row.get("reversed"):
            self._warn(piece, f"hard_requires {row['src']} → {row['dst']} is there already")
            return row if before.get("reversed") else before
        self.again(before, row, piece)
        return before

    def again(self, before: Row, row: Row, piece: Piece) -> None:
        """An edge that stands twice: a warning if both say the same, else a violation."""
        name = f"{row['type']} {row['src']} → {row['dst']}"
        if same(before, row):
            self._warn(piece, f"edge {name} stands twice, alike")
            return
        line = self.draft.lines.get(f"edge {row['type']} {row['src']} {row['dst']}")
        at = f" from line {line}" if line else ""
        reason = f"expected each edge once, found {shapes.shown(name, 200)} again, differing{at}"
        self.report.add(piece.line, None, reason, piece.where)

    def _warn(self, piece: Piece, reason: str) -> None:
        told = placed(piece.where, reason)
        self.draft.warnings.append(Unknown(line=piece.line, id=None, reason=told))


class Tags:
    """What the nodes of this document require and produce."""

    def __init__(self, nodes: Iterable[Row]) -> None:
        self._requires: dict[str, frozenset[str]] = {}
        self._produces: dict[str, frozenset[str]] = {}
        for row in nodes:
            for named, known in (("requires", self._requires), ("produces", self._produces)):
                if names := row.get(named):
                    known[row["id"]] = frozenset(map(intern, names))

    def between(self, src: str, dst: str) -> list[str]:
        """Tags that src produces and dst requires; none where either is not here."""
        none: frozenset[str] = frozenset()
        return sorted(self._produces.get(src, none) & self._requires.get(dst, none))


def turned(row: Row, tags: Tags) -> str:
    """Turn a hard edge round where the tags say the opposite; what a warning says of it."""
    src, dst = row["src"], row["dst"]
    if tags.between(src, dst) or not (backward := tags.between(dst, src)):
        return ""
    row["src"], row["dst"], row["reversed"] = dst, src, True
    return (
        f"hard_requires {src} → {dst} is turned round: {src} requires "
        f"'{', '.join(backward)}' which {dst} produces"
    )


def confirm(draft: GraphDraft) -> None:
    """Make derived what the edge engine wrote and the tags of this draft's own nodes still imply.

    Such an edge may close a cycle and goes with its tags (decisions, Hard edges); one whose
    nodes are not here stays explicit, since nothing tells that tags give it.
    """
    tags = Tags(draft.nodes)
    for at, row in enumerate(draft.edges):
        if row["type"] != EdgeType.HARD_REQUIRES.value:
            continue
        if row.get("provenance") == tagged.PROVENANCE and (
            names := tags.between(row["src"], row["dst"])
        ):
            draft.edges[at] = row | {"origin": EdgeOrigin.DERIVED.value, "tags": names}


def _whole(row: Row, families: Mapping[str, Row]) -> Row | None:
    """The row of an edge; none for a parent that was left out."""
    if row["type"] != EdgeType.DERIVED_FROM.value:
        return row
    whole = families.get(row["dst"])
    return whole if whole is not None and whole["src"] == row["src"] else None


def _score(row: Row) -> float:
    return float(row.get("score", -1.0))
