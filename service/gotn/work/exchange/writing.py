"""Rows into documents of 001: an untouched import as it came, everything else in 001's order.

A row's `layout` keeps its document's keys, nulls and time texts; `touched` names the fields
changed since. Fields that an import lacked and we filled in are not printed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from gotn.errors import Invalid
from gotn.work.records import EdgeType, NodeStatus
from gotn.work.rules import forms, tags

Row = dict[str, Any]
#: Where a parent or child is printed that came through the API.
SAID = ("children", "parent")
#: What a document may be written as.
STYLES = ("gotn", "jsonl")
_OURS = frozenset(("revision", "rank", "ordinal", "layout", "touched", "pending"))


def node_document(
    row: Mapping[str, Any],
    parent: str | None = None,
    children: Sequence[str] = (),
    said: Iterable[str] = SAID,
) -> Row:
    """A node as 001 prints it.

    `said` tells where its parent was stated; `children` are those that its own document
    lists, in order.
    """
    values = dict(row)
    values.pop("parent", None)
    values.pop("children", None)
    if row.get("blocked_by"):  # held by a failed one: a state of the graph, not of the document
        values["status"] = NodeStatus.READY.value
    keys = row.get("layout", {}).get("keys", ())
    changed = set(row.get("touched", ()))
    if parent is not None and "parent" in said:
        values["parent"] = parent
        changed.add("parent")
    if children or "children" in keys:
        values["children"] = list(children)
    if children:
        changed.add("children")
    return _printed(values, tuple(forms.NODE), changed)


def edge_document(row: Mapping[str, Any]) -> Row:
    """An edge as 001 prints it; one that was turned round prints as it came."""
    values = dict(row)
    if row.get("reversed"):
        values["src"], values["dst"] = row["dst"], row["src"]
    fields = tuple(forms.EDGE)
    changed = set(row.get("touched", ()))
    if row["type"] == EdgeType.RELATED.value:
        if _is_soft_order(row):
            values["type"] = "soft_order"
        else:
            fields = ("src", "dst", "type", "kind", *fields[3:])
    else:
        values.pop("kind", None)
    if row["type"] == EdgeType.HARD_REQUIRES.value and "layout" not in row:
        values["score"] = None  # as 001 prints it
        if row.get("origin") == "derived" and row.get("tags"):
            sentence = tags.evidence(row["src"], row["dst"], row["tags"])
            values = {"evidence": sentence, "provenance": tags.PROVENANCE, **values}
    return _printed(values, fields, changed)


def _is_soft_order(row: Mapping[str, Any]) -> bool:
    """Whether a related edge came as type soft_order, and not as related of that kind."""
    named = "kind" in row.get("layout", {}).get("keys", ())
    return row.get("kind") == "soft_order" and (not named or "kind" in row.get("extra", {}))


def run_document(row: Mapping[str, Any]) -> Row:
    """A run as 001 prints it."""
    return _printed(dict(row), tuple(forms.RUN), set(row.get("touched", ())))


def _printed(values: Row, fields: Sequence[str], changed: set[str]) -> Row:
    layout = values.get("layout")
    extra = {k: v for k, v in (values.get("extra") or {}).items() if k not in fields}
    if layout is None:
        found = {name: values[name] for name in fields if name in values}
        return found | {k: v for k, v in extra.items() if k not in found}
    nulls, texts = layout.get("nulls", ()), layout.get("texts", {})
    printed: Row = {}
    for key in layout["keys"]:
        if key in nulls and not (key in changed and values.get(key) is not None):
            printed[key] = None
        elif key not in fields:
            printed |= {key: extra[key]} if key in extra else {}
        elif values.get(key) is not None:
            printed[key] = _time_text(values[key], texts.get(key), key)
    for key in fields:
        if key in changed and key not in printed and values.get(key) is not None:
            printed[key] = values[key]
    if "extra" in changed:
        printed |= {k: v for k, v in extra.items() if k not in printed}
    return printed


def _time_text(value: Any, text: str | None, name: str) -> Any:
    """A time as its document wrote it, while it is still the same time."""
    if text is None:
        return value
    try:
        return text if forms.time(text, name) == value else value
    except Invalid:
        return value


def journal_documents(event: str, timestamp: str, data: Any) -> Iterator[Row]:
    """An entry of ours as 001's {event, timestamp, data}, one object an item.

    An entry that keeps an original prints that, as it came.
    """
    if isinstance(data, dict) and isinstance(data.get("original"), dict):
        yield data["original"]
        return
    items = data.get("items", []) if isinstance(data, dict) else []
    if not items:
        rest = {k: v for k, v in data.items() if k != "items"} if isinstance(data, dict) else data
        yield {"event": event, "timestamp": timestamp, "data": rest}
    for item in items:
        yield {"event": event, "timestamp": timestamp, "data": _item(item)}


def _item(item: Row) -> Row:
    """An item's rows as documents; what an update takes away is null."""
    found: Row = {}
    for name, row in item.items():
        if not isinstance(row, dict):
            found[name] = row
            continue
        plain = {k: v for k, v in row.items() if k not in _OURS}
        if name == "node":
            document = node_document(plain)
        elif name == "edge":
            document = edge_document(plain)
            if "score" not in plain:
                document.pop("score", None)
        elif name == "run":
            document = run_document(plain)
        else:
            document = plain
        found[name] = document
    return found


def documents(
    nodes: Iterable[Row],
    edges: Iterable[Row],
    runs: Iterable[Row] = (),
    journal: Iterable[Row] = (),
) -> Iterator[tuple[str, Row]]:
    """Every document of a graph with its section; rows come in the order to be printed."""
    edges = list(edges)
    derived = [row for row in edges if row["type"] == EdgeType.DERIVED_FROM.value]
    parent_of = {row["dst"]: row for row in derived}
    children = _listed(derived)
    for row in nodes:
        above = parent_of.get(row["id"])
        parent, said = (above["src"], above.get("said", SAID)) if above else (None, ())
        yield "nodes", node_document(row, parent, children.get(row["id"], ()), said)
    for row in edges:
        if row["type"] != EdgeType.DERIVED_FROM.value or "edge" in row.get("said", SAID):
            yield "edges", edge_document(row)
    for row in runs:
        yield "runs", run_document(row)
    for row in journal:
        yield "journal", row


def _listed(derived: Sequence[Row]) -> dict[str, list[str]]:
    """The children that each node's document lists, in their order."""
    ends = len(derived)
    placed = sorted(derived, key=lambda row: row.get("position", ends))
    children: dict[str, list[str]] = {}
    for row in placed:
        if "children" in row.get("said", SAID):
            children.setdefault(row["src"], []).append(row["dst"])
    return children


def write(
    nodes: Iterable[Row],
    edges: Iterable[Row],
    runs: Iterable[Row] = (),
    journal: Iterable[Row] | None = None,
    style: str = "gotn",
) -> Iterator[str]:
    """A graph as text, piece by piece: `{nodes, edges, runs}`, or JSONL of the same objects.

    `journal` takes documents, as `journal_documents` gives them; without it there is none.
    """
    if style not in STYLES:
        raise Invalid(f"format: expected one of {', '.join(STYLES)}, found {style!r}")
    runs = list(runs)
    found = documents(nodes, edges, runs, journal or ())
    if style == "jsonl":
        for _, document in found:
            yield orjson.dumps(document).decode() + "\n"
        return
    sections = ["nodes", "edges", *(["runs"] if runs else [])]
    sections += ["journal"] if journal is not None else []
    yield from _one_document(found, sections)


def _one_document(found: Iterator[tuple[str, Row]], sections: Sequence[str]) -> Iterator[str]:
    opened = 0
    first = True
    yield "{"
    for section, document in found:
        while opened == 0 or sections[opened - 1] != section:
            yield ("\n  ]," if opened else "") + f'\n  "{sections[opened]}": ['
            opened, first = opened + 1, True
        text = orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()
        yield ("" if first else ",") + "\n    " + text.replace("\n", "\n    ")
        first = False
    for name in sections[opened:]:
        yield ("\n  ]," if opened else "") + f'\n  "{name}": ['
        opened += 1
    yield "\n  ]\n}\n"
