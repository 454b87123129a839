"""Lengths of time as people write them on the command line: 500ms, 30s, 5m, 1.5h, 90."""

import re

from gotn.cli.failing import Misused

#: Milliseconds of each unit; a bare number is seconds.
_UNITS = {"": 1000, "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
#: How long a lease may be, in milliseconds (decisions, Runs).
LEAST_LEASE, MOST_LEASE = 1000, 3_600_000


def milliseconds(text: str, option: str) -> int:
    """What `option` says, in milliseconds; Misused where it is not a length of time."""
    found = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*(ms|s|m|h|)\s*", text)
    if found is None:
        raise Misused(
            f"{option}: expected a length of time such as 500ms, 30s or 5m; found {text!r}."
        )
    return round(float(found[1]) * _UNITS[found[2]])


def lease(text: str) -> int:
    """What `--lease` says, in milliseconds; Misused where no step can be leased so long."""
    value = milliseconds(text, "--lease")
    if not LEAST_LEASE <= value <= MOST_LEASE:
        raise Misused(f"--lease: expected 1s to 1h, such as 60s, found {text!r}.")
    return value
