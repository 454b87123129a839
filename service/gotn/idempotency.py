"""Same key, same answer: a mutation's answer is kept in the transaction that made it.

A key is unique in its project and kept for seven days. The same key with the same input
gives the first answer again; with another input it is a Conflict.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from gotn import shapes
from gotn.canonical import canonical
from gotn.database.connection import Tx
from gotn.errors import Conflict, Invalid

#: Bytes of a key, at most.
KEY_BYTES = 256
#: Keys older than this many days are forgotten at the next write that uses one.
KEPT_DAYS = 7


def fingerprint(operation: str, given: Any) -> str:
    """SHA-256 of an operation's name and its input."""
    return hashlib.sha256(canonical([operation, given])).hexdigest()


def checked(key: str | None) -> str | None:
    """The key, if one can be kept; Invalid otherwise."""
    if key is None:
        return None
    shapes.check_text(key, "idempotencyKey")
    if not key or len(key.encode()) > KEY_BYTES:
        raise Invalid(
            f"idempotencyKey: expected 1 to {KEY_BYTES} bytes, found {shapes.shown(key)}",
            field="idempotencyKey",
        )
    return key


@dataclass
class Answers:
    """What the keys of one transaction's writes were answered before, and are now."""

    project_id: str
    #: Fingerprint and answer (JSON) of each known key.
    known: dict[str, tuple[str, str]] = field(default_factory=dict)
    _new: list[str] = field(default_factory=list)

    def of(self, key: str | None, print_: str) -> Any | None:
        """The answer given to this key before, or None; Conflict for another input."""
        if key is None or key not in self.known:
            return None
        before, answer = self.known[key]
        if before != print_:
            raise Conflict(
                f"The idempotency key {shapes.shown(key)} was used with another input.", key=key
            )
        return shapes.loads(answer)

    def note(self, key: str | None, print_: str, answer: Any) -> None:
        """Keep an answer, which `remember` stores."""
        if key is not None:
            self.known[key] = (print_, shapes.dumps(answer))
            self._new.append(key)

    def rows(self) -> list[dict[str, str]]:
        """What is new, as it is stored."""
        return [
            {
                "key": f"{self.project_id}/{key}",
                "fingerprint": self.known[key][0],
                "answer": self.known[key][1],
            }
            for key in self._new
        ]


async def recall(tx: Tx, project_id: str, keys: Iterable[str | None]) -> Answers:
    """The answers given to these keys before; call it after the project's lock."""
    found = Answers(project_id)
    wanted = [f"{project_id}/{key}" for key in keys if key is not None]
    if wanted:
        start = len(project_id) + 1
        for key, print_, answer in await tx.value("request/among", keys=wanted):
            found.known[key[start:]] = (print_, answer)
    return found


async def remember(tx: Tx, answers: Answers) -> None:
    """Keep the new answers, and forget what is older than seven days."""
    if rows := answers.rows():
        await tx.rows("request/put", project=answers.project_id, answers=rows, days=KEPT_DAYS)
