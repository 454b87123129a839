"""What a small write says that it will look at, so that a group reads it at once."""

from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class Touches:
    """The nodes and edges that a write looks at; a hint, what it lacks is read when asked."""

    nodes: tuple[str, ...] = ()
    edges: tuple[Row, ...] = ()
    #: The run that it works on, and the nodes whose steps it names there and ends there.
    run: str | None = None
    steps: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
