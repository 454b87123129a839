"""Graphs, plans and trees as people draw them: terminal, Mermaid, DOT; files, limits, messages."""

import json
from importlib.resources import files
from pathlib import Path

import pytest
from command import Command

SAMPLE = Path(str(files("gotn.demo").joinpath("sample.json")))


@pytest.fixture
def gotn(neo4j_environment: dict[str, str], tmp_path: Path, project: str) -> Command:
    """The command on this test's project, which holds the sample."""
    command = Command(neo4j_environment, tmp_path, project)
    command.data("import", str(SAMPLE), "--link")
    return command


def test_a_graph_is_drawn(gotn: Command) -> None:
    """Every node of the sample once, in each format, the same each time; --json stays data."""
    data = gotn.data("graph", "--limit", "500", "--format", "dot")
    total = len(json.loads(SAMPLE.read_text())["nodes"])
    assert (len(data["nodes"]), data["more"]) == (total, False)
    assert {"src", "dst", "type", "closes_cycle"} <= data["edges"][0].keys()
    assert len(data["edges"]) == gotn.data("edge", "list", "--limit", "2000")["total"]
    for format_ in ("dot", "mermaid"):
        text = gotn.text("graph", "--format", format_)
        assert text == gotn.text("graph", "--format", format_)
        assert all(node["id"].split("_")[0] in text for node in data["nodes"])
        assert f"n{total - 1} " in text or f"n{total - 1}[" in text
        assert f"n{total}[" not in text
    shown = gotn.text("graph")
    assert sum(shown.count(sign) for sign in "○◐●⊘✗■") == total
    assert "needs run_migrations" in shown


def test_a_graph_is_bounded(gotn: Command) -> None:
    """More than the limit is said on stderr; what is near a node is the nearest first."""
    done = gotn.run("graph", "--limit", "3", "--format", "mermaid")
    assert done.returncode == 0
    total = len(json.loads(SAMPLE.read_text())["nodes"])
    assert f"Only 3 of {total} nodes are shown" in done.stderr
    assert f'legend["Legend, first 3 of {total} nodes"]' in done.stdout
    assert 'n2["' in done.stdout
    assert 'n3["' not in done.stdout
    ready = gotn.data("node", "list", "--status", "ready", "--limit", "1")["total"]
    done = gotn.run("graph", "--limit", "2", "--status", "ready", "--format", "dot")
    assert f"; first 2 of {ready} nodes" in done.stdout
    done = gotn.run("graph", "--limit", "2", "--around", "release", "--format", "dot")
    assert 'label="release; first 2 nodes, and there are more"' in done.stdout
    assert "first" not in gotn.text("graph", "--format", "dot", "--limit", "500").splitlines()[1]
    near = gotn.data("graph", "--around", "release", "--depth", "1")
    assert near["nodes"][0]["id"] == "release"
    joined = {one["id"] for one in near["nodes"]} - {"release"}
    edges = gotn.data("edge", "list", "--limit", "2000")["edges"]
    assert joined == {
        ({one["src"], one["dst"]} - {"release"}).pop()
        for one in edges
        if "release" in (one["src"], one["dst"])
    }
    assert [
        one["id"] for one in gotn.data("graph", "--around", "release", "--depth", "0")["nodes"]
    ] == ["release"]
    assert {one["status"] for one in gotn.data("graph", "--status", "completed")["nodes"]} <= {
        "completed"
    }
    assert gotn.error("graph", "--around", "nothing", code=3)["code"] == "NOT_FOUND"
    assert gotn.run("graph", "--limit", "501").returncode == 2


def test_a_plan_is_drawn(gotn: Command, tmp_path: Path) -> None:
    """Layers as groups in both languages, written to a file; --json stays the plan."""
    target = tmp_path / "plan.dot"
    done = gotn.run("plan", "--dry-run", "--format", "dot", "-o", str(target))
    assert (done.returncode, done.stdout) == (0, "")
    assert f"Written: {target}" in done.stderr
    text = target.read_text(encoding="utf-8")
    layers = gotn.data("plan", "--dry-run", "--format", "dot")["layers"]
    for number in range(1, len(layers) + 1):
        assert f'label="Layer {number}"' in text
    assert "critical path" in text
    mermaid = gotn.text("plan", "--dry-run", "--format", "mermaid")
    assert mermaid.count("Layer ") == len(layers)
    done = gotn.run("plan", "--dry-run", "--format", "mermaid", "--limit", "2")
    assert done.stderr.startswith("Only 2 of ")
    assert 'legend["Legend, first 2 of ' in done.stdout
    assert "; first 2 of " in gotn.text("plan", "--dry-run", "--format", "dot", "--limit", "2")


def test_a_tree_is_drawn(gotn: Command, tmp_path: Path) -> None:
    """Each child below its parent; the terminal's tree goes to a file too."""
    rows = gotn.data("tree-of", "build_gotn")["rows"]
    text = gotn.text("tree-of", "build_gotn", "--format", "mermaid", "--direction", "down")
    assert text.startswith("flowchart TB\n")
    assert text.count("n0 -.-> n") == sum(row["parent"] == "build_gotn" for row in rows)
    target = tmp_path / "tree.txt"
    gotn.run("tree-of", "build_gotn", "-o", str(target))
    assert target.read_text(encoding="utf-8") == gotn.text("tree-of", "build_gotn")
    gone = tmp_path / "no" / "tree.dot"
    found = gotn.error("tree-of", "build_gotn", "-o", str(gone), code=1)
    assert "cannot be written" in found["message"]


def test_an_export_is_drawn(gotn: Command, tmp_path: Path) -> None:
    """The whole project as a diagram; a journal cannot be drawn."""
    total = len(json.loads(SAMPLE.read_text())["nodes"])
    text = gotn.text("export", "--format", "dot")
    assert f"  n{total - 1} [label=" in text
    assert gotn.data("export", "--format", "mermaid")["text"].startswith("flowchart LR\n")
    assert gotn.run("export", "--format", "dot", "--journal").returncode == 2
