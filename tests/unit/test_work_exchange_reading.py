"""Documents in: what is taken, what is put right, and how everything bad is named."""

import gzip
import io
import json
from pathlib import Path

import pytest
from documents import (
    EDGE,
    ENTRY,
    NODE,
    RUN,
    exact,
    jsonl,
    make_edge,
    make_node,
    printed,
    refused,
    take,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from gotn.errors import BadDocument, Invalid, LimitExceeded
from gotn.work import exchange
from gotn.work.exchange import parsing, source


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


def test_an_edge_of_the_engine_that_the_tags_confirm_is_derived() -> None:
    """Its tags are sorted, what it says stays; without its nodes, or their tags, it is explicit."""
    edge = json.loads(EDGE)
    nodes = [
        make_node("setup_web_server", produces=["z", "a", "x"]),
        make_node("setup_database", requires=["a", "z"]),
    ]
    draft = take(exact({"nodes": nodes, "edges": [edge]}))
    assert (draft.edges[0]["origin"], draft.edges[0]["tags"]) == ("derived", ["a", "z"])
    assert exact(edge) == exact(printed(draft)["edges"][0])
    stated = edge | {"provenance": {"created_by": "somebody"}}
    del nodes[1]["requires"]
    for document in ({"edges": [edge]}, {"nodes": nodes, "edges": [edge]}, {"edges": [stated]}):
        found = take(exact(document)).edges[0]
        assert (found["origin"], "tags" in found) == ("explicit", False)


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
    long = refused(jsonl(make_node(), make_node("b" * 200)))
    assert "at most 100 bytes" in long[0]["reason"]
    assert "one entity a line" in long[0]["reason"]
    monkeypatch.setattr(source, "FILE_BYTES", 100)
    with pytest.raises(LimitExceeded, match=r"at most 100 bytes, found more\. Split it"):
        take(NODE)


@pytest.mark.parametrize("form", ["document", "lines"])
def test_a_large_file_is_read_as_a_small_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, form: str
) -> None:
    """Mapped into memory and read piece by piece: the same rows, and the same lines of errors."""
    some = [make_node(f"é{i}", summary="→" * 9) for i in range(9)]
    if form == "document":
        text = json.dumps({"nodes": some, "edges": []}, indent=1, ensure_ascii=False)
    else:
        text = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in some)
    path = tmp_path / "large.json"
    damaged = tmp_path / "damaged.json"
    for mark in (b"", b"\xef\xbb\xbf"):
        path.write_bytes(mark + text.encode())
        at = text.encode().index("é5".encode())
        damaged.write_bytes(mark + text.encode()[:at] + b"\xff" + text.encode()[at:])
        small = exchange.read(path)
        with pytest.raises(BadDocument) as before:
            exchange.read(damaged)
        with monkeypatch.context() as patch:
            patch.setattr(source, "MAPPED", 16)
            patch.setattr(parsing, "LEAN", 16)
            assert small == exchange.read(path)
            assert [f"é{i}" for i in range(9)] == [row["id"] for row in small.nodes]
            with path.open("rb") as stream:
                assert small == exchange.read(stream)
            with pytest.raises(BadDocument) as after:
                exchange.read(damaged)
        assert before.value.facts == after.value.facts
        assert "0xff" in after.value.facts["violations"][0]["reason"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A path that cannot be read is named."""
    with pytest.raises(Invalid, match=r"none\.json: cannot be read"):
        exchange.read(tmp_path / "none.json")
    with pytest.raises(Invalid, match=r"expected a \.gotn folder"):
        exchange.read(tmp_path)
    with pytest.raises(Invalid, match="format: expected one of"):
        take(NODE, format="yaml")


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


@pytest.mark.parametrize("nodes", [1, 2])
def test_a_document_may_have_an_entity_a_line(tmp_path: Path, nodes: int) -> None:
    """A document whose lists have one object a line is not taken for JSONL."""
    rows = ",\n".join(json.dumps(make_node(f"n{i}")) for i in range(nodes))
    file = tmp_path / "plan.json"
    file.write_text('{"nodes": [\n' + rows + "\n]}\n")
    assert nodes == len(exchange.read(file).nodes)


def test_many_conflict_markers_are_counted_in_one_pass() -> None:
    """Each has its own line, however many lines stand before it."""
    found = refused("\n" * 5000 + "<<<<<<< a\n=======\n" * 300 + "{}")
    assert [5001, 5002, 5600] == [found[0]["line"], found[1]["line"], found[599]["line"]]


@pytest.mark.parametrize(
    "text",
    ['{"a\ud800": {"tasks": [{"id": 1, "title": "x"}]}}', '{"a\\x": 1}', '"' + '\\"' * 40_000],
    ids=["half a character", "a bad escape", "a text without end"],
)
def test_damaged_tasks_are_told_at_once(text: str) -> None:
    """As violations that any answer can carry."""
    found = refused(text.encode("utf-8", "surrogatepass"), format="taskmaster")
    assert found
    json.dumps(found, ensure_ascii=False).encode()


def test_half_a_character_in_a_tag_is_told() -> None:
    """Escaped in sound JSON, it is shown by its number."""
    found = refused('{"a\\ud800": {"tasks": [{"id": 1, "title": "x"}]}}', format="taskmaster")
    json.dumps(found, ensure_ascii=False).encode()
    assert any("ud800" in str(one) for one in found)


def test_a_packed_file_is_named() -> None:
    """What to do with it is said, not that it has a zero byte."""
    found = refused(gzip.compress(NODE.encode()))
    assert "expected JSON, found gzip; unpack it first" == found[0]["reason"]


@pytest.mark.parametrize("format_", ["auto", "beads", "gotn"])
def test_beads_history_is_told_as_what_it_is(format_: str) -> None:
    """One violation, not thousands that all miss what a change does not have."""
    event = {"op": "add_node", "id": "bd-1", "title": "T", "status": "open", "ts": "2025-10-12"}
    found = refused(jsonl(event, {**event, "op": "update_node"}), format=format_)
    assert [1] == [one["line"] for one in found]
    assert "a change of beads' history" in found[0]["reason"]


def test_violations_stand_by_their_lines() -> None:
    """Those that are found late, such as a second parent, stand where they are in the file."""
    found = refused(
        jsonl(make_node("p", children=["c"]), make_node("c", parent="q"), make_node("x", tags=5))
    )
    lines = [one["line"] for one in found]
    assert lines == sorted(lines)
    assert 1 < len(lines)
