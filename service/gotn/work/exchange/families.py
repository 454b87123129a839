"""parent, children and derived_from edges are one relationship: joining the three."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gotn import shapes
from gotn.work.exchange.report import Report
from gotn.work.records import EdgeType

Row = dict[str, Any]


@dataclass
class Second:
    """A parent named for a node that has another one."""

    child: str
    parent: str
    before: str
    before_line: int | None


@dataclass
class Families:
    """The derived_from row of each child, and where its parent was stated."""

    report: Report
    rows: dict[str, Row] = field(default_factory=dict)
    lines: dict[str, int | None] = field(default_factory=dict)

    def say(
        self,
        parent: str,
        child: str,
        how: str,
        line: int | None,
        *,
        position: int | None = None,
        document: Row | None = None,
    ) -> Second | None:
        """Note who said so: `parent`, `children` or `edge`; gives the clash if there is one."""
        row = self.rows.get(child)
        if row is None:
            self.lines[child] = line
            names: Row = {"type": EdgeType.DERIVED_FROM.value, "src": parent, "dst": child}
            row = self.rows[child] = {**names, "said": []}
        elif row["src"] != parent:
            return Second(child, parent, row["src"], self.lines[child])
        row["said"] = sorted({*row["said"], how})
        if position is not None:
            row["position"] = position
        if document is not None:
            row.update({k: v for k, v in document.items() if k not in row})
        return None

    def from_child(self, child: str, parent: str | None, line: int | None) -> None:
        """A node's own word about its parent; the first to be taken."""
        if parent is not None:
            self._state(parent, child, "parent", line)

    def from_parent(self, parent: str, children: Iterable[str], line: int | None) -> None:
        """A node's list of its children."""
        for position, child in enumerate(children):
            self._state(parent, child, "children", line, position=position)

    def from_edge(self, row: Row, line: int | None) -> None:
        """A derived_from edge document."""
        self._state(row["src"], row["dst"], "edge", line, document=row)

    def _state(self, parent: str, child: str, how: str, line: int | None, **more: Any) -> None:
        if parent == child:
            self.report.add(line, child, f"{how}: {shapes.shown(child)} is its own parent")
        elif clash := self.say(parent, child, how, line, **more):
            at = f" in line {clash.before_line}" if clash.before_line else ""
            self.report.add(
                line,
                child,
                f"{how}: expected one parent of {shapes.shown(child)}, found "
                f"{shapes.shown(parent)} beside {shapes.shown(clash.before)}{at}",
            )

    def refuse_loops(self) -> None:
        """Report every node that stands above itself; its rows are taken out."""
        for loop in self.loops():
            lines = [str(n) for id_ in loop if (n := self.lines.get(id_))]
            at = f" (lines {', '.join(lines)})" if lines else ""
            self.report.add(self.lines.get(loop[0]), loop[0], f"parent: {way(loop)}, a cycle{at}")
            for id_ in loop:
                del self.rows[id_]

    def loops(self) -> list[list[str]]:
        """Each way round in which a node stands above itself, first child first."""
        return list(_loops({child: row["src"] for child, row in self.rows.items()}))


def _loops(parent_of: Mapping[str, str]) -> Iterator[list[str]]:
    done: set[str] = set()
    for start in parent_of:
        path: dict[str, int] = {}
        at: str | None = start
        while at is not None and at not in done and at not in path:
            path[at] = len(path)
            at = parent_of.get(at)
        if at in path:
            yield list(path)[path[at] :]
        done.update(path)


def way(loop: Iterable[str]) -> str:
    """A loop as a message tells it."""
    around = list(loop)
    return " is derived from ".join(repr(id_) for id_ in [*around, around[0]])
