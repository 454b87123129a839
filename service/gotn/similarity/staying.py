"""Which of several nodes that seem to be one stays, why, and what forbids a merge. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from gotn.work.records import NodeStatus

_RUNNING, _COMPLETED = NodeStatus.RUNNING.value, NodeStatus.COMPLETED.value
#: Nobody has to do these any more.
DONE = frozenset((_COMPLETED, NodeStatus.SKIPPED.value))
#: What became this since it was compared is not merged away.
WEIGHTY = frozenset((_RUNNING, _COMPLETED))
#: What keeps two nodes apart that an edge joins.
APART = {"HARD_REQUIRES": "One needs the other.", "DERIVED_FROM": "One is part of the other."}
#: Why what was found to be one is not merged any more.
CHANGED = "{} was changed since it was compared; look again."


@dataclass(frozen=True)
class Standing:
    """What is looked at of a node."""

    id: str
    summary: str | None
    status: str
    #: Milliseconds since 1970.
    created: int
    #: Whether more than the work graph hangs on it, such as a task tree.
    tied: bool

    @property
    def done(self) -> bool:
        """Whether it is no open work."""
        return self.status in DONE


#: What makes a node stay, the weightiest first, and how that is said.
RULES = (
    (lambda one, kept: one.id in kept, "others are merged into it"),
    (lambda one, _: one.tied, "more than the work graph hangs on it"),
    (lambda one, _: one.status == _COMPLETED, "it is completed"),
    (lambda one, _: one.status == _RUNNING, "it is running"),
)


def order(nodes: Collection[Standing], kept: Collection[str]) -> list[Standing]:
    """The nodes, the one that stays first: by `RULES`, then the older, then by id."""

    def place(one: Standing) -> tuple[Any, ...]:
        return (*(not rule(one, kept) for rule, _ in RULES), one.created, one.id)

    return sorted(nodes, key=place)


def why(keep: Standing, gone: Standing, kept: Collection[str]) -> str:
    """Why this one of two stays."""
    for rule, said in RULES:
        if rule(keep, kept) and not rule(gone, kept):
            return said
    return "it is the older one" if keep.created < gone.created else "its id comes first"


def apart(keep: str, edges: Mapping[str, str], home: Mapping[str, str]) -> str | None:
    """What joins a node to another or to what goes into that: the type of an edge, or None.

    `edges` are the node's, by their other end; `home` says where what was merged went.
    """
    return next((type_ for end, type_ in edges.items() if home.get(end, end) == keep), None)


def refused(keep: Standing, gone: Standing, apart: str | None, kept: Collection[str]) -> str | None:
    """Why two nodes are not merged as they stand; None where they can be."""
    if apart is not None:
        return APART[apart]
    if keep.done != gone.done:
        left, what = (gone, "open work") if keep.done else (keep, "what was done")
        return (
            f"{gone.id} is {gone.status} and {keep.id} {keep.status}: {what} would go. "
            f"Complete or skip {left.id} if it is done."
        )
    if gone.id in kept:
        return f"Another node is merged into {gone.id}; look again after that."
    if gone.tied:
        return f"{gone.id} hangs together with more than the work graph, such as a task tree."
    return None


def unlike(
    keep: Mapping[str, Any], gone: Mapping[str, Any], joined: Collection[Mapping[str, Any]]
) -> str | None:
    """Why two nodes, as stored, are not merged: a part of `refused`, for right before the merge.

    `joined` are the edges of the one that goes.
    """
    edges = {row[end]: row["type"].upper() for row in joined for end in ("src", "dst")
             if row["type"].upper() in APART}  # fmt: skip
    stays, goes = (Standing(row["id"], None, row["status"], 0, False) for row in (keep, gone))
    return refused(stays, goes, edges.get(keep["id"]), ())


def groups(ids: Collection[Standing]) -> list[list[Standing]]:
    """Nodes that say the same, as merges take them: what is done, what is open, and one of each."""
    parts = [[one for one in ids if one.done is done] for done in (True, False)]
    heads = [order(part, ())[0] for part in parts if part]
    return [part for part in (*parts, heads) if len(part) > 1]


def pairs(group: Collection[Standing]) -> list[tuple[str, str]]:
    """The one that stays with each of the others."""
    keep, *others = order(group, ())
    return [(keep.id, other.id) for other in others]
