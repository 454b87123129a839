"""A picture as a Mermaid flowchart, as GitHub, editors and mermaid.live draw it.

Every text is quoted, and whatever could be markup there (HTML, Markdown, icons, formulas,
directives, Mermaid's own entities) is written as `#NN;`. Names are n0, n1, …
"""

import re
from collections.abc import Iterable, Iterator

from gotn.cli.views.picture import (
    COLOURS,
    CRITICAL,
    MEANING,
    PLAIN,
    TEXT,
    TITLE,
    Box,
    Direction,
    Kind,
    Line,
    Picture,
    kinds,
    one_line,
)

#: What Mermaid draws unless a page's own configuration says otherwise (maxEdges, maxTextSize).
EDGES, CHARACTERS = 500, 50_000

_ARROWS = {
    Kind.hard: "-->",
    Kind.derived: "-.->",
    Kind.soft: "-.-",
    Kind.related: "-->",
    Kind.cycle: "-->",
    Kind.through: "-.->",
}
_STYLES = {
    Kind.hard: "stroke:#334155",
    Kind.derived: "stroke:#334155,stroke-dasharray:2 3",
    Kind.soft: "stroke:#0f766e,stroke-dasharray:8 4",
    Kind.related: "stroke:#9ca3af",
    Kind.cycle: "stroke:#dc2626,color:#dc2626",
    Kind.through: "stroke:#334155,stroke-dasharray:8 4",
}
#: All signs of ASCII but a comma, and but a dash and an underscore within a word.
_MARKUP = re.compile(r"(?<![a-zA-Z0-9])[-_]|[-_](?![a-zA-Z0-9])|[!-+./:-@\[-^`{-~]")
#: What Mermaid reads however it is escaped, since it looks again after reading escapes: icons
#: of a font, formulas, line breaks, and the signs that stand for its escapes while it draws.
_READ_TWICE = re.compile(r"fa[a-z]?:(?=fa-)|\$(?=\$)|\\(?=n)|ﬂ(?=°)|¶(?=ß)")
#: Takes no room and keeps such signs apart.
JOINT = "\u2060"


def write(picture: Picture, direction: Direction = Direction.right) -> str:
    """The text of a diagram, with a legend of what it uses."""
    return "\n".join(_document(picture, direction)) + "\n"


def too_much(text: str) -> str | None:
    """Why Mermaid would not draw this as it usually is set up, or None."""
    edges = sum(1 for line in text.splitlines() if re.match(r" +[a-z]+\d+ -[-.]", line))
    found = [
        (edges, "lines", EDGES, "maxEdges"),
        (len(text), "characters", CHARACTERS, "maxTextSize"),
    ]
    said = [
        f"{count:,} {what} (Mermaid draws {most:,} unless {name} is raised)"
        for count, what, most, name in found
        if count > most
    ]
    return " and ".join(said) or None


def _document(picture: Picture, direction: Direction) -> Iterator[str]:
    lines = picture.drawn()
    yield f"flowchart {'LR' if direction is Direction.right else 'TB'}"
    if title := _plain(picture.heading()):
        yield f"  accTitle: {title}"
    by_id = {box.id: box for box in picture.boxes}
    for number, group in enumerate(picture.groups):
        yield f'  subgraph g{number}["{escaped(one_line(group.title, TEXT))}"]'
        for id_ in group.ids:
            if id_ in by_id:
                yield f"    {_box(picture, by_id[id_])}"
        yield "  end"
    for box in picture.ungrouped():
        yield f"  {_box(picture, box)}"
    for line in lines:
        yield f"  {_line(picture, line)}"
    shown, statuses = kinds(lines), picture.statuses()
    critical = any(box.critical for box in picture.boxes)
    yield from _legend(statuses, shown, critical=critical, cut=picture.cut)
    yield from _classes(statuses, critical=critical)
    yield from _line_styles(lines, shown)


def _box(picture: Picture, box: Box) -> str:
    title = f"{box.sign} {one_line(box.id, TITLE)}".strip()
    label = escaped(title)
    if box.text:
        label += f"<br/>{escaped(one_line(box.text, TEXT))}"
    name = picture.names[box.id]
    kind = box.status if box.status in COLOURS else "plain"
    # One class by `:::`, the other by `class` below: two `:::` are not the same everywhere.
    return f'{name}["{label}"]:::{kind}' + (f"\n    class {name} critical" if box.critical else "")


def _line(picture: Picture, line: Line) -> str:
    text = f'|"{escaped(one_line(line.text, TITLE))}"|' if line.text else ""
    names = picture.names
    return f"{names[line.src]} {_ARROWS[line.kind]}{text} {names[line.dst]}"


def _legend(
    statuses: dict[str, str], shown: list[Kind], *, critical: bool, cut: str
) -> Iterator[str]:
    """Signs and lines, and how much is shown: Mermaid draws no title."""
    if not (statuses or shown or critical):
        return
    yield f'  subgraph legend["{escaped(f"Legend, {cut}" if cut else "Legend")}"]'
    for number, (status, sign) in enumerate(statuses.items()):
        yield f'    s{number}["{f"{sign} {status}".strip()}"]:::{status}'
    if critical:
        yield '    c0["critical path"]:::critical'
    for number, kind in enumerate(shown):
        yield f'    a{number}[" "]:::point'
        yield f'    b{number}[" "]:::point'
        yield f'    a{number} {_ARROWS[kind]}|"{MEANING[kind]}"| b{number}'
    yield "  end"


def _classes(statuses: Iterable[str], *, critical: bool) -> Iterator[str]:
    for status in statuses:
        fill, border = COLOURS[status]
        dashed = ",stroke-dasharray:4 3" if status == "skipped" else ""
        yield f"  classDef {status} fill:{fill},stroke:{border},color:#0f172a{dashed}"
    yield f"  classDef plain fill:{PLAIN[0]},stroke:{PLAIN[1]},color:#0f172a"
    yield "  classDef point fill:none,stroke:none"
    if critical:
        yield f"  classDef critical stroke:{CRITICAL},stroke-width:4px"


def _line_styles(lines: list[Line], shown: list[Kind]) -> Iterator[str]:
    """By number: the lines of the picture, then the legend's, as they stand above."""
    kind_of = [line.kind for line in lines] + shown
    for kind in shown:
        numbers = ",".join(str(number) for number, one in enumerate(kind_of) if one is kind)
        yield f"  linkStyle {numbers} {_STYLES[kind]}"
    if critical := [str(number) for number, line in enumerate(lines) if line.critical]:
        yield f"  linkStyle {','.join(critical)} stroke:{CRITICAL},stroke-width:4px"


def _plain(text: str) -> str:
    """A line where Mermaid takes no quotes: letters and digits, the rest left out."""
    return " ".join(_MARKUP.sub(" ", text).split())


def escaped(text: str) -> str:
    """A text inside quotes that is shown as it is."""
    kept = _READ_TWICE.sub(rf"\g<0>{JOINT}", text)
    return _MARKUP.sub(lambda found: f"#{ord(found[0])};", kept)
