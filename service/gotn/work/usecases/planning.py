"""Plan the open work, and keep the plan as a run."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from gotn import shapes
from gotn.database.connection import Database, Tx
from gotn.errors import CycleRefused
from gotn.graph.scope import require_project
from gotn.journal import Ledger
from gotn.work.records import Plan, UnmetRequirement
from gotn.work.rules import forms, plans, rounds
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
) -> Plan:
    """Order the open work in layers; stored as a Run unless `dry_run`, which only reads.

    A `mirror` spares a dry run the graph where nothing was written since the last one.

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
        return await database.read(lambda tx: compute(tx, project_id, wanted, mirror))

    async def work(tx: Tx, ledger: Ledger) -> Plan:
        made = await compute(tx, ledger.project_id, wanted)
        return await _keep(tx, ledger, made) if made.ordered_node_ids else made

    return await write(database, request, "plan", shapes.plain(wanted), Plan, work, create=False)


async def compute(tx: Tx, project_id: str, wanted: Wanted, mirror: Mirror | None = None) -> Plan:
    """The plan of what is open now; reads only."""
    if wanted.targets:
        await asking.require(tx, project_id, *wanted.targets)
    found = await (mirror or store).open_work(tx, project_id)
    if not found.ids:
        await require_project(tx, project_id)
    place = {id_: at for at, id_ in enumerate(found.ids)}
    targets = [place[id_] for id_ in wanted.targets if id_ in place] if wanted.targets else None
    whole = plans.scope(found, targets, leaves=False)
    inside = plans.scope(found, targets, leaves=True) if wanted.leaves else whole
    if ways := rounds.cycles(found, whole):
        raise await _refused(tx, project_id, [[found.ids[i] for i in way] for way in ways])
    layout = plans.arrange(found, inside, through=set(whole) - set(inside))
    steps, critical = plans.timed(found, layout)
    counts = _counted(found, {i for layer in layout.layers for i in layer})
    return Plan(
        run_id=None,
        project_id=project_id,
        goal=wanted.goal,
        layers=tuple(tuple(found.ids[i] for i in layer) for layer in layout.layers),
        ordered_node_ids=tuple(step.id for step in steps),
        ordering_reason=plans.reason(found, layout, found.satisfied, *counts),
        steps=tuple(steps),
        unmet=await _unmet(tx, project_id, [found.ids[i] for i in inside]),
        blocked=tuple(layout.blocked),
        waiting_on=tuple(found.ids[i] for i in layout.waiting_on),
        critical_path=critical,
        satisfied=found.satisfied,
        workspace_path=wanted.workspace,
    )


def _counted(found: store.OpenWork, steps: set[int]) -> tuple[int, int]:
    """How many edges between steps come from tags, and how many were said."""
    member = np.zeros(len(found.ids), dtype=bool)
    member[list(steps)] = True
    inside = member[found.pairs[:, 0]] & member[found.pairs[:, 1]]
    derived = int(inside[found.explicit :].sum())
    return derived, int(inside[: found.explicit].sum())


async def _unmet(tx: Tx, project_id: str, ids: list[str]) -> tuple[UnmetRequirement, ...]:
    """Tags that these nodes require and nobody produces: the first by name, as `asking.unmet`."""
    asked: dict[str, list[str]] = {}
    for some in batches(sorted(ids), SCOPE):
        found = await tx.value("work/unmet_of", project=project_id, ids=some, limit=asking.LIMIT)
        for tag, nodes in found:
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


async def _keep(tx: Tx, ledger: Ledger, made: Plan) -> Plan:
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
    steps: list[Row] = [
        {
            "run": run_id,
            "node": step.id,
            "position": step.position,
            "layer": step.layer,
            "status": "ready",
        }
        for step in made.steps
    ]
    await runs.put(tx, ledger, [row], steps)
    ledger.record("start_run", [{"run": row}, *({"step": step} for step in steps)])
    return replace(made, run_id=run_id, created_at=ledger.now)
