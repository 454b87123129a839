"""What we write as Mermaid, drawn by Mermaid: nothing missing, every text as it was."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from browser.chromium import Browser, Page
from diagrams import NASTY, picture

from gotn.cli.views import mermaid
from gotn.cli.views.picture import Box, Direction, Group, Kind, Line, Picture, one_line

Draw = Callable[..., list[dict[str, Any]]]

#: Draws texts one after the other; of each what the SVG has, or the error.
_DRAW = """(async (texts) => {
  mermaid.initialize({ startOnLoad: false });
  const read = (one) => one.textContent.trim().replaceAll("\u2060", "");
  const seen = (root, selector) => [...root.querySelectorAll(selector)].map(read);
  const found = [];
  for (const [at, text] of texts.entries()) {
    try {
      const { svg } = await mermaid.render(`drawing${at}`, text);
      const root = new DOMParser().parseFromString(svg, "text/html");
      found.push({
        nodes: [...root.querySelectorAll("g.node")].map((one) => ({
          classes: [...one.classList],
          lines: one.querySelector("p")?.innerHTML.split(/<br\\s*\\/?>/).map((part) => {
            const box = root.createElement("p");
            box.innerHTML = part;
            return read(box);
          }) ?? [],
          tags: [...one.querySelectorAll("p *")].map((tag) => tag.tagName),
        })),
        edges: [...root.querySelectorAll("path.flowchart-link")].map((one) =>
          one.getAttribute("style") ?? ""),
        labels: seen(root, "g.edgeLabel p"),
        groups: seen(root, "g.cluster-label"),
        scripts: root.querySelectorAll("script").length,
      });
    } catch (error) {
      found.push({ error: String(error) });
    }
  }
  return found;
})"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """One page for all of these tests: Mermaid is large."""
    with browser.page() as found:
        yield found


@pytest.fixture(scope="module")
def draw(page: Page) -> Draw:
    """Draws texts in that page."""
    page.content("<body></body>")
    page.script("mermaid/dist/mermaid.min.js")

    def drawn(*texts: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = page.evaluate(f"{_DRAW}({json.dumps(texts)})")
        assert [one["error"] for one in found if "error" in one] == []
        assert page.log().outside == []
        return found

    return drawn


def alone(text: str) -> Picture:
    """One box with a line to itself in a group, all of this text."""
    loop = Line(text, text, Kind.hard, text)
    return Picture((Box(text, text),), (loop,), (Group(text, (text,)),), title=text)


def test_mermaid_draws_everything(draw: Draw) -> None:
    """Boxes, lines and their styles, groups, legend: as many as there are, each text survives."""
    shown = picture()
    (found,) = draw(mermaid.write(shown))
    boxes = [one for one in found["nodes"] if len(one["lines"]) == 2]
    assert sorted(one["lines"] for one in boxes) == sorted(
        [f"○ {one_line(box.id, 60)}", one_line(box.text, 80)] for box in shown.boxes
    )
    assert {tag for one in boxes for tag in one["tags"]} == {"BR"}
    assert found["scripts"] == 0
    lines, legend = len(shown.lines), len(Kind)
    assert len(found["edges"]) == lines + legend
    assert {one_line(text, 60) for text in NASTY[:-1]} <= set(found["labels"])
    assert set(found["groups"]) == {NASTY[-1], "Legend"}


def test_styles_reach_the_drawing(draw: Draw) -> None:
    """A box has its status and whether it is critical, a line what tells its kind."""
    shown = picture(("a", "b", "c", "d", "e", "f", "g"))
    (found,) = draw(mermaid.write(shown, Direction.down))
    by_id = {one["lines"][0]: one["classes"] for one in found["nodes"] if one["lines"]}
    assert {"ready", "critical"} <= set(by_id["○ a 0"])
    assert "critical" not in by_id["○ c 2"]
    assert "completed" in by_id["○ c 2"]
    styles = found["edges"]
    for number, words in enumerate(
        ("#c2410c", "dasharray:2 3", "dasharray:8 4", "#9ca3af", "#dc2626", "#334155")
    ):
        assert words in styles[number].replace(": ", ":"), number
    assert "stroke-width:4px" in styles[0].replace(": ", ":")


def test_many_diagrams_in_one_page(draw: Draw) -> None:
    """Each nasty text alone, where nothing else can hide what it does, and odd pictures."""
    texts = [mermaid.write(alone(text)) for text in NASTY]
    found = draw(*texts, mermaid.write(Picture(())), mermaid.write(Picture((Box("alone"),))))
    for text, one in zip(NASTY, found, strict=False):
        assert one["nodes"][0]["lines"] == [text, text]
        assert one["labels"][0] == text
        assert text in one["groups"]
    assert [len(one["nodes"]) for one in found[-2:]] == [0, 1]


def test_mermaid_draws_as_much_as_we_say(draw: Draw, page: Page) -> None:
    """At its limit of lines it draws; one more and it refuses, as we foresee."""
    ids = [f"n{number}" for number in range(26)]
    pairs = [(a, b) for at, a in enumerate(ids) for b in ids[at + 1 :]]
    boxes = tuple(map(Box, ids))
    # The legend has one line of its own.
    most = Picture(boxes[:12], tuple(Line(a, b, Kind.hard) for a, b in pairs if b < "n2"))
    assert mermaid.too_much(mermaid.write(most)) is None
    draw(mermaid.write(most))
    over = mermaid.write(
        Picture(boxes, tuple(Line(*one, k) for one in pairs for k in list(Kind)[:2]))
    )
    assert "lines (Mermaid draws 500 unless maxEdges" in (mermaid.too_much(over) or "")
    code = f"mermaid.parse({json.dumps(over)}).then(() => 'drawn', String)"
    assert "500" in page.evaluate(code)
    assert "characters" in (mermaid.too_much("x" * 50_001) or "")
