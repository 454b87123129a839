"""What the journal says of task trees: items folded into rows, rows as nodes and relationships.

Items: `{"tree": row}`, `{"task": row}`, `{"executes": names}`, `{"state": row}`. A row is a
document's own members (`exchange.reading`); what queries filter, group and sum by is worked
out of it here, in `tree_properties` and `task_properties`, and in no other place.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from gotn import shapes
from gotn.errors import Invalid
from gotn.parts import Identity, put
from gotn.trees.rules import money, totals, turns

Row = dict[str, Any]
#: Members kept as one JSON text each.
LEAVES = frozenset(
    {"context", "result", "cost", "timestamps", "execution_config", "quality_gate"}
    | {"extra", "layout", "metadata", "document"}
)
MOMENTS = frozenset(("added_at", "created_at", "started_at", "completed_at"))
#: Properties worked out of a row; they are no members of it.
OF_TREE = frozenset(("tree_id", "root_prompt", "execution_mode", "session_id"))
OF_TREE |= {"created_at", "completed_at"}
OF_TASK = frozenset(("tree_id", "model", "day", "result_status", "confidence", "duration_ms"))
OF_TASK |= {"input_tokens", "output_tokens", "total_tokens", "cache_hits", "stated_subtree_pico"}
OF_TASK |= {"unpriced_tokens", "cost_pico", "savings_pico"}
OF_TASK |= {"created_at", "started_at", "completed_at"}
#: Row members that are relationships, or the names in them.
_JOINED = frozenset(("tree", "parent", "position", "documents"))
#: What every stored entity has beside its own.
BESIDE = frozenset(("key", "project_id", "caption", "revision"))
#: Kept totals of a subtree, turns and leases: worked out or passing, so they count in no digest.
LEASE = frozenset(("lease_until", "lease_token"))
KEPT = LEASE | totals.kept(totals.Total()).keys() | turns.OF_TASK | turns.OF_TREE


@dataclass
class TreesState:
    """A project's task trees by name."""

    trees: dict[str, Row] = field(default_factory=dict)
    tasks: dict[tuple[str, str], Row] = field(default_factory=dict)
    executes: dict[tuple[str, str, str], Row] = field(default_factory=dict)
    states: dict[str, Row] = field(default_factory=dict)

    def apply(self, event: str, item: Row) -> None:
        """Take in one item."""
        if "tree" in item:
            put(self.trees, item["tree"]["id"], event, item["tree"])
        elif "task" in item:
            put(self.tasks, (item["task"]["tree"], item["task"]["id"]), event, item["task"])
        elif "executes" in item:
            put(self.executes, executes_key(item["executes"]), event, item["executes"])
        else:
            put(self.states, item["state"]["id"], event, item["state"])

    def node_removed(self, id_: str) -> None:
        """A work node is gone: nothing executed it any more."""
        for key in [key for key in self.executes if key[2] == id_]:
            del self.executes[key]

    def entities(self) -> Iterator[tuple[Identity, Row]]:
        """Every node and relationship."""
        documents: set[tuple[str, str]] = set()
        for tree in self.trees.values():
            yield ("TaskTree", tree["id"]), tree_properties(tree)
        for task in self.tasks.values():
            yield from task_entities(task)
            documents |= {(one["doc_id"], one["source"]) for one in task.get("documents", ())}
        for id_, source in sorted(documents):
            yield ("Document", id_, source), {"id": id_, "source": source}
        for key in self.executes:
            yield ("EXECUTES", *key), {}
        for state in self.states.values():
            yield ("TaskState", state["id"]), state_properties(state)

    def counts(self) -> dict[str, int]:
        """How many trees there are."""
        return {"tree": len(self.trees)}

    def entries(self) -> Iterable[tuple[str, list[Row]]]:
        """Events with items that make this state."""
        found = [{"tree": row} for row in self.trees.values()]
        yield "add_tree", [*found, *({"task": row} for row in self.tasks.values())]
        yield "add_executes", [{"executes": row} for row in self.executes.values()]
        yield "add_state", [{"state": row} for row in self.states.values()]


def executes_key(names: Row) -> tuple[str, str, str]:
    """Tree, task (empty for the tree itself) and work node."""
    return (names["tree"], names.get("task") or "", names["node"])


def task_entities(row: Row) -> Iterator[tuple[Identity, Row]]:
    """A task, and the relationships that lead to it and to its documents."""
    tree, id_ = row["tree"], row["id"]
    yield ("Task", tree, id_), task_properties(row)
    if row.get("parent") is None:
        yield ("ROOT", tree, id_), {}
    else:
        yield ("SPAWNED", tree, row["parent"], id_), {"position": row["position"]}
    for position, one in enumerate(row.get("documents", ())):
        name = ("READ", tree, id_, position, one["doc_id"], one["source"])
        yield name, read_properties(one, position)


def read_properties(reference: Row, position: int) -> Row:
    """A document reference as its relationship's properties."""
    own = ("relevance_score", "chunk_ids", "excerpt")
    extra = {k: v for k, v in reference.items() if k not in (*own, "doc_id", "source")}
    found = {name: reference[name] for name in own if reference.get(name) is not None}
    found |= {"position": position, "layout": list(reference)}
    return shapes.properties(found | ({"extra": extra} if extra else {}), leaves=LEAVES)


def reference(id_: str, source: str, stored: Row) -> Row:
    """A document reference as its document had it."""
    plain = shapes.row(stored, leaves=LEAVES, moments=())
    known = {"doc_id": id_, "source": source} | plain | plain.get("extra", {})
    return {name: known.get(name) for name in plain["layout"]}


def tree_properties(row: Row) -> Row:
    """A tree's own properties."""
    said = row.get("metadata") or {}
    found = dict(row)
    for name in OF_TREE - {"tree_id"}:
        if said.get(name) is not None:
            found[name] = shapes.iso(shapes.moment(said[name])) if name in MOMENTS else said[name]
    return shapes.properties(found, leaves=LEAVES)


def task_properties(row: Row) -> Row:
    """A task's own properties: its members, and what is looked for and summed."""
    own = totals.own(row)
    cost, times = row.get("cost") or {}, row.get("timestamps") or {}
    result = row.get("result") or {}
    found = {k: v for k, v in row.items() if k not in _JOINED}
    found |= {"tree_id": row["tree"], "model": model_of(row)}
    found |= {"result_status": result.get("status"), "confidence": result.get("confidence")}
    found |= {name: getattr(own, name) for name in totals.COUNTS[1:5] if cost}
    found |= {"cost_pico": totals.own_cost(cost), "savings_pico": own.savings or None}
    found["unpriced_tokens"] = cost.get("unpriced_tokens")
    stated = cost.get("subtree_total_cost_usd")
    found["stated_subtree_pico"] = None if stated is None else _whole(money.pico(stated))
    found["duration_ms"] = times.get("duration_ms")
    for name in ("created_at", "started_at", "completed_at"):
        if times.get(name) is not None:
            found[name] = shapes.iso(shapes.moment(times[name]))
    ended = found.get("completed_at") or found.get("started_at") or found.get("created_at")
    found["day"] = ended[:10] if ended else None
    return shapes.properties(found, leaves=LEAVES)


def _whole(number: int) -> int | None:
    """A number that the database takes; its text is kept in any case."""
    return number if number < 2**63 else None


def model_of(row: Row) -> str | None:
    """The model that a task's cost counts for: the one used, else the one asked for."""
    used = ((row.get("result") or {}).get("metadata") or {}).get("model_used")
    asked = (row.get("execution_config") or {}).get("model")
    return used or asked or row.get("preferred_model")


def state_properties(row: Row) -> Row:
    """A state's own properties."""
    found = {"id": row["id"], "tree_id": row.get("tree"), "session_id": row.get("session")}
    return shapes.properties(found | {"document": row["document"]}, leaves=LEAVES)


def plain(stored: Row, worked_out: frozenset[str]) -> Row:
    """Stored properties as the members of a row."""
    left_out = BESIDE | KEPT | worked_out
    kept = {name: value for name, value in stored.items() if name not in left_out}
    return shapes.row(kept, leaves=LEAVES, moments=MOMENTS)


def counted(stored: Row) -> Row:
    """Stored properties as a digest counts them."""
    row = {k: v for k, v in stored.items() if v is not None and k not in KEPT}
    for name in MOMENTS & row.keys():
        with suppress(Invalid):
            row[name] = shapes.iso(shapes.moment(row[name]))
    return row
