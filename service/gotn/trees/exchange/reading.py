"""A document of 004 as rows: lenient in what 004 itself breaks, with warnings; the rest refused."""

import re
from dataclasses import is_dataclass
from typing import Any

from gotn import shapes
from gotn.errors import Invalid
from gotn.trees.exchange.nesting import Place, nested, shown, walk
from gotn.trees.exchange.report import Report
from gotn.trees.records import (
    CostTracking,
    TaskNode,
    TreeDocument,
    TreeDraft,
    TreeLimits,
    TreeMetadata,
)
from gotn.trees.records.documents import TASK_ID, TREE_ID
from gotn.trees.rules import adding, content, limits, shaped, totals

Row = dict[str, Any]
#: Members that a row names otherwise, or that its place tells.
_PLACED = frozenset(("node_id", "parent_id", "depth", "children"))
_LATER = frozenset(("children", "status"))
_VERSION = re.compile(r"1\.\d+\.\d+")
#: Moments that may not go backwards, in their order.
_CLOCK = ("created_at", "started_at", "completed_at")


def tree(document: Any, report: Report, as_id: str | None = None) -> TreeDraft:
    """A tree's rows; BadDocument lists everything that is wrong with it."""
    found = _top(document, report)
    root = document.get("root_task") if isinstance(document, dict) else None
    tasks = _tasks(root, report) if root is not None else []
    if root is None and not report.violations:
        report.wrong("root_task: is missing")
    report.finish()
    if as_id is not None:
        found["metadata"] = (found.get("metadata") or {}) | {"tree_id": as_id}
    _identify(found, tasks)
    _warn(found, tasks, report, as_id)
    sums = totals.inclusive(tasks)
    for reason, _ in adding.beyond_tree(sums[tasks[0]["id"]]):
        report.wrong(reason)
    report.finish()
    return TreeDraft(
        tree=found,
        tasks=tasks,
        warnings=report.warnings,
        disagreements=totals.disagreements(found, tasks, sums),
    )


def flat(nodes: list[Any], about: Row, report: Report, as_id: str | None = None) -> TreeDraft:
    """The same from a list of tasks that name their parents."""
    root = nested(nodes, report)
    if report.violations:
        _apart(nodes, about, report)
    report.finish()
    report.warn("a flat list of tasks: it comes back nested")
    return tree(about | {"root_task": root}, report, as_id)


def _apart(nodes: list[Any], about: Row, report: Report) -> None:
    """Report what is wrong with tasks that make no tree, each by itself."""
    _top(about, report)
    for node in nodes:
        name = node.get("node_id") if isinstance(node, dict) else None
        if isinstance(name, str) and name:
            depth = node.get("depth") if isinstance(node.get("depth"), int) else 0
            parent = node.get("parent_id")
            _task(Place(node, f"task {shown(name)}", parent, 0, depth), report)


def _top(document: Any, report: Report) -> Row:
    """What a document says beside its tasks."""
    if not isinstance(document, dict):
        report.wrong(f"expected a tree document, found {shown(document)}")
        return {}
    rest = {key: value for key, value in document.items() if key != "root_task"}
    found = _shaped(TreeDocument, rest, "", report, frozenset(("root_task", "version")))
    version = document.get("version")
    if version is None:
        report.warn("version: is missing; read as 1.0.0")
    elif not isinstance(version, str) or not _VERSION.fullmatch(version):
        report.wrong(f"version: expected 1.x.y, which this program reads, found {shown(version)}")
    known = shaped.members(TreeDocument).keys() - _BESIDE
    row: Row = {"version": version or "1.0.0"}
    if isinstance(found.get("metadata"), dict):
        row["metadata"] = found["metadata"]
        _clock(found["metadata"], "metadata", report)
    if extra := {key: value for key, value in found.items() if key not in known}:
        row["extra"] = extra
    row["layout"] = _layout(document, known)
    return row


#: Members of a document that are kept beside what 004's own schema has.
_BESIDE = frozenset(("limits",))


def _shaped(cls: type, value: Any, where: str, report: Report, beside: frozenset[str]) -> Row:
    """The members of an object, once it is known not to be too deep to look at."""
    try:
        shapes.portable(value, where or "the document")
    except Invalid as error:
        for reason in _unportable(cls, value, where) or [error.message]:
            report.wrong(reason)
        return {}
    found: Row = shaped.shape(
        cls, value, where, report.wrong, beside=beside, unknown=_unknown(report)
    )
    return found


def _unportable(cls: Any, value: Any, where: str, levels: int = 8) -> list[str]:
    """What no JSON reader keeps, each with the member that holds it and, of a count, its bound."""
    if not isinstance(value, dict) or not levels:
        return []
    found: list[str] = []
    for name, item in value.items():
        said = name.encode(errors="replace").decode()
        place = f"{where}.{said}" if where else said
        kind, declared = shaped.members(cls).get(name, (None, None)) if cls else (None, None)
        try:
            if declared is not None and kind is int:
                shaped.whole(item, place, declared)
            shapes.portable(item, place)
        except Invalid as error:
            below = kind if is_dataclass(kind) else None
            found += _unportable(below, item, place, levels - 1) or [error.message]
    return found


def _unknown(report: Report) -> shaped.Unknown:
    """Tells of members that may be mistyped: what was meant by them counts nowhere.

    Any member is kept; those of `limits` are refused, since a limit that is none protects nobody.
    """

    def unknown(cls: type, name: str, where: str) -> None:
        if cls is TreeLimits:
            report.wrong(f"{where}: there is no such limit; {shaped.advice(cls, name)}")
        elif (cls is CostTracking or shaped.near(cls, name)) and (cls, name) not in report.told:
            report.told.add((cls, name))
            advice = shaped.advice(cls, name)
            report.warn(f"{where}: 004 has no such member, it is only kept; {advice}")

    return unknown


def _layout(document: Row, known: Any) -> Row:
    """Key order and explicit nulls, to print a document as it came."""
    layout: Row = {"keys": list(document)}
    if nulls := [key for key, value in document.items() if value is None and key in known]:
        layout["nulls"] = nulls
    return layout


def _tasks(root: Any, report: Report) -> list[Row]:
    found: list[Row] = []
    places: dict[str, str] = {}
    for place in walk(root, report):
        row = _task(place, report)
        name = row.get("id")
        if name is None:
            continue
        if name in places:
            report.wrong(f"{place.where}: node_id: {shown(name)} stands twice", name)
        places[name] = place.where
        found.append(row)
    return found


def _task(place: Place, report: Report) -> Row:
    """One task's row; what is wrong with it is reported."""
    node, where = place.node, place.where
    rest = {key: value for key, value in node.items() if key != "children"}
    found = _shaped(TaskNode, rest, where, report, _LATER)
    row: Row = {"position": place.position, "depth": place.depth}
    if "node_id" in found:
        row = {"id": found["node_id"]} | row
    if place.parent is not None:
        row["parent"] = place.parent
    known = shaped.members(TaskNode)
    own = {k: v for k, v in found.items() if k in known and k not in _PLACED and v is not None}
    row |= own | {"status": _status(node, where, report)}
    if extra := {key: value for key, value in found.items() if key not in known}:
        row["extra"] = extra
    row["layout"] = _layout(node, known) | _placed(node, place, report)
    for reason, _ in adding.beyond(row.get("cost") or {}):
        report.wrong(f"{where}.cost.{reason}")
    _documents(row)
    _clock(found.get("timestamps"), f"{where}.timestamps", report)
    return row


def _status(node: Row, where: str, report: Report) -> str:
    status = node.get("status")
    if status is None:
        report.warn(f"{where}: status: is missing; taken as pending")
        return "pending"
    kinds = [one.value for one in shaped.members(TaskNode)["status"][0]]
    if status not in kinds:
        report.wrong(f"{where}.status: expected one of {', '.join(kinds)}, found {shown(status)}")
    return str(status)


def _placed(node: Row, place: Place, report: Report) -> Row:
    """What the document says of a task's place, where that is not where it stands."""
    parent, depth = node.get("parent_id"), node.get("depth")
    if parent is not None and parent != place.parent:
        reason = f"expected {shown(place.parent)}, under which it stands, found {shown(parent)}"
        if place.parent is None:
            reason = f"there is no task {shown(parent)} above the root"
        report.wrong(f"{place.where}: parent_id: {reason}")
    if isinstance(depth, int) and depth != place.depth:
        report.warn(f"{place.where}: depth: says {depth}, stands at {place.depth}")
        return {"depth": depth}
    return {}


def _documents(row: Row) -> None:
    """Documents become relationships: they leave the context, and their place stays."""
    context = row.get("context")
    if isinstance(context, dict) and isinstance(context.get("documents"), list):
        row["documents"] = context["documents"]
        row["context"] = context | {"documents": None}


def _clock(times: Any, where: str, report: Report) -> None:
    """Report a moment that lies before the one it must follow."""
    if not isinstance(times, dict):
        return
    before: tuple[str, Any] | None = None
    for name in _CLOCK:
        if not isinstance(times.get(name), str):
            continue
        try:
            at = shapes.moment(times[name])
        except Invalid:
            continue  # reported already
        if before and at < before[1]:
            report.wrong(
                f"{where}.{name}: expected not before {before[0]} "
                f"{times[before[0]]}, found {times[name]}"
            )
        before = (name, at)


def _identify(found: Row, tasks: list[Row]) -> None:
    """Give the tree its id, minted from its content where it has none, and tasks their tree's."""
    found["content"] = content.fingerprint(found, tasks)
    said = (found.get("metadata") or {}).get("tree_id")
    found["id"] = said or f"tree-{found['content'][:8]}"
    for row in tasks:
        row["tree"] = found["id"]


def _warn(found: Row, tasks: list[Row], report: Report, as_id: str | None) -> None:
    """What is taken although 004's own rules say otherwise."""
    said = (found.get("metadata") or {}).get("tree_id")
    if said is None and as_id is None:
        report.warn(f"metadata.tree_id: is missing; {found['id']} is minted from the content")
    elif said is not None and not re.fullmatch(TREE_ID, said):
        report.warn(f"metadata.tree_id: {shown(said)} does not match {TREE_ID}; kept")
    strange = [row["id"] for row in tasks if not re.fullmatch(TASK_ID, row["id"])]
    if strange:
        report.warn(
            f"{len(strange)} of {len(tasks)} node_ids do not match {TASK_ID}, "
            f"{shown(strange[0])} first; kept",
            strange[0],
        )
    for row in tasks:
        if "parent_id" in row["layout"].get("nulls", ()):
            report.warn("parent_id: null stands where the published schema wants none", row["id"])
    for id_, reason in limits.exceeded(tasks, limits.Limits()):
        report.warn(reason, id_)


#: Members of a tree's metadata, for whoever prints them.
METADATA = tuple(shaped.members(TreeMetadata))
