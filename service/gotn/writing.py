"""The frame of a write that has a transaction of its own: lock, idempotency, journal.

Small writes of the work graph share transactions (`work.usecases.writing`); every other
context writes through here.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from gotn import checks, idempotency, journal, shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Invalid
from gotn.journal import Ledger

R = TypeVar("R")
_PROJECT = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


class Asked(Protocol):
    """Who asks for a write, where, and under which idempotency key."""

    @property
    def project_id(self) -> str:
        """The project."""

    @property
    def actor(self) -> str:
        """Who acts."""

    @property
    def idempotency_key(self) -> str | None:
        """The key, if the caller gave one."""


def check_project(project_id: str) -> str:
    """The id, if a project can have it."""
    if not _PROJECT.fullmatch(project_id):
        raise Invalid(
            "project: expected 1 to 64 of a-z, 0-9, '.', '_' and '-', a letter or digit first, "
            f"found {shapes.shown(project_id)}",
            field="project",
        )
    return project_id


@dataclass(frozen=True)
class First:
    """A statement that takes a project's lock and reads what the write needs anyway."""

    query: str
    parameters: dict[str, Any]


async def write(
    database: Database,
    request: Asked,
    operation: str,
    given: Any,
    answer: type[R],
    work: Callable[[Tx, Ledger], Awaitable[R]],
    *,
    create: bool = True,
    first: First | None = None,
) -> R:
    """Run `work` under the project's lock and append what it noted, in one transaction.

    `given` is the operation's input in plain JSON: the same key with another input is a
    Conflict. `work` may run twice, so it touches nothing outside the transaction. `first` takes
    the lock of a project that must be there in place of `project/lock`, and reads more in the same
    round trip: the ledger's `found`.
    """
    project_id = check_project(request.project_id)
    checks.identifier(request.actor, "actor")
    key = idempotency.checked(request.idempotency_key)
    fingerprint = idempotency.fingerprint(operation, given) if key is not None else ""

    async def run(tx: Tx) -> R:
        if first is None:
            ledger = await journal.begin(tx, project_id, request.actor, create=create)
        else:
            head = await tx.one(first.query, project=project_id, **first.parameters)
            ledger = journal.opened(head, project_id, request.actor)
            ledger.found = head or {}
        answers = await idempotency.recall(tx, project_id, [key])
        known = answers.of(key, fingerprint)
        if known is not None:
            return shapes.build(answer, known)
        result = await work(tx, ledger)
        if key is not None:
            answers.note(key, fingerprint, shapes.plain(result))
        await journal.commit(tx, ledger)
        await idempotency.remember(tx, answers)
        return result

    return await database.write(run)
