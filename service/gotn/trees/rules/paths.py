"""The ways through a tree that took longest and cost most, and what its tasks say of themselves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gotn.trees.rules import totals

Row = dict[str, Any]


@dataclass(frozen=True)
class Path:
    """Tasks from the root down, and what they sum to."""

    tasks: tuple[str, ...]
    length: int


def longest(tasks: Sequence[Row], weight: Callable[[Row], int]) -> Path:
    """The way from the root to a leaf whose weights sum to most; parents stand first."""
    far: dict[str, int] = {}
    up: dict[str, str | None] = {}
    inner = {row["parent"] for row in tasks if row.get("parent") is not None}
    for row in tasks:
        parent = row.get("parent")
        up[row["id"]] = parent
        far[row["id"]] = weight(row) + (far[parent] if parent is not None else 0)
    leaves = [row["id"] for row in tasks if row["id"] not in inner]
    at: str | None = max(leaves, key=lambda id_: far[id_])
    length, found = far[at or ""], []
    while at is not None:
        found.append(at)
        at = up[at]
    return Path(tuple(reversed(found)), length)


def duration(row: Row) -> int:
    """How long a task took, in milliseconds; 0 where nobody says."""
    return int((row.get("timestamps") or {}).get("duration_ms") or 0)


def cost(row: Row) -> int:
    """What a task alone cost, in pico-dollars."""
    return totals.own(row).cost


def confidences(tasks: Sequence[Row]) -> list[float]:
    """How sure the tasks are of their results, where they say."""
    found = [(row.get("result") or {}).get("confidence") for row in tasks]
    return [value for value in found if value is not None]
