"""What work cost: tokens and money, own and inclusive, and by groups."""

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import NewType

#: A count that may be beyond 2^31.
Count = NewType("Count", int)


class Grouping(Enum):
    """By what costs are grouped."""

    MODEL = "model"
    DEPTH = "depth"
    STRATEGY = "strategy"
    STATUS = "status"
    DAY = "day"


@dataclass(kw_only=True)
class CostTotal:
    """Sums over tasks; exact, at any size."""

    tasks: Count = Count(0)
    input_tokens: Count = Count(0)
    output_tokens: Count = Count(0)
    total_tokens: Count = Count(0)
    cache_hits: Count = Count(0)
    #: Tasks that used tokens whose cost nobody stated: it is unknown, not zero.
    unpriced: Count = Count(0)
    total_cost_usd: Decimal = Decimal(0)
    cache_savings_usd: Decimal = Decimal(0)
    #: Cost less what caching saved.
    effective_cost_usd: Decimal = Decimal(0)


@dataclass(kw_only=True)
class CostGroup:
    """The tasks of one group, each alone."""

    #: The model, depth, strategy, status or day; null where a task has none.
    name: str | None
    total: CostTotal


@dataclass(kw_only=True)
class Costs:
    """What something cost, alone and with all below it, side by side."""

    own: CostTotal
    inclusive: CostTotal
    groups: tuple[CostGroup, ...] = ()
    #: Stated totals that the tasks do not give, a sentence each.
    stated: tuple[str, ...] = ()
