"""Random operations on a real Neo4j: after each one, what the journal says is what is stored.

The machine is synchronous, the service is not: every call runs on one event loop in a
thread of its own, with its own Database.
"""

import asyncio
import os
import threading
import uuid
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from typing import Any, TypeVar

import pytest
from conftest import Neo4j
from factories import make_edge, make_node
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from gotn import journal
from gotn.database import schema
from gotn.database.connection import Database
from gotn.errors import GotnError, LeaseLost, ProgrammingError
from gotn.work.records import EdgeType, GraphDraft, NodeStatus, OnFailure, WorkEdgeDraft
from gotn.work.rules import forms
from gotn.work.usecases import (
    bulk,
    claiming,
    controlling,
    doctor,
    edges,
    ending,
    link,
    nodes,
    planning,
    projects,
    replanning,
    replay,
)
from gotn.work.usecases.drafting import drafted
from gotn.work.usecases.writing import Request

T = TypeVar("T")
settings.register_profile(
    "ci",
    max_examples=30,
    stateful_step_count=25,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
settings.register_profile(
    "fuzz",
    max_examples=300,
    stateful_step_count=60,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

IDS = st.sampled_from(["a", "b", "c", "d", "e", "ü/%"])
NAMES = st.lists(st.sampled_from(["T", "U", "V", "w w"]), max_size=3, unique=True).map(tuple)
TAGS = st.one_of(st.none(), NAMES)
STATUS = st.sampled_from(list(NodeStatus))
TYPES = st.sampled_from(list(EdgeType))


class Loop:
    """An event loop in a thread, and the database that lives on it."""

    def __init__(self, server: Neo4j) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        #: Operations that were asked for, and those that were not refused, over all runs.
        self.asked = self.accepted = 0
        self.database = Database.open(server.uri, server.user, server.password)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(120)

    def close(self) -> None:
        """End the database and the thread."""
        self.run(self.database.close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


@pytest.fixture(scope="module")
def loop(neo4j_server: Neo4j) -> Iterator[Loop]:
    """One loop for all runs of the machine."""
    made = Loop(neo4j_server)
    made.run(schema.migrate(made.database))
    yield made
    made.close()


class Machine(RuleBasedStateMachine):
    """A project under random operations."""

    loop: Loop

    def __init__(self) -> None:
        super().__init__()
        self.request = Request(project_id=f"m-{uuid.uuid4().hex[:16]}", actor="machine")
        self.database = self.loop.database
        self.done = 0

    def run(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do it; a refusal is an answer too, a mistake of ours is not."""
        self.done += 1
        self.loop.asked += 1
        try:
            self.loop.run(work)
            self.loop.accepted += 1
        except ProgrammingError:
            raise
        except GotnError:
            pass

    @initialize()
    def begin(self) -> None:
        """A project that is there."""
        self.run(nodes.add(self.database, self.request, make_node("a", produces=("T",))))

    @rule(id_=IDS, requires=TAGS, produces=TAGS, tags=TAGS, parent=st.one_of(st.none(), IDS))
    def add_node(self, id_: str, **given: Any) -> None:
        """Add a node, or be refused."""
        self.run(nodes.add(self.database, self.request, make_node(id_, **given)))

    @rule(
        id_=IDS,
        changes=st.dictionaries(
            st.sampled_from(["requires", "produces", "tags"]), TAGS, min_size=1
        ),
    )
    def update_tags(self, id_: str, changes: dict[str, Any]) -> None:
        """Change what a node requires and produces."""
        self.run(nodes.update(self.database, self.request, id_, changes))

    @rule(id_=IDS, status=STATUS, reason=st.sampled_from([None, "because"]))
    def update_status(self, id_: str, status: NodeStatus, reason: str | None) -> None:
        """Move a node."""
        changes = {"status": status} | ({"status_reason": reason} if reason else {})
        self.run(nodes.update(self.database, self.request, id_, changes))

    @rule(id_=IDS, parent=st.one_of(st.none(), IDS))
    def update_parent(self, id_: str, parent: str | None) -> None:
        """Give a node another parent, or none."""
        self.run(nodes.update(self.database, self.request, id_, {"parent": parent}))

    @rule(id_=IDS, children=st.one_of(st.none(), st.lists(IDS, max_size=3).map(tuple)))
    def update_children(self, id_: str, children: tuple[str, ...] | None) -> None:
        """Give a node other children."""
        self.run(nodes.update(self.database, self.request, id_, {"children": children}))

    @rule(id_=IDS, value=st.sampled_from([None, {"estimate_minutes": 3}, {"k": [1.5, None]}]))
    def update_extra(self, id_: str, value: Any) -> None:
        """Change leaves."""
        changes = {"extra": value, "guards": [value] if isinstance(value, str) else None}
        self.run(nodes.update(self.database, self.request, id_, changes))

    @rule(id_=IDS, cascade=st.booleans())
    def remove_node(self, id_: str, cascade: bool) -> None:  # Hypothesis names it
        """Take a node away."""
        self.run(nodes.remove(self.database, self.request, id_, cascade=cascade))

    @rule(src=IDS, dst=IDS, type_=TYPES, score=st.sampled_from([None, 0, 0.25]))
    def add_edge(self, src: str, dst: str, type_: EdgeType, score: float | None) -> None:
        """Join two nodes."""
        draft = make_edge(src, dst, type=type_, score=score)
        self.run(edges.add(self.database, self.request, draft))

    @rule(src=IDS, dst=IDS, type_=TYPES)
    def remove_edge(self, src: str, dst: str, type_: EdgeType) -> None:
        """Part two nodes."""
        draft = WorkEdgeDraft(src=src, dst=dst, type=type_)
        self.run(edges.remove(self.database, self.request, draft))

    @rule(
        given=st.lists(st.tuples(IDS, TAGS, TAGS), max_size=4, unique_by=lambda n: n[0]),
        pairs=st.lists(st.tuples(IDS, IDS), max_size=4, unique=True),
        linked=st.booleans(),
        flagged=st.booleans(),
    )
    def add_graph(self, given: Any, pairs: Any, linked: bool, flagged: bool) -> None:  # the same
        """Add many at once."""
        made = [make_node(i, requires=r, produces=p) for i, r, p in given]
        joined = [make_edge(src, dst) for src, dst in pairs]
        self.run(
            bulk.add_graph(
                self.database, self.request, made, joined, link=linked, flag_cycles=flagged
            )
        )

    @rule(
        given=st.lists(st.tuples(IDS, TAGS, STATUS), max_size=4, unique_by=lambda n: n[0]),
        pairs=st.lists(st.tuples(TYPES, IDS, IDS), max_size=5, unique=True),
        order=st.lists(IDS, max_size=3, unique=True),
        flagged=st.booleans(),
        dry=st.booleans(),
    )
    def import_document(
        self,
        given: Any,
        pairs: Any,
        order: list[str],
        flagged: bool,
        dry: bool,  # the same
    ) -> None:
        """Import what changes nodes, and refers to some that are not there."""
        draft = GraphDraft()
        for id_, requires, status in given:
            document = {"id": id_, "kind": "k", "summary": "s", "prompt_text": "p", "x": 1}
            document |= {"status": status.value} | (
                {"requires": list(requires)} if requires else {}
            )
            draft.nodes.append(forms.read_node(document).row)
        some = [make_edge(s, d, type=t) for t, s, d in pairs if s != d]
        draft.edges = drafted([], some).edges
        if order:
            run = {"id": f"r{len(order)}", "ordered_node_ids": order, "layers": [order]}
            draft.runs.append(forms.read_run(run).row)
        draft.journal = [{"event": "x", "timestamp": "2025-01-01T00:00:00Z", "data": {"n": order}}]
        self.run(
            bulk.import_graph(
                self.database, self.request, draft, flag_cycles=flagged, derive=True, dry_run=dry
            )
        )

    @rule(whole=st.booleans())
    def link(self, whole: bool) -> None:  # the same
        """Derive edges from tags."""
        self.run(link.link(self.database, self.request, whole=whole))

    @rule(wanted=st.lists(IDS, max_size=2, unique=True), leaves=st.booleans(), dry=st.booleans())
    def plan(self, wanted: list[str], leaves: bool, dry: bool) -> None:  # the same
        """Plan what is open."""
        self.run(
            planning.plan(
                self.database, self.request, targets=tuple(wanted), leaves=leaves, dry_run=dry
            )
        )

    @rule(fast=st.booleans(), number=st.integers(0, 2))
    def start_run(self, fast: bool, number: int) -> None:
        """Start a run that was planned or imported."""
        on_failure = OnFailure.FAIL_FAST if fast else OnFailure.GO_ON
        self.run(self._on_run(number, controlling.start, on_failure))

    @rule(
        number=st.integers(0, 2),
        node=st.one_of(st.none(), IDS),
        end=st.sampled_from(["complete", "fail", "final", "skip", "late", "beat", None]),
    )
    def claim_step(self, number: int, node: str | None, end: str | None) -> None:
        """Claim a step and end it somehow; what is left running is found later."""
        self.run(self._claim(number, node, end))

    async def _claim(self, number: int, node: str | None, end: str | None) -> None:
        run = await self._run_id(number)
        claim = await claiming.claim(self.database, self.request, run, "w", node_id=node)
        if claim.node is None or claim.token is None:
            return
        mine = (self.database, self.request, run, claim.node.id)
        if end == "complete":
            await ending.complete(*mine, claim.token, outputs={"n": [None]}, duration_ms=1)
        elif end in ("fail", "final"):
            await ending.fail(*mine, claim.token, "broken", final=end == "final")
        elif end == "skip":
            await ending.skip(*mine, "left out", token=claim.token)
        elif end == "beat":
            await claiming.renew(*mine, claim.token)
        elif end == "late":
            await self._expire(run)
            await claiming.claim(self.database, self.request, run, "v")
            with pytest.raises(LeaseLost):
                await ending.complete(*mine, claim.token)

    async def _expire(self, run: str) -> None:
        """Let every lease of a run be over, as if time had passed."""
        text = "MATCH (r:Run {key: $key})-[s:STEP]->() SET s.lease_end = 0"
        async with self.database.session() as session:
            await (await session.run(text, key=f"{self.request.project_id}/{run}")).consume()

    @rule(number=st.integers(0, 2), node=IDS)
    def skip_step(self, number: int, node: str) -> None:
        """Leave a step out that nobody has."""
        self.run(self._on_run(number, ending.skip, node, "by hand"))

    @rule(number=st.integers(0, 2))
    def cancel_run(self, number: int) -> None:
        """Give a run up."""
        self.run(self._on_run(number, controlling.cancel, "enough"))

    @rule(number=st.integers(0, 2))
    def resume_run(self, number: int) -> None:
        """Go on with a run that ended badly."""
        self.run(self._on_run(number, controlling.resume))

    @rule(number=st.integers(0, 2), dry=st.booleans())
    def replan_run(self, number: int, dry: bool) -> None:
        """Plan the rest of a run anew."""
        work = partial(replanning.replan, dry_run=dry)
        self.run(self._on_run(number, work))

    async def _on_run(self, number: int, work: Callable[..., Any], *more: Any) -> None:
        await work(self.database, self.request, await self._run_id(number), *more)

    async def _run_id(self, number: int) -> str:
        """One of the last runs, or a name that there is not."""
        text = "MATCH (r:Run {project_id: $p}) WHERE r.id > '' RETURN r.id ORDER BY r.ordinal DESC"
        async with self.database.session() as session:
            rows = await (await session.run(text, p=self.request.project_id)).values()
        return str(rows[number][0]) if number < len(rows) else "none"

    @rule(value=st.sampled_from([None, "x", "y"]))
    def change_settings(self, value: str | None) -> None:
        """Change the project's settings."""
        self.run(projects.settings(self.database, self.request, {"description": value}))

    @precondition(lambda self: self.done)
    @invariant()
    def journal_says_what_is_stored(self) -> None:
        """Chain whole, seq gapless, replay equal, ranks and flags as the model has them."""
        found = self.loop.run(replay.verify(self.database, self.request.project_id))
        assert found.problems == ()
        assert found.differing == []
        self.loop.run(self._invariants(self.request.project_id))

    async def _invariants(self, project: str) -> None:
        for check in (doctor._crossing, doctor._ordered, doctor._flags, doctor._sequence):
            said = await check(self.database, project)
            assert said.ok, said.found

    def teardown(self) -> None:
        """At the end the journal rebuilds the project elsewhere, word for word."""
        if not self.done:
            return
        self.loop.run(self._rebuild())

    async def _rebuild(self) -> None:
        project = self.request.project_id
        copy = Request(project_id=f"{project}-copy", actor="machine")
        source = partial(journal.entries, self.database, project)
        found = await replay.replay(self.database, copy, source)
        assert found.digest == await replay.current_digest(self.database, project)
        held = [
            (await projects.show(self.database, p)).settings or {}
            for p in (copy.project_id, project)
        ]
        assert held[0] == held[1]
        await self._invariants(copy.project_id)
        for one in (copy, self.request):
            await projects.remove(self.database, one)


@pytest.mark.slow
def test_random_operations_are_all_in_the_journal(loop: Loop) -> None:
    """Whatever is done, in whatever order: replay equals state, ranks hold, seq has no gap."""
    profile = settings.get_profile(os.environ.get("GOTN_TEST_PROFILE", "ci"))
    machine = type("Here", (Machine,), {"loop": loop})
    run_state_machine_as_test(machine, settings=profile)
    # A machine whose every operation is refused would prove nothing.
    assert loop.accepted > loop.asked / 4, f"{loop.accepted} of {loop.asked} were accepted"
