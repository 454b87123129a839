"""Where a reader tells what it could not take: all of it, not the first."""

import math
import re
from collections.abc import Iterable

from gotn.violations import MOST, refused
from gotn.work.exchange import rings
from gotn.work.records import GraphDraft, Unknown

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
        """Raise BadDocument if anything was wrong, a draft's cycles with the rest, by line."""
        if not self.violations:
            return
        if draft is not None:
            self.violations += rings.closed(draft)[: MOST - len(self.violations)]
            self.violations.sort(key=_place)
        raise refused(self.name, self.violations)


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
