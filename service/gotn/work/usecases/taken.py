"""What one draft changes, on its way into the graph and the journal."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from gotn.journal import Ledger
from gotn.work.records import GraphDraft

Row = dict[str, Any]


@dataclass
class Staged:
    """What a large import wrote before its last transaction; nothing, for a small one.

    Only names are kept: the rows are in the database and in the journal already.
    """

    #: The import's number in the journal; None where nothing is staged.
    number: int | None = None
    #: Ids of the new nodes, in their order.
    nodes: dict[str, None] = field(default_factory=dict)
    #: How many edges between them there are.
    edges: int = 0
    #: The hard ones: what was said, and what tags give.
    said: list[tuple[str, str]] = field(default_factory=list)
    tagged: list[tuple[str, str]] = field(default_factory=list)
    #: The derived_from ones, with their names alone.
    families: list[Row] = field(default_factory=list)
    #: How many nodes and edges an earlier run, cut short, had staged.
    resumed: int = 0
    #: Whether they are in the journal; a dry run's are not.
    noted: bool = True

    def holds(self, row: Row) -> bool:
        """Whether an edge is staged: both its nodes are."""
        return row["src"] in self.nodes and row["dst"] in self.nodes


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

    def arriving(self) -> list[str]:
        """The ids of all new nodes."""
        return [*self.staged.nodes, *(row["id"] for row in self.new_nodes)]

    def changes(self) -> int:
        """How many entities are new or different."""
        listed = sum(
            len(getattr(self, name))
            for name in self.__dataclass_fields__
            if name not in ("staged", "waiting")
        )
        return listed + len(self.staged.nodes) + self.staged.edges

    def note(self, ledger: Ledger, flags: list[Row]) -> None:
        """The journal's entries, in an order that a reader can apply; `flags` are items."""
        if self.staged.number is not None:
            # What stands in the journal under this number holds from here on.
            ledger.note("finish_import", {"items": [], "import": self.staged.number})
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
