"""Task trees and costs on the command line."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from command import TIMEOUT, Command

DOCUMENT = {
    "version": "1.0.0",
    "root_task": {
        "node_id": "root|1",
        "prompt": 'Say "hi" & <b>bye</b>',
        "status": "running",
        "cost": {"input_tokens": 5, "output_tokens": 1, "total_cost_usd": 0.1},
        "timestamps": {"duration_ms": 10},
        "children": [
            {
                "node_id": "../x",
                "prompt": "Deep",
                "status": "cancelled",
                "cost": {"input_tokens": 1, "output_tokens": 1, "total_cost_usd": 0.2},
                "children": [{"node_id": "y", "prompt": "p", "status": "pending"}],
            },
            {
                "node_id": "z",
                "prompt": "Slow",
                "status": "failed",
                "timestamps": {"duration_ms": 900},
                "result": {"confidence": 0.5},
            },
        ],
    },
    "metadata": {"tree_id": "tree-00000001", "total_tokens": 9, "root_prompt": "Greet"},
}


@pytest.fixture
def gotn(neo4j_environment: dict[str, str], tmp_path: Path, project: str) -> Command:
    """The command on this test's project."""
    return Command(neo4j_environment, tmp_path / "home", project)


@pytest.fixture
def file(tmp_path: Path) -> str:
    """The document as a file."""
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(DOCUMENT))
    return str(path)


def test_in_and_out(gotn: Command, file: str, tmp_path: Path) -> None:
    """Equal, in both forms; a repeat changes nothing; what is stated otherwise is shown."""
    dry = gotn.data("tree", "import", file, "--dry-run")
    assert (4, True) == (dry["changed"] - 1, dry["dry_run"])
    assert gotn.error("tree", "export", "tree-00000001", code=3)
    gotn.data("node", "add", "n", "--kind", "k", "--summary", "s", "--prompt", "p")
    told = gotn.text("tree", "import", file, "--executes", "n")
    assert "4 tasks, 0 documents; 6 new or different." in told
    assert "metadata.total_tokens says 9, the tasks give 8" in told
    assert 0 == gotn.data("tree", "import", file)["changed"]
    assert json.dumps(DOCUMENT) == json.dumps(
        json.loads(gotn.text("tree", "export", "tree-00000001"))
    )
    assert DOCUMENT == yaml.safe_load(
        gotn.text("tree", "export", "tree-00000001", "--format", "yaml")
    )
    out = gotn.data("tree", "export", "tree-00000001", "--strict", "-o", str(tmp_path / "s.json"))
    strict = json.loads((tmp_path / "s.json").read_text())
    assert out["names"]["z"] == strict["root_task"]["children"][1]["node_id"]


def test_the_folder_of_a_tree(gotn: Command, file: str, tmp_path: Path) -> None:
    """tree.json, a file a task, report.md; no id leads out of it; it can be read again."""
    gotn.data("tree", "import", file)
    written = gotn.data(
        *("tree", "export", "tree-00000001", "--layout", "aiwg", "-o", str(tmp_path / "out"))
    )
    folder = Path(written["file"])
    assert folder == tmp_path / "out" / "tree-00000001"
    names = sorted(path.name for path in (folder / "nodes").iterdir())
    assert ["..%2Fx.json", "root%7C1.json", "y.json", "z.json"] == names
    assert DOCUMENT == json.loads((folder / "tree.json").read_text())
    report = (folder / "report.md").read_text()
    assert "- Slowest: 910 ms: root\\|1 → z" in report
    assert "- Dearest: 0.30 USD: root\\|1 → ../x → y" in report
    assert "metadata.total_tokens says 9, the tasks give 8" in report
    assert report == gotn.text("tree", "report", "tree-00000001")
    assert 0 == gotn.data("tree", "import", str(folder))["changed"]
    assert gotn.run("tree", "export", "x", "--layout", "aiwg").returncode == 2


def test_pictures(gotn: Command, file: str) -> None:
    """Branches with own and inclusive costs; 004's class lines; Graphviz takes the DOT."""
    gotn.data("tree", "import", file)
    drawn = gotn.text("tree", "show", "tree-00000001")
    assert drawn.splitlines() == [
        '◐ root|1  Say "hi" & <b>bye</b>  6 tokens 0.10 USD, with all below 8 tokens 0.30 USD',
        "├── ⊘ ../x  Deep  2 tokens 0.20 USD, with all below 2 tokens 0.20 USD",
        "│   └── ○ y  p",
        "└── ✗ z  Slow",
    ]
    mermaid = gotn.text("tree", "show", "tree-00000001", "--format", "mermaid")
    for line in (
        *("classDef completed fill:#90EE90", "classDef failed fill:#FFB6C1"),
        *("classDef running fill:#87CEEB", "classDef pending fill:#D3D3D3"),
    ):
        assert f"    {line}\n" in mermaid
    assert mermaid.startswith("graph TD\n")
    assert "    n0 --> n1\n" in mermaid
    assert "<b>" not in mermaid
    assert "<br/>Deep<br/>2 tokens 0#46;20 USD" in mermaid
    dot = gotn.text("tree", "show", "tree-00000001", "--format", "dot")
    if program := shutil.which("dot"):
        subprocess.run([program, "-Tsvg"], input=dot, text=True, check=True, capture_output=True)
    assert "1 of 4" not in drawn
    assert "… 3 more of 4" in gotn.text("tree", "show", "tree-00000001", "--limit", "1")
    assert "tree-00000001" in gotn.text("tree", "show")


def test_costs(gotn: Command, file: str) -> None:
    """Own, inclusive and groups, amounts as texts; through the node that was executed."""
    gotn.data("node", "add", "n", "--kind", "k", "--summary", "s", "--prompt", "p")
    gotn.data("tree", "import", file, "--executes", "n")
    for scope in (["--node", "n"], ["--tree", "tree-00000001"], []):
        found = gotn.data("cost", "show", *scope, "--by", "status")
        assert "0.100000000000" == found["own"]["total_cost_usd"]
        assert "0.300000000000" == found["inclusive"]["total_cost_usd"]
        assert ["cancelled", "failed", "pending", "running"] == [g["name"] for g in found["groups"]]
    assert "0.30" in gotn.text("cost", "show", "--by", "day")
    assert gotn.error("cost", "show", "--tree", "x", code=3)
    assert gotn.error("cost", "show", "--task", "x", code=1)
    assert gotn.data("journal", "verify")["equal"]


def test_bad_input_and_conflicts(gotn: Command, file: str, tmp_path: Path) -> None:
    """Exit codes: 1 for what cannot be read, 3 for no such node, 4 for another tree of the id."""
    bad = tmp_path / "bad.json"
    bad.write_text('{"version": "1.0.0", "root_task": {"node_id": "a"')
    assert "end of the file" in gotn.error("tree", "import", str(bad), code=1)["message"]
    assert gotn.error("tree", "import", str(tmp_path / "none.json"), code=1)
    assert gotn.error("tree", "import", file, "--executes", "x", code=3)
    gotn.data("tree", "import", file)
    other = tmp_path / "other.json"
    other.write_text(json.dumps(DOCUMENT | {"extra": 1}))
    assert gotn.error("tree", "import", str(other), code=4)
    assert "mine" == gotn.data("tree", "import", str(other), "--as", "mine")["tree_id"]
    given = gotn.run("tree", "import", "-", given=json.dumps(DOCUMENT))
    assert 0 == given.returncode


def test_the_protocol_of_agents(gotn: Command, tmp_path: Path) -> None:
    """A tree executed from the command line: claim, finish with children, merge, cancel."""
    path = tmp_path / "new.json"
    root = {"node_id": "root", "prompt": "Answer", "status": "pending", "merge_strategy": "vote"}
    document = {"version": "1.0.0", "root_task": root, "metadata": {"tree_id": "tree-00000002"}}
    path.write_text(json.dumps(document))
    gotn.data("tree", "import", str(path))
    tree = "tree-00000002"
    claimed = gotn.data("tree", "claim", tree, "--worker", "me")
    assert ("root", "Answer", 1) == (claimed["task_id"], claimed["prompt"], claimed["attempt"])
    assert "Nothing can start now: 1 running, 0 waiting." in gotn.text(
        "tree", "claim", tree, "--worker", "you"
    )
    ended = gotn.data(
        *("tree", "finish", tree, "root", "--token", claimed["token"], "--output", "Split"),
        *("--tokens", "900", "--cost", "0.000000000001"),
        *("--child", "One", "--child", '{"prompt": "Two", "context": {"type": "none"}}'),
    )
    assert 2 == len(ended["spawned"])
    assert 1 == len(gotn.data("tree", "spawn", tree, ended["spawned"][0], "--child", "x")["tasks"])
    for output in ("Yes", "yes."):
        one = gotn.data("tree", "claim", tree, "--worker", "me", "--task", ended["spawned"].pop(0))
        assert gotn.error("tree", "finish", tree, one["task_id"], "--token", "other", code=4)
        gotn.text(
            *("tree", "finish", tree, one["task_id"], "--token", one["token"], "--output", output)
        )
    assert "Yes" in gotn.text("tree", "merge", tree, "root")
    told = gotn.text("tree", "merge", tree, "root", "--strategy", "summarize")
    assert "in answer to: Answer" in told
    assert "sentences chosen by all-MiniLM-L6-v2@" in told
    summary = gotn.data("tree", "merge", tree, "root", "--strategy", "summarize")
    assert (["Yes", "yes."], None) == (summary["inputs"], summary["output"])
    cancelled = gotn.data("tree", "cancel", tree, "root", "--reason", "enough")["cancelled"]
    assert 1 == len(cancelled)
    assert "0.000000000001" == gotn.data("cost", "show", "--tree", tree)["own"]["total_cost_usd"]
    assert gotn.error("tree", "spawn", tree, "root", "--child", "x", code=1)
    assert gotn.data("journal", "verify")["equal"]


def test_a_tree_from_nothing(gotn: Command) -> None:
    """Begun, listed, linked, its costs recorded; limits and seeds are demanded."""
    gotn.data("node", "add", "n", "--kind", "k", "--summary", "s", "--prompt", "p")
    made = gotn.data("tree", "new", "Answer", "--executes", "n", "--max-children", "1")
    tree, root = made["tree_id"], made["root"]
    assert "Answer" in gotn.text("tree", "show")
    assert [root] == [one["task_id"] for one in gotn.data("tree", "ready", tree)["ready"]]
    gotn.text("tree", "claim", tree, "--worker", "me")
    assert "me, until 20" in gotn.text("tree", "ready", tree)
    refused = gotn.error("tree", "spawn", tree, root, "--child", "a", "--child", "b", code=7)
    assert "max_children_per_node: the tree allows 1, this would be 2" in refused["message"]
    (child,) = gotn.data("tree", "spawn", tree, root, "--child", "a")["tasks"]
    for _ in range(2):
        told = gotn.text("cost", "record", tree, child, "--cost", "0.1", "--tokens", "5", "--add")
    assert f"{child} with all below it: 10 tokens, 0.20 USD." in told
    gotn.text("cost", "record", tree, root, "--cost", '{"cache_savings_usd": 1}')
    assert "-0.80" in gotn.text("cost", "show", "--node", "n")
    gotn.data("node", "add", "m", "--kind", "k", "--summary", "s", "--prompt", "p")
    assert f"{tree} / {child} executed m." in gotn.text("tree", "link", tree, "m", "--task", child)
    assert 1 == gotn.data("cost", "show", "--node", "m")["own"]["tasks"]
    shown = gotn.text("tree", "show", tree)
    assert f"Executed: n, {child} executed m" in shown
    assert f"Executed: n, {child} executed m" in gotn.text("tree", "report", tree)
    assert f"{tree} / {child}" in gotn.text("node", "show", "m")
    assert [tree] == [one["tree_id"] for one in gotn.data("node", "show", "n")["trees"]]
    assert 1 == gotn.data("project", "show")["trees"]
    gotn.data("tree", "cancel", tree, root)
    assert "every task has ended" in gotn.text("tree", "ready", tree)
    assert 2 == gotn.run("tree", "new", "p", "--mode", "strict").returncode
    assert 2 == gotn.run("tree", "new", " ").returncode
    assert gotn.error("cost", "show", "--session", "nosuch", code=3)
    assert 2 == gotn.run("cost", "record", tree, root).returncode
    assert gotn.data("journal", "verify")["equal"]


def test_a_tree_that_is_stuck(gotn: Command) -> None:
    """Queue, claim and following say how to go on, and end; an unknown cost is no zero."""
    made = gotn.data("tree", "new", "Answer", "--strategy", "sequential")
    tree, root = made["tree_id"], made["root"]
    for shown in (gotn.text("tree", "show"), gotn.text("cost", "show", "--tree", tree)):
        assert "0.00" not in shown
        assert "–" in shown
    token = gotn.data("tree", "claim", tree, "--worker", "me")["token"]
    once = '{"prompt": "a", "execution_config": {"retry_policy": {"max_retries": 0}}}'
    children = ("--child", once, "--child", "b")
    first = gotn.data("tree", "finish", tree, root, "--token", token, *children)["spawned"][0]
    token = gotn.data("tree", "claim", tree, "--worker", "me")["token"]
    ended = ("--failed", "--result", '{"errors": [{"message": "it broke"}]}', "--tokens", "5")
    gotn.data("tree", "finish", tree, first, "--token", token, *ended)
    way = f"gotn tree retry {tree} TASK"
    for words in (("ready", tree), ("claim", tree, "--worker", "me"), ("show", tree, "--follow")):
        told = gotn.text("tree", *words)
        assert f"({first} failed for good)" in told, words
        assert way in told, words
    shown = gotn.text("tree", "show", tree)
    assert "5 tokens cost unknown  it broke" in shown
    assert " – " in gotn.text("tree", "show")
    assert f"{first} is pending." in gotn.text("tree", "retry", tree, first)
    assert "5 tokens, cost unknown." in gotn.text("cost", "record", tree, first, "--tokens", "5")
    assert first == gotn.data("tree", "claim", tree, "--worker", "me")["task_id"]


def test_a_tree_is_followed(gotn: Command) -> None:
    """Drawn anew within a second of each journal entry, until every task has ended."""
    made = gotn.data("tree", "new", "Answer")
    tree, root = made["tree_id"], made["root"]
    words = gotn.words("tree", "show", tree, "--follow")
    with subprocess.Popen(
        [sys.executable, "-m", "gotn", *words],
        env=gotn.variables(), stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout
        assert process.stdout.readline().startswith(f"○ {root}")
        took = []
        claimed = gotn.data("tree", "claim", tree, "--worker", "me")
        for sign, end in (
            ("◐", None),
            ("●", ("--token", claimed["token"], "--output", "x", "--cost", "0.5")),
        ):
            if end:
                gotn.data("tree", "finish", tree, root, *end)
            begun = time.monotonic()
            assert process.stdout.readline() == "\n"
            assert process.stdout.readline().startswith(f"{sign} {root}")
            took.append(time.monotonic() - begun)
        assert process.wait(TIMEOUT) == 0
    assert max(took) < 1
    assert 2 == gotn.run("tree", "show", "--follow").returncode


def test_files_of_a_context(gotn: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file below the folder stands before the prompt; one outside is told, and never read."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "notes.md").write_text("Notes here")
    (tmp_path / "secret.md").write_text("Secret")
    (work / "link.md").symlink_to(tmp_path / "secret.md")
    monkeypatch.chdir(work)
    names = ("notes.md", "../secret.md", "link.md", "none.md")
    children = [
        {
            "node_id": name, "prompt": "Read", "status": "pending",
            "context": {"type": "full", "source": f"file:{name}"},
        }
        for name in names
    ]  # fmt: skip
    root = {"node_id": "root", "prompt": "p", "status": "completed", "children": children}
    (work / "t.json").write_text(json.dumps({"version": "1.0.0", "root_task": root}))
    tree = gotn.data("tree", "import", "t.json")["tree_id"]
    told = [gotn.data("tree", "claim", tree, "--worker", "w") for _ in names]
    assert "[file:notes.md]\nNotes here\n\nRead" == told[0]["prompt"]
    assert {"Read"} == {one["prompt"] for one in told[1:]}
    assert [["file:../secret.md: it is outside this folder"],
            ["file:link.md: it is outside this folder"],
            ["file:none.md: it cannot be read here"]] == [
        one["warnings"] for one in told[1:]
    ]  # fmt: skip
    assert "Secret" not in json.dumps(told)
