"""Money without floats: text in USD, integers of pico-dollars, and sums in two parts.

A pico-dollar is 1e-12 USD (decisions, Costs). Finer amounts are rounded half-even once,
where they enter; the text that stated them is kept beside. A sum is a quotient by 1e6 and
a remainder, each summed by itself, so that no sum of 64-bit integers overflows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

from gotn import shapes
from gotn.errors import Invalid

#: Decimals of a pico-dollar, and pico-dollars of a dollar.
PLACES = 12
PICO = 10**PLACES
#: Pico-dollars of a part of a sum: a micro-dollar.
PART = 10**6
#: USD of one amount, at most: what a 64-bit integer of pico-dollars takes.
MOST = Decimal(9_000_000)
#: USD of all amounts of a tree, at most: what 64 bits hold as micro-dollars, their largest part.
MOST_OF_TREE = Decimal(9_000_000_000_000)
#: USD of a stated sum, at most; it is only compared and kept, and ours are always below.
MOST_STATED = Decimal(10) ** 13
#: Decimals of a stated amount, at most.
DECIMALS = 40
#: Tokens of one count, at most; nine million such counts fit a 64-bit sum.
TOKENS = 10**12
#: No sum of what is stored is longer.
_EXACT = Context(prec=100, rounding=ROUND_HALF_EVEN)


def text(value: Any, name: str, most: Decimal = MOST) -> str:
    """An amount in USD as its document states it, without exponent; Invalid for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise Invalid(f"{name}: expected a number of USD, found {shapes.shown(value)}", field=name)
    found = Decimal(value)
    if not found.is_finite():
        raise Invalid(f"{name}: {value} is not a number of USD", field=name)
    if found.is_signed() and found:
        raise Invalid(f"{name}: expected 0 or more, found {value}", field=name)
    if found >= most:
        raise Invalid(f"{name}: expected less than {most:,f} USD, found {found:.6g}", field=name)
    exponent = found.as_tuple().exponent
    if isinstance(exponent, int) and exponent < -DECIMALS:
        raise Invalid(
            f"{name}: expected at most {DECIMALS} decimals, found {-exponent}", field=name
        )
    return f"{abs(found):f}"


def plus(amounts: Sequence[str]) -> str:
    """The sum of stated amounts, with every decimal that they state."""
    found = Decimal(0)
    for one in amounts:
        found = _EXACT.add(found, Decimal(one))
    return f"{found:f}"


def pico(stated: str) -> int:
    """The pico-dollars of a stated amount."""
    scaled = _EXACT.multiply(Decimal(stated), Decimal(PICO))
    return int(scaled.to_integral_value(ROUND_HALF_EVEN))


def usd(amount: int) -> str:
    """Pico-dollars as USD with twelve decimals."""
    sign, whole = ("-" if amount < 0 else ""), abs(amount)
    return f"{sign}{whole // PICO}.{whole % PICO:012d}"


def short(amount: int) -> str:
    """Pico-dollars as USD for people: at least two decimals, no more than there are."""
    whole, decimals = usd(amount).split(".")
    return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}"


def read(amount: int) -> str:
    """The same with its thousands apart, where only people read it."""
    whole, decimals = short(abs(amount)).split(".")
    return f"{'-' if amount < 0 else ''}{int(whole):,}.{decimals}"


@dataclass(frozen=True)
class Sum:
    """A sum of amounts in two parts, as the database keeps it."""

    micro: int = 0
    rest: int = 0

    @property
    def pico(self) -> int:
        """The whole in pico-dollars; Python's integers have no end."""
        return self.micro * PART + self.rest


def parted(amount: int) -> tuple[int, int]:
    """An amount's two parts."""
    return divmod(amount, PART)
