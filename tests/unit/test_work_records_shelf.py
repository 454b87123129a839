from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from gotn.work.records import shelf
from gotn.work.records.shelf import Shelf

ROWS = st.lists(
    st.dictionaries(st.text(max_size=5), st.one_of(st.text(), st.integers(-9, 9), st.none())),
    max_size=30,
)


@pytest.mark.parametrize("buffer", [1, 20, 1 << 20])
@settings(deadline=None, max_examples=40)
@given(rows=ROWS, changes=st.lists(st.tuples(st.integers(0, 29), st.sampled_from("sdi"))))
def test_a_shelf_is_a_list(
    buffer: int, rows: list[dict[str, Any]], changes: list[tuple[int, str]]
) -> None:
    """Whatever is done to it, on disk or in memory, it holds what a list would."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shelf, "BUFFER", buffer)
        kept, plain = Shelf(rows), list(rows)
        for at, what in changes:
            if what == "i":
                kept.insert(at, {"new": at})
                plain.insert(at, {"new": at})
            elif at < len(plain) and what == "s":
                kept[at] = plain[at] = {"set": at}
            elif at < len(plain):
                del kept[at], plain[at]
        assert plain == list(kept)
        assert kept == plain
        assert len(plain) == len(kept)
        assert plain[1:7] == kept[1:7]
        assert plain[-1:] == kept[-1:]


def test_a_row_that_is_read_is_a_copy() -> None:
    """It is changed on the shelf by being put back."""
    kept = Shelf([{"a": 1}])
    kept[0]["a"] = 2
    assert {"a": 1} == kept[0]
    kept[0] = kept[0] | {"a": 2}
    assert [{"a": 2}] == list(kept)


def test_an_index_beyond_the_end_is_an_error() -> None:
    """As of a list."""
    with pytest.raises(IndexError):
        Shelf([{"a": 1}])[1]
    with pytest.raises(TypeError, match="one row at a time"):
        Shelf([{"a": 1}])[0:1] = [{}]
