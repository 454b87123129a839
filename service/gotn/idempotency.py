"""Same key, same answer: a mutation's answer is kept in the transaction that made it.

A key is unique in its project and kept for seven days. The same key with the same input
gives the first answer again; with another input it is a Conflict.
"""

import hashlib
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


async def recall(tx: Tx, project_id: str, key: str | None, print_: str) -> Any | None:
    """The answer given to this key before, or None; call it after the project's lock."""
    if key is None:
        return None
    shapes.check_text(key, "idempotencyKey")
    if not key or len(key.encode()) > KEY_BYTES:
        raise Invalid(
            f"idempotencyKey: expected 1 to {KEY_BYTES} bytes, found {shapes.shown(key)}",
            field="idempotencyKey",
        )
    known = await tx.one("request/get", key=f"{project_id}/{key}")
    if known is None:
        return None
    if known["fingerprint"] != print_:
        raise Conflict(
            f"The idempotency key {shapes.shown(key)} was used with another input.", key=key
        )
    return shapes.loads(known["answer"])


async def remember(tx: Tx, project_id: str, key: str | None, print_: str, answer: Any) -> None:
    """Keep the answer, and forget what is older than seven days."""
    if key is None:
        return
    await tx.rows(
        "request/put",
        project=project_id,
        key=f"{project_id}/{key}",
        fingerprint=print_,
        answer=shapes.dumps(answer),
        days=KEPT_DAYS,
    )
