from datetime import UTC, datetime
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from gotn import shapes
from gotn.errors import Invalid
from gotn.work.records import (
    BlockedNode,
    CriticalPath,
    EdgeOrigin,
    EdgeType,
    Impact,
    NodeStatus,
    Plan,
    PlannedStep,
    StatusCount,
    UnmetRequirement,
    WorkEdge,
    WorkNode,
)
from gotn.work.rules import forms

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NAMES = st.lists(TEXT, max_size=3).map(tuple)
WHOLE = st.integers(-(2**53) + 1, 2**53 - 1)
LEAF = st.recursive(
    st.none() | st.booleans() | WHOLE | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
TIMES = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001

NODES = st.builds(
    WorkNode,
    id=TEXT,
    project_id=TEXT,
    status=st.sampled_from(NodeStatus),
    requires=NAMES,
    children=NAMES,
    parent=st.none() | TEXT,
    extra=LEAF,
    guards=LEAF,
    estimate_minutes=st.none() | st.floats(0, 1e6),
    created_at=st.none() | TIMES,
)
EDGES = st.builds(
    WorkEdge,
    src=TEXT,
    dst=TEXT,
    project_id=TEXT,
    type=st.sampled_from(EdgeType),
    origin=st.none() | st.sampled_from(EdgeOrigin),
    tags=NAMES,
    closes_cycle=st.booleans(),
    created_at=st.none() | TIMES,
)
PLANS = st.builds(
    Plan,
    run_id=st.none() | TEXT,
    project_id=TEXT,
    goal=TEXT,
    layers=st.lists(NAMES, max_size=3).map(tuple),
    ordered_node_ids=NAMES,
    ordering_reason=TEXT,
    steps=st.lists(
        st.builds(
            PlannedStep,
            id=TEXT,
            summary=TEXT,
            position=WHOLE,
            layer=WHOLE,
            slack=st.floats(0, 9),
            weight=st.floats(0, 9),
            ready=st.booleans(),
        ),
        max_size=2,
    ).map(tuple),
    unmet=st.lists(st.builds(UnmetRequirement, tag=TEXT, nodes=NAMES), max_size=2).map(tuple),
    blocked=st.lists(st.builds(BlockedNode, id=TEXT, path=NAMES), max_size=2).map(tuple),
    critical_path=st.builds(CriticalPath, node_ids=NAMES, length=st.floats(0, 9), unit=TEXT),
)
IMPACTS = st.builds(
    Impact,
    id=TEXT,
    direct=NAMES,
    dependants=WHOLE,
    by_status=st.lists(
        st.builds(StatusCount, status=st.sampled_from(NodeStatus), count=WHOLE), max_size=2
    ).map(tuple),
    sole_tags=NAMES,
    runs=NAMES,
)


@given(NODES | EDGES | PLANS | IMPACTS)
def test_a_record_comes_back_from_its_plain_form(record: Any) -> None:
    """Through JSON too, since that is how an idempotency key keeps an answer."""
    plain = shapes.loads(shapes.dumps(shapes.plain(record)))
    assert record == shapes.build(type(record), plain)


@given(TIMES)
def test_a_moment_comes_back_from_its_text(moment: datetime) -> None:
    """To the microsecond, and its text is its own normal form."""
    text = shapes.iso(moment)
    assert moment == shapes.moment(text)
    assert text == forms.time(text, "created_at")


@given(st.text(max_size=30))
def test_any_text_with_a_visible_character_is_an_identifier(text: str) -> None:
    """Every Unicode text but blanks and half characters, unchanged."""
    if any(0xD800 <= ord(c) <= 0xDFFF for c in text) or not text.strip():
        with pytest.raises(Invalid, match=r"^id: "):
            forms.identifier(text, "id")
    else:
        assert text == forms.identifier(text, "id")


@pytest.mark.parametrize(
    ("check", "value", "said"),
    [
        (
            forms.identifier,
            "é" * 501,
            "expected 1 to 1000 bytes that are not all blank, found 1002",
        ),
        (forms.identifier, 5, "expected text, found 5"),
        (forms.identifier, " \n\t", "found 3 bytes"),
        (forms.text, "x" * (forms.TEXT_BYTES + 1), "expected at most 1048576 bytes, found 1048577"),
        (forms.text, "\ud800", "half a character"),
        (forms.text, ["x"], 'expected text, found ["x"]'),
        (forms.identifiers, "abc", 'expected a list, found "abc"'),
        (forms.identifiers, ["a", 1], "[1]: expected text, found 1"),
        (forms.identifiers, ["t"] * 10_000, "expected at most 1000 items, found 10000"),
        (forms.children, ["a", "a"], "named twice"),
        (forms.checks, [{"type": "file"}], "[0]: expected text or {type, value}"),
        (forms.checks, [3], "[0]: expected text or {type, value}, found 3"),
        (forms.mapping, [], "expected an object, found []"),
        (forms.mapping, {"a": float("nan")}, "nan is not a JSON number"),
        (forms.mapping, {"a": [2**60]}, "is beyond 2^53-1"),
        (forms.mapping, {"\udfff": 1}, "half a character"),
        (forms.mapping, {"a": "x" * forms.TEXT_BYTES}, "bytes of JSON"),
        (forms.mapping, {1: 2}, "expected JSON"),
        (forms.status, "done", "expected one of ready, running"),
        (forms.status, ["ready"], "expected one of ready, running"),
        (forms.version, 2, "2 is newer than 1"),
        (forms.version, True, "expected 1, found true"),
        (forms.version, 1.5, "expected 1, found 1.5"),
        (forms.score, 1.01, "expected 0 to 1, found 1.01"),
        (forms.score, float("nan"), "expected 0 to 1"),
        (forms.score, True, "expected 0 to 1, found true"),
        (forms.time, "2025-01-27T10:30:00", "with an offset"),
        (forms.time, "2025-02-30T10:30:00Z", "there is no such time"),
        (forms.time, 12, "expected an ISO 8601 time"),
        (forms.layers, [["a"], "b"], "[1]: expected a list"),
    ],
)
def test_a_bad_value_is_refused_with_field_and_finding(check: Any, value: Any, said: str) -> None:
    """The message begins with the field and says what was expected and found."""
    with pytest.raises(Invalid) as caught:
        check(value, "field")
    assert caught.value.message.startswith("field")
    assert said in caught.value.message


def test_nesting_is_bounded() -> None:
    """Depth cannot exhaust the stack."""
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(Invalid, match="nested deeper than 64"):
        forms.mapping({"a": deep}, "extra")


def test_a_node_document_lists_every_violation() -> None:
    """All at once, each by its field; unknown keys are kept in extra."""
    found = forms.read_node({"id": "", "kind": 3, "summary": "s", "tags": "x", "later": [1]})
    assert ["id", "kind", "tags", "prompt_text"] == [v.split(":")[0] for v in found.violations]
    assert {"later": [1]} == found.row["extra"]


def test_a_layout_keeps_how_a_document_was_written() -> None:
    """Key order, nulls and the text of a time."""
    document = {
        "summary": "s",
        "id": "a",
        "parent": None,
        "created_at": "2025-01-27T11:30:00+01:00",
    }
    found = forms.read_node(document, complete=False)
    assert "2025-01-27T10:30:00Z" == found.row["created_at"]
    assert {
        "keys": list(document),
        "nulls": ["parent"],
        "texts": {"created_at": document["created_at"]},
    } == found.row["layout"]


@pytest.mark.parametrize("minutes", [-1, "5", True, None])
def test_only_a_number_of_minutes_is_an_estimate(minutes: Any) -> None:
    """What is no duration stays in extra and is not computed with."""
    assert "estimate_minutes" not in forms.node_row(
        {"extra": {"estimate_minutes": minutes}}, complete=False
    )


@pytest.mark.parametrize(
    ("given_edge", "said"),
    [
        ({"src": "a", "dst": "a", "type": "hard_requires"}, "cannot be joined to itself"),
        ({"src": "a", "dst": "b", "type": "likes"}, "type: expected one of hard_requires"),
        ({"src": "a", "type": "hard_requires"}, "dst: expected text, found none"),
        ({"src": "a", "dst": "b", "type": "soft_semantic", "score": 7}, "score: expected 0 to 1"),
        ({"src": "a", "dst": "b", "type": 4}, "type: expected text, found 4"),
    ],
)
def test_a_bad_edge_is_refused_by_field(given_edge: dict[str, Any], said: str) -> None:
    """Self-edges, unknown types, missing ends and impossible scores."""
    with pytest.raises(Invalid, match=said):
        forms.edge_row(given_edge)


def test_soft_order_is_related_by_name() -> None:
    """A later original's edge type is kept as a kind."""
    row = forms.read_edge({"src": "a", "dst": "b", "type": "soft_order"}).row
    assert ("related", "soft_order") == (row["type"], row["kind"])
