"""What agents hand over: costs and tasks, where no member may be mistyped and no digit lost.

A document is kept whatever it holds beside 004; a cost or a child that an agent states counts
at once, so that a member nobody knows is refused with the known one that is nearest.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from gotn.errors import Invalid
from gotn.trees.records import CostTracking
from gotn.trees.rules import adding, money, shaped

Row = dict[str, Any]
_AMOUNT = re.compile(r"-?\d{1,100}(\.\d{1,100})?([eE][+-]?\d{1,3})?")
_WHOLE = re.compile(r"-?\d{1,100}")
#: Below this many USD no two amounts of twelve decimals are the same binary float.
FLOATS = 4096


def cost(given: Mapping[str, Any] | None, wrong: shaped.Wrong) -> Row:
    """A stated cost, checked; amounts may be texts, and numbers where these lose nothing."""
    if given is not None and not isinstance(given, dict):
        wrong("cost: expected an object")
        return {}
    taken: Row = {}
    for name, value in (given or {}).items():
        try:
            taken[name] = _exact(value, f"cost.{name}") if name.endswith("_usd") else _count(value)
        except Invalid as error:
            wrong(error.message)
    found: Row = shaped.shape(
        CostTracking, taken, "cost", wrong, beside=frozenset(), unknown=refused(wrong)
    )
    for reason, _ in adding.beyond(found):
        wrong(f"cost.{reason}")
    return found


def refused(wrong: shaped.Wrong) -> shaped.Unknown:
    """Reports a member that no shape knows as what is wrong."""

    def unknown(cls: type, name: str, where: str) -> None:
        wrong(f"{where}: there is no such member; {shaped.advice(cls, name)}")

    return unknown


def _count(value: Any) -> Any:
    """A whole number in quotes is one; anything else stays for the shape to judge."""
    return int(value) if isinstance(value, str) and _WHOLE.fullmatch(value) else value


def _exact(value: Any, name: str) -> Any:
    """An amount as it was sent: text of a number, or a float that is sure to be what was sent."""
    if isinstance(value, str) and _AMOUNT.fullmatch(value):
        return Decimal(value)
    if not isinstance(value, float):
        return value
    found = Decimal(repr(value))
    exponent = found.as_tuple().exponent
    fine = isinstance(exponent, int) and exponent >= -money.PLACES and abs(found) < FLOATS
    if not fine:
        raise Invalid(
            f"{name}: a JSON number of {FLOATS:,} USD or more, or of more than {money.PLACES} "
            f'decimals, loses digits; send it as text, such as "1234567.123456789012"',
            field=name,
        )
    return found
