"""What became of a run's steps, as the lines of an original's steps.jsonl tell it (decisions).

No sample of such a file was published, so names are taken as tools of this kind write them.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from gotn import shapes
from gotn.errors import Invalid
from gotn.work.rules import forms

Row = dict[str, Any]
_STATUS = {
    "ready": ("ready", "pending", "planned", "queued"),
    "running": ("running", "started", "in_progress", "in-progress"),
    "completed": ("completed", "complete", "done", "success", "succeeded", "passed", "ok"),
    "skipped": ("skipped", "skip"),
    "failed": ("failed", "failure", "error"),
    "blocked": ("blocked",),
}
_MEANS = {word: status for status, words in _STATUS.items() for word in words}
_ENDED = frozenset(("completed", "skipped", "failed"))
_NODE = ("node_id", "node", "step_id", "id")
_SAID = ("status", "outcome", "state", "result")
_TIMES = {
    "started_at": ("started_at", "startedAt", "start_time", "started"),
    "finished_at": ("finished_at", "finishedAt", "completed_at", "completedAt", "ended_at"),
}


def read(line: Any) -> tuple[str, Row]:
    """The node that a line tells of, and its step's status and times; Invalid where it cannot."""
    if isinstance(line, dict) and isinstance(line.get("data"), dict):
        line = {"timestamp": line.get("timestamp"), **line["data"]}
    if not isinstance(line, dict):
        raise Invalid(f"expected an object, found {shapes.shown(line)}")
    found = {name: forms.time(value, key) for name, key, value in _times(line)}
    if (status := _status(line)) is not None:
        found["status"] = status
    if line.get("timestamp") is not None and status in (*_ENDED, "running"):
        name = "finished_at" if status in _ENDED else "started_at"
        found.setdefault(name, forms.time(line["timestamp"], "timestamp"))
    return _node(line), found


def _node(line: Mapping[str, Any]) -> str:
    for key in _NODE:
        named = line.get(key)
        named = named.get("id") if isinstance(named, dict) else named
        if isinstance(named, str) and named:
            return named
    raise Invalid(f"expected a node's id as one of {', '.join(_NODE)}, found none")


def _status(line: Mapping[str, Any]) -> str | None:
    """The status that a line says; its first word for it counts."""
    for key in _SAID:
        said = line.get(key)
        if isinstance(said, str):
            if (status := _MEANS.get(said.strip().lower())) is None:
                known = ", ".join(_STATUS)
                raise Invalid(f"{key}: expected one of {known}, found {shapes.shown(said)}")
            return status
    success = line.get("success")
    return None if not isinstance(success, bool) else "completed" if success else "failed"


def _times(line: Mapping[str, Any]) -> Iterable[tuple[str, str, Any]]:
    for name, keys in _TIMES.items():
        for key in keys:
            if line.get(key) is not None:
                yield name, key, line[key]
                break


def of(run: Mapping[str, Any]) -> dict[str, Row]:
    """What the lines kept with a run say of each node, later lines winning field by field."""
    extra = run.get("extra")
    lines = extra.get("steps") if isinstance(extra, dict) else None
    found: dict[str, Row] = {}
    for line in lines if isinstance(lines, list) else ():
        try:
            node, told = read(line)
        except Invalid:
            continue
        found[node] = found.get(node, {}) | told
    return found
