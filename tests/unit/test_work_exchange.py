"""Documents in and out: every example of 001, damage, beads, and random documents."""

import contextlib
import io
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gotn.errors import BadDocument, Invalid, LimitExceeded
from gotn.work import exchange
from gotn.work.exchange import source
from gotn.work.records import GraphDraft

NODE = """{
  "id": "setup_web_server",
  "kind": "micro_prompt",
  "summary": "Configure Express server with CORS and middleware",
  "prompt_text": "Set up Express.js server with CORS, body parsing, and error handling middleware",
  "parent": "web_app_root",
  "children": ["setup_routes", "setup_database"],
  "requires": ["node_runtime"],
  "produces": ["web_server_ready"],
  "exec_target": "server/app.js",
  "embedding_ref": {"collection": "gotn_nodes", "id": "vec_abc123"},
  "tags": ["express", "server", "middleware"],
  "success_criteria": ["Server starts on port 3000", "Health check responds"],
  "guards": ["package.json exists", "node_modules installed"],
  "artifacts": {
    "files": ["server/app.js"],
    "outputs": ["server.log"],
    "dependencies": ["express", "cors"]
  },
  "status": "ready",
  "provenance": {"created_by": "breakdown_engine", "source": "user_prompt"},
  "version": 1,
  "created_at": "2025-01-27T10:30:00Z",
  "updated_at": "2025-01-27T10:30:00Z"
}"""
EDGE = """{
  "src": "setup_web_server",
  "dst": "setup_database",
  "type": "hard_requires",
  "score": null,
  "evidence": "setup_database requires 'web_server_ready' which setup_web_server produces",
  "provenance": {"created_by": "edge_engine", "source": "requires_produces_match"},
  "version": 1,
  "created_at": "2025-01-27T10:31:00Z"
}"""
RUN = """{
  "id": "run-20250127-103000",
  "goal": "Build web application",
  "ordered_node_ids": ["setup_web_server", "setup_database", "create_routes", "add_frontend"],
  "layers": [["setup_web_server"], ["setup_database"], ["create_routes", "add_frontend"]],
  "ordering_reason": "Topological sort on hard dependencies, soft grouping within layers",
  "created_at": "2025-01-27T10:30:00Z",
  "workspace_path": "/path/to/project"
}"""
ENTRY = """{
  "event": "add_node",
  "timestamp": "2025-01-27T10:30:00Z",
  "data": {
    "node": {
      "id": "setup_web_server",
      "kind": "micro_prompt",
      "summary": "Configure Express server"
    }
  }
}"""
NOW = "2026-01-01T00:00:00Z"
REFERENCE = '{"embedding_ref": {"collection": "gotn_nodes", "id": "vec_abc123"}}'
VECTOR = '{"id": "vec_abc123", "project_id": "demo", "embedding": [0.1, -0.3, 0.7, ...]}'


def take(text: str | bytes, **options: Any) -> GraphDraft:
    """What a text brings."""
    data = text if isinstance(text, bytes) else text.encode()
    return exchange.read(io.BytesIO(data), name="x.json", **options)


def make_node(id_: str = "a", **more: Any) -> dict[str, Any]:
    """A node document with what adding needs."""
    return {"id": id_, "kind": "task", "summary": "s", "prompt_text": "p", **more}


def make_edge(src: str, dst: str, type_: str = "hard_requires", **more: Any) -> dict[str, Any]:
    """An edge document."""
    return {"src": src, "dst": dst, "type": type_, **more}


def jsonl(*documents: Any) -> str:
    """The documents, one a line."""
    return "".join(json.dumps(document) + "\n" for document in documents)


def printed(draft: GraphDraft) -> dict[str, list[dict[str, Any]]]:
    """What an export of a draft prints, section by section."""
    journal: list[dict[str, Any]] = []
    for entry in draft.journal:
        data = {"items": [], "original": entry}
        journal += exchange.journal_documents(entry["event"], "2026-01-01T00:00:00Z", data)
    text = "".join(exchange.write(draft.nodes, draft.edges, draft.runs, journal))
    found: dict[str, list[dict[str, Any]]] = json.loads(text)
    return found


def exact(value: Any) -> str:
    """JSON text, so that key order and 1 or 1.0 or true tell apart."""
    return json.dumps(value)


def refused(text: str | bytes, **options: Any) -> list[dict[str, Any]]:
    """The violations for which a text is refused."""
    with pytest.raises(BadDocument) as caught:
        take(text, **options)
    found: list[dict[str, Any]] = caught.value.facts["violations"]
    assert "x.json" in caught.value.message
    return found


@pytest.mark.parametrize(
    ("text", "section"), [(NODE, "nodes"), (EDGE, "edges"), (RUN, "runs"), (ENTRY, "journal")]
)
def test_an_example_of_001_comes_back_as_it_was(text: str, section: str) -> None:
    """Alone, in a list, as JSONL and in a document of lists: the same keys in the same order."""
    document = json.loads(text)
    one_line = exact(document)
    for form in (text, f"[{text}]", one_line, one_line + "\n" + jsonl(make_node("other"))):
        assert exact(document) == exact(printed(take(form))[section][0])
    assert exact([document]) == exact(printed(take(f'{{"{section}": [{text}]}}'))[section])


def test_the_examples_of_vector_storage() -> None:
    """A reference to a vector stays on its node; a vector itself is no document of the graph."""
    document = make_node(**json.loads(REFERENCE))
    assert exact(document) == exact(printed(take(exact(document)))["nodes"][0])
    assert "column 74" in refused(VECTOR)[0]["reason"]
    assert "found a vector" in refused(VECTOR.replace(", ...", ""))[0]["reason"]


def test_all_examples_together_are_one_graph() -> None:
    """Rows: parent and children are derived_from rows, the hard edge is explicit."""
    draft = take(f'{{"nodes": [{NODE}], "edges": [{EDGE}], "runs": [{RUN}]}}')
    assert "parent" not in draft.nodes[0]
    assert "children" not in draft.nodes[0]
    family = [(e["src"], e["dst"], e["said"], e.get("position")) for e in draft.edges[1:]]
    assert family == [
        ("web_app_root", "setup_web_server", ["parent"], None),
        ("setup_web_server", "setup_routes", ["children"], 0),
        ("setup_web_server", "setup_database", ["children"], 1),
    ]
    assert draft.edges[0]["origin"] == "explicit"
    assert "score" not in draft.edges[0]


ROUND = [
    make_node(unknown={"deep": [1, None, {"x": 1.0}]}, another=None),
    {"updated_at": "2025-01-27T10:30:00.5+02:00", **make_node(), "status": None, "tags": []},
    make_node(created_at="2025-01-27T10:30:00.123456789Z", updated_at="2025-01-27 10:30:00Z"),
    make_node(parent=None, children=[]),
    make_node(children=None, version=1, guards=[{"type": "file", "value": "x"}, "command: make"]),
    make_node(
        extra={"id": 1}, layout={"keys": []}, said=["x"], touched=["status"], status_reason="r"
    ),
    make_edge("a", "b", "soft_semantic", score=1),
    make_edge("b", "a", "soft_semantic", score=None, model="m"),
    make_edge("a", "b", "soft_order", kind="mine"),
    make_edge("a", "b", "related"),
    make_edge("a", "b", "related", kind="soft_order"),
    make_edge("a", "b", "related", kind=None),
    {"kind": "tracks", **make_edge("a", "b", "related")},
    make_edge("a", "b", kind="unknown here", origin="ours?", created_at="2025-01-27T10:31:00.000Z"),
    make_edge("a", "b", "derived_from", evidence="e", score=0.5, created_at="2025-01-27T10:31:00Z"),
    {"ordered_node_ids": [], "id": "r", "status": None, "steps": [1]},
]


@pytest.mark.parametrize("document", ROUND, ids=range(len(ROUND)))
def test_odd_documents_come_back(document: dict[str, Any]) -> None:
    """Unknown keys, nulls, key order and time texts are kept, and nothing is filled in."""
    draft = take(exact(document))
    filled = {"status": "ready", "version": 1, "created_at": NOW, "updated_at": NOW}
    draft.nodes = [filled | row for row in draft.nodes]  # as adding fills them in
    found = [document for section in printed(draft).values() for document in section]
    assert [exact(document)] == [exact(one) for one in found]


def test_changed_fields_are_printed() -> None:
    """`touched` names what an export must add; a changed time no longer has its old text."""
    row = take(exact(make_node(created_at="2025-01-27T10:30:00+01:00", status=None))).nodes[0]
    row |= {"status": "completed", "version": 1, "touched": ["status", "exec_target"]}
    row |= {"exec_target": "x", "created_at": "2026-01-01T00:00:00Z"}
    expected = make_node(created_at="2026-01-01T00:00:00Z", status="completed", exec_target="x")
    assert exact(expected) == exact(exchange.node_document(row))


def test_rows_without_layout_are_printed_in_the_order_of_001() -> None:
    """What came through the API prints all its fields, and none of ours."""
    row = {"version": 1, "extra": {"x": 1}, **make_node(), "status": "ready", "revision": 3}
    document = exchange.node_document(row | {"status_reason": "r"}, "p", ["c"])
    assert list(document) == [
        *("id", "kind", "summary", "prompt_text", "parent", "children", "status", "version", "x")
    ]
    edge = make_edge("a", "b", origin="derived", tags=["t", "u"], closes_cycle=True, version=1)
    assert exchange.edge_document(edge) == {
        "src": "a",
        "dst": "b",
        "type": "hard_requires",
        "score": None,
        "evidence": "b requires 't, u' which a produces",
        "provenance": {"created_by": "edge_engine", "source": "requires_produces_match"},
        "version": 1,
    }
    related = exchange.edge_document(make_edge("a", "b", "related", kind="tracks", version=1))
    assert list(related) == ["src", "dst", "type", "kind", "version"]


def test_edge_lists_keep_their_order() -> None:
    """Edges of all types come back in the document's order, families included."""
    edges = [
        make_edge("a", "b"),
        make_edge("a", "c", "derived_from", evidence="e"),
        make_edge("c", "b", "soft_semantic", score=0.9),
        make_edge("a", "b", "derived_from"),
    ]
    nodes = [make_node("a", children=["c"]), make_node("b", parent="a"), make_node("c")]
    document = {"nodes": nodes, "edges": edges, "journal": []}
    draft = take(exact(document))
    assert draft.edges[1]["said"] == ["children", "edge"]
    assert draft.edges[1]["position"] == 0
    assert exact(document) == exact(printed(draft))


def test_an_edge_against_the_tags_is_turned_round() -> None:
    """The tags decide, a warning says so, and export prints what came."""
    nodes = [make_node("a", requires=["t"]), make_node("b", produces=["t"])]
    draft = take(exact({"nodes": nodes, "edges": [make_edge("a", "b")]}))
    edge = draft.edges[0]
    assert (edge["src"], edge["dst"], edge["reversed"]) == ("b", "a", True)
    assert "turned round" in draft.warnings[0].reason
    assert draft.lines["edge hard_requires b a"] == 1
    assert printed(draft)["edges"] == [make_edge("a", "b")]
    kept = take(exact({"nodes": nodes, "edges": [make_edge("b", "a"), make_edge("a", "b")]}))
    assert [(e["src"], e["dst"], e.get("reversed")) for e in kept.edges] == [("b", "a", None)]
    both = [
        make_node("a", requires=["t"], produces=["u"]),
        make_node("b", produces=["t"], requires=["u"]),
    ]
    assert not take(exact({"nodes": both, "edges": [make_edge("a", "b")]})).warnings


def test_two_soft_directions_become_one() -> None:
    """The higher score stays, with the src and dst it came with."""
    low, high = (
        make_edge("a", "b", "soft_semantic", score=0.8),
        make_edge("b", "a", "soft_semantic", score=0.9),
    )
    draft = take(exact([low, high]))
    assert [(e["src"], e["dst"], e["score"]) for e in draft.edges] == [("b", "a", 0.9)]
    assert len(draft.warnings) == 1


def test_the_same_twice_is_a_warning_and_differing_is_refused() -> None:
    """Nodes, edges and runs: alike once more is one; another content is a violation with lines."""
    run = json.loads(RUN)
    alike = [
        make_node(),
        {"summary": "s", **make_node()},
        make_edge("a", "b"),
        make_edge("a", "b"),
        run,
        run,
    ]
    draft = take(jsonl(*alike))
    assert (
        len(draft.nodes),
        len(draft.edges),
        len(draft.runs),
        len(draft.warnings),
    ) == (1, 1, 1, 3)
    other = [make_node(summary="t"), make_edge("a", "b", evidence="e"), {**run, "goal": "g"}]
    found = refused(jsonl(*alike, *other))
    assert sorted({v["line"] for v in found} - {8}) == [7, 9]
    assert "from line 1" in found[0]["reason"]
    assert 8 in [v["line"] for v in found]


def test_every_violation_is_listed_with_its_path() -> None:
    """All fields, with the line in JSONL and the path in one document."""
    bad = make_node("b", requires=[5], status="done", created_at="2025-01-27T10:30:00")
    found = refused(
        json.dumps({"nodes": [make_node(), bad], "edges": [make_edge("a", "a")]}, indent=1)
    )
    assert [f["reason"].split(":")[0] for f in found] == [
        *("nodes[1].requires[0]", "nodes[1].status", "nodes[1].created_at", "edges[0].dst")
    ]
    assert found[0]["line"] == 9
    assert found[0]["id"] == "b"
    by_line = refused(jsonl(make_node(), bad, make_edge("a", "b", "loves"), {"kind": "x"}, 5))
    assert [f["line"] for f in by_line] == [2, 2, 2, 3, 4, 5]
    assert by_line[0]["reason"].startswith("requires[0]: expected text, found 5")


def test_at_most_a_thousand_violations_are_listed() -> None:
    """A hopeless file ends early."""
    assert len(refused(jsonl(*({"id": ""} for _ in range(600))))) == 1000


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (b"", None, "an empty file"),
        (b" \n\n", None, "an empty file"),
        (b"\x7fELF\0\0", 1, "binary"),
        (b"\xff\xfe{\0}\0", 1, "UTF-16"),
        (exact(make_node("é")).encode("latin-1") + b"\n\xe9", 2, "0xe9"),
        ('{"id": "é"}'.encode("latin-1"), 1, "0xe9"),
        (NODE[:300], 8, "the end of the file"),
        (NODE[:-2] + ",}", 24, "JSON"),
        (jsonl(make_node()) + NODE.replace("\n", "")[:200], 2, "the end of the line"),
        (jsonl(make_node()) + "nonsense\n", 2, "JSON"),
        (jsonl(make_node()) + "<<<<<<< HEAD\n" + jsonl(make_node("b")), 2, "merge-conflict"),
        ("<<<<<<< HEAD\n" + jsonl(make_node("b")), 1, "merge-conflict"),
        ("[\n<<<<<<< HEAD\n" + NODE + "]", 2, "merge-conflict"),
        (
            '{"id": "a", "kind": "k", "kind": "j", "summary": "s", "prompt_text": "p"}',
            1,
            '"kind" twice',
        ),
        ('{"nodes": [],\n"nodes": []}', 1, '"nodes" twice'),
        (exact(make_node(x=1))[:-2] + "NaN}", 1, "NaN"),
        (exact(make_node(x=1))[:-2] + "1e999}", 1, "inf"),
        (exact(make_node(x=1))[:-2] + "9" * 20 + "}", 1, "2^53"),
        (exact(make_node(x=1))[:-2] + "9" * 5000 + "}", 1, "JSON"),
        (exact(make_node(x="\ud800")), 1, "surrogate"),
        ("[" * 100_000, 1, "nested too deeply"),
        (exact(make_node(x=1))[:-2] + "[" * 500 + "]" * 500 + "}", 1, "64 levels"),
        (exact(make_node(requires=1))[:-2] + "[" * 500 + "]" * 500 + "}", 1, "expected"),
        ('"text"', 1, "expected an object"),
        ("{}", 1, "found an object"),
        ("hello", 1, "expected JSON"),
        (exact({"nodes": {"a": 1}}), 1, "nodes: expected a list"),
        (exact({"nodes": [], "version": 2}), 1, "newer than 1"),
        (exact(make_node(version=2)), 1, "newer than 1"),
        (exact(make_node("x" * 2000)), 1, "1 to 1000 bytes"),
        (exact(make_node(tags=["t"] * 10_000)), 1, "at most 1000 items"),
        (exact(make_node(prompt_text="é" * 600_000)), 1, "at most 1048576 bytes"),
        (exact(make_edge("a", "b", "related", kind=5)), 1, "kind: expected text"),
        (exact(make_node(parent="a")), 1, "its own parent"),
        (exact({"event": "", "timestamp": "2025-01-27T10:30:00Z", "data": {}}), 1, "event"),
        (exact({"event": "x", "timestamp": "yesterday", "data": {}}), 1, "timestamp"),
    ],
)
def test_bad_input_is_named(text: str | bytes, line: int | None, words: str) -> None:
    """A clear violation with its line, what was expected and what was found."""
    found = refused(text)
    assert words in found[0]["reason"]
    assert line == found[0]["line"]


def test_limits_of_a_file_and_of_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than may be read is refused before it is parsed."""
    monkeypatch.setattr(source, "LINE_BYTES", 100)
    assert "at most 100 bytes" in refused(jsonl(make_node(), make_node("b" * 200)))[0]["reason"]
    monkeypatch.setattr(source, "FILE_BYTES", 100)
    with pytest.raises(LimitExceeded, match="at most 100 bytes"):
        take(NODE)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A path that cannot be read is named."""
    with pytest.raises(Invalid, match=r"none\.json: cannot be read"):
        exchange.read(tmp_path / "none.json")
    with pytest.raises(Invalid, match=r"expected a \.gotn folder"):
        exchange.read(tmp_path)
    with pytest.raises(Invalid, match="format: expected one of"):
        take(NODE, format="taskmaster")


def test_a_byte_order_mark_and_windows_lines_are_tolerated() -> None:
    """Editors add both."""
    text = (jsonl(make_node(), make_node("b"))).replace("\n", "\r\n").encode("utf-8-sig")
    assert len(take(text).nodes) == 2
    assert len(take(NODE.encode("utf-8-sig")).nodes) == 1


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` reads it, and messages call it so."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"{")))
    with pytest.raises(BadDocument, match="standard input: line 1"):
        exchange.read("-")


def test_any_unicode_is_an_id() -> None:
    """Ids are kept as they are."""
    ids = ["日本", "🧪 a/b%2F", "a\tb\n", "é", "e\u0301", " x"]
    draft = take(jsonl(*(make_node(id_) for id_ in ids)))
    assert ids == [row["id"] for row in draft.nodes]


def test_a_second_parent_and_a_cycle_are_refused_with_lines() -> None:
    """One parent a node, and nothing above itself."""
    two = refused(jsonl(make_node("p", children=["c"]), make_node("c", parent="q")))
    assert "expected one parent" in two[0]["reason"]
    assert "line 2" in two[0]["reason"]
    assert two[0]["line"] == 1
    round_ = refused(jsonl(make_node("a", parent="b"), make_node("b", parent="a")))
    assert "a cycle (lines 1, 2)" in round_[0]["reason"]
    edges = refused(jsonl(make_edge("p", "c", "derived_from"), make_edge("q", "c", "derived_from")))
    assert "edge: expected one parent" in edges[0]["reason"]


def test_our_own_journal_is_replayed_not_imported() -> None:
    """The message names the command."""
    line = {
        "seq": 1,
        "event": "add_node",
        "timestamp": "2025-01-27T10:30:00Z",
        "data": {},
        "hash": "0",
    }
    assert "gotn journal replay" in refused(jsonl(line, line))[0]["reason"]


def entry(event: str, data: Any, second: int = 0) -> dict[str, Any]:
    """A journal entry of 001."""
    return {"event": event, "timestamp": f"2025-01-27T10:30:{second:02d}Z", "data": data}


def test_a_journal_is_folded_and_kept() -> None:
    """Later entries win by id; what is missing is warned of; the entries stay whole."""
    entries = [
        entry("workspace_initialized", {}),
        entry("add_node", {"node": make_node("a", guards=["g"], status="ready")}),
        entry("update_node", {"id": "a", "changes": {"status": "completed", "guards": None}}),
        entry("add_node", {"id": "b", "kind": "k", "parent": "a"}),
        entry("add_node", make_node("gone")),
        entry("remove_node", {"node": {"id": "gone"}}),
        entry("add_edge", {"edge": make_edge("a", "b", score=None)}),
        entry("start_run", {"run": json.loads(RUN)}),
        entry("execute_step", {"node_id": "a"}),
        entry("dance", {}),
    ]
    draft = take(jsonl(*entries))
    assert entries == draft.journal
    assert [(r["id"], r.get("status")) for r in draft.nodes] == [("a", "completed"), ("b", None)]
    assert "guards" not in draft.nodes[0]
    assert {"hard_requires", "derived_from"} == {e["type"] for e in draft.edges}
    assert len(draft.runs) == 1
    reasons = [(w.line, w.reason) for w in draft.warnings]
    assert (4, "recovered without summary, prompt_text") in reasons
    assert (10, 'the event "dance" is kept, and changes nothing here') in reasons


def test_a_documents_own_word_beats_its_journal() -> None:
    """The journal fills in what the document does not say."""
    told = make_node("a", summary="old", guards=["g"], exec_target="t", parent="old")
    document = {
        "nodes": [make_node("a", summary="new", exec_target=None, parent="new")],
        "journal": [entry("add_node", {"node": told}), entry("add_node", {"node": make_node("b")})],
    }
    draft = take(exact(document))
    first = draft.nodes[0]
    assert (first["summary"], first["guards"], first.get("exec_target")) == ("new", ["g"], None)
    assert [row["id"] for row in draft.nodes] == ["a", "b"]
    assert [edge["src"] for edge in draft.edges] == ["new"]
    assert document["nodes"][0] == printed(draft)["nodes"][0]


def test_what_a_journal_hides_is_skipped_with_its_line() -> None:
    """Recovery goes on past every unreadable entry and field."""
    entries: list[Any] = [
        5,
        entry("add_node", {"node": {"kind": "k"}}),
        entry("add_node", {"node": make_node("a", requires=5)}),
        entry("add_edge", {"edge": make_edge("a", "a")}),
        entry("add_edge", {"nothing": 1}),
        entry("add_node", {"node": make_node("b", parent="a")}),
        entry("add_node", {"node": make_node("c", children=["b"])}),
    ]
    draft = exchange.fold_original(entries, lines=range(1, 8), name="log")
    assert [row["id"] for row in draft.nodes] == ["a", "b", "c"]
    assert [found.line for found in draft.skipped] == [1, 2, 5, 3, 4, 7]
    assert all(found.reason.startswith("log: ") for found in draft.skipped)
    assert [(edge["src"], edge["dst"]) for edge in draft.edges] == [("a", "b")]


def test_entries_of_ours_are_printed_as_001_prints_them() -> None:
    """One object an item, without our keys; what an update takes away is null."""
    items = [
        {"node": {**make_node(), "revision": 2, "status_reason": "r"}},
        {"edge": make_edge("a", "b", origin="explicit")},
    ]
    found = list(exchange.journal_documents("add_node", "2026-01-01T00:00:00Z", {"items": items}))
    assert {"event", "timestamp", "data"} == found[0].keys()
    assert make_node() == found[0]["data"]["node"]
    assert make_edge("a", "b") == found[1]["data"]["edge"]
    update = {"items": [{"node": {"id": "a", "guards": None}}]}
    (one,) = exchange.journal_documents("update_node", "2026-01-01T00:00:00Z", update)
    assert one["data"]["node"] == {"id": "a", "guards": None}
    (first,) = exchange.journal_documents(
        "workspace_initialized", "2026-01-01T00:00:00Z", {"items": [], "project": "p"}
    )
    assert first["data"] == {"project": "p"}


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
    assert [w.reason for w in draft.warnings] == ["recovered without prompt_text"]


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


@pytest.mark.parametrize("version", [2, "2.0", "2"])
def test_a_newer_folder_is_refused(tmp_path: Path, version: Any) -> None:
    """A schema that this program does not know is left alone."""
    folder = make_folder(tmp_path, meta__json=exact({"version": version}))
    with pytest.raises(BadDocument, match="newer than 1"):
        exchange.read(folder)


def make_issue(id_: str = "bd-1", **more: Any) -> dict[str, Any]:
    """A beads issue."""
    return {"id": id_, "title": "T", "status": "open", "issue_type": "bug", **more}


def depends(on: str, type_: str = "blocks", **more: Any) -> dict[str, Any]:
    """A dependency of bd-1."""
    return {"issue_id": "bd-1", "depends_on_id": on, "type": type_, **more}


def test_a_beads_issue_becomes_a_node() -> None:
    """Every key goes where the mapping says, the others to extra."""
    issue = make_issue(
        description="",
        acceptance_criteria="## Exit\n- [ ] one\n2. two\n\nthree",
        labels=["l"],
        priority=2,
        version="9",
        estimated_minutes=30,
        created_at="2026-02-16T17:42:04.903893123-08:00",
    )
    assert take(jsonl(issue)).nodes == [
        {
            "id": "bd-1",
            "kind": "bug",
            "summary": "T",
            "prompt_text": "T",
            "tags": ["l"],
            "success_criteria": ["one", "two", "three"],
            "provenance": {"created_by": "beads", "source": "issues.jsonl"},
            "created_at": "2026-02-17T01:42:04.903893Z",
            "extra": {
                "acceptance_criteria": "## Exit\n- [ ] one\n2. two\n\nthree",
                "priority": 2,
                "beads_version": "9",
                "estimated_minutes": 30,
                "estimate_minutes": 30,
            },
            "status": "ready",
            "estimate_minutes": 30.0,
        }
    ]


def test_beads_statuses() -> None:
    """Each status has its own; tombstones are left out and listed."""
    names = ["in_progress", "hooked", "closed", "blocked", "deferred", "pinned", "tombstone", "odd"]
    draft = take(jsonl(*(make_issue(name, status=name) for name in names)))
    assert [(row["id"], row["status"], row.get("status_reason")) for row in draft.nodes] == [
        ("in_progress", "running", None),
        ("hooked", "running", "beads: hooked"),
        ("closed", "completed", None),
        ("blocked", "blocked", "beads: blocked"),
        ("deferred", "skipped", "beads: deferred"),
        ("pinned", "skipped", "beads: pinned"),
        ("odd", "ready", 'beads: "odd"'),
    ]
    assert [(s.line, s.id, s.reason) for s in draft.skipped] == [(7, "tombstone", "a tombstone")]


def test_beads_dependencies() -> None:
    """Directions, kinds, the first parent, and the others kept in two places."""
    listed = [
        depends("x"),
        depends("y", "blocked-by"),
        depends("p", "parent-child", created_at="2026-01-01T00:00:00.000000001Z"),
        depends("q", "parent-child"),
        depends("z", "tracks", metadata="{}"),
        depends("x"),
    ]
    draft = take(jsonl(make_issue(dependencies=listed, parent="p")))
    assert [(e["type"], e["src"], e["dst"], e.get("kind")) for e in draft.edges] == [
        ("hard_requires", "x", "bd-1", None),
        ("hard_requires", "bd-1", "y", None),
        ("derived_from", "p", "bd-1", None),
        ("related", "bd-1", "q", "parent-child"),
        ("related", "bd-1", "z", "tracks"),
    ]
    assert draft.edges[2]["said"] == ["edge", "parent"]
    assert draft.nodes[0]["extra"]["other_parents"] == ["q"]
    assert len(draft.warnings) == 2


def test_beads_parents_in_a_circle_lose_one() -> None:
    """What would stand above itself is kept aside with a warning."""
    one = make_issue("a", dependencies=[{"depends_on_id": "b", "type": "parent-child"}])
    two = make_issue("b", parent="a")
    draft = take(jsonl(one, two))
    assert [(e["type"], e["src"], e["dst"]) for e in draft.edges] == [
        ("derived_from", "b", "a"),
        ("related", "b", "a"),
    ]
    assert draft.nodes[1]["extra"] == {"other_parents": ["a"]}


def test_bad_beads_issues_are_listed() -> None:
    """Self-dependencies, wrong types, doubles and strangers, each with its line."""
    found = refused(
        jsonl(
            make_issue(),
            make_issue(description="other"),
            make_issue("b", labels=[5], dependencies=[]),
            make_issue("c", dependencies=[{"depends_on_id": "c"}, {"type": "blocks"}, 5]),
            {"x": 1},
        )
    )
    assert [violation["line"] for violation in found] == [2, 3, 4, 4, 4, 5]
    assert found[3]["reason"].startswith("dependencies[1].depends_on_id")


DATA = Path(os.environ.get("GOTN_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))


@pytest.mark.skipif(
    not DATA.is_dir() and "GOTN_SHARED_DATA" not in os.environ,
    reason="the folder of real data (GOTN_SHARED_DATA) is not there",
)
@pytest.mark.parametrize(
    ("name", "nodes", "edges", "dangling"),
    [("beads.issues.jsonl", 704, 745, 30), ("tugtool.issues.jsonl", 160, 274, 8)],
)
def test_real_beads_files(name: str, nodes: int, edges: int, dangling: int) -> None:
    """Counts of real files; the same again gives the same; export and import agree."""
    draft = exchange.read(DATA / "beads" / name)
    ids = {row["id"] for row in draft.nodes}
    hanging = [e for e in draft.edges if not {e["src"], e["dst"]} <= ids]
    assert (nodes, edges, dangling) == (len(draft.nodes), len(draft.edges), len(hanging))
    assert draft == exchange.read(DATA / "beads" / name)
    text = "".join(exchange.write(draft.nodes, draft.edges, style="jsonl"))
    again = take(text)
    assert text == "".join(exchange.write(again.nodes, again.edges, style="jsonl"))
    assert Counter(e["type"] for e in draft.edges) == Counter(e["type"] for e in again.edges)


names = st.text(min_size=1, max_size=8).filter(str.strip)
leaves = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
times = st.sampled_from(
    [
        "2025-01-27T10:30:00Z",
        "2025-01-27T10:30:00.5Z",
        "2025-01-27T10:30:00.500+01:00",
        "0001-01-02T00:00Z",
    ]
)
tag_lists = st.none() | st.lists(names, max_size=3)
node_fields = {
    "requires": tag_lists,
    "produces": tag_lists,
    "tags": tag_lists,
    "exec_target": st.none() | st.text(max_size=5),
    "guards": st.none() | st.lists(st.text(max_size=5), max_size=2),
    "artifacts": st.none() | st.dictionaries(st.text(max_size=4), leaves, max_size=2),
    "status": st.none() | st.sampled_from(["ready", "completed", "failed"]),
    "version": st.none() | st.just(1),
    "created_at": st.none() | times,
    "updated_at": st.none() | times,
}


@st.composite
def shuffled(draw: st.DrawFn, needed: dict[str, Any], optional: dict[str, Any]) -> dict[str, Any]:
    """A document with any of the optional fields and unknown keys, in any order."""
    document = draw(st.fixed_dictionaries(needed, optional=optional))
    known = {*needed, *optional, "parent", "children", "title", "type", "kind", "src", "dst", "id"}
    reserved = known | {"embedding", "event", "seq", "nodes", "score", "origin", "success_criteria"}
    reserved |= {"embedding_ref", "provenance", "ordered_node_ids", "evidence"}
    more = draw(
        st.dictionaries(st.text(max_size=6).filter(lambda k: k not in reserved), leaves, max_size=3)
    )
    items = draw(st.permutations([*document.items(), *more.items()]))
    return dict(items)


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, Any]:
    """A document of lists whose tags contradict no edge and whose families are trees."""
    ids = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    nodes = []
    for n, id_ in enumerate(ids):
        fixed = {k: st.just(v) for k, v in make_node(id_).items()}
        node = draw(shuffled(fixed, node_fields))
        if n and draw(st.booleans()):
            node["parent"] = ids[draw(st.integers(0, n - 1))]
        nodes.append(node)
    for node in nodes:
        if draw(st.booleans()):
            own = [other["id"] for other in nodes if other.get("parent") == node["id"]]
            node["children"] = (
                draw(st.permutations(own)) if own else draw(st.sampled_from([None, []]))
            )
    edges = []
    for src, dst in draw(
        st.lists(
            st.sampled_from([(a, b) for a in ids for b in ids if a < b] or [("x", "y")]),
            max_size=4,
            unique=True,
        )
    ):
        ends = {"src": st.just(src), "dst": st.just(dst)}
        types = st.sampled_from(["soft_semantic", "soft_order", "related"])
        score = st.none() | st.floats(0, 1) | st.sampled_from([0, 1])
        more = {"score": score, "created_at": st.none() | times, "evidence": st.text(max_size=4)}
        edges.append(draw(shuffled({**ends, "type": types}, more)))
    runs = [
        draw(
            shuffled(
                {"id": names, "ordered_node_ids": st.just(ids)},
                {"created_at": times, "goal": st.text(max_size=4)},
            )
        )
    ]
    return {"nodes": nodes, "edges": edges, "runs": runs, "journal": []}


@settings(max_examples=120, deadline=None)
@given(graphs(), st.sampled_from(["gotn", "jsonl"]))
def test_any_document_comes_back(graph: dict[str, Any], style: str) -> None:
    """Read, write, read, write: equal to the first, key order and all, in both styles."""
    draft = take(exact(graph))
    assert exact(graph) == exact(printed(draft))
    text = "".join(exchange.write(draft.nodes, draft.edges, draft.runs, style=style))
    again = take(text)
    assert exact(printed(draft)) == exact(printed(again))


@settings(max_examples=150, deadline=None)
@given(
    st.binary(max_size=60) | st.text(max_size=60).map(lambda t: t.encode(errors="surrogatepass"))
)
def test_no_bytes_break_the_reader(data: bytes) -> None:
    """Whatever comes, the answer is a draft or an error of ours."""
    try:
        draft = exchange.read(io.BytesIO(data))
    except Invalid:
        return
    assert draft == exchange.read(io.BytesIO(data))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([NODE, EDGE, RUN, ENTRY]), st.data())
def test_no_half_file_breaks_the_reader(text: str, data: st.DataObject) -> None:
    """Every beginning of a document is refused, with a line."""
    cut = data.draw(st.integers(1, len(text) - 1))
    assert all(found["reason"] for found in refused(text[:cut]))


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([NODE, EDGE, RUN, ENTRY]), leaves, st.data())
def test_no_wrong_value_breaks_the_reader(text: str, value: Any, data: st.DataObject) -> None:
    """Any JSON at any key is taken or refused by name, never more."""
    document = json.loads(text)
    key = data.draw(st.sampled_from(sorted(document)))
    document[key] = value
    with contextlib.suppress(BadDocument):
        found = [one for section in printed(take(exact(document))).values() for one in section]
        assert exact(document) in [exact(one) for one in found]


@pytest.mark.parametrize("nodes", [1, 2])
def test_a_document_may_have_an_entity_a_line(tmp_path: Path, nodes: int) -> None:
    """A document whose lists have one object a line is not taken for JSONL."""
    rows = ",\n".join(json.dumps(make_node(f"n{i}")) for i in range(nodes))
    file = tmp_path / "plan.json"
    file.write_text('{"nodes": [\n' + rows + "\n]}\n")
    assert nodes == len(exchange.read(file).nodes)


def test_a_node_held_by_a_failed_one_is_printed_as_ready() -> None:
    """Being held is a state of the graph; the document said ready, and gets that back."""
    row = {"id": "a", "status": "blocked", "blocked_by": "b", "layout": {"keys": ["id", "status"]}}
    assert exchange.node_document(row) == {"id": "a", "status": "ready"}
