"""One beads issue and one dependency, their keys under the names of 001."""

import re
from typing import Any

from gotn import shapes
from gotn.errors import Invalid
from gotn.work.rules import forms

Row = dict[str, Any]
PROVENANCE = {"created_by": "beads", "source": "issues.jsonl"}
STATUS = {
    "open": "ready",
    "in_progress": "running",
    "hooked": "running",
    "closed": "completed",
    "blocked": "blocked",
    "deferred": "skipped",
    "pinned": "skipped",
}
#: Statuses whose own name would be lost, kept as the reason.
TOLD = frozenset(("hooked", "blocked", "deferred", "pinned"))
_MAPPED = frozenset(
    [
        "id",
        "title",
        "description",
        "issue_type",
        "status",
        "labels",
        "created_at",
        "updated_at",
        "dependencies",
        "parent",
    ]
)
#: Our names of what a message tells, and beads' own.
_THEIRS = {
    "kind": "issue_type",
    "summary": "title",
    "prompt_text": "description",
    "tags": "labels",
    "success_criteria": "acceptance_criteria",
}
_TAKEN = frozenset((*forms.NODE, *forms.NODE_OWN))
_NAME = re.compile(r"\w+(?=[:\[])")
_BULLET = re.compile(r"(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"#{1,6}\s|\*\*[^*]+\*\*:?$|-{3,}$|`{3}")


def is_issue(value: Any) -> bool:
    """Whether an object is a beads issue rather than a node of 001."""
    if not isinstance(value, dict) or not {"id", "title"} <= value.keys():
        return False
    ours = {"summary", "prompt_text"} & value.keys()
    return not ours and bool({"issue_type", "status"} & value.keys())


def is_event(value: Any) -> bool:
    """Whether an object is a change of beads' history rather than an issue or a node."""
    if not isinstance(value, dict) or not {"op", "id", "ts"} <= value.keys():
        return False
    return isinstance(value["op"], str) and not {"kind", "summary", "prompt_text"} & value.keys()


def dependency(found: Any, issue: str) -> Row:
    """A dependency whose names are sound."""
    if not isinstance(found, dict):
        raise Invalid(f"expected an object, found {shapes.shown(found)}")
    named = {"issue_id": issue, "type": "blocks", **found}
    for name in ("issue_id", "depends_on_id", "type"):
        named[name] = forms.identifier(named.get(name), name)
    if named.get("created_at") is not None:
        named["created_at"] = forms.time(named["created_at"], "created_at")
    return named


def told(found: Row) -> Row:
    """What an edge carries beside its names: who said so, when, and beads' other keys."""
    names = ("issue_id", "depends_on_id", "type", "created_at")
    rest = {k: v for k, v in found.items() if k not in names and v is not None}
    row: Row = {
        "evidence": f"{found['issue_id']} has a {found['type']} link to {found['depends_on_id']}",
        "provenance": PROVENANCE,
        **times(found),
    }
    return row | ({"extra": forms.leaf(rest, "dependencies")} if rest else {})


def times(found: Row) -> Row:
    """When a dependency was made, where it says so."""
    return {"created_at": found["created_at"]} if found.get("created_at") is not None else {}


def extra_of(issue: Row) -> Row | None:
    """An issue's other keys; `estimated_minutes` also under the name that plans read."""
    extra: Row = {}
    for name, value in issue.items():
        if name not in _MAPPED and value is not None:
            extra[f"beads_{name}" if name in _TAKEN else name] = value
    minutes = issue.get("estimated_minutes")
    if isinstance(minutes, int | float) and not isinstance(minutes, bool) and minutes > 0:
        extra["estimate_minutes"] = minutes
    return extra or None


def reason(text: str) -> str:
    """What is wrong with a field, under the name that the file has for it."""
    found = _NAME.match(text)
    return _THEIRS.get(found[0], found[0]) + text[found.end() :] if found else text


def criteria(text: Any) -> list[str] | None:
    """Acceptance criteria, one a line; the whole text where it has too many lines."""
    if not text:
        return None
    if not isinstance(text, str):
        raise Invalid(f"acceptance_criteria: expected text, found {shapes.shown(text)}")
    lines = (line.strip() for line in text.splitlines())
    found = [_BULLET.sub("", line, count=1) for line in lines if line and not _HEADING.match(line)]
    found = [line for line in found if line]
    return found if 0 < len(found) <= forms.LIST_ITEMS else [text]
