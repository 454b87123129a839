"""The frame of every write: lock, idempotency, the work itself, journal."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from gotn import idempotency, journal, shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Invalid
from gotn.journal import Ledger
from gotn.work.rules import forms

R = TypeVar("R")
_PROJECT = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True, kw_only=True)
class Request:
    """Who asks for a write, where, and under which idempotency key."""

    project_id: str = "default"
    actor: str = "unknown"
    idempotency_key: str | None = None


def check_project(project_id: str) -> str:
    """The id, if a project can have it."""
    if not _PROJECT.fullmatch(project_id):
        raise Invalid(
            "project: expected 1 to 64 of a-z, 0-9, '.', '_' and '-', a letter or digit first, "
            f"found {shapes.shown(project_id)}",
            field="project",
        )
    return project_id


async def write(
    database: Database,
    request: Request,
    operation: str,
    given: Any,
    answer: type[R],
    work: Callable[[Tx, Ledger], Awaitable[R]],
    *,
    create: bool = True,
) -> R:
    """Run `work` under the project's lock; its answer is kept under the idempotency key.

    `given` is the operation's input in plain JSON: the same key with another input is a
    Conflict. `work` may run twice, so it touches nothing outside the transaction.
    """
    project_id = check_project(request.project_id)
    forms.identifier(request.actor, "actor")
    if request.idempotency_key is not None:
        shapes.check_text(request.idempotency_key, "idempotencyKey")
    print_ = idempotency.fingerprint(operation, given) if request.idempotency_key else ""

    async def run(tx: Tx) -> R:
        ledger = await journal.begin(tx, project_id, request.actor, create=create)
        known = await idempotency.recall(tx, project_id, request.idempotency_key, print_)
        if known is not None:
            return shapes.build(answer, known)
        result = await work(tx, ledger)
        await journal.commit(tx, ledger)
        await idempotency.remember(
            tx, project_id, request.idempotency_key, print_, shapes.plain(result)
        )
        return result

    return await database.write(run)
