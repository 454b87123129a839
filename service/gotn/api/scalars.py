"""Scalars with our own forms: times in UTC with `Z`, and any JSON."""

from datetime import datetime
from typing import Any

import strawberry
from strawberry.scalars import JSON

from gotn import shapes

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
#: Annotation of a record -> scalar. A record's Any is a leaf that is kept as JSON.
SCALARS: dict[object, Any] = {datetime: MOMENT, JSON: ANY, Any: ANY}
