"""Journals of the original program in, and entries of ours out."""

import json
from typing import Any

from documents import RUN, entry, exact, jsonl, make_edge, make_node, printed, refused, take

from gotn.work import exchange


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
