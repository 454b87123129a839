"""Callers who write nodes, edges, documents and plans as fast as they are answered."""

import asyncio
import json
import random
import re
from collections.abc import Coroutine
from typing import Any

from chaos.client import Caller, Gate, Wrong
from chaos.history import Deed, History

#: Seconds a writer thinks between two writes, at most.
THINK = 0.05
#: The node that all writers change; a load's first write adds it.
SHARED = "shared"
_NODE = "... on WorkNode { id summary revision } ... on Error { code message }"
ADD = f"mutation A($i: AddNodeInput!) {{ addNode(input: $i) {{ {_NODE} }} }}"
UPDATE = f"mutation U($i: UpdateNodeInput!) {{ updateNode(input: $i) {{ {_NODE} }} }}"
EDGE = """mutation E($i: AddEdgeInput!) { addEdge(input: $i) {
  ... on WorkEdge { src dst } ... on Error { code message } } }"""
IMPORT = """mutation I($i: ImportGraphInput!) { importGraph(input: $i) {
  ... on Imported { nodes } ... on Error { code message } } }"""
PLAN = """mutation P($i: PlanInput!) { plan(input: $i) {
  ... on Plan { runId goal } ... on Error { code message } } }"""
READ = "query R($p: String!, $id: String!) { workNode(project: $p, id: $id) { summary } }"


class Load:
    """Workers of any kind on one project, until they are stopped."""

    def __init__(self, port: int, project: str, seed: int) -> None:
        self.port, self.project, self.seed = port, project, seed
        self.history = History()
        self.gate = Gate()
        self._tasks: list[asyncio.Task[None]] = []
        self._callers: list[Caller] = []

    def start(self, *workers: Coroutine[Any, Any, None]) -> None:
        """Let these workers begin."""
        self.gate.open()
        self._tasks += [asyncio.create_task(worker) for worker in workers]

    async def stop(self) -> None:
        """End the workers between two tries; raises what went wrong in one of them."""
        await self.gate.close()
        for task in self._tasks:
            task.cancel()
        done = await asyncio.gather(*self._tasks, return_exceptions=True)
        for caller in self._callers:
            caller.close()
        await asyncio.sleep(0)  # in which aborted connections close
        for error in done:
            if isinstance(error, Exception):
                raise error

    def caller(self) -> Caller:
        """A caller of the service whose failed tries are counted."""
        self._callers.append(Caller(self.port, self.gate, self.failed))
        return self._callers[-1]

    def failed(self, said: str) -> None:
        """Count a failed try under what was said, but for numbers."""
        self.history.failed[re.sub(r"under \w+|:\d+", "", said)[:100]] += 1


class Writer:
    """One caller who writes nodes, edges, documents and plans, each under a key of its own."""

    def __init__(self, load: Load, name: str, shared: str) -> None:
        self._load, self._name = load, name
        #: A node that all writers change.
        self._shared = shared
        self._caller = load.caller()
        self._random = random.Random(f"{load.seed}/{name}")
        self._count = 0
        self._nodes: list[str] = []
        self._edges: set[str] = set()
        #: What was acknowledged: the document and variables of each, to be asked again.
        self._done: list[tuple[str, dict[str, Any], list[Deed]]] = []

    async def work(self) -> None:
        """Write until cancelled."""
        await self.add()
        acts = (self.add, self.update, self.share, self.edge, self.document, self.plan)
        rest = (self.read, self.again)
        while True:
            (act,) = self._random.choices((*acts, *rest), (30, 30, 8, 12, 3, 2, 10, 5))
            try:
                await act()
            except Wrong as error:
                self._load.history.wrong.append(f"{act.__name__} of {self._name}: {error}")
            await asyncio.sleep(self._random.uniform(0, THINK))

    def _token(self) -> str:
        self._count += 1
        return f"{self._name}-{self._count}"

    async def add(self) -> None:
        """A node of this writer's own."""
        token = self._token()
        node = {"id": token, "kind": "chaos", "summary": token, "promptText": "p"}
        if await self._do(ADD, {"node": node}, Deed(token, "add", token)):
            self._nodes.append(token)

    async def update(self) -> None:
        """Another summary for one of its nodes."""
        token, node = self._token(), self._random.choice(self._nodes)
        await self._do(UPDATE, {"id": node, "summary": token}, Deed(token, "update", node))

    async def share(self) -> None:
        """Another summary for the node that all change."""
        token = self._token()
        await self._do(UPDATE, {"id": self._shared, "summary": token}, Deed(token, "share"))

    async def edge(self) -> None:
        """An edge from an older node of its own to a newer one, so that nothing goes round."""
        if len(self._nodes) < 2:
            return
        first, last = sorted(self._random.sample(range(len(self._nodes)), 2))
        ends = {"src": self._nodes[first], "dst": self._nodes[last]}
        token = f"{ends['src']}>{ends['dst']}"
        if token not in self._edges:
            self._edges.add(token)
            await self._do(EDGE, {"edge": ends}, Deed(token, "edge"))

    async def document(self) -> None:
        """Three nodes at once: all of them or none."""
        names = [self._token() for _ in range(3)]
        rows = [{"id": n, "kind": "chaos", "summary": n, "prompt_text": "p"} for n in names]
        given = {"content": json.dumps({"nodes": rows})}
        if await self._do(IMPORT, given, *(Deed(name, "import", name) for name in names)):
            self._nodes += names

    async def plan(self) -> None:
        """A run for one of its nodes."""
        token = self._token()
        given = {"goal": token, "targets": [self._random.choice(self._nodes)]}
        await self._do(PLAN, given, Deed(token, "plan"))

    async def read(self) -> None:
        """One of its nodes, which must say what this writer wrote last."""
        node = self._random.choice(self._nodes)
        deeds = [d for d in self._load.history.deeds if d.node == node and d.kind != "share"]
        found = await self._caller.answer(READ, {"p": self._load.project, "id": node})
        if not found or found["summary"] != deeds[-1].token:
            self._load.history.wrong.append(f"old read: {node} {found}, wrote {deeds[-1].token}")

    async def again(self) -> None:
        """Something acknowledged, once more under its key: the first answer, nothing new."""
        if self._done:
            document, variables, deeds = self._random.choice(self._done[-50:])
            found = await self._caller.answer(document, variables)
            for deed in deeds:
                deed.answers.append(found)

    async def _do(self, document: str, given: dict[str, Any], *deeds: Deed) -> bool:
        """Ask until it is acknowledged, and note that; False where it was refused."""
        key = f"key-{deeds[0].token}"
        variables = {"i": given | {"project": self._load.project, "idempotencyKey": key}}
        for deed in deeds:
            self._load.history.begin(deed)
        found = await self._caller.answer(document, variables)
        for deed in deeds:
            deed.answers.append(found)
        if "code" in found:
            self._load.history.wrong.append(f"refused: {deeds[0].kind} {deeds[0].token}: {found}")
            return False
        for deed in deeds:
            self._load.history.acknowledge(deed)
        self._done.append((document, variables, list(deeds)))
        return True


def writers(load: Load, count: int) -> list[Coroutine[Any, Any, None]]:
    """The work of so many writers, on a node that they share."""
    return [Writer(load, f"w{number}", SHARED).work() for number in range(count)]
