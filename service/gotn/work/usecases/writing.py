"""The frame of every write: who asks, and the lock, idempotency and journal around the work.

A small write says what it touches, and can then share a transaction with others of its
project (`grouping`, `queue`); any other one has a transaction of its own.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from gotn import idempotency, journal, shapes
from gotn.database.connection import Database, Tx
from gotn.errors import Invalid
from gotn.journal import Ledger
from gotn.work.rules import forms
from gotn.work.store.touches import Touches
from gotn.work.usecases import grouping
from gotn.work.usecases.grouping import Outcome, Write
from gotn.work.usecases.queue import WriteQueue
from gotn.writing import check_project

__all__ = ["Request", "check_project", "perform", "perform_all", "recalled", "write", "writing"]

R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class Request:
    """Who asks for a write, where, and under which idempotency key."""

    project_id: str = "default"
    actor: str = "unknown"
    idempotency_key: str | None = None
    #: Where small writes wait for others; None: each has a transaction of its own.
    queue: WriteQueue | None = field(default=None, compare=False)


def writing(
    request: Request,
    operation: str,
    given: Any,
    answer: type[R],
    work: Callable[[Tx, Ledger], Awaitable[R]],
    *,
    create: bool = True,
    touches: Touches | None = None,
) -> Write[R]:
    """The write that is asked for; its answer is kept under the idempotency key.

    `given` is the operation's input in plain JSON: the same key with another input is a
    Conflict. `work` may run twice, so it touches nothing outside the transaction.
    """
    project_id = check_project(request.project_id)
    forms.identifier(request.actor, "actor")
    key = idempotency.checked(request.idempotency_key)
    return Write(
        project_id=project_id,
        actor=request.actor,
        key=key,
        fingerprint=idempotency.fingerprint(operation, given) if key is not None else "",
        answer=answer,
        work=work,
        create=create,
        touches=touches,
        size=len(shapes.dumps(given)) if touches is not None else 0,
    )


async def recalled(
    database: Database, request: Request, operation: str, given: Any, answer: type[R]
) -> R | None:
    """The answer that the request's key was given before, or None; for what must look first."""
    key = idempotency.checked(request.idempotency_key)
    if key is None:
        return None
    project_id = check_project(request.project_id)
    answers = await database.read(lambda tx: idempotency.recall(tx, project_id, [key]))
    known = answers.of(key, idempotency.fingerprint(operation, given))
    return None if known is None else shapes.build(answer, known)


async def perform(database: Database, request: Request, asked: Write[R]) -> R:
    """Do it now, or when the queue comes to it; raises why it was refused."""
    if request.queue is None or asked.touches is None:
        return (await grouping.alone(database, asked)).unwrapped()
    outcome = await request.queue.run(database, asked)
    _tell(asked, outcome)
    return outcome.unwrapped()


def _tell(asked: Write[Any], outcome: Outcome[Any]) -> None:
    """What `journal.commit` notes for whoever writes alone."""
    noted = journal.last_seq.get()
    if noted is not None and outcome.seq is not None:
        noted[asked.project_id] = outcome.seq


async def perform_all(database: Database, asked: Sequence[Write[Any]]) -> list[Outcome[Any]]:
    """Many small writes in their order, a group a transaction; each has its own outcome.

    All are of one project. A refused one changes nothing and stops nothing.
    """
    projects = {write.project_id for write in asked}
    if len(projects) > 1:
        raise Invalid(f"project: expected one for all writes, found {len(projects)}")
    return await grouping.together(database, asked)


async def write(
    database: Database,
    request: Request,
    operation: str,
    given: Any,
    answer: type[R],
    work: Callable[[Tx, Ledger], Awaitable[R]],
    *,
    create: bool = True,
    touches: Touches | None = None,
) -> R:
    """`writing`, performed."""
    asked = writing(request, operation, given, answer, work, create=create, touches=touches)
    return await perform(database, request, asked)
