"""Where a reader tells what it could not take: all of it, not the first."""

import math
import re
from collections.abc import Iterable

from gotn.errors import BadDocument
from gotn.work.exchange import rings
from gotn.work.records import GraphDraft, Unknown

#: Violations that are listed; a file with more is not worth reading on.
MOST = 1000
_SHOWN = 3
_FIELD = re.compile(r"\w+(\[\d+\])*:")


class Report:
    """The violations of one document; `finish` raises them as one BadDocument."""

    def __init__(self, name: str) -> None:
        #: What the document is called in messages.
        self.name = name
        self.violations: list[Unknown] = []

    def add(self, line: int | None, id_: str | None, reason: str, where: str = "") -> None:
        """Note one violation; `where` is a path such as `nodes[3]` inside the document."""
        self.violations.append(Unknown(line=line, id=id_, reason=placed(where, reason)))
        if len(self.violations) >= MOST:
            self.violations.sort(key=_place)
            self.finish()

    def finish(self, draft: GraphDraft | None = None) -> None:
        """Raise BadDocument if anything was wrong, a draft's cycles with the rest, by line.

        `truncated` is among its facts: whether there may be more than the first 1,000.
        """
        if not self.violations:
            return
        if draft is not None:
            self.violations += rings.closed(draft)[: MOST - len(self.violations)]
            self.violations.sort(key=_place)
        count = len(self.violations)
        truncated = count >= MOST
        least = "at least " if truncated else ""
        first = "; ".join(_said(found) for found in self.violations[:_SHOWN])
        more = f"; and {least}{count - _SHOWN} more" if count > _SHOWN else ""
        many = f"{least}{count:,} violations, " if count > 1 else ""
        raise BadDocument(
            f"{self.name}: {many}{first}{more}",
            file=self.name,
            violations=[vars(found) for found in self.violations],
            truncated=truncated,
        )


class Skipping(Report):
    """A report for recovery: what cannot be read is left out and listed, the rest is taken."""

    def __init__(self, name: str, skipped: list[Unknown]) -> None:
        super().__init__(name)
        self._skipped = skipped

    def add(self, line: int | None, id_: str | None, reason: str, where: str = "") -> None:
        """Note one thing that is left out."""
        text = placed(where, reason)
        if self.name:
            text = f"{self.name}: {text}"
        self._skipped.append(Unknown(line=line, id=id_, reason=text))


def placed(where: str, reason: str) -> str:
    """A reason with the path it belongs to: `nodes[3].requires[0]: expected …`."""
    if not where:
        return reason
    return f"{where}.{reason}" if _FIELD.match(reason) else f"{where}: {reason}"


def of_file(name: str, found: Iterable[Unknown]) -> list[Unknown]:
    """The same, saying which of several files it is about; as it is where there is no name."""
    return [
        Unknown(line=one.line, id=one.id, reason=f"{name}: {one.reason}" if name else one.reason)
        for one in found
    ]


def _place(found: Unknown) -> float:
    """Where a violation is told: those of no line after all others."""
    return found.line or math.inf


def _said(found: Unknown) -> str:
    return f"line {found.line}: {found.reason}" if found.line else found.reason
