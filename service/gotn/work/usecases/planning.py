"""Plan the open work, and keep the plan as a run."""

import gc
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from gotn import shapes
from gotn.database.connection import Database, Tx
from gotn.errors import CycleRefused, GotnError
from gotn.graph.scope import require_project
from gotn.journal import Ledger
from gotn.work.records import Plan, UnmetRequirement
from gotn.work.rules import forms, plans, rounds, steps
from gotn.work.rules.nets import Mask
from gotn.work.store import asking, edges
from gotn.work.store import planning as store
from gotn.work.store import runs as run_store
from gotn.work.store.keys import batches
from gotn.work.store.mirror import Mirror
from gotn.work.usecases import runs
from gotn.work.usecases.writing import Request, check_project, write

Row = dict[str, Any]
#: Nodes whose tags are looked up in one statement.
SCOPE = 50_000


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is to be planned."""

    goal: str = ""
    #: Ids to reach; empty for all open work.
    targets: tuple[str, ...] = ()
    #: Leave out nodes that have children.
    leaves: bool = False
    workspace: str | None = None


@dataclass
class Figured:
    """A plan without what it is for, and what its steps are made of."""

    plan: Plan
    layout: plans.Layout
    steps: steps.Steps

    def told(self, wanted: Wanted) -> Plan:
        """The plan as somebody wanted it."""
        return replace(
            self.plan, steps=self.steps, goal=wanted.goal, workspace_path=wanted.workspace
        )

    async def describe(self, tx: Tx, found: store.OpenWork) -> None:
        """Let the steps say what they are."""
        if not self.steps.summaries:
            self.steps.summaries = await store.summaries(tx, found, self.layout.order)


async def plan(
    database: Database,
    request: Request,
    *,
    goal: str = "",
    targets: tuple[str, ...] = (),
    leaves: bool = False,
    workspace: str | None = None,
    dry_run: bool = False,
    mirror: Mirror | None = None,
    summaries: bool = True,
) -> Plan:
    """Order the open work in layers; stored as a Run unless `dry_run`, which only reads.

    A `mirror` spares a dry run the graph where nothing was written since the last one. The
    summaries of the steps are read where they are wanted.

    Raises CycleRefused where nodes in scope need each other, NotFound for an unknown
    target or project. Where nothing is left to do no run is stored (001, Run; decisions, Plan).
    """
    wanted = Wanted(
        goal=forms.text(goal, "goal"),
        targets=tuple(forms.identifiers(targets, "targets")),
        leaves=leaves,
        workspace=None if workspace is None else forms.text(workspace, "workspace"),
    )
    if dry_run:
        project_id = check_project(request.project_id)
        made = await _again(database, project_id, wanted, mirror)
        if made is not None and (made.steps.summaries or not summaries):
            return made.told(wanted)
        return await database.read(
            lambda tx: compute(tx, project_id, wanted, mirror=mirror, summaries=summaries)
        )

    # An answer that is kept under a key is for whoever asks again, whatever they want to see.
    described = summaries or request.idempotency_key is not None

    async def work(tx: Tx, ledger: Ledger) -> Plan:
        made = await compute(tx, ledger.project_id, wanted, summaries=described)
        return await _keep(tx, ledger, made, wanted) if made.ordered_node_ids else made

    return await write(database, request, "plan", shapes.plain(wanted), Plan, work, create=False)


async def compute(
    tx: Tx,
    project_id: str,
    wanted: Wanted,
    *,
    mirror: Mirror | None = None,
    summaries: bool = True,
) -> Plan:
    """The plan of what is open now; reads only."""
    if wanted.targets:
        await asking.require(tx, project_id, *wanted.targets)
    found = await (mirror or store).open_work(tx, project_id)
    if not found.ids:
        await require_project(tx, project_id)
    figured = None if wanted.targets else found.kept.get(wanted.leaves)
    if figured is None:
        figured = await _figured(tx, project_id, found, wanted)
        if mirror is not None and not wanted.targets:
            found.kept[wanted.leaves] = figured
    if summaries:
        await figured.describe(tx, found)
    return figured.told(wanted)


async def _again(
    database: Database, project_id: str, wanted: Wanted, mirror: Mirror | None
) -> Figured | None:
    """What was figured before, if it still holds: one round trip; None: figure it."""
    if mirror is None or wanted.targets or not mirror.knows(project_id):
        return None
    try:
        found = await database.ask(lambda tx: mirror.same(tx, project_id))
    except GotnError:
        return None
    made: Figured | None = found.kept.get(wanted.leaves) if found else None
    return made


async def _figured(tx: Tx, project_id: str, found: store.OpenWork, wanted: Wanted) -> Figured:
    """Everything of a plan but what it is for."""
    whole, inside = await _scopes(tx, project_id, found, wanted)
    layout = plans.arrange(found, inside, whole & ~inside if wanted.leaves else None)
    if layout is None:
        ways = rounds.cycles(found, whole)
        raise await _refused(tx, project_id, [[found.ids[i] for i in way] for way in ways])
    timing = plans.timed(found, layout)
    ids = tuple(map(found.ids.__getitem__, layout.order.tolist()))
    counts = _counted(found, layout.steps)
    plan = Plan(
        run_id=None,
        project_id=project_id,
        goal="",
        layers=_layers(ids, layout.bounds),
        ordered_node_ids=ids,
        ordering_reason=plans.reason(found, layout, found.satisfied, *counts),
        unmet=await _unmet(tx, project_id, found, inside),
        blocked=tuple(layout.blocked),
        waiting_on=tuple(found.ids[i] for i in layout.waiting_on),
        critical_path=timing.critical,
        satisfied=found.satisfied,
    )
    return Figured(plan, layout, steps.Steps(ids, (), layout, timing))


async def _scopes(
    tx: Tx, project_id: str, found: store.OpenWork, wanted: Wanted
) -> tuple[Mask, Mask]:
    """The nodes in scope, and those of them that are to be planned."""
    targets = None
    if wanted.targets:
        names = set(wanted.targets)
        targets = [at for at, id_ in enumerate(found.ids) if id_ in names]
    whole = plans.scope(found, targets)
    if not wanted.leaves:
        return whole, whole
    return whole, whole & ~found.mask(await store.parents(tx, project_id, found))


def _layers(ids: tuple[str, ...], bounds: list[int]) -> tuple[tuple[str, ...], ...]:
    """The ids cut into layers; thousands of them, among which there is no garbage to look for."""
    collects = gc.isenabled()
    gc.disable()
    try:
        return tuple(ids[start:end] for start, end in pairwise(bounds))
    finally:
        if collects:
            gc.enable()


def _counted(found: store.OpenWork, steps: Mask) -> tuple[int, int]:
    """How many edges between steps come from tags, and how many were said."""
    inside = steps[found.hard.src] & steps[found.hard.dst]
    derived = int(np.count_nonzero(inside & found.derived))
    return derived, int(np.count_nonzero(inside)) - derived


async def _unmet(
    tx: Tx, project_id: str, found: store.OpenWork, inside: Mask
) -> tuple[UnmetRequirement, ...]:
    """Tags that these nodes require and nobody produces: the first by name, as `asking.unmet`."""
    if not found.unmet:
        return ()
    ids = [found.ids[i] for i in np.flatnonzero(inside).tolist()]
    asked: dict[str, list[str]] = {}
    for some in batches(ids, SCOPE):
        rows = await tx.value("work/unmet_of", project=project_id, ids=some, limit=asking.LIMIT)
        for tag, nodes in rows:
            asked.setdefault(tag, []).extend(nodes)
    return tuple(
        UnmetRequirement(tag=tag, nodes=tuple(asked[tag][: asking.LIMIT]))
        for tag in sorted(asked)[: asking.LIMIT]
    )


async def _refused(tx: Tx, project_id: str, ways: list[list[str]]) -> CycleRefused:
    """The error that names one shortest cycle of each component, each hop with its tag."""
    said = []
    for way in ways:
        hops = list(pairwise(way))
        rows = [{"type": "hard_requires", "src": a, "dst": b} for a, b in hops]
        stored = await edges.get(tx, project_id, rows)
        tags = {(row["src"], row["dst"]): row.get("tags", []) for row in stored.values()}
        names = [", ".join(tags.get(hop, [])) or "explicit" for hop in hops]
        said.append({"path": way, "tags": names})
    text = "; ".join(
        way["path"][0]
        + "".join(f" → {n} ({t})" for n, t in zip(way["path"][1:], way["tags"], strict=True))
        for way in said
    )
    return CycleRefused(
        f"These nodes need each other, so no order is safe: {text}",
        path=said[0]["path"],
        tags=said[0]["tags"],
        cycles=said,
    )


async def _keep(tx: Tx, ledger: Ledger, made: Plan, wanted: Wanted) -> Plan:
    """Store the plan as a run with its steps, and note it."""
    stamp = ledger.now.strftime("run-%Y%m%d-%H%M%S")
    taken = await run_store.ids_like(tx, ledger.project_id, stamp)
    run_id, number = stamp, 1
    while run_id in taken:
        number += 1
        run_id = f"{stamp}-{number}"
    row: Row = {
        "id": run_id,
        "goal": made.goal,
        "ordered_node_ids": list(made.ordered_node_ids),
        "layers": [list(layer) for layer in made.layers],
        "ordering_reason": made.ordering_reason,
        "status": "planned",
        "version": 1,
        "created_at": ledger.time,
    }
    if made.workspace_path:
        row["workspace_path"] = made.workspace_path
    # What planning the rest anew must know; ours, never in a document.
    if wanted.targets:
        row["targets"] = list(wanted.targets)
    if wanted.leaves:
        row["leaves"] = True
    places = ((id_, n) for n, layer in enumerate(made.layers) for id_ in layer)
    rows: list[Row] = [
        {"run": run_id, "node": id_, "position": position, "layer": layer, "status": "ready"}
        for position, (id_, layer) in enumerate(places)
    ]
    await runs.put(tx, ledger, [row], rows)
    ledger.record("start_run", [{"run": row}, *({"step": step} for step in rows)])
    return replace(made, run_id=run_id, created_at=ledger.now)
