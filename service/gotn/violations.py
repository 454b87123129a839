"""How a document is refused: everything that is wrong with it, the first of it in one sentence."""

from collections.abc import Sequence
from typing import Protocol

from gotn.errors import BadDocument

#: Violations that are listed; a file with more is not worth reading on.
MOST = 1000
_SHOWN = 3


class Violation(Protocol):
    """A line of the document, where it is known, and what is wrong there."""

    line: int | None
    reason: str


def refused(name: str, violations: Sequence[Violation]) -> BadDocument:
    """The error that refuses a document, with every violation among its facts.

    `truncated` is among them, too: whether there may be more than the first 1,000.
    """
    count = len(violations)
    truncated = count >= MOST
    least = "at least " if truncated else ""
    first = "; ".join(_said(found) for found in violations[:_SHOWN])
    more = f"; and {least}{count - _SHOWN} more" if count > _SHOWN else ""
    many = f"{least}{count:,} violations, " if count > 1 else ""
    return BadDocument(
        f"{name}: {many}{first}{more}",
        file=name,
        violations=[vars(found) for found in violations],
        truncated=truncated,
    )


def _said(found: Violation) -> str:
    return f"line {found.line}: {found.reason}" if found.line else found.reason
