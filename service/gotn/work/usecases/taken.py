"""What one draft changes, on its way into the graph and the journal."""

from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]


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

    def changes(self) -> int:
        """How many entities are new or different."""
        return sum(len(getattr(self, name)) for name in self.__dataclass_fields__)
