"""An original `.gotn` folder in, whole, damaged, newer, or none at all."""

import json
from pathlib import Path
from typing import Any

import pytest
from documents import RUN, entry, exact, jsonl, make_edge, make_node, printed

from gotn.errors import BadDocument, Invalid
from gotn.work import exchange
from gotn.work.rules import outcomes


def make_folder(root: Path, **files: str) -> Path:
    """An original `.gotn` folder with a graph, a journal and one run."""
    folder = root / ".gotn"
    run = folder / "runs" / "run-20250127-103000"
    run.mkdir(parents=True)
    graph = {"nodes": [make_node("a"), make_node("b")], "edges": [make_edge("a", "b", score=None)]}
    about = {"version": 1, "created": "2025-01-27T10:30:00Z", "updated": "2025-01-27T10:30:00Z"}
    written = {
        "graph.json": exact(graph | {"version": 1, "updated": "2025-01-27T10:30:00Z"}),
        "meta.json": exact(about | {"workspace_path": "/w"}),
        "notes.txt": "not a journal\n",
        "log.ndjson": jsonl(
            entry("workspace_initialized", {}),
            entry("add_node", {"node": make_node("a", tags=["kept"])}, 1),
            entry("add_node", {"node": {"id": "c", "kind": "k", "summary": "s"}}, 2),
        ),
        **{name.replace("__", "."): text for name, text in files.items()},
    }
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    (run / "plan.json").write_text(RUN, encoding="utf-8")
    (run / "steps.jsonl").write_text(jsonl({"node": "a"}) + "{half", encoding="utf-8")
    return folder


def test_an_original_folder_is_read(tmp_path: Path) -> None:
    """Graph, journal and runs; the workspace that holds the folder will do."""
    folder = make_folder(tmp_path)
    draft = exchange.read(tmp_path)
    assert draft == exchange.read(folder)
    assert [row["id"] for row in draft.nodes] == ["a", "b", "c"]
    assert draft.nodes[0]["tags"] == ["kept"]
    assert len(draft.journal) == 3
    assert draft.runs[0]["extra"]["steps"] == [{"node": "a"}]
    assert exact(json.loads(RUN)) == exact(printed(draft)["runs"][0])
    assert [(found.line, found.reason.split(":")[0]) for found in draft.skipped] == [
        (2, "runs/run-20250127-103000/steps.jsonl")
    ]
    assert [(w.line, w.reason) for w in draft.warnings] == [
        (1, "runs/run-20250127-103000/steps.jsonl: this run has no such step; kept with it"),
        (3, "log.ndjson: recovered without prompt_text"),
    ]


def test_an_edge_of_a_folder_is_turned_by_all_its_tags(tmp_path: Path) -> None:
    """graph.json and the journal have it the wrong way round: one edge, told with its file."""
    graph = {
        "nodes": [make_node("a", requires=["t"]), make_node("b", produces=["t"])],
        "edges": [make_edge("a", "b", evidence="a needs b")],
    }
    told = jsonl(
        entry("add_node", {"node": {"id": "a", "kind": "task", "summary": "s"}}),
        entry("add_edge", {"edge": make_edge("a", "b")}, 1),
    )
    draft = exchange.read(make_folder(tmp_path, graph__json=exact(graph), log__ndjson=told))
    assert [(e["src"], e["dst"], e["evidence"]) for e in draft.edges] == [("b", "a", "a needs b")]
    how = "hard_requires a → b is turned round: a requires 't' which b produces"
    assert [(w.line, w.reason) for w in draft.warnings][1:] == [
        (1, f"graph.json: edges[0]: {how}"),
        (2, f"log.ndjson: {how}"),
    ]


def test_the_steps_of_a_folder_say_what_became_of_them(tmp_path: Path) -> None:
    """Status and times, later lines winning; what is not understood is kept and told."""
    folder = make_folder(tmp_path)
    steps = [
        {"node_id": "setup_web_server", "status": "started", "timestamp": "2025-01-27T10:31:00Z"},
        {"node_id": "setup_web_server", "outcome": "success", "outputs": ["o"]}
        | {"finished_at": "2025-01-27T10:32:00+01:00"},
        {"event": "execute_step", "timestamp": "2025-01-27T10:33:00Z"}
        | {"data": {"node": {"id": "setup_database"}, "success": False}},
        {"node": "create_routes", "status": "purple"},
        {"node": "create_routes", "status": "skipped", "finished_at": "yesterday"},
        {"step": 4},
    ]
    path = folder / "runs" / "run-20250127-103000" / "steps.jsonl"
    path.write_text(jsonl(*steps), "utf-8")
    draft = exchange.read(folder)
    assert draft.runs[0]["extra"]["steps"] == steps
    assert outcomes.of(draft.runs[0]) == {
        "setup_web_server": {
            "status": "completed",
            "started_at": "2025-01-27T10:31:00Z",
            "finished_at": "2025-01-27T09:32:00Z",
        },
        "setup_database": {"status": "failed", "finished_at": "2025-01-27T10:33:00Z"},
    }
    told = [(w.line, w.reason) for w in draft.warnings if "steps.jsonl" in w.reason]
    assert [line for line, _ in told] == [4, 5, 6]
    assert all("run-20250127-103000/steps.jsonl: kept, and not understood" in r for _, r in told)


def test_a_damaged_journal_of_a_folder_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    """A half last line and merge-conflict markers are skipped with their lines."""
    good = jsonl(entry("add_node", {"node": make_node("d")}))
    damaged = f"<<<<<<< HEAD\n{good}=======\n>>>>>>> theirs\n" + good[:40]
    draft = exchange.read(make_folder(tmp_path, log__ndjson=damaged))
    found = [(s.line, s.reason) for s in draft.skipped if s.reason.startswith("log.ndjson")]
    assert [line for line, _ in found] == [1, 3, 4, 5]
    assert "the end of the line" in found[3][1]
    assert "d" in [row["id"] for row in draft.nodes]


def test_a_damaged_graph_is_refused_and_the_journal_recovers(tmp_path: Path) -> None:
    """graph.json is all or nothing; recover reads the journal alone."""
    folder = make_folder(tmp_path, graph__json='{"nodes": [')
    with pytest.raises(BadDocument, match=r"graph\.json: line 1"):
        exchange.read(folder)
    assert [row["id"] for row in exchange.recover(folder).nodes] == ["a", "c"]
    assert len(exchange.recover(folder / "log.ndjson").journal) == 3


@pytest.mark.parametrize("version", [2, "2.0", "2", "9" * 5000])
def test_a_newer_folder_is_refused(tmp_path: Path, version: Any) -> None:
    """A schema that this program does not know is left alone."""
    folder = make_folder(tmp_path, meta__json=exact({"version": version}))
    with pytest.raises(BadDocument, match="newer than 1"):
        exchange.read(folder)


def test_an_odd_version_is_no_crash(tmp_path: Path) -> None:
    """What only looks like a digit tells nothing about the schema."""
    assert exchange.read(make_folder(tmp_path, meta__json=exact({"version": "²"}))).nodes


def test_a_folder_that_is_no_gotn_folder_is_refused(tmp_path: Path) -> None:
    """A journal-like file makes no folder a project's, and nothing is picked up below it."""
    (tmp_path / "log.jsonl").write_text(jsonl(entry("add_node", {"node": make_node("a")})))
    make_folder(tmp_path / "some" / "where")
    for reading in (exchange.read, exchange.recover):
        with pytest.raises(Invalid, match=r"expected a \.gotn folder, with graph\.json or meta"):
            reading(tmp_path)
    assert [row["id"] for row in exchange.read(tmp_path / "log.jsonl").nodes] == ["a"]


def test_plans_are_read_only_where_runs_lie(tmp_path: Path) -> None:
    """A plan far below is somebody else's file."""
    folder = make_folder(tmp_path)
    far = folder / "cache" / "some" / "tool"
    far.mkdir(parents=True)
    (far / "plan.json").write_text("{}")
    assert len(exchange.read(folder).runs) == 1


def test_every_bad_file_of_a_folder_is_told(tmp_path: Path) -> None:
    """graph.json and the plans of runs, each violation with its file; not only the first."""
    folder = make_folder(tmp_path, graph__json=exact({"nodes": [{"id": 7}], "edges": []}))
    for name, text in (("r1", "{"), ("r2", '{"goal": 5}'), ("r3", "[1]\n[2]")):
        (folder / "runs" / name).mkdir()
        (folder / "runs" / name / "plan.json").write_text(text)
    with pytest.raises(BadDocument, match=r"^\.gotn: 4 violations") as caught:
        exchange.read(folder)
    found = [one["reason"].split(": ")[0] for one in caught.value.facts["violations"]]
    assert found == ["graph.json", *(f"runs/r{n}/plan.json" for n in (1, 2, 3))]
    (folder / "graph.json").write_text('{"nodes": []}')
    with pytest.raises(BadDocument, match=r"3 violations, line 1: runs/r1/plan\.json: expected"):
        exchange.read(folder)
