from itertools import pairwise
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from gotn.errors import Invalid
from gotn.work.rules import parents


def _row(parent: str, child: str) -> dict[str, Any]:
    return {"type": "derived_from", "src": parent, "dst": child}


def test_the_same_parent_said_twice_is_one() -> None:
    """The child says it and the parent says it: one relationship."""
    assert {"c": "p", "d": "p"} == parents.reconciled([_row("p", "c"), _row("p", "c")], {"d": "p"})


@pytest.mark.parametrize("known", [{}, {"c": "p"}])
def test_a_second_parent_is_refused(known: dict[str, str]) -> None:
    """Whether the first one is stored or comes along."""
    family = [_row("p", "c"), _row("q", "c")]
    with pytest.raises(Invalid, match="a node has one parent") as caught:
        parents.reconciled(family, known)
    assert "c" == caught.value.facts["id"]


@given(st.lists(st.integers(0, 7), min_size=8, max_size=8))
def test_a_cycle_is_refused_exactly_where_one_is(above: list[int]) -> None:
    """Walking up from a node either ends or meets it again; the path names the way."""
    parent_of = {str(i): str(p) for i, p in enumerate(above) if p != i}

    def ends(at: str) -> bool:
        for _ in range(9):
            if at not in parent_of:
                return True
            at = parent_of[at]
        return False

    if all(map(ends, parent_of)):
        parents.refuse_cycle(parent_of)
        return
    with pytest.raises(Invalid) as caught:
        parents.refuse_cycle(parent_of)
    path = caught.value.facts["path"]
    assert path[0] == path[-1]
    assert all(parent_of[a] == b for a, b in pairwise(path))
