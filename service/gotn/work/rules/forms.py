"""The plain row of each entity: its fields, what each may hold, and how a document gives it.

A row is JSON: what the journal keeps and what `store` turns into properties. `read_node`,
`read_edge` and `read_run` make one from a document of 001 and list every violation; a
`layout` keeps what is needed to print the document again as it came.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gotn import checks as shared
from gotn import shapes
from gotn.errors import Invalid
from gotn.work.records import EdgeType, NodeStatus, RunStatus

#: Items of requires, produces, tags, guards or success_criteria; children have their own.
LIST_ITEMS = 1000
CHILDREN = 10_000
#: Schema version of the documents this program writes; newer ones are refused.
DOCUMENT_VERSION = 1

Check = Callable[[Any, str], Any]
ID_BYTES, TEXT_BYTES = shared.ID_BYTES, shared.TEXT_BYTES
text, identifier, time = shared.text, shared.identifier, shared.time
leaf, mapping, one_of = shared.leaf, shared.mapping, shared.one_of


def identifiers(value: Any, name: str, most: int = LIST_ITEMS) -> list[str]:
    """A list of names."""
    return [identifier(item, f"{name}[{i}]") for i, item in enumerate(_list(value, name, most))]


def children(value: Any, name: str) -> list[str]:
    """The ids of a node's children, each once."""
    found = identifiers(value, name, CHILDREN)
    if len(set(found)) < len(found):
        raise Invalid(f"{name}: a child is named twice", field=name)
    return found


def _list(value: Any, name: str, most: int) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise Invalid(f"{name}: expected a list, found {shapes.shown(value)}", field=name)
    if len(value) > most:
        raise Invalid(f"{name}: expected at most {most} items, found {len(value)}", field=name)
    return list(value)


def checks(value: Any, name: str) -> list[Any]:
    """Guards or success criteria: strings or {type, value}."""
    found = _list(value, name, LIST_ITEMS)
    for i, item in enumerate(found):
        if isinstance(item, str):
            text(item, f"{name}[{i}]")
        elif not (isinstance(item, dict) and isinstance(item.get("type"), str) and "value" in item):
            raise Invalid(
                f"{name}[{i}]: expected text or {{type, value}}, found {shapes.shown(item)}",
                field=name,
            )
    leaf(found, name)
    return found


def status(value: Any, name: str) -> str:
    """A node's status."""
    return one_of(value, name, [member.value for member in NodeStatus])


def run_status(value: Any, name: str) -> str:
    """A run's status."""
    return one_of(value, name, [member.value for member in RunStatus])


def version(value: Any, name: str) -> int:
    """A document's schema version, not newer than this program's."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise Invalid(f"{name}: expected 1, found {shapes.shown(value)}", field=name)
    if value > DOCUMENT_VERSION:
        raise Invalid(
            f"{name}: {value} is newer than {DOCUMENT_VERSION}, which this program reads",
            field=name,
        )
    return value


def score(value: Any, name: str) -> float:
    """A similarity of 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Invalid(f"{name}: expected 0 to 1, found {shapes.shown(value)}", field=name)
    return value


def layers(value: Any, name: str) -> list[list[str]]:
    """Lists of node ids that can run in parallel."""
    return [
        identifiers(layer, f"{name}[{i}]", 1_000_000)
        for i, layer in enumerate(_list(value, name, 1_000_000))
    ]


def order(value: Any, name: str) -> list[str]:
    """The node ids of a run in order."""
    return identifiers(value, name, 1_000_000)


NODE: dict[str, Check] = {
    "id": identifier,
    "kind": identifier,
    "summary": text,
    "prompt_text": text,
    "parent": identifier,
    "children": children,
    "requires": identifiers,
    "produces": identifiers,
    "exec_target": text,
    "embedding_ref": mapping,
    "tags": identifiers,
    "success_criteria": checks,
    "guards": checks,
    "artifacts": mapping,
    "status": status,
    "provenance": mapping,
    "version": version,
    "created_at": time,
    "updated_at": time,
}
#: Ours, never in a document.
NODE_OWN: dict[str, Check] = {"status_reason": text, "extra": mapping}
EDGE: dict[str, Check] = {
    "src": identifier,
    "dst": identifier,
    "type": identifier,
    "score": score,
    "evidence": text,
    "provenance": mapping,
    "version": version,
    "created_at": time,
}
RUN: dict[str, Check] = {
    "id": identifier,
    "goal": text,
    "ordered_node_ids": order,
    "layers": layers,
    "ordering_reason": text,
    "status": run_status,
    "workspace_path": text,
    "version": version,
    "created_at": time,
}
#: What adding a node needs; a recovery takes less.
NEEDED = ("id", "kind", "summary", "prompt_text")
#: Fields kept as one JSON text each, and fields that are moments, in every entity.
LEAVES = frozenset(
    {"success_criteria", "guards", "artifacts", "embedding_ref"}
    | {"provenance", "extra", "layout", "layers", "outputs", "attempts"}
)
MOMENTS = frozenset(
    {"created_at", "updated_at", "started_at", "finished_at"}
    | {"not_before", "lease_until", "heartbeat_at"}
)
#: Document types of an edge; any other is refused. soft_order is a later original's.
EDGE_TYPES = ("hard_requires", "soft_semantic", "derived_from", "soft_order", "related")


@dataclass
class Reading:
    """A row made from a document, with what is wrong with it."""

    row: dict[str, Any]
    violations: list[str] = field(default_factory=list)


def read_node(document: Any, *, complete: bool = True) -> Reading:
    """A node document as a row; `complete` asks for what `add` needs."""
    found = _read(document, NODE)
    for name in NEEDED if complete else ("id",):
        value = found.row.get(name)
        if not any(v.startswith(f"{name}:") for v in found.violations) and not (
            isinstance(value, str) and value.strip()
        ):
            found.violations.append(f"{name}: expected text that is not blank, found none")
    _promote(found.row)
    return found


def _promote(row: dict[str, Any]) -> None:
    """Make a property of what queries compute with."""
    estimate = row.get("extra", {}).get("estimate_minutes")
    if isinstance(estimate, int | float) and not isinstance(estimate, bool) and estimate >= 0:
        row["estimate_minutes"] = float(estimate)


def read_edge(document: Any) -> Reading:
    """An edge document as a row: `soft_order` becomes related of that kind."""
    found = _read(document, EDGE)
    row = found.row
    for name in ("src", "dst", "type"):
        if name not in row and not any(v.startswith(f"{name}:") for v in found.violations):
            found.violations.append(f"{name}: expected text, found none")
    if "type" in row and row["type"] not in EDGE_TYPES:
        found.violations.append(
            f"type: expected one of {', '.join(EDGE_TYPES)}, found {shapes.shown(row['type'])}"
        )
    elif row.get("type") == "soft_order":
        row["type"], row["kind"] = EdgeType.RELATED.value, "soft_order"
    elif row.get("type") == "related":
        kind = row.get("extra", {}).pop("kind", "related")
        row["kind"] = kind if isinstance(kind, str) and kind else "related"
        if not row.get("extra"):
            row.pop("extra", None)
    if "src" in row and row.get("src") == row.get("dst"):
        found.violations.append(f"dst: {shapes.shown(row['dst'])} cannot be joined to itself")
    return found


def read_run(document: Any) -> Reading:
    """A run document as a row."""
    found = _read(document, RUN)
    if "id" not in found.row and not any(v.startswith("id:") for v in found.violations):
        found.violations.append("id: expected text, found none")
    return found


def _read(document: Any, fields: Mapping[str, Check]) -> Reading:
    """Check each known key, gather the others in `extra`, remember the layout."""
    if not isinstance(document, dict):
        return Reading({}, [f"expected an object, found {shapes.shown(document)}"])
    row: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    reading = Reading(row)
    for key, value in document.items():
        check = fields.get(key, leaf)
        if value is None and key in fields:
            continue
        try:
            shapes.check_text(key, "a key")
            checked = check(value, key)
        except Invalid as error:
            reading.violations.append(error.message)
            continue
        (row if key in fields else extra)[key] = checked
    if extra:
        row["extra"] = extra
    row["layout"] = _layout(document, row, fields)
    return reading


def _layout(
    document: Mapping[str, Any], row: Mapping[str, Any], fields: Mapping[str, Check]
) -> dict[str, Any]:
    """Key order, explicit nulls, and times whose text is not ours."""
    layout: dict[str, Any] = {"keys": list(document)}
    if nulls := [key for key, value in document.items() if value is None and key in fields]:
        layout["nulls"] = nulls
    texts = {k: document[k] for k in MOMENTS if k in row and row[k] != document.get(k)}
    if texts:
        layout["texts"] = texts
    return layout


def node_row(given: Mapping[str, Any], *, complete: bool = True) -> dict[str, Any]:
    """A caller's plain values as a row, without layout; Invalid lists every violation."""
    fields = NODE | NODE_OWN
    row: dict[str, Any] = {}
    violations: list[str] = []
    for name, value in given.items():
        try:
            row[name] = fields[name](value, name)
        except Invalid as error:
            violations.append(error.message)
    if complete:
        violations += [
            f"{name}: expected text that is not blank, found {shapes.shown(given.get(name))}"
            for name in NEEDED
            if not str(row.get(name) or "").strip()
            and not any(v.startswith(f"{name}:") for v in violations)
        ]
    if violations:
        raise Invalid("; ".join(violations), violations=violations)
    _promote(row)
    return row


def edge_row(given: Mapping[str, Any]) -> dict[str, Any]:
    """A caller's plain values as an edge row; Invalid lists every violation."""
    reading = read_edge({k: v for k, v in given.items() if k not in ("kind", "extra")})
    if given.get("type") == EdgeType.RELATED.value:
        reading.row["kind"] = identifier(given.get("kind") or "related", "kind")
    if reading.violations:
        raise Invalid("; ".join(reading.violations), violations=reading.violations)
    reading.row.pop("layout", None)
    if given.get("extra") is not None:
        reading.row["extra"] = mapping(given["extra"], "extra")
    return reading.row
