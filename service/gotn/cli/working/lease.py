"""A step that is ours for a while: renewed while it is worked on, noticed when it is lost."""

import asyncio
import time
from types import TracebackType
from typing import Any, Self

from gotn.cli.working.door import Door
from gotn.errors import GotnError, Unavailable

#: Seconds between two heartbeats at most, and after one that the database did not answer.
LONGEST, AGAIN = 20.0, 0.5


class Lease:
    """Renews a claim's lease in the background; sets `halt` where that fails for good."""

    def __init__(self, door: Door, claim: dict[str, Any], lease_ms: int, asked: float) -> None:
        """`asked`: when the claim was sent, by `time.monotonic`: the lease began after that."""
        self._door = door
        self._lease_ms = lease_ms
        self._ends = asked + lease_ms / 1000
        self._task: asyncio.Task[None] | None = None
        self.node: str = claim["step"]["id"]
        self.token: str = claim["token"]
        #: Set when the work on this step has to stop, for whatever reason.
        self.halt = asyncio.Event()
        #: Why the step is not ours any more.
        self.lost: str | None = None

    async def __aenter__(self) -> Self:
        """Begin to renew."""
        self._task = asyncio.create_task(self._beat())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Renew no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    @property
    def left(self) -> float:
        """Seconds until it ends for certain, if nothing renews it."""
        return self._ends - time.monotonic()

    async def renew(self, lease_ms: int) -> dict[str, Any]:
        """Renew it now."""
        sent = time.monotonic()
        found = await self._door.heartbeat(self.node, self.token, lease_ms)
        self._ends = max(self._ends, sent + lease_ms / 1000)
        return found

    async def _beat(self) -> None:
        pause = min(self._lease_ms / 3000, LONGEST)
        wait = pause
        while not self.lost:
            await asyncio.sleep(min(wait, max(self.left, 0.01)))
            try:
                await self.renew(self._lease_ms)
                wait = pause
            except Unavailable:
                wait = min(AGAIN, pause)
                if self.left <= 0:
                    self._lose("the database did not answer until the lease was over")
            except GotnError as error:
                self._lose(error.message)

    def _lose(self, why: str) -> None:
        self.lost = why
        self.halt.set()
