"""Canonical JSON equals the reference library's on anything that JSON holds."""

import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from gotn.canonical import canonical

LARGEST = 2**53 - 1
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
LEAF = (
    st.none()
    | st.booleans()
    | st.integers(-LARGEST, LARGEST)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
VALUE = st.recursive(
    LEAF, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=30
)
ASCII = st.text(st.characters(codec="ascii"))
EASY = st.recursive(
    st.none() | st.booleans() | st.integers(-LARGEST, LARGEST) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(ASCII, inner),
    max_leaves=30,
)


@given(VALUE)
def test_equals_the_library(value: object) -> None:
    """Any JSON value gives the library's bytes."""
    assert rfc8785.dumps(value) == canonical(value)  # type: ignore[arg-type]


@given(EASY)
def test_equals_the_library_on_the_fast_way(value: object) -> None:
    """Values that orjson writes give the library's bytes too, controls and all."""
    assert rfc8785.dumps(value) == canonical(value)  # type: ignore[arg-type]
