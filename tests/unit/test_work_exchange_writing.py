"""Documents out: every example of 001 and random documents come back as they came."""

import contextlib
import json
from typing import Any

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

from gotn.errors import BadDocument
from gotn.work import exchange

NOW = "2026-01-01T00:00:00Z"


REFERENCE = '{"embedding_ref": {"collection": "gotn_nodes", "id": "vec_abc123"}}'


VECTOR = '{"id": "vec_abc123", "project_id": "demo", "embedding": [0.1, -0.3, 0.7, ...]}'


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


def test_a_node_held_by_a_failed_one_is_printed_as_ready() -> None:
    """Being held is a state of the graph; the document said ready, and gets that back."""
    row = {"id": "a", "status": "blocked", "blocked_by": "b", "layout": {"keys": ["id", "status"]}}
    assert exchange.node_document(row) == {"id": "a", "status": "ready"}
