"""What a diagram shows, before any language of diagrams: boxes, lines between them, groups."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from gotn.cli.show.visible import visible

#: Characters of an id and of a text that a box shows.
TITLE, TEXT = 60, 80
#: What a cut text ends with.
CUT = "…"

#: Pictures end as SVG, and XML has no name for these.
_NOT_XML = re.compile("[\ufffe\uffff]")


class Direction(StrEnum):
    """Which way a diagram grows."""

    right = "right"
    down = "down"


class Kind(StrEnum):
    """What a line means; the words of 001's edges, and two of our own."""

    hard = "hard_requires"
    derived = "derived_from"
    soft = "soft_semantic"
    related = "related"
    #: A hard edge that closes a cycle and is left out of the order.
    cycle = "closes_cycle"
    #: Two steps of a critical path between which a plan left out nodes.
    through = "through"


#: What the legend says of a line.
MEANING = {
    Kind.hard: "must be done before",
    Kind.derived: "was broken into",
    Kind.soft: "is about the same",
    Kind.related: "is related",
    Kind.cycle: "closes a cycle",
    Kind.through: "before, through nodes not shown",
}
#: Colours of a box by status: fill, border.
COLOURS = {
    "ready": ("#e0f2fe", "#0369a1"),
    "running": ("#fef9c3", "#a16207"),
    "completed": ("#dcfce7", "#15803d"),
    "skipped": ("#f3f4f6", "#6b7280"),
    "failed": ("#fee2e2", "#b91c1c"),
    "blocked": ("#f3e8ff", "#7e22ce"),
}
#: Of a status that is not known.
PLAIN = ("#ffffff", "#475569")
#: Of the boxes and lines of a critical path.
CRITICAL = "#c2410c"


@dataclass(frozen=True)
class Box:
    """A node; `id` finds it, and is never written as a diagram's own name of it."""

    id: str
    text: str = ""
    status: str = ""
    #: A sign that says the status where there are no colours.
    sign: str = ""
    critical: bool = False


@dataclass(frozen=True)
class Line:
    """From one box to another, by their ids."""

    src: str
    dst: str
    kind: Kind
    text: str = ""
    critical: bool = False


@dataclass(frozen=True)
class Group:
    """Boxes that stand together under a title."""

    title: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Picture:
    """A whole diagram. Boxes keep their order; the same picture always gives the same text."""

    boxes: tuple[Box, ...]
    lines: tuple[Line, ...] = ()
    groups: tuple[Group, ...] = ()
    title: str = ""
    #: How much of it is shown where that is not all: "first 100 of 291 steps".
    cut: str = ""
    #: The name of each box in the diagram's text: ids may hold anything, and be 1,000 bytes.
    names: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        names = {box.id: f"n{number}" for number, box in enumerate(self.boxes)}
        object.__setattr__(self, "names", names)

    def heading(self) -> str:
        """The title on one line, with what is cut: a long title does not hide that."""
        return "; ".join(filter(None, (one_line(self.title, TEXT), self.cut)))

    def drawn(self) -> list[Line]:
        """The lines whose two ends are shown, in the order of the boxes."""
        place = {box.id: number for number, box in enumerate(self.boxes)}
        known = {line for line in self.lines if line.src in place and line.dst in place}
        return sorted(known, key=lambda one: (place[one.src], place[one.dst], one.kind, one.text))

    def ungrouped(self) -> list[Box]:
        """The boxes that stand in no group."""
        inside = {id_ for group in self.groups for id_ in group.ids}
        return [box for box in self.boxes if box.id not in inside]

    def statuses(self) -> dict[str, str]:
        """The statuses that are shown, as the legend lists them, each with its sign."""
        signs = {box.status: box.sign for box in self.boxes if box.status in COLOURS}
        return {status: signs[status] for status in COLOURS if status in signs}


def kinds(lines: Iterable[Line]) -> list[Kind]:
    """The kinds that are shown, as the legend lists them."""
    shown = {line.kind for line in lines}
    return [kind for kind in Kind if kind in shown]


def cut(shown: int, total: int | None, what: str) -> str:
    """How much is shown of so many, or of an unknown number that is more; "" for all of it."""
    if total is None:
        return f"first {shown:,} {what}, and there are more"
    return f"first {shown:,} of {total:,} {what}" if total > shown else ""


def one_line(text: str, most: int) -> str:
    """A text on one line, what steers a terminal or a writing direction as its escape, cut.

    Never longer than `most` characters.
    """
    # Far more than is shown need not be looked at: summaries may be a book.
    line = _NOT_XML.sub("\ufffd", visible(" ".join(text[: most * 20].split())))
    return line if len(line) <= most else line[: most - 1] + CUT
