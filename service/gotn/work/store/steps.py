"""The steps of a whole run, as columns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gotn.database.connection import Tx
from gotn.work.store.keys import batches, key

Row = dict[str, Any]


@dataclass
class OpenStep:
    """A step that is ready or blocked, and how its node stands."""

    node: str
    position: int
    status: str
    reason: str | None
    node_status: str
    #: The failed node that holds its node, or "".
    cause: str
    #: Open prerequisites as they are, and as the step has them counted.
    waits: int
    counted: int | None
    priority: float | None
    queue: float | None
    minutes: float | None

    def stored(self) -> Row:
        """As much of it as an update needs."""
        row = {"position": self.position, "status": self.status, "reason": self.reason}
        return row | {"waits": self.counted, "priority": self.priority, "queue": self.queue}


@dataclass
class OpenSteps:
    """A run's open steps by position, and how many others stand where."""

    rows: list[OpenStep]
    counts: dict[str, int] = field(default_factory=dict)


async def open_steps(tx: Tx, project_id: str, run_id: str) -> OpenSteps:
    """Every step of a run that is ready or blocked, in one row of columns."""
    row = await tx.row("run/open_steps", project=project_id, run=key(project_id, run_id), id=run_id)
    whole = [[one[0] if isinstance(one, list) else one for one in c] for c in row["columns"]]
    return OpenSteps([OpenStep(*step) for step in zip(*whole, strict=True)], dict(row["counts"]))


async def edges(tx: Tx, project_id: str, run_id: str) -> list[tuple[int, int]]:
    """(before, after): the positions of open steps that hard edges join."""
    packed = await tx.value("run/step_edges", run=key(project_id, run_id))
    return [(pair >> 32, pair & 0xFFFFFFFF) for pair in packed]


async def of_nodes(tx: Tx, project_id: str, ids: list[str]) -> list[tuple[str, str, Row]]:
    """The steps that these nodes have in running runs: run, node, what is stored."""
    found: list[tuple[str, str, Row]] = []
    for some in batches(ids):
        keys = [key(project_id, id_) for id_ in some]
        found += [tuple(row) for row in await tx.value("run/steps_of_nodes", keys=keys)]
    return found


async def ready_of(
    tx: Tx, project_id: str, run_id: str, clock: int, kinds: tuple[str, ...], tags: tuple[str, ...]
) -> tuple[str, Row] | None:
    """The first step of a run that can be claimed and is of these kinds or tags: node, step."""
    found = await tx.one(
        "run/ready_of",
        run=key(project_id, run_id),
        clock=clock,
        kinds=list(kinds),
        tags=[key(project_id, tag) for tag in tags],
    )
    return None if found is None else (found["node"], found["step"])


async def next_moment(tx: Tx, project_id: str, run_id: str, clock: int) -> int | None:
    """When the next retry or end of a lease is due, by the clock of leases."""
    at = await tx.value("run/next_moment", run=key(project_id, run_id), clock=clock)
    return None if at is None else int(at)


async def standing(
    tx: Tx, project_id: str, run_id: str, statuses: Sequence[str], *, cancelled: bool = False
) -> list[tuple[str, Row]]:
    """A run's steps in these statuses, or that its cancelling skipped: node, what is stored."""
    found = await tx.value(
        "run/steps_in",
        run=key(project_id, run_id),
        statuses=list(statuses),
        cancelled=cancelled,
    )
    return [(node, stored) for node, stored in found]


async def delete(tx: Tx, project_id: str, run_id: str, rows: Sequence[Row]) -> None:
    """Take steps out of a run."""
    for some in batches(rows):
        names = [{"node": key(project_id, r["node"]), "position": r["position"]} for r in some]
        await tx.rows("run/delete_steps", run=key(project_id, run_id), steps=names)


async def edges_from(tx: Tx, project_id: str, ids: Sequence[str]) -> list[tuple[str, str]]:
    """The hard edges that begin at these nodes."""
    found: list[tuple[str, str]] = []
    for some in batches(ids):
        pairs = await tx.value("run/edges_from", keys=[key(project_id, id_) for id_ in some])
        found += [(src, dst) for src, dst in pairs]
    return found
