"""What the tries and bills of a task add up to: nothing lost, nothing made up, nothing too much."""

from decimal import Decimal
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from gotn.errors import BadDocument, LimitExceeded
from gotn.trees import exchange
from gotn.trees.rules import adding, money, totals

Row = dict[str, Any]
TOKENS = st.integers(min_value=0, max_value=10**9)
USD = st.decimals(min_value=0, max_value=1000, places=12).map(lambda one: f"{one:f}")


def split(whole: str, into: str, out: str, value: st.SearchStrategy[Any]) -> Any:
    """Nothing, the whole, the parts, or a whole that is what its parts come to."""
    return st.one_of(
        st.just({}),
        st.fixed_dictionaries({whole: value}),
        st.fixed_dictionaries({into: value, out: value}),
    )


COSTS = st.builds(
    lambda tokens, usd, beside: tokens | usd | beside,
    split("total_tokens", "input_tokens", "output_tokens", TOKENS),
    split("total_cost_usd", "input_cost_usd", "output_cost_usd", USD),
    st.fixed_dictionaries({}, optional={"cache_hits": TOKENS, "cache_savings_usd": USD}),
)


@given(st.lists(COSTS, min_size=1, max_size=8))
def test_additions_lose_nothing(costs: list[Row]) -> None:
    """Totals are the sums; parts stay while every addition that states the whole splits it."""
    found: Row = {}
    for one in costs:
        found = adding.added(found, one)
    own = totals.own({"cost": found})
    each = [totals.own({"cost": one}) for one in costs]
    assert sum(one.total_tokens for one in each) == own.total_tokens
    assert sum(one.cost for one in each) == own.cost
    assert sum(one.savings for one in each) == own.savings
    assert sum(one.cache_hits for one in each) == own.cache_hits
    for whole, *parts in (
        ("total_tokens", "input_tokens", "output_tokens"),
        ("total_cost_usd", "input_cost_usd", "output_cost_usd"),
    ):
        said = [one for one in costs if any(name in one for name in (whole, *parts))]
        assert (bool(said) and all(parts[0] in one for one in said)) == (parts[0] in found)
        for part in parts if parts[0] in found else ():
            assert sum(Decimal(one.get(part, 0)) for one in costs) == Decimal(found[part])


@given(st.lists(COSTS, min_size=1, max_size=8))
def test_unknown_costs_stay_unknown(costs: list[Row]) -> None:
    """Tokens without a cost are unpriced until a bill without tokens comes after them."""
    found: Row = {}
    left = 0
    for one in costs:
        found = adding.added(found, one)
        tokens, amount = totals.own_tokens(one), totals.own_cost(one)
        if amount is None:
            left += tokens
        elif not tokens:
            left = 0
    assert bool(left) == bool(totals.own({"cost": found}).unpriced)


@pytest.mark.parametrize(
    ("before", "more", "expected"),
    [
        (
            {"input_tokens": 1000, "output_tokens": 600},
            {"total_cost_usd": "0.1"},
            {"input_tokens": 1000, "output_tokens": 600, "total_cost_usd": "0.1"},
        ),
        (
            {"input_cost_usd": "0.3", "output_cost_usd": "0.4"},
            {"total_cost_usd": "0.1"},
            {"total_cost_usd": "0.8"},
        ),
        (
            {"input_cost_usd": "0.3", "output_cost_usd": "0.4"},
            {"total_tokens": 5},
            {
                "input_cost_usd": "0.3",
                "output_cost_usd": "0.4",
                "total_tokens": 5,
                "unpriced_tokens": 5,
            },
        ),
        (
            {"total_tokens": 5, "unpriced_tokens": 2, "total_cost_usd": "1"},
            {"total_cost_usd": "1"},
            {"total_tokens": 5, "total_cost_usd": "2"},
        ),
        (
            {"total_tokens": None, "total_cost_usd": None, "cache_hits": None},
            {"cache_savings_usd": "1"},
            {
                "total_tokens": None,
                "total_cost_usd": None,
                "cache_hits": None,
                "cache_savings_usd": "1",
            },
        ),
    ],
)
def test_what_is_not_said_stays(before: Row, more: Row, expected: Row) -> None:
    """Money leaves tokens as they are, tokens leave money; null is not zero."""
    assert expected == adding.added(before, more)


@pytest.mark.parametrize(
    ("name", "amount", "said"),
    [
        ("total_cost_usd", "5000000", "cost.total_cost_usd: a task's is less than 9,000,000 USD"),
        ("output_cost_usd", "5000000", "cost.output_cost_usd: a task's is less than 9,000,000"),
        ("cache_savings_usd", "5000000", "cost.cache_savings_usd: a task's is less than 9,000,000"),
        ("total_tokens", money.TOKENS, "cost.total_tokens: a task's is at most 1,000,000,000,000"),
        ("cache_hits", money.TOKENS, "cost.cache_hits: a task's is at most 1,000,000,000,000"),
    ],
)
def test_a_task_has_bounds(name: str, amount: Any, said: str) -> None:
    """What two additions come to is refused by name where a document could not state it."""
    with pytest.raises(LimitExceeded, match=said):
        adding.added({name: amount}, {name: amount})


def tree(cost: str, children: str = "", metadata: str = "{}") -> str:
    """A tree of a task with a cost, and perhaps others below it."""
    root = f'"node_id": "r", "prompt": "p", "status": "completed", "cost": {cost}'
    return f'{{"root_task": {{{root}, "children": [{children}]}}, "metadata": {metadata}}}'


def test_parts_have_the_bound_of_their_whole() -> None:
    """Input and output that come to more than one task may cost are refused."""
    with pytest.raises(BadDocument) as refused:
        exchange.read(tree('{"input_cost_usd": 8000000, "output_cost_usd": 8000000}'))
    assert (
        "less than 9,000,000 USD, this would be 16,000,000.00"
        in refused.value.facts["violations"][0]["reason"]
    )


def test_sums_have_bounds_of_their_own() -> None:
    """Stated sums beyond what one task may state are taken; a tree has a bound, too."""
    child = (
        '{"node_id": "c", "prompt": "p", "status": "completed", "cost": {"total_cost_usd": 5e6}}'
    )
    stated = '{"total_cost_usd": 10000000, "total_tokens": 2000000000000}'
    cost = '{"total_cost_usd": 5000000, "subtree_total_cost_usd": 10000000}'
    found = exchange.read(tree(cost, child, stated))
    assert ["metadata.total_tokens"] == [one.member for one in found.disagreements]
    cost = '{"total_cost_usd": 1, "subtree_total_cost_usd": 10000000000000}'
    with pytest.raises(BadDocument) as refused:
        exchange.read(tree(cost))
    reason = refused.value.facts["violations"][0]["reason"]
    assert "subtree_total_cost_usd: expected less than 10,000,000,000,000 USD" in reason
    many = totals.Total(total_tokens=2**53, cost=money.PICO * 9 * 10**12)
    assert [
        f"the tasks of a tree have at most {2**53 - 1:,} tokens, these have {2**53:,}",
        "the tasks of a tree cost less than 9,000,000,000,000 USD, these 9,000,000,000,000.00",
    ] == [said for said, _ in adding.beyond_tree(many)]
