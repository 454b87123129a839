"""Whether journal entries follow each other, and the state they make."""

from collections.abc import AsyncIterator

from gotn import journal, shapes
from gotn.errors import Invalid
from gotn.journal import Entry
from gotn.work.rules import fold

#: Problems of a chain that are named.
PROBLEMS = 20


class Chain:
    """Checks entries as they pass: seq without gaps, times in order, hashes that fit."""

    def __init__(self) -> None:
        self.entries = 0
        #: The first problems, as a person reads them.
        self.problems: list[str] = []
        self._seq, self.head, self._time = 0, journal.GENESIS, ""

    def check(self, entry: Entry) -> list[str]:
        """Look at the next entry; returns what is wrong with it. Invalid for a newer schema."""
        if newer := newness(entry):
            raise Invalid(newer, seq=entry.seq)
        wrong = self._wrong(entry)
        self.entries += 1
        self.pass_by(entry)
        room = PROBLEMS - len(self.problems)
        self.problems += [f"seq {entry.seq}: {reason}" for reason in wrong[:room]]
        return wrong

    def pass_by(self, entry: Entry) -> None:
        """Go on behind an entry, looked at or not: the next must follow it."""
        self._seq, self.head, self._time = entry.seq, entry.hash, entry.timestamp

    def _wrong(self, entry: Entry) -> list[str]:
        found = []
        if entry.seq != self._seq + 1:
            found.append(f"expected seq {self._seq + 1}, found {entry.seq}")
        elif entry.previous_hash != self.head:
            found.append("does not follow the entry before")
        if entry.hash != entry.digest():
            found.append("was changed; its hash does not fit")
        if shapes.moment(entry.timestamp) < shapes.moment(self._time or entry.timestamp):
            found.append("is earlier than the entry before")
        return found

    @property
    def whole(self) -> bool:
        """Whether nothing was wrong."""
        return not self.problems


def newness(entry: Entry) -> str | None:
    """What is to say of an entry that a newer program wrote; None of one that can be read."""
    if entry.schema_version <= journal.SCHEMA_VERSION:
        return None
    return (
        f"seq {entry.seq}: schema version {entry.schema_version} is newer than "
        f"{journal.SCHEMA_VERSION}, which this program reads; update it."
    )


async def folded(entries: AsyncIterator[Entry], chain: Chain) -> fold.State:
    """The state that entries make, checking them on the way."""
    state = fold.State()
    async for entry in entries:
        chain.check(entry)
        state.take(entry.event, entry.items(), entry.staged)
    return state
