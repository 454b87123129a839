"""Records as plain rows and back: nothing rounded on the way."""

from decimal import Decimal

from gotn import shapes
from gotn.trees.records import CostGroup, Costs, CostTotal


def test_money_is_exact_text_and_back() -> None:
    """A Decimal leaves as text with every digit it has, and comes back equal, nested too."""
    amount = Decimal("1234567.123456789012345")
    total = CostTotal(total_cost_usd=amount, effective_cost_usd=Decimal("1E-12"))
    costs = Costs(own=total, inclusive=total, groups=(CostGroup(name="m", total=total),))
    text = shapes.dumps(shapes.plain(costs))
    assert '"total_cost_usd":"1234567.123456789012345"' in text
    assert '"effective_cost_usd":"0.000000000001"' in text
    assert costs == shapes.build(Costs, shapes.loads(text))
