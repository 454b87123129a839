"""Scalars with our own forms: times in UTC with `Z`, and any JSON."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import strawberry
from strawberry.scalars import JSON

from gotn import shapes
from gotn.trees.records.costs import Count

MOMENT = strawberry.scalar(
    name="DateTime",
    description="A time in ISO 8601; answers are UTC with `Z`, and input needs an offset.",
    serialize=shapes.iso,
    parse_value=shapes.moment,
)
ANY = strawberry.scalar(
    name="JSON",
    description="Any JSON value.",
    serialize=lambda value: value,
    parse_value=lambda value: value,
)
MONEY = strawberry.scalar(
    name="Decimal",
    description="An amount in USD as text with twelve decimals, without exponent.",
    serialize=lambda amount: f"{amount:.12f}",
    parse_value=Decimal,
)
COUNT = strawberry.scalar(
    name="Count",
    description="A whole number that may be beyond 2^31.",
    serialize=int,
    parse_value=int,
)
#: Annotation of a record -> scalar. A record's Any is a leaf that is kept as JSON.
SCALARS: dict[object, Any] = {datetime: MOMENT, JSON: ANY, Any: ANY, Decimal: MONEY, Count: COUNT}
