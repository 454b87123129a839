"""Where a reader tells what it could not take, all of it, and what it took otherwise."""

from gotn.trees.records import Finding
from gotn.violations import MOST, refused


class Report:
    """The violations and warnings of one document."""

    def __init__(self, name: str) -> None:
        #: What the document is called in messages.
        self.name = name
        self.violations: list[Finding] = []
        self.warnings: list[Finding] = []
        #: What was warned of once, and needs no second word.
        self.told: set[object] = set()

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
        if self.violations:
            raise refused(self.name, self.violations)
