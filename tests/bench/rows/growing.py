"""The trees that are measured: ten tasks below each, their money known, some leaves to do."""

from dataclasses import dataclass
from typing import Any

import orjson

from gotn.keys import key

Row = dict[str, Any]
TREE = "tree-00000001"
#: Children of a task: six levels of ten are 111,111 tasks.
WIDTH = 10


@dataclass(frozen=True)
class Tree:
    """A stored tree of so many tasks."""

    project: str
    count: int

    def key(self, number: int) -> str:
        """A task's key in the database."""
        return key(self.project, TREE, name(number))


def name(number: int) -> str:
    """A task's id."""
    return f"task-{number:08x}"


def document(count: int) -> bytes:
    """A flat document of a tree, each task with its tokens and cost; some leaves are to do."""
    nodes, leaves = [], (count - 1) // WIDTH + 1
    for i in range(count):
        status = "pending" if i >= leaves and i % WIDTH == 0 else "completed"
        node: Row = {"node_id": name(i), "prompt": f"Do part {i}", "status": status}
        node |= {"parent_id": name((i - 1) // WIDTH)} if i else {}
        tokens = {"input_tokens": 1000 + i % 7, "output_tokens": i % 11}
        nodes.append(node | {"cost": tokens | {"total_cost_usd": 0.001 * (i % 13)}})
    limits = {"max_depth": 20, "max_total_nodes": 2_000_000}
    about = {"version": "1.0.0", "metadata": {"tree_id": TREE}, "limits": limits}
    return orjson.dumps(about | {"nodes": nodes})
