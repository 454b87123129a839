"""Where a reader tells what it could not take, all of it, and what it took otherwise."""

from gotn.errors import BadDocument
from gotn.trees.records import Finding

#: What is listed; a document with more is not worth reading on.
MOST = 1000
_SHOWN = 3


class Report:
    """The violations and warnings of one document."""

    def __init__(self, name: str) -> None:
        #: What the document is called in messages.
        self.name = name
        self.violations: list[Finding] = []
        self.warnings: list[Finding] = []

    def wrong(self, reason: str, id_: str | None = None, line: int | None = None) -> None:
        """Note a violation."""
        self.violations.append(Finding(line=line, id=id_, reason=reason))
        if len(self.violations) >= MOST:
            self.finish()

    def warn(self, reason: str, id_: str | None = None) -> None:
        """Note a warning; only so many are worth reading."""
        if len(self.warnings) < MOST:
            self.warnings.append(Finding(id=id_, reason=reason))

    def finish(self) -> None:
        """Raise BadDocument if anything was wrong."""
        if not self.violations:
            return
        count = len(self.violations)
        shown = "; ".join(_said(one) for one in self.violations[:_SHOWN])
        truncated = count >= MOST
        least = "at least " if truncated else ""
        more = f"; and {least}{count - _SHOWN} more" if count > _SHOWN else ""
        many = f"{least}{count:,} violations, " if count > 1 else ""
        raise BadDocument(
            f"{self.name}: {many}{shown}{more}",
            file=self.name,
            violations=[vars(one) for one in self.violations],
            truncated=truncated,
        )


def _said(found: Finding) -> str:
    return f"line {found.line}: {found.reason}" if found.line else found.reason
