"""What one draft changes, on its way into the graph and the journal."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from gotn.journal import Ledger
from gotn.work.records import GraphDraft
from gotn.work.rules import fold

Row = dict[str, Any]


@dataclass
class Staged:
    """What a large import wrote before its last transaction; nothing, for a small one."""

    nodes: set[str] = field(default_factory=set)
    edges: set[fold.EdgeKey] = field(default_factory=set)


@dataclass
class Taken:
    """What changed, by kind; rows are whole for new entities, changes for others."""

    new_nodes: list[Row] = field(default_factory=list)
    changed_nodes: list[Row] = field(default_factory=list)
    new_edges: list[Row] = field(default_factory=list)
    changed_edges: list[Row] = field(default_factory=list)
    joined_steps: list[Row] = field(default_factory=list)
    new_runs: list[Row] = field(default_factory=list)
    new_steps: list[Row] = field(default_factory=list)
    staged: Staged = field(default_factory=Staged)
    #: Edges that waited before and wait still.
    waiting: int = 0

    def changes(self) -> int:
        """How many entities are new or different."""
        return sum(
            len(getattr(self, name))
            for name in self.__dataclass_fields__
            if name not in ("staged", "waiting")
        )

    def note(self, ledger: Ledger, flags: list[Row]) -> None:
        """The journal's entries, in an order that a reader can apply; `flags` are items."""
        ledger.record("add_node", _items("node", self.new_nodes))
        ledger.record("update_node", _items("node", self.changed_nodes))
        ledger.record("add_edge", _items("edge", self.new_edges))
        ledger.record("update_edge", _items("edge", self.changed_edges) + flags)
        steps: dict[str, list[Row]] = {}
        for step in self.new_steps:
            steps.setdefault(step["run"], []).append(step)
        for row in self.new_runs:
            of_run = _items("step", steps.get(row["id"], ()))
            ledger.record("start_run", [{"run": row}, *of_run])
        joined = [{**step, "pending": None} for step in self.joined_steps]
        ledger.record("update_run", _items("step", joined))


def _items(name: str, rows: Iterable[Row]) -> list[Row]:
    return [{name: dict(row)} for row in rows]


def size(draft: GraphDraft) -> int:
    """How many things a draft brings, each step of a run among them."""
    count = sum(map(len, (draft.nodes, draft.edges, draft.runs, draft.journal)))
    return count + sum(len(run.get("ordered_node_ids", ())) for run in draft.runs)
