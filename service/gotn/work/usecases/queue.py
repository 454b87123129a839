"""Small writes of many callers wait for each other: a project's are stored a group at a time.

While one group is being stored, what comes in waits and makes the next one. So a lone
write starts at once, and a hundred concurrent ones cost two transactions, not a hundred
(performance, 11). Several servers may have a queue each: the project's lock in the database
orders their groups.
"""

import asyncio
import contextvars
from collections import deque
from typing import Any, TypeVar

from gotn.database.connection import Database
from gotn.errors import LimitExceeded
from gotn.work.usecases import grouping
from gotn.work.usecases.grouping import GROUP, Outcome, Write

R = TypeVar("R")
#: Writes of one project that may wait, and characters of all that wait in this server; one that
#: is so far behind refuses more.
WAITING = 10_000
WAITING_TEXT = 100_000_000
#: Seconds that `close` waits for what is on its way.
LAST = 10.0

_Waiting = tuple[Write[Any], asyncio.Future[Outcome[Any]]]


class WriteQueue:
    """One lane a project, each with at most one group on its way."""

    def __init__(self) -> None:
        self._lanes: dict[str, deque[_Waiting]] = {}
        self._workers: set[asyncio.Task[None]] = set()
        self._size = 0

    async def run(self, database: Database, write: Write[R]) -> Outcome[R]:
        """What became of the write, once its group is stored; LimitExceeded where it is full."""
        if self._size + write.size > WAITING_TEXT:
            raise LimitExceeded(
                "Too much is waiting to be written; try again later.", limit=WAITING_TEXT
            )
        future: asyncio.Future[Outcome[R]] = asyncio.get_running_loop().create_future()
        lane = self._lanes.get(write.project_id)
        if lane is None:
            lane = self._lanes[write.project_id] = deque()
            # Its own context: what a caller notes in its own is none of the others' business.
            worker = asyncio.create_task(
                self._work(database, write.project_id), context=contextvars.Context()
            )
            self._workers.add(worker)
            worker.add_done_callback(self._workers.discard)
        if len(lane) >= WAITING:
            raise LimitExceeded(
                f"{WAITING} writes of this project are waiting already; try again later.",
                limit=WAITING,
            )
        lane.append((write, future))
        self._size += write.size
        try:
            return await future
        finally:
            self._size -= write.size

    async def close(self) -> None:
        """Wait until everything that was asked for is stored, for a while; then end it."""
        if self._workers:
            _, late = await asyncio.wait(self._workers, timeout=LAST)
            for worker in late:
                worker.cancel()

    async def _work(self, database: Database, project_id: str) -> None:
        lane = self._lanes[project_id]
        try:
            while lane:
                await _store(database, lane)
        finally:
            del self._lanes[project_id]
            for _, future in lane:
                future.cancel()


async def _store(database: Database, lane: deque[_Waiting]) -> None:
    """Store one group from the head of the lane; who has gone away is passed over."""
    waiting: list[_Waiting] = []
    while lane and len(waiting) < GROUP:
        write, future = lane.popleft()
        if not future.done():
            waiting.append((write, future))
    if not waiting:
        return
    try:
        outcomes = await grouping.together(database, [write for write, _ in waiting])
        for (_, future), outcome in zip(waiting, outcomes, strict=True):
            if not future.done():
                future.set_result(outcome)
    finally:  # nobody waits for ever, even where the worker itself is ended
        for _, future in waiting:
            future.cancel()
