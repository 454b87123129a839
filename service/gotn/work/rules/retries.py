"""A node's retry policy, and the record of a step's attempts.

The policy stands in the node's `extra.retry`: {attempts, backoff_ms, multiplier,
max_backoff_ms, time_limit_ms}. It is read leniently: a member that is wrong is a warning,
and what is usual holds in its place.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gotn import shapes

Row = dict[str, Any]
#: Attempts that a policy may ask for, and entries kept of a step's attempts.
ATTEMPTS = 100
#: Milliseconds that a retry waits at most, whatever the policy multiplies: 24 days, as many as
#: GraphQL's Int holds.
LONGEST_MS = 24 * 24 * 3600 * 1000
#: What an attempt brought, which its step shows once it has ended.
BROUGHT = ("outputs", "artifacts", "duration_ms")
#: Bytes of JSON of all kept attempts; outputs of the oldest are left out first.
KEPT_BYTES = 256 * 1024


@dataclass(frozen=True)
class Retry:
    """How often a step is tried, how long it waits between, how long one attempt may take."""

    attempts: int = 1
    backoff_ms: float = 0
    multiplier: float = 2
    max_backoff_ms: float = LONGEST_MS
    time_limit_ms: int | None = None
    #: What was wrong with the policy as it was written.
    warnings: tuple[str, ...] = ()

    def delay_ms(self, failures: int) -> int:
        """How long to wait after so many failures, the first of which is 1."""
        try:
            wanted = self.backoff_ms * self.multiplier ** (failures - 1)
        except OverflowError:
            wanted = LONGEST_MS
        return int(min(wanted, self.max_backoff_ms, LONGEST_MS))


#: Member -> least and most, whether it must be whole.
_LIMITS: dict[str, tuple[float, float, bool]] = {
    "attempts": (1, ATTEMPTS, True),
    "backoff_ms": (0, LONGEST_MS, False),
    "multiplier": (1, 1000, False),
    "max_backoff_ms": (0, LONGEST_MS, False),
    "time_limit_ms": (1, LONGEST_MS, True),
}


def read(extra: Any) -> Retry:
    """The policy that a node's unknown keys hold."""
    given = extra.get("retry") if isinstance(extra, Mapping) else None
    if given is None:
        return Retry()
    if not isinstance(given, Mapping):
        return Retry(warnings=(f"retry: expected an object, found {shapes.shown(given)}",))
    found: dict[str, Any] = {}
    warnings: list[str] = []
    for name, value in given.items():
        if name not in _LIMITS:
            warnings.append(f"retry.{name}: there is no such member; it is left out")
        elif value is not None and (wrong := _wrong(value, *_LIMITS[name])):
            warnings.append(f"retry.{name}: expected {wrong}, found {shapes.shown(value)}")
        elif value is not None:
            found[name] = int(value) if _LIMITS[name][2] else float(value)
    return Retry(**found, warnings=tuple(warnings))


def _wrong(value: Any, least: float, most: float, whole: bool) -> str:
    """What was expected, where this is something else."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = number and math.isfinite(value) and least <= value <= most
    if fits and (not whole or float(value).is_integer()):
        return ""
    return f"{'a whole number' if whole else 'a number'} from {least:g} to {most:g}"


def failures(attempts: Any) -> int:
    """How many of a step's attempts failed since it was last given a fresh start.

    A lease that expired is no failure of the step; what came before a resume does not count.
    """
    count = 0
    for one in attempts if isinstance(attempts, list) else ():
        if isinstance(one, Mapping):
            count += one.get("outcome") == "failed"
            count = 0 if one.get("resumed") else count
    return count


def cleared(step: Mapping[str, Any]) -> Row:
    """What takes the last attempt's results from a step; `attempts` keeps them."""
    return {name: None for name in BROUGHT if step.get(name) is not None}


def noted(step: Mapping[str, Any], outcome: str, finished_at: str, **facts: Any) -> list[Row]:
    """The step's attempts with the one that ends now; the last 100, within 256 KiB."""
    now: Row = {
        "number": step.get("attempt"),
        "worker": step.get("worker"),
        "started_at": step.get("started_at"),
        "finished_at": finished_at,
        "outcome": outcome,
    }
    now |= {name: value for name, value in facts.items() if value is not None}
    known = step.get("attempts")
    kept = [dict(one) for one in known if isinstance(one, Mapping)] if known else []
    kept = [*kept, now][-ATTEMPTS:]
    for one in kept[:-1]:
        if len(shapes.dumps(kept)) <= KEPT_BYTES:
            break
        one.pop("outputs", None)
    while len(kept) > 1 and len(shapes.dumps(kept)) > KEPT_BYTES:
        kept.pop(0)
    return kept
