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
    found = command.data("import", str(SAMPLE), "--link")
    assert found["nodes"] == len(json.loads(SAMPLE.read_text())["nodes"])
    return command


@pytest.mark.parametrize(
    "words",
    ["cycles", "unmet", "ready", "orphans", "plan --dry-run", "link", "node list", "edge list",
     "run list", "journal tail", "journal verify", "tree-of x", "export"],
)  # fmt: skip
def test_a_mistyped_project_is_told_and_not_made(gotn: Command, words: str) -> None:
    """Every verb but those that add ends with 3, and nothing comes into being."""
    gotn.project = f"{gotn.project}-typo"
    assert gotn.error(*words.split(), code=3)["code"] == "NOT_FOUND"
    assert gotn.error("project", "show", code=3)["code"] == "NOT_FOUND"


def test_from_a_file_to_a_plan(gotn: Command) -> None:
    """Link, preview, plan: the keys that scripts rely on; the preview stores nothing."""
    linked = gotn.data("link")
    assert {"added", "removed", "unmet", "cycles"} <= linked.keys()
    assert (linked["added"], linked["cycles"]) == (0, [])
    preview = gotn.data("plan", "--dry-run")
    assert preview["run_id"] is None
    assert gotn.data("run", "list")["runs"] == []
    planned = gotn.data("plan", "--goal", "Out", "--workspace", "/tmp")
    keys = ("layers", "ordered_node_ids", "ordering_reason", "unmet", "blocked", "waiting_on",
            "critical_path")  # fmt: skip
    assert [preview[key] for key in keys] == [planned[key] for key in keys]
    assert planned["run_id"].startswith("run-")
    assert sum(len(layer) for layer in planned["layers"]) == len(planned["ordered_node_ids"])
    runs = gotn.data("run", "list")["runs"]
    assert [(one["id"], one["goal"]) for one in runs] == [(planned["run_id"], "Out")]
    shown = gotn.data("run", "show", planned["run_id"])
    assert shown["layers"] == planned["layers"]
    assert shown["workspace_path"] == "/tmp"
    steps = gotn.data("run", "steps", planned["run_id"], "--limit", "1000")["steps"]
    assert [step["id"] for step in steps] == planned["ordered_node_ids"]
    assert gotn.error("run", "show", "run-20000101-000000", code=3)["code"] == "NOT_FOUND"


def test_a_plan_is_a_pleasure_to_read(gotn: Command) -> None:
    """The text has its sections, and not one control character where no terminal is."""
    text = gotn.text("plan", "--dry-run")
    for title in ("Why in this order", "Layer 1", "Critical path", "Ready now", "Blocked"):
        assert title in text
    assert "\x1b" not in text
    assert not [line for line in text.splitlines() if len(line) > 160]


def test_a_plan_of_targets(gotn: Command) -> None:
    """--target plans a node and what it needs; --leaves leaves out what was broken up."""
    found = gotn.data("plan", "--target", "serve_graphql", "--dry-run")
    assert found["ordered_node_ids"] == ["serve_graphql"]
    leaves = gotn.data("plan", "--leaves", "--dry-run")
    assert "build_gotn" not in leaves["ordered_node_ids"]
    assert gotn.error("plan", "--target", "nothing", code=3)["code"] == "NOT_FOUND"


def test_questions(gotn: Command) -> None:
    """Each question's data, and that people get an answer too."""
    ready = gotn.data("ready", "--limit", "5")
    assert len(ready["nodes"]) == 5
    assert {row["status"] for row in ready["nodes"]} == {"ready"}
    why = gotn.data("why", "release")
    assert {"cause", "status", "hops"} == why["paths"][0].keys()
    assert gotn.data("impact", "serve_graphql")["dependants"] > 3
    before = gotn.data("prerequisites", "release", "--limit", "1000")["nodes"]
    assert [row["distance"] for row in before] == sorted(row["distance"] for row in before)
    after = gotn.data("dependants", "serve_graphql", "--limit", "1000")["nodes"]
    assert "release" in [row["id"] for row in after]
    assert {"tag", "nodes"} == gotn.data("unmet")["unmet"][0].keys()
    assert gotn.data("orphans")["nodes"] == []
    assert gotn.data("cycles") == {"components": [], "truncated": False}
    rows = gotn.data("tree-of", "build_gotn")["rows"]
    assert (rows[0]["node"]["id"], rows[0]["depth"]) == ("build_gotn", 0)
    assert gotn.error("why", "nothing", code=3)["code"] == "NOT_FOUND"
    assert "build_gotn" in gotn.text("tree-of", "build_gotn")
    assert "waits for" in gotn.text("why", "release")


def test_pages_are_walked(gotn: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit above one page gives every row once."""
    rows = gotn.data("edge", "list", "--limit", "2000")
    assert len(rows["edges"]) == rows["total"]
    assert rows["more"] is False


def test_cycles_of_a_file(gotn: Command, tmp_path: Path) -> None:
    """A file that closes a cycle is refused; --flag-cycles keeps it, and --check exits with 5."""
    nodes = [{"id": n, "kind": "k", "summary": n, "prompt_text": n} for n in ("x", "y")]
    edges = [{"src": a, "dst": b, "type": "hard_requires"} for a, b in ("xy", "yx")]
    path = tmp_path / "knot.json"
    path.write_text(json.dumps({"nodes": nodes, "edges": edges}))
    assert gotn.error("import", str(path), code=5)["code"] == "CYCLE"
    assert gotn.error("node", "show", "x", code=3)
    gotn.data("import", str(path), "--flag-cycles")
    found = gotn.data("cycles", "--check", code=5)["components"]
    assert [one["nodes"] for one in found] == [["x", "y"]]
    assert "↻" in gotn.text("cycles")
    assert gotn.error("plan", code=5)["code"] == "CYCLE"
