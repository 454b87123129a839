"""What is kept between requests: bounded in number and in size, and what plans are kept by."""

from collections import OrderedDict
from enum import Enum
from typing import Any, Generic, TypeVar

V = TypeVar("V")

#: No entry may take more than this part of the room.
_PART = 64


class Recent(Generic[V]):
    """A mapping that keeps the most recently used entries.

    `room` bounds what they weigh together, in characters or whatever else callers count: a few
    hundred entries of the longest documents would otherwise take gigabytes.
    """

    def __init__(self, size: int, room: int = 1_000_000) -> None:
        self._size = size
        self._room = room
        self._weight = 0
        self._kept: OrderedDict[Any, tuple[V, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Any) -> V | None:
        """What is kept under a key, from now on the youngest."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def put(self, key: Any, value: V, weight: int = 1) -> None:
        """Keep something that is not too heavy, and forget the oldest where there is too much."""
        if weight * _PART > self._room:
            return
        self._weight += weight - self._kept.pop(key, (None, 0))[1]
        self._kept[key] = value, weight
        while len(self._kept) > self._size or self._weight > self._room:
            self._weight -= self._kept.popitem(last=False)[1][1]


def form(value: Any) -> Any:
    """What of a variable's value may change the text of a statement; ... stands for the rest."""
    if isinstance(value, dict):
        return tuple((name, form(item)) for name, item in value.items())
    if isinstance(value, list):
        parts = tuple(form(item) for item in value)
        return ... if ... in parts else parts
    if value is None or isinstance(value, bool | Enum):
        return value
    return ...


def extent(form_: Any) -> int:
    """About how much a form holds: a list of enums may have as many as a request can."""
    if isinstance(form_, tuple):
        return 1 + sum(map(extent, form_))
    return len(form_) if isinstance(form_, str) else 1
