from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from gotn.errors import Invalid
from gotn.work.rules import fold


def _edge(src: str, dst: str, type_: str = "hard_requires", **more: Any) -> dict[str, Any]:
    return {"type": type_, "src": src, "dst": dst, **more}


def _digest(state: fold.State) -> str:
    return fold.digest(fold.digests(fold.entities(state)))


def test_later_entries_win_by_field() -> None:
    """An update changes what it names, null takes away, a removal ends it."""
    state = fold.State()
    state.apply("add_node", [{"node": {"id": "a", "summary": "one", "parent": None, "kind": "k"}}])
    state.apply("update_node", [{"node": {"id": "a", "summary": "two", "kind": None}}])
    assert {"a": {"id": "a", "summary": "two"}} == state.nodes
    state.apply("remove_node", [{"node": {"id": "a"}}])
    assert {} == state.nodes


def test_settings_are_whole() -> None:
    """The last entry's are the project's."""
    state = fold.State()
    state.apply("update_project", [{"settings": {"a": 1}}])
    state.apply("update_project", [{"settings": {"b": 2}}])
    assert {"b": 2} == state.settings


def test_a_removed_node_takes_its_steps_along() -> None:
    """As DETACH DELETE does in the database."""
    state = fold.State()
    steps = [{"step": {"run": "r", "node": n, "position": i}} for i, n in enumerate("ab")]
    state.apply("start_run", [{"run": {"id": "r"}}, *steps])
    state.apply("remove_node", [{"node": {"id": "a"}}])
    assert [("r", 1)] == list(state.steps)


def test_a_soft_edge_has_no_direction() -> None:
    """Both ways are one edge, from the smaller id; how the document had it is kept."""
    there, back = _edge("a", "b", "soft_semantic"), _edge("b", "a", "soft_semantic")
    assert fold.edge_key(there) == fold.edge_key(back)
    assert ("a", "b") == fold.ends(back)
    assert fold.edge_properties(back) == {"turned": True}


def test_a_child_points_at_its_parent() -> None:
    """derived_from goes from parent to child in documents and the other way in Neo4j."""
    assert ("child", "parent") == fold.ends(_edge("parent", "child", "derived_from"))


def test_a_pending_edge_is_a_node_until_it_joins() -> None:
    """The same edge without `pending` replaces it."""
    state = fold.State()
    state.apply("add_edge", [{"edge": _edge("a", "b", pending=True)}])
    assert ["PendingEdge"] == [identity[0] for identity, _ in fold.entities(state)]
    state.apply("add_edge", [{"edge": _edge("a", "b")}])
    assert ["HARD_REQUIRES"] == [identity[0] for identity, _ in fold.entities(state)]


@given(st.permutations("abcd"), st.permutations([("a", "b"), ("b", "c"), ("a", "d")]))
def test_the_digest_does_not_depend_on_the_order_of_entries(
    nodes: list[str], edges: list[tuple[str, str]]
) -> None:
    """The same entities in any order of arrival, the same digest."""

    def state(names: Any, pairs: Any) -> fold.State:
        made = fold.State()
        made.apply("add_node", [{"node": {"id": n, "requires": ["t", n]}} for n in names])
        made.apply("add_edge", [{"edge": _edge(*pair)} for pair in pairs])
        return made

    expected = state("abcd", [("a", "b"), ("b", "c"), ("a", "d")])
    assert _digest(expected) == _digest(state(nodes, edges))


@given(st.sampled_from(sorted(fold.UNCOUNTED)), st.text(max_size=5))
def test_bookkeeping_is_not_counted(name: str, value: str) -> None:
    """Ranks, revisions and keys may differ; a summary may not."""
    identity = ("WorkNode", "a")
    row = {"id": "a", "summary": "s"}
    plain = fold.digests([(identity, row)])
    assert plain == fold.digests([(identity, row | {name: value})])
    assert plain != fold.digests([(identity, row | {"summary": "s2"})])


def test_differences_are_named() -> None:
    """What is only here, only there, and what somebody changed."""
    live = {b'["A"]': b"1", b'["B"]': b"1"}
    told = {b'["B"]': b"2", b'["C"]': b"1"}
    assert [
        {"entity": ["A"], "difference": "in the database, not in the journal"},
        {"entity": ["B"], "difference": "changed by hand"},
        {"entity": ["C"], "difference": "in the journal, not in the database"},
    ] == fold.differing(live, told)
    assert 1 == len(fold.differing(live, told, first=1))


def test_an_item_of_nobody_is_refused() -> None:
    """What no context knows must not be passed over: the state would lack it unseen."""
    with pytest.raises(Invalid, match="cannot be applied"):
        fold.State().apply("add_thing", [{"thing": {"id": "a"}}])
