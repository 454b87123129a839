"""What Mermaid would not draw is said, all of it."""

from gotn.cli.views import mermaid
from gotn.cli.views.picture import Box, Kind, Line, Picture


def test_every_limit_that_a_diagram_passes_is_named() -> None:
    """A diagram of too many lines and too many characters names both settings to raise."""
    ids = [f"n{number}" for number in range(40)]
    lines = tuple(Line(a, b, Kind.hard, "x" * 60) for a in ids for b in ids if a < b)
    said = mermaid.too_much(mermaid.write(Picture(tuple(map(Box, ids)), lines))) or ""
    assert "maxEdges" in said
    assert "maxTextSize" in said
    assert " and " in said
    assert "maxEdges" not in (mermaid.too_much("x" * 50_001) or "")
    assert mermaid.too_much("flowchart LR\n") is None
