"""Workers who share runs: claims, heartbeats, ends, and some who fall silent with a step."""

import asyncio
import itertools
import random
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from chaos.client import Caller, Wrong
from chaos.history import Deed, Lease
from chaos.load import PLAN, Load

_STEP = "... on StepOfRun { nodeId status attempt outputs } ... on Error { code message }"
GRAPH = """mutation G($i: AddGraphInput!) { addGraph(input: $i) {
  ... on Imported { nodes } ... on Error { code message } } }"""
CLAIM = """mutation C($i: ClaimStepInput!) { claimStep(input: $i) {
  ... on Claim { status token attempt retryAfterMs run { status } step { nodeId } }
  ... on Error { code message } } }"""
BEAT = """mutation H($i: HeartbeatStepInput!) { heartbeatStep(input: $i) {
  ... on Claim { status } ... on Error { code message } } }"""
COMPLETE = f"mutation O($i: CompleteStepInput!) {{ completeStep(input: $i) {{ {_STEP} }} }}"
FAIL = f"mutation F($i: FailStepInput!) {{ failStep(input: $i) {{ {_STEP} }} }}"
#: Steps of a run, in layers of so many.
STEPS, WIDE = 12, 4
#: Milliseconds of a lease: short, so that many end while faults last.
LEASES = (1_000, 4_000)
#: Seconds that a worker works on a step, at most.
WORK = 0.2
#: Seconds between two claims where nothing is ready, at most.
IDLE = 0.5


@dataclass
class Office:
    """The run that all workers of a load share now, and those before it."""

    load: Load
    run: str = ""
    number: int = 0
    #: Set when the run that is on has ended.
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def one_more(self) -> None:
        """Wait until the run that is on has ended."""
        await self.ended.wait()

    async def work(self) -> None:
        """Plan one run after the other, each once the one before it has ended."""
        caller = self.load.caller()
        while True:
            self.number += 1
            names = await self._graph(caller)
            token = f"goal-{self.number}"
            given = {"goal": token, "targets": names[-WIDE:]}
            found = await self._ask(caller, PLAN, token, given, Deed(token, "plan"))
            self.run, self.ended = found["runId"], asyncio.Event()
            await self.ended.wait()

    async def _graph(self, caller: Caller) -> list[str]:
        """Nodes in layers, each needing two of the layer before; a failure is tried again."""
        names = [f"run{self.number}-{at}" for at in range(STEPS)]
        extra = {"retry": {"attempts": 50}}
        nodes = [
            {"id": n, "kind": "chaos", "summary": n, "promptText": "p", "extra": extra}
            for n in names
        ]
        pairs = [
            (names[at - WIDE + more if (at + more) % WIDE else at - WIDE], names[at])
            for at in range(WIDE, STEPS)
            for more in (0, -1)
        ]
        edges = [{"src": src, "dst": dst} for src, dst in sorted(set(pairs))]
        given = {"nodes": nodes, "edges": edges}
        deeds = [Deed(name, "import", name) for name in names]
        await self._ask(caller, GRAPH, names[0], given, *deeds)
        return names

    async def _ask(
        self, caller: Caller, document: str, key: str, given: dict[str, Any], *deeds: Deed
    ) -> Any:
        variables = {"i": given | {"project": self.load.project, "idempotencyKey": f"key-{key}"}}
        for deed in deeds:
            self.load.history.begin(deed)
        found = await caller.answer(document, variables)
        if "code" in found:
            raise Wrong(f"{key}: {found}")
        for deed in deeds:
            deed.answers.append(found)
            self.load.history.acknowledge(deed)
        return found


class Worker:
    """Claims steps, works on them, and ends them; now and then it falls silent with one."""

    def __init__(self, office: Office, name: str) -> None:
        self._office, self._name = office, name
        self._load = office.load
        self._history = office.load.history
        self._caller = office.load.caller()
        self._random = random.Random(f"{office.load.seed}/{name}")
        self._numbers = itertools.count()

    async def work(self) -> None:
        """Share runs until cancelled."""
        while True:
            run = self._office.run
            try:
                wait = await self._turn(run) if run else IDLE
            except Wrong as error:
                self._history.wrong.append(f"{self._name}: {error}")
                wait = IDLE
            await asyncio.sleep(wait)

    async def _turn(self, run: str) -> float:
        """One claim and what follows; seconds until the next."""
        lease_ms = self._random.randint(*LEASES)
        given = {"runId": run, "worker": self._name, "leaseMs": lease_ms}
        sent = time.monotonic()
        claim = await self._asked(CLAIM, given)
        if "code" in claim:
            raise Wrong(f"claim refused: {claim}")
        if claim["status"] == "RUN_ENDED":
            self._over(run, claim["run"]["status"])
            return IDLE
        if claim["status"] == "NOTHING_READY":
            return min(IDLE, (claim["retryAfterMs"] or 1000) / 1000)
        lease = self._leased(run, claim, sent, lease_ms)
        await asyncio.sleep(self._random.uniform(0, WORK))
        await self._finish(run, claim, lease)
        return 0

    def _leased(self, run: str, claim: dict[str, Any], sent: float, lease_ms: int) -> Lease:
        step = f"{run}/{claim['step']['nodeId']}"
        deed = Deed(f"{step}@{claim['attempt']}", "claim", sent=sent)
        self._history.deeds.append(deed)
        self._history.acknowledge(deed)
        now = time.monotonic()
        until = sent + lease_ms / 1000
        lease = Lease(step, claim["attempt"], self._name, sent, now, until)
        self._history.leases.append(lease)
        return lease

    async def _finish(self, run: str, claim: dict[str, Any], lease: Lease) -> None:
        """Renew the lease perhaps; then end the step, or never be heard of again."""
        mine = {"runId": run, "nodeId": claim["step"]["nodeId"], "token": claim["token"]}
        if self._random.random() < 0.2:
            sent = time.monotonic()
            found = await self._asked(BEAT, mine | {"leaseMs": LEASES[1]})
            if self._fine(found, "heartbeat"):
                lease.until = max(lease.until, sent + LEASES[1] / 1000)
        token = f"{self._name}-{next(self._numbers)}"
        chance = self._random.random()
        if chance < 0.05:
            return  # silent: somebody else gets it when the lease ends
        document, deed = COMPLETE, Deed(token, "complete", lease.step)
        more: dict[str, Any] = {"outputs": {"by": token}}
        if chance < 0.15:
            document, deed, more = FAIL, Deed(token, "fail"), {"reason": token}
        lease.ended = time.monotonic()
        self._history.begin(deed)
        found = await self._asked(document, mine | more)
        if self._fine(found, deed.kind):
            deed.answers.append(found)
            self._history.acknowledge(deed)
        else:
            deed.refused = True

    async def _asked(self, document: str, given: dict[str, Any]) -> Any:
        key = f"key-{self._name}-{next(self._numbers)}"
        given = given | {"project": self._load.project, "idempotencyKey": key}
        return await self._caller.answer(document, {"i": given})

    def _fine(self, found: dict[str, Any], what: str) -> bool:
        """Whether it was done; that a lease had ended is a refusal that must be."""
        if "code" not in found:
            return True
        if found["code"] != "LEASE_LOST":
            raise Wrong(f"{what} refused: {found}")
        self._history.refused[what] += 1
        return False

    def _over(self, run: str, status: str) -> None:
        """The run has ended; every worker is told the same."""
        before = self._history.runs.setdefault(run, status)
        if before != status:
            self._history.wrong.append(f"run {run} ended {before} and then {status}")
        if run == self._office.run:
            self._office.ended.set()


def workers(office: Office, count: int) -> list[Coroutine[Any, Any, None]]:
    """The work of an office and so many workers."""
    return [office.work(), *(Worker(office, f"h{number}").work() for number in range(count))]
