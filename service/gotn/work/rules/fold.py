"""What a journal says: its entries folded into the state of a project, and that state's digest.

An item names one entity and what became of it: `{"node": row}`, `{"edge": row}`,
`{"run": row}`, `{"step": row}`; other members belong to other contexts (`parts`). The event
tells whether the row is whole (`add_…`, `start_run`), a change (`update_…`, null takes a
field away) or gone (`remove_…`). Replay writes the folded state; verification compares it
with the database.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from gotn import parts, shapes
from gotn.errors import Invalid
from gotn.parts import put
from gotn.work.records import EdgeOrigin, EdgeType
from gotn.work.rules import forms

Row = dict[str, Any]
#: type, src, dst, kind: what makes an edge one edge.
EdgeKey = tuple[str, str, str, str]
#: What an entity is called in a digest: its kind and its own names.
Identity = parts.Identity

#: Left out of digests: names that hold the project, and what is bookkeeping, not state.
UNCOUNTED = frozenset(
    {"key", "run_key", "project_id", "caption", "rank", "ordinal", "revision", "unlinked"}
    | {"embedding_ref"}
    # What executing keeps: leases, the order of claims, counters (store.running).
    | {"lease_until", "lease_end", "heartbeat_at", "token", "retry_at"}
    | {"waits", "priority", "queue", "counted_seq"}
    | {"steps_ready", "steps_running", "steps_blocked", "steps_failed", "steps_waiting"}
)
#: Row fields that are relationships to tags and keywords, with the relationship's type.
TAGGED = {
    "requires": ("REQUIRES", "Tag"),
    "produces": ("PRODUCES", "Tag"),
    "tags": ("TAGGED", "Keyword"),
}
#: Relationship type of each edge type.
LABELS = {
    EdgeType.HARD_REQUIRES.value: "HARD_REQUIRES",
    EdgeType.SOFT_SEMANTIC.value: "SOFT_SEMANTIC",
    EdgeType.DERIVED_FROM.value: "DERIVED_FROM",
    EdgeType.RELATED.value: "RELATED",
}
#: Moments are written by `plain`, whoever made them.
_SORTED = orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATETIME
_NAMES = frozenset(("type", "src", "dst", "pending"))


@dataclass
class State:
    """A project's entities by name."""

    nodes: dict[str, Row] = field(default_factory=dict)
    edges: dict[EdgeKey, Row] = field(default_factory=dict)
    runs: dict[str, Row] = field(default_factory=dict)
    steps: dict[tuple[str, int], Row] = field(default_factory=dict)
    settings: Row = field(default_factory=dict)
    #: What the other contexts make of their items.
    others: dict[str, parts.State] = field(default_factory=parts.empty)
    #: Edges that linking made: unlike a document's they have no place in the order of arrival.
    unplaced: set[EdgeKey] = field(default_factory=set)
    #: What large imports wrote that are not finished yet, by their number, in order.
    _staged: dict[int, list[tuple[str, list[Row]]]] = field(default_factory=dict)
    #: Where each node is, or once was, a step.
    _steps_of: dict[str, set[tuple[str, int]]] = field(default_factory=dict)

    def take(self, event: str, items: list[Row], staged: int | None) -> None:
        """Take in one entry: what a large import staged holds once its last entry comes.

        An import that has none was cut short, and is left out (decisions, All or nothing).
        """
        if staged is None:
            self.apply(event, items)
        elif event == "finish_import":
            for told, some in self._staged.pop(staged, ()):
                self.apply(told, some)
        else:
            self._staged.setdefault(staged, []).append((event, items))

    def apply(self, event: str, items: Iterable[Row]) -> None:
        """Take in one entry's items; Invalid for one that says nothing a reader can apply."""
        for item in items:
            try:
                self._apply(event, item)
            except (KeyError, TypeError, AttributeError):
                raise Invalid(f"{event}: {shapes.shown(item)} cannot be applied") from None

    def _apply(self, event: str, item: Row) -> None:
        if "node" in item:
            self._node(event, item["node"])
        elif "edge" in item:
            self._edge(event, item["edge"])
        elif "run" in item:
            put(self.runs, item["run"]["id"], event, item["run"])
        elif "step" in item:
            step = item["step"]
            at = (step["run"], step["position"])
            put(self.steps, at, _step_event(event, step), step)
            if at in self.steps:
                self._steps_of.setdefault(self.steps[at]["node"], set()).add(at)
        elif "settings" in item:
            self.settings = {k: v for k, v in item["settings"].items() if v is not None}
        else:
            # A KeyError where nobody knows the item: it must not be passed over.
            self.others[parts.owner(item) or ""].apply(event, item)

    def _edge(self, event: str, row: Row) -> None:
        key = edge_key(row)
        put(self.edges, key, event, row)
        if event == "add_edge":
            self.unplaced.discard(key)
            if row.get("origin") == EdgeOrigin.DERIVED.value and "layout" not in row:
                self.unplaced.add(key)

    def _node(self, event: str, row: Row) -> None:
        put(self.nodes, row["id"], event, row)
        if event == "remove_node":
            for part in self.others.values():
                part.node_removed(row["id"])
            for at in self._steps_of.pop(row["id"], ()):
                if at in self.steps and self.steps[at]["node"] == row["id"]:
                    del self.steps[at]


def _step_event(event: str, step: Row) -> str:
    """Steps come with their run, change with it, and may be taken out of it."""
    if step.get("removed"):
        return "remove_step"
    return "add_step" if event == "start_run" else event


def edge_key(row: Row) -> EdgeKey:
    """An edge's name; a soft edge has no direction."""
    src, dst = row["src"], row["dst"]
    if row["type"] == EdgeType.SOFT_SEMANTIC.value:
        src, dst = sorted((src, dst))
    return (row["type"], src, dst, row.get("kind", ""))


def ends(row: Row) -> tuple[str, str]:
    """The ids at the start and the end of an edge's relationship."""
    _, src, dst, _ = edge_key(row)
    return (dst, src) if row["type"] == EdgeType.DERIVED_FROM.value else (src, dst)


def node_properties(row: Row) -> Row:
    """A node row's own properties."""
    return _properties({k: v for k, v in row.items() if k not in TAGGED})


def edge_properties(row: Row) -> Row:
    """An edge row's own properties; a soft edge notes when the document had it the other way."""
    kept = {k: v for k, v in row.items() if k not in _NAMES}
    if row["type"] == EdgeType.SOFT_SEMANTIC.value and row["src"] > row["dst"]:
        kept["turned"] = True
    return _properties(kept)


def pending_properties(row: Row) -> Row:
    """A pending edge is a node: its names, and the rest of its row as one leaf."""
    type_, src, dst, kind = edge_key(row)
    return {"type": type_, "src": src, "dst": dst, "kind": kind, "data": shapes.dumps(row)}


def run_properties(row: Row) -> Row:
    """A run row's own properties."""
    return _properties(row)


def step_properties(row: Row) -> Row:
    """A step's properties on its relationship."""
    return _properties({k: v for k, v in row.items() if k not in ("run", "node", "pending")})


def _properties(row: Row) -> Row:
    return shapes.properties(row, leaves=forms.LEAVES)


def entities(state: State) -> Iterator[tuple[Identity, Row]]:
    """Every node and relationship the state makes, named as in the database."""
    yield from node_entities(state.nodes.values())
    for row in state.edges.values():
        yield edge_entity(row)
    for run in state.runs.values():
        yield ("Run", run["id"]), run_properties(run)
    for step in state.steps.values():
        yield step_entity(step)
    for part in state.others.values():
        yield from part.entities()


def node_entities(rows: Iterable[Row]) -> Iterator[tuple[Identity, Row]]:
    """Nodes with the tags and keywords they name, each of those once."""
    names: set[Identity] = set()
    for row in rows:
        yield ("WorkNode", row["id"]), node_properties(row)
        for member, (relationship, label) in TAGGED.items():
            for position, name in enumerate(row.get(member, ())):
                names.add((label, name))
                yield (relationship, row["id"], name, position), {"position": position}
    for label, name in sorted(names):
        yield (label, name), {"name": name}


def edge_entity(row: Row) -> tuple[Identity, Row]:
    """An edge as a relationship, or as the node that stands for it while it is pending."""
    type_, src, dst, kind = edge_key(row)
    if row.get("pending"):
        return ("PendingEdge", type_, src, dst, kind), pending_properties(row)
    start, end = ends(row)
    return (LABELS[type_], start, end, kind), edge_properties(row)


def step_entity(row: Row) -> tuple[Identity, Row]:
    """A step as a relationship, or as the node that stands for it while it is pending."""
    if row.get("pending"):
        return ("PendingEdge", *pending_step_names(row)), pending_step_properties(row)
    return ("STEP", row["run"], row["node"], row["position"]), step_properties(row)


def pending_step_names(row: Row) -> EdgeKey:
    """What a step that waits for its node is called."""
    return ("step", row["run"], row["node"], str(row["position"]))


def pending_step_properties(row: Row) -> Row:
    """A step that waits for its node, as a node."""
    type_, src, dst, kind = pending_step_names(row)
    return {"type": type_, "src": src, "dst": dst, "kind": kind, "data": shapes.dumps(row)}


def digests(found: Iterable[tuple[Identity, Row]]) -> dict[bytes, bytes]:
    """SHA-256 of each entity, by its name; what stands twice is not what stands once."""
    by_name: dict[bytes, bytes] = {}
    for identity, row in found:
        name = name_of(identity)
        sha = _sha(name, row)
        before = by_name.get(name)
        by_name[name] = hashlib.sha256(before + sha).digest() if before else sha
    return by_name


def name_of(identity: Identity) -> bytes:
    """What an entity is called in a digest."""
    return orjson.dumps(list(identity), default=plain)


def _sha(name: bytes, row: Row) -> bytes:
    counted = {key: value for key, value in row.items() if key not in UNCOUNTED}
    body = orjson.dumps(counted, option=_SORTED, default=plain)
    return hashlib.sha256(name + body).digest()


def plain(value: Any) -> Any:
    """A property as JSON: moments as ISO text, whatever else only Neo4j has as its text."""
    try:
        return shapes.iso(shapes.native(value))
    except (AttributeError, TypeError, ValueError, OverflowError):
        return str(value)


def digest(by_name: dict[bytes, bytes]) -> str:
    """SHA-256 over all entities in the order of their names."""
    whole = hashlib.sha256()
    for name in sorted(by_name):
        whole.update(name)
        whole.update(by_name[name])
    return whole.hexdigest()


def differing(live: dict[bytes, bytes], replayed: dict[bytes, bytes], first: int = 20) -> list[Row]:
    """The first entities that differ, each with what is the matter."""
    names = sorted(n for n in live.keys() | replayed.keys() if live.get(n) != replayed.get(n))
    return [
        {"entity": orjson.loads(n), "difference": _matter(n, live, replayed)} for n in names[:first]
    ]


def _matter(name: bytes, live: dict[bytes, bytes], replayed: dict[bytes, bytes]) -> str:
    if name not in replayed:
        return "in the database, not in the journal"
    return "in the journal, not in the database" if name not in live else "changed by hand"
