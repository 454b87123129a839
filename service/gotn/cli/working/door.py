"""The worker's way to the run: claims, heartbeats and ends, each surely and only once.

Every mutation is sent with a key of its own (decisions, Idempotency), so one whose answer was
lost is sent again until the database answers or the time it may take is over.
"""

import asyncio
import time
import uuid
from dataclasses import dataclass
from typing import Any

from gotn.cli import operations
from gotn.database.connection import Database
from gotn.errors import Unavailable

Row = dict[str, Any]

#: Seconds between two tries while the database does not answer: the first, and the longest.
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
#: Seconds that a claim is tried for; the database may be restarting.
PATIENCE = 120.0


@dataclass(frozen=True, kw_only=True)
class Door:
    """A run in a project, as one actor works in it."""

    database: Database
    project: str
    actor: str
    run_id: str

    async def ask(self, operation: str, **variables: Any) -> Any:
        """The plain answer of a query."""
        given = {"project": self.project} | variables
        return await operations.ask(self.database, operation, given, self.actor)

    async def pages(self, operation: str, limit: int, name: str, **variables: Any) -> list[Row]:
        """At most `limit` rows of a connection."""
        given = {"project": self.project} | variables
        found = await operations.pages(self.database, operation, given, self.actor, limit, name)
        rows: list[Row] = found[name]
        return rows

    async def claim(
        self, worker: str, *, kinds: list[str], tags: list[str], lease_ms: int, node: str | None
    ) -> Row:
        """The next step, or why there is none."""
        return await self._sent(
            "RunClaim",
            PATIENCE,
            worker=worker,
            kinds=kinds,
            tags=tags,
            leaseMs=lease_ms,
            nodeId=node,
        )

    async def heartbeat(self, node: str, token: str, lease_ms: int) -> Row:
        """Renew a lease; one try, since the next one comes anyway."""
        return await self._sent("RunHeartbeat", 0, nodeId=node, token=token, leaseMs=lease_ms)

    async def end(self, operation: str, patience: float, node: str, token: str, **more: Any) -> Row:
        """Complete, fail, skip or release a step; `patience` in seconds."""
        return await self._sent(operation, patience, nodeId=node, token=token, **more)

    async def _sent(self, operation: str, patience: float, **members: Any) -> Row:
        """Send a mutation until it is answered; Unavailable once the time is over."""
        given = {name: value for name, value in members.items() if value is not None}
        given |= {"project": self.project, "runId": self.run_id}
        if patience:
            given["idempotencyKey"] = str(uuid.uuid4())
        until, pause = time.monotonic() + patience, FIRST_PAUSE
        while True:
            try:
                found: Row = await operations.ask(
                    self.database, operation, {"input": given}, self.actor
                )
            except Unavailable:
                if time.monotonic() + pause > until:
                    raise
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
            else:
                return found
