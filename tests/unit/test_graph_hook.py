"""What an operation that fails early leaves behind."""

import asyncio
import gc
import warnings
from typing import Any

import pytest
import strawberry

from gotn.graph.hook import quieten


@strawberry.type
class Leaf:
    """Something with much below it."""

    @strawberry.field
    async def deep(self) -> "Leaf":
        """One more."""
        return Leaf()

    @strawberry.field
    async def name(self) -> str:
        """A value."""
        return "x"

    @strawberry.field
    def leaves(self) -> list["Leaf"]:
        """Two more."""
        return [Leaf(), Leaf()]


@strawberry.type
class Query:
    """A field that fails while its sibling has begun."""

    @strawberry.field
    async def bad(self) -> int:
        """Fails in a later turn of the loop."""
        for _ in range(3):
            await asyncio.sleep(0)
        raise ValueError("no")

    @strawberry.field
    async def leaf(self) -> Leaf:
        """The sibling."""
        return Leaf()


class Silent(strawberry.Schema):
    """A schema whose errors are not logged: a log record would keep the frames alive."""

    def process_errors(self, *_: Any, **__: Any) -> None:
        """Nothing."""


def _selection(depth: int) -> str:
    if depth == 0:
        return "name"
    below = _selection(depth - 1)
    return f"name deep {{ {below} }} leaves {{ {below} }}"


@pytest.mark.parametrize("quiet", [False, True])
def test_abandoned_fields_are_not_warned_of(quiet: bool) -> None:
    """A non-null failure beside fields that had not begun warns of coroutines, unless quietened."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        if quiet:
            quieten()
        document = f"{{ bad leaf {{ {_selection(4)} }} }}"
        assert asyncio.run(Silent(Query).execute(document)).data is None
        gc.collect()
    assert (heard == []) == quiet
    assert all("was never awaited" in str(one.message) for one in heard)
