"""Pictures whose texts are as nasty as texts get, and what a reader sees of each."""

from gotn.cli.views.picture import COLOURS, Box, Group, Kind, Line, Picture

#: What a diagram's language, HTML, Markdown or a terminal could take for its own.
NASTY = (
    "plain",
    "a \"quote\" and 'another'",
    "back\\slash \\N \\n \\",
    "<b>bold</b> <script>alert(1)</script> & &amp; &lt; &#35;",
    "end",
    "#35; #quot; #",
    "1. a list",
    "- an item",
    "**bold** `code` _it_ ~~no~~ snake_case kebab-case",
    "$$x^2$$",
    "fa:fa-car www.example.com http://example.com a@example.com",
    "%%{init: {'theme': 'dark'}}%%",
    "👩‍👩‍👧 🚀 שלום مرحبا 中文",
    "ﬂ°°35¶ß Straße",
    '"`markdown **x**`"',
    "{x} | y | [z](w) (((v))) --> ;",
    "---",
    "subgraph",
    "click n0 href x",
    "A & B; C",
    "# heading",
    "> quote",
    "demo/n1:::failed",
)
STATUSES = tuple(COLOURS)
KINDS = tuple(Kind)


def picture(texts: tuple[str, ...] = NASTY, *, groups: bool = True) -> Picture:
    """A chain of boxes with these texts, each kind of line, a group in which the first stand."""
    ids = tuple(f"{text} {number}" for number, text in enumerate(texts))
    boxes = tuple(
        Box(id_, text, STATUSES[n % len(STATUSES)], "○", critical=n < 2)
        for n, (id_, text) in enumerate(zip(ids, texts, strict=True))
    )
    lines = tuple(
        Line(ids[n], ids[n + 1], KINDS[n % len(KINDS)], texts[n], critical=n == 0)
        for n in range(len(ids) - 1)
    )
    made = (Group(texts[-1], ids[:2]),) if groups else ()
    return Picture(boxes, lines, made, title=texts[0])
