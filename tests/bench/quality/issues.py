"""Real issues and which of them belong together, as people have written it down."""

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.texts import DATA
from gotn.work.exchange import reading

Matrix = NDArray[np.bool_]
NAMES = ("tugtool", "beads")


@dataclass(frozen=True)
class Issues:
    """The issues of a repository, those of the same title as one, and their relations.

    Many of them were made from a template, again and again; which of two issues that say the
    same is somebody's parent, no text can tell.
    """

    name: str
    #: How many there were before.
    all: int
    #: What a node says: summary, prompt_text, tags.
    texts: list[str]
    #: Whether two are parent and child; both ways round, as below.
    family: Matrix
    #: Whether anybody has drawn an edge between them, parent and child included.
    linked: Matrix
    #: The same, or they are children of the same parent.
    together: Matrix


def there() -> bool:
    """Whether the issues are on this machine."""
    return all(_path(name).is_file() for name in NAMES)


def load(name: str) -> Issues:
    """The issues, as an import of their file reads them."""
    draft = reading.read(_path(name), "beads")
    place = _places(draft.nodes)
    count = len(set(place.values()))
    texts = [""] * count
    for node in reversed(draft.nodes):
        texts[place[node["id"]]] = text(node)
    family, linked = np.zeros((2, count, count), np.bool_)
    for edge in draft.edges:
        ends = (place.get(edge["src"]), place.get(edge["dst"]))
        if None not in ends and ends[0] != ends[1]:
            linked[ends] = linked[ends[::-1]] = True
            if edge["type"] == "derived_from":
                family[ends] = family[ends[::-1]] = True
    together = linked | _siblings(draft.edges, place, count)
    return Issues(name, len(draft.nodes), texts, family, linked, together)


def text(node: dict[str, Any]) -> str:
    """What is encoded of a node."""
    tags = ", ".join(node.get("tags") or ())
    parts = (node.get("summary") or "", node.get("prompt_text") or "", tags)
    return "\n".join(part for part in parts if part.strip())


def _path(name: str) -> Path:
    return DATA / "beads" / f"{name}.issues.jsonl"


def _places(nodes: Any) -> dict[str, int]:
    """A row for each title, and the ids that stand for it."""
    rows: dict[str, int] = {}
    return {node["id"]: rows.setdefault(node["summary"], len(rows)) for node in nodes}


def _siblings(edges: Any, place: dict[str, int], count: int) -> Matrix:
    found = np.zeros((count, count), np.bool_)
    children: dict[str, set[int]] = {}
    for edge in edges:
        if edge["type"] == "derived_from" and edge["src"] in place and edge["dst"] in place:
            children.setdefault(edge["src"], set()).add(place[edge["dst"]])
    for brood in children.values():
        for one, other in combinations(sorted(brood), 2):
            found[one, other] = found[other, one] = True
    return found
