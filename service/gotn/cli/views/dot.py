"""A picture in DOT, the language of Graphviz.

Every text is a quoted string: a quote and a backslash are escaped, `&` is written as an entity
because Graphviz would read one, and nothing is HTML. Names are n0, n1, …
"""

from collections.abc import Iterator

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

_STYLES = {
    Kind.hard: 'style=solid, color="#334155"',
    Kind.derived: 'style=dotted, color="#334155", arrowhead=empty',
    Kind.soft: 'style=dashed, color="#0f766e", dir=none, constraint=false',
    Kind.related: 'style=solid, color="#9ca3af", arrowhead=open, constraint=false',
    Kind.cycle: 'style=solid, color="#dc2626", fontcolor="#dc2626", constraint=false',
    Kind.through: 'style=dashed, color="#334155"',
}


def write(picture: Picture, direction: Direction = Direction.right) -> str:
    """The text of a diagram, with a legend of what it uses."""
    return "\n".join(_document(picture, direction)) + "\n"


def _document(picture: Picture, direction: Direction) -> Iterator[str]:
    lines = picture.drawn()
    yield "digraph {"
    if heading := picture.heading():
        yield f"  label={quoted(heading)}; labelloc=t;"
    yield f"  rankdir={'LR' if direction is Direction.right else 'TB'}; charset=utf8; newrank=true;"
    yield '  fontname="sans-serif";'
    yield '  node [shape=box, style="rounded,filled", fontname="sans-serif", fontsize=11];'
    yield '  edge [fontname="sans-serif", fontsize=9];'
    by_id = {box.id: box for box in picture.boxes}
    for number, group in enumerate(picture.groups):
        yield f"  subgraph cluster_{number} {{"
        yield f'    label={quoted(one_line(group.title, TEXT))}; color="#94a3b8"; rank=same;'
        for id_ in group.ids:
            if id_ in by_id:
                yield f"    {_box(picture, by_id[id_])}"
        yield "  }"
    for box in picture.ungrouped():
        yield f"  {_box(picture, box)}"
    # Where there is an order to show, a parent may stand anywhere: it often ends what it was
    # broken into.
    ordered = any(line.kind is Kind.hard for line in lines)
    for line in lines:
        free = ordered and line.kind is Kind.derived
        yield f"  {_line(picture, line, free=free)}"
    yield from _legend(picture, lines)
    yield "}"


def _box(picture: Picture, box: Box) -> str:
    fill, border = COLOURS.get(box.status, PLAIN)
    title = f"{box.sign} {one_line(box.id, TITLE)}".strip()
    label = _escaped(title)
    if box.text:
        label += "\\n" + _escaped(one_line(box.text, TEXT))
    more = ', style="rounded,filled,dashed"' if box.status == "skipped" else ""
    if box.critical:
        border, more = CRITICAL, f"{more}, penwidth=3"
    return f'{picture.names[box.id]} [label="{label}", fillcolor="{fill}", color="{border}"{more}];'


def _line(picture: Picture, line: Line, *, free: bool) -> str:
    parts = [_STYLES[line.kind], *(["constraint=false"] if free else [])]
    if line.critical:
        parts.append(f'color="{CRITICAL}", penwidth=3')
    if line.text:
        parts.append(f"label={quoted(one_line(line.text, TITLE))}")
    names = picture.names
    return f"{names[line.src]} -> {names[line.dst]} [{', '.join(parts)}];"


def _legend(picture: Picture, lines: list[Line]) -> Iterator[str]:
    statuses, shown = picture.statuses(), kinds(lines)
    critical = any(box.critical for box in picture.boxes)
    if not (statuses or shown or critical):
        return
    yield "  subgraph cluster_legend {"
    yield '    label="Legend"; color="#94a3b8"; fontsize=10; node [fontsize=9, height=0.2];'
    for number, (status, sign) in enumerate(statuses.items()):
        fill, border = COLOURS[status]
        more = ', style="rounded,filled,dashed"' if status == "skipped" else ""
        label = quoted(f"{sign} {status}".strip())
        yield f'    s{number} [label={label}, fillcolor="{fill}", color="{border}"{more}];'
    if critical:
        style = f'fillcolor="{PLAIN[0]}", color="{CRITICAL}", penwidth=3'
        yield f'    c0 [label="critical path", {style}];'
    for number, kind in enumerate(shown):
        yield f'    a{number} [label="", shape=point]; b{number} [label="", shape=point];'
        # A legend that pushed its own ends apart would not be read as one row.
        style = _STYLES[kind].removesuffix(", constraint=false")
        yield f'    a{number} -> b{number} [{style}, label="{MEANING[kind]}"];'
    yield "  }"


def quoted(text: str) -> str:
    """A text inside quotes."""
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """A text inside quotes, as it is shown: no escape, entity or line break of Graphviz in it."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
