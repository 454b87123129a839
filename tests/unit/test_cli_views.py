"""Pictures and their texts: what is shown, what is cut, and DOT as Graphviz draws it."""

import os
import re
import shutil
import subprocess
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from diagrams import NASTY, picture
from hypothesis import given, settings
from hypothesis import strategies as st

from gotn.cli.views import answers, dot, mermaid
from gotn.cli.views.picture import CUT, Box, Direction, Group, Kind, Line, Picture, cut, one_line

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="session")
def graphviz() -> str:
    """The program `dot`; without it tests are skipped, unless CI says that it must be there."""
    found = shutil.which("dot")
    if found is None:
        reason = "no dot here; on Debian: apt-get install graphviz (as root)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


def drawn(program: str, text: str) -> tuple[list[list[str]], int, list[str]]:
    """The texts of each node that Graphviz draws, how many edges, and the texts of groups."""
    done = subprocess.run(
        [program, "-Tsvg"],
        input=text.encode(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    root = ET.fromstring(done.stdout)

    def texts(kind: str) -> list[list[str]]:
        groups = [one for one in root.iter(f"{SVG}g") if one.get("class") == kind]
        # Graphviz writes spaces that must not be joined as ones that cannot be.
        return [
            [(line.text or "").replace("\xa0", " ") for line in one.iter(f"{SVG}text")]
            for one in groups
        ]

    nodes = [lines for lines in texts("node") if len(lines) == 2]
    return nodes, len(texts("edge")), [line for lines in texts("cluster") for line in lines]


def test_graphviz_draws_everything(graphviz: str) -> None:
    """As many boxes, lines and groups as there are, each text as it was."""
    shown = picture()
    nodes, edges, groups = drawn(graphviz, dot.write(shown))
    assert sorted(nodes) == sorted(
        [f"○ {one_line(box.id, 60)}", one_line(box.text, 80)] for box in shown.boxes
    )
    assert edges == len(shown.lines) + len(Kind)
    assert sorted(groups) == sorted([NASTY[-1], "Legend"])


# Texts with a letter in front: Graphviz trims what is empty, and draws no text of spaces.
@settings(max_examples=15, deadline=None)
@given(st.lists(st.text(max_size=100).map("x{}".format), min_size=1, max_size=12))
def test_graphviz_draws_any_text(graphviz: str, texts: list[str]) -> None:
    """Whatever people store is drawn, and shown as one_line says."""
    shown = picture(tuple(texts))
    nodes, edges, _ = drawn(graphviz, dot.write(shown))
    expected = [[f"○ {one_line(box.id, 60)}", one_line(box.text, 80)] for box in shown.boxes]
    assert sorted(nodes) == sorted(expected)
    lines = shown.drawn()
    assert edges == len(lines) + len({line.kind for line in lines})


@settings(max_examples=50)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=6))
def test_no_text_leaves_its_quotes(texts: list[str]) -> None:
    """Mermaid's text has the lines that its shape has, and between quotes no sign of markup."""
    odd, plain = picture(tuple(texts)), picture(("x",) * len(texts))
    written, expected = mermaid.write(odd), mermaid.write(plain)
    titles = [line for line in written.splitlines() if "accTitle" not in line]
    assert len(titles) == len([one for one in expected.splitlines() if "accTitle" not in one])
    for label in re.findall(r'"(.*)"', written):
        rest = re.sub(r"#\d+;|<br/>|[,_-]", "", label)
        assert not [sign for sign in rest if sign.isascii() and not (sign.isalnum() or sign == " ")]


def test_one_line() -> None:
    """Line breaks are spaces, what steers is an escape, what is long is cut."""
    assert one_line(" a\n\n b\t", 10) == "a b"
    assert (
        one_line("\x1b[31m\u202eab\x00\ud800\ufffe", 99) == "\\x1b[31m\\u202eab\\x00\\ud800\ufffd"
    )
    assert one_line("x" * 10_240, 80) == "x" * 79 + CUT
    assert one_line("x" * 80, 80) == "x" * 80
    assert one_line("שלום 👩‍👩‍👧", 80) == "שלום 👩‍👩‍👧"


def test_names_never_collide() -> None:
    """Ids that any cleaning would make the same stay two nodes."""
    shown = Picture((Box("a b"), Box("a-b"), Box("a/b")), (Line("a b", "a/b", Kind.hard),))
    assert shown.names == {"a b": "n0", "a-b": "n1", "a/b": "n2"}
    assert "n0 -> n2" in dot.write(shown)
    assert "n0 --> n2" in mermaid.write(shown)


def test_the_same_picture_is_the_same_text() -> None:
    """Lines come in the order of the boxes, once each; those that lead nowhere are left out."""
    boxes = (Box("b"), Box("a"))
    lines = [
        Line("a", "b", Kind.soft, "0.50"),
        Line("b", "a", Kind.hard),
        Line("a", "z", Kind.hard),
    ]
    one = Picture(boxes, tuple(lines))
    other = Picture(boxes, (*reversed(lines), lines[0]))
    assert [line.kind for line in one.drawn()] == [Kind.hard, Kind.soft]
    for write in (dot.write, mermaid.write):
        assert write(one) == write(other)
    assert "rankdir=TB" in dot.write(one, Direction.down)
    assert mermaid.write(one, Direction.down).startswith("flowchart TB\n")


def test_styles_tell_kinds_apart() -> None:
    """No two kinds of line look the same, and the legend names those that are shown."""
    for write in (dot.write, mermaid.write):
        looks = set()
        for kind in Kind:
            text = write(Picture((Box("a"), Box("b")), (Line("a", "b", kind),)))
            found = re.findall(r"n0 -> n1 \[.*\]|n0 \S+ n1|linkStyle.*", text)
            looks.add(tuple(found))
        assert len(looks) == len(Kind)
    assert "closes a cycle" in dot.write(picture())
    assert "closes a cycle" not in dot.write(picture(("a", "b")))


def make_node(id_: str, status: str = "ready") -> dict[str, Any]:
    """A node as the API answers."""
    return {"id": id_, "summary": f"Do {id_}", "status": status}


def make_edge(src: str, dst: str, type_: str = "hard_requires", **more: Any) -> dict[str, Any]:
    """An edge as the API answers."""
    return {"src": src, "dst": dst, "type": type_, "tags": [], "closes_cycle": False, **more}


def test_a_graph_has_its_edges() -> None:
    """Each type of edge is a kind of line; tags, score and the other tool's word are on it."""
    edges = [
        make_edge("a", "b", tags=["x", "y", "z"]),
        make_edge("b", "a", closes_cycle=True),
        make_edge("a", "b", "soft_semantic", score=0.876),
        make_edge("a", "b", "related", kind="duplicates"),
        make_edge("a", "b", "derived_from"),
    ]
    found = answers.graph({"nodes": [make_node("a", "failed"), make_node("b")], "edges": edges})
    assert [(one.kind, one.text) for one in found.lines] == [
        (Kind.hard, "x, y +1"),
        (Kind.cycle, ""),
        (Kind.soft, "0.88"),
        (Kind.related, "duplicates"),
        (Kind.derived, ""),
    ]
    assert [(box.status, box.sign) for box in found.boxes] == [("failed", "✗"), ("ready", "○")]


def test_a_tree_is_drawn_from_its_rows() -> None:
    """Parents lead to children; a child whose parent was cut off has no line."""
    rows: list[dict[str, Any]] = [
        {"node": make_node("top"), "parent": None},
        {"node": make_node("b"), "parent": "top"},
        {"node": make_node("c"), "parent": "gone"},
    ]
    found = answers.tree(rows)
    assert [(one.src, one.dst) for one in found.drawn()] == [("top", "b")]
    assert found.title == "What top was broken into"
    assert answers.tree([]).boxes == ()


def test_a_plan_has_layers_and_its_critical_path() -> None:
    """Layers are groups; the path is marked, and a hop through nodes left out has its own line."""
    data = {
        "project_id": "demo",
        "goal": "Out",
        "waiting_on": ["w"],
        "layers": [["a", "b"], ["c"], ["d"]],
        "ordered_node_ids": ["a", "b", "c", "d"],
        "blocked": [{"id": "z", "path": ["z"]}],
        "critical_path": {"node_ids": ["a", "c", "d"], "length": 90, "unit": "minutes"},
    }
    assert answers.plan_ids(data) == ["w", "a", "b", "c", "d", "z"]
    part = {
        "nodes": [make_node(id_) for id_ in "wabcd"],
        "edges": [make_edge("a", "c"), make_edge("w", "a"), make_edge("a", "b", "soft_semantic")],
    }
    found = answers.plan(data, part)
    assert found.groups == (
        Group("Running, waited for", ("w",)),
        Group("Layer 1", ("a", "b")),
        Group("Layer 2", ("c",)),
        Group("Layer 3", ("d",)),
    )
    assert [box.id for box in found.boxes if box.critical] == ["a", "c", "d"]
    assert [(one.src, one.dst, one.kind, one.critical) for one in found.drawn()] == [
        ("w", "a", Kind.hard, False),
        ("a", "c", Kind.hard, True),
        ("c", "d", Kind.through, True),
    ]
    assert found.title == "Out: at least 1 h 30 min"


def test_what_is_cut_is_said_in_the_diagram() -> None:
    """However long the title is; nothing is said where all is shown."""
    shown = Picture((Box("a", status="ready"),), title="T" * 500, cut=cut(100, 291, "steps"))
    assert shown.heading().endswith("…; first 100 of 291 steps")
    assert "first 100 of 291 steps" in dot.write(shown)
    assert 'legend["Legend, first 100 of 291 steps"]' in mermaid.write(shown)
    assert "first 100 of 291 steps\n" in mermaid.write(shown)
    assert cut(291, 291, "steps") == ""
    assert "more" in cut(100, None, "nodes")
