"""Many subscribers in a process of their own: `python subscribers.py URL PROJECT COUNT LAST`.

Prints a line once each has the first entry, and at the end what they saw, as JSON.
"""

import asyncio
import json
import sys
import time
from datetime import datetime

from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

WS = Subprotocol("graphql-transport-ws")
QUERY = "subscription($p: String!) { journalEvents(project: $p, after: 0) { seq timestamp } }"
#: Seconds without any entry after which a subscriber gives up.
SILENCE = 60


class Crowd:
    """Subscribers over a socket each, and what they saw."""

    def __init__(self, url: str, project: str, count: int, last: int) -> None:
        self._url, self._project, self._count, self._last = url, project, count, last
        self._begun = 0
        self.wrong: list[str] = []
        self.seen = 0
        self.late: list[float] = []

    async def run(self) -> None:
        """Connect all, and follow to the last entry."""
        opening = asyncio.Semaphore(50)
        await asyncio.gather(*(self._follow(opening, n) for n in range(self._count)))

    async def _follow(self, opening: asyncio.Semaphore, number: int) -> None:
        payload = {"query": QUERY, "variables": {"p": self._project}}
        async with opening:
            socket = await connect(
                self._url,
                subprotocols=[Subprotocol("graphql-transport-ws")],
                open_timeout=60,
                ping_interval=None,
            )
            await socket.send(json.dumps({"type": "connection_init"}))
            await socket.recv()
            begun = time.time()
            await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
        async with socket:
            expected = 1
            while expected <= self._last:
                async with asyncio.timeout(SILENCE):
                    message = json.loads(await socket.recv())
                if message["type"] != "next":
                    self.wrong.append(f"{number}: {message}")
                    return
                event = message["payload"]["data"]["journalEvents"]
                if event["seq"] != expected:
                    self.wrong.append(f"{number}: expected {expected}, found {event['seq']}")
                    return
                if expected == 1:
                    self._began()
                when = datetime.fromisoformat(event["timestamp"]).timestamp()
                if when > begun:  # an older one is late by how long ago it was written
                    self.late.append(time.time() - when)
                self.seen += 1
                expected += 1

    def _began(self) -> None:
        self._begun += 1
        if self._begun == self._count:
            print("ready", flush=True)


def main() -> None:
    """Follow, and tell."""
    url, project, count, last = sys.argv[1:5]
    crowd = Crowd(url, project, int(count), int(last))
    asyncio.run(crowd.run())
    late = sorted(crowd.late)
    told = {
        "wrong": crowd.wrong[:10],
        "seen": crowd.seen,
        "p50": late[len(late) // 2] if late else None,
        "p99": late[len(late) * 99 // 100] if late else None,
    }
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
