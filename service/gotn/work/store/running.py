"""Runs under way as a transaction sees them: read once a group of claims, written once.

Beside what the journal knows of a step stands what only executing needs (decisions, Journal:
never journalled, left out of digests): the lease and its token, how many prerequisites are
open (`waits`), the priority, and `queue`, the place in the order of claims, which only steps
have that can be claimed; an index holds those alone (performance, 12).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gotn import shapes
from gotn.database.connection import Tx
from gotn.errors import NotFound, ProgrammingError
from gotn.work.records import Run
from gotn.work.rules import forms
from gotn.work.store import nodes
from gotn.work.store.keys import batches, key
from gotn.work.store.touches import Touches
from gotn.work.store.window import Deferred, Window

Row = dict[str, Any]
#: Steps read beyond those that are asked for: some were done elsewhere and are passed over.
SPARE = 16
#: The counters that a run keeps of its steps, by status; `waiting` have no node yet.
COUNTED = ("ready", "running", "blocked", "failed", "waiting")


@dataclass
class Board:
    """One run and what is known of its steps."""

    #: Its row without what is long (its order and layers), revision and kept properties beside.
    run: Row
    #: Positions that can be claimed, by (queue, position); what changed since is passed over.
    ready: list[tuple[float, int]] = field(default_factory=list)
    #: Whether the database may have more of them.
    more: bool = False
    #: Positions of running steps whose lease is over.
    expired: list[int] = field(default_factory=list)
    steps: dict[int, Row] = field(default_factory=dict)
    #: The run's record, until the run changes.
    told: Run | None = None

    @property
    def id(self) -> str:
        """The run's id."""
        return str(self.run["id"])

    def counts(self) -> dict[str, int]:
        """How many steps stand where."""
        return {name: self.run.get(f"steps_{name}") or 0 for name in COUNTED}

    def of_node(self, node_id: str) -> list[Row]:
        """The known steps of a node, by position; usually there is one."""
        found = [step for step in self.steps.values() if step["node"] == node_id]
        return sorted(found, key=lambda step: int(step["position"]))


@dataclass
class After:
    """A node that needs another, and its steps in running runs that are not started."""

    node: str
    held: bool
    satisfied_by: str | None
    steps: list[Row]


@dataclass
class Running:
    """What a transaction knows of the project's runs."""

    #: Milliseconds: the server's clock now, and how far the clock of leases is ahead of it. It
    #: is ahead by as much as the server's went back, so that leases only ever see time pass.
    wall: int
    offset: int
    graph_seq: int
    boards: dict[str, Board] = field(default_factory=dict)
    #: Every known step, by run and position; boards share them.
    steps: dict[tuple[str, int], Row] = field(default_factory=dict)
    after: dict[str, list[After]] = field(default_factory=dict)

    @property
    def clock(self) -> int:
        """The time that leases go by, in milliseconds."""
        return self.wall + self.offset

    def known(self, run_id: str, node_id: str, stored: Row) -> Row:
        """The step that is known already, or this one from now on."""
        at = (run_id, stored["position"])
        if at not in self.steps:
            self.steps[at] = plain(run_id, node_id, stored)
        if run_id in self.boards:
            self.boards[run_id].steps[at[1]] = self.steps[at]
        return self.steps[at]


def plain(run_id: str, node_id: str, stored: Row) -> Row:
    """A step as the database has it, in plain JSON, kept properties beside."""
    own = {k: v for k, v in stored.items() if k not in ("run_key", "project_id")}
    row = shapes.row(own, leaves=forms.LEAVES, moments=forms.MOMENTS)
    return {"run": run_id, "node": node_id, **row}


def window(tx: Tx) -> Window:
    """The transaction as a window, which every write has that says what it touches."""
    if not isinstance(tx, Window):
        raise ProgrammingError("a run is worked on in a transaction without a window")
    return tx


async def fill(tx: Window, touches: Sequence[Touches]) -> None:
    """Read what these writes look at in runs, in one statement; nothing where there is none."""
    asked = [one for one in touches if one.run is not None]
    if not asked:
        return
    names = {one.run: 0 for one in asked}
    for one in asked:
        names[one.run] += not one.steps
    steps = [(one.run or "", node) for one in asked for node in one.steps]
    ends = [node for one in asked for node in one.ends]
    await _read(tx, [name or "" for name in names], steps, ends, max(names.values()))
    await _nodes(tx, {name or "": count for name, count in names.items()})


async def _nodes(tx: Window, claims: dict[str, int]) -> None:
    """The nodes of the steps that will be claimed first."""
    ids = [
        board.steps[position]["node"]
        for board in tx.running.boards.values()
        for _, position in board.ready[: claims.get(board.id, 0)]
    ]
    await nodes.get(tx, tx.project_id, ids)


async def _read(
    tx: Window,
    runs: Sequence[str],
    steps: Sequence[tuple[str, str]],
    ends: Sequence[str],
    claims: int,
) -> None:
    project = tx.project_id
    first = claims + SPARE
    row = await tx.plain.row(
        "run/board",
        project=project,
        runs=[key(project, run) for run in runs],
        steps=[{"run": key(project, run), "node": key(project, node)} for run, node in steps],
        ends=[key(project, node) for node in dict.fromkeys(ends)],
        first=first,
    )
    found = Running(row["wall"], row["offset"], row["graph_seq"])
    if tx.running is None:
        tx.running = found
    found = tx.running
    for stored, ready, expired in row["runs"]:
        board = found.boards.setdefault(stored["id"], Board(_run(stored)))
        known = [found.known(*step) for step in ready]
        board.ready = [(step.get("queue", 0.0), step["position"]) for step in known]
        board.more = len(ready) == first
        board.expired = [found.known(*step)["position"] for step in expired]
    for step in row["steps"]:
        found.known(*step)
    for id_, rows in row["after"]:
        found.after[id_] = [
            After(node, held, by, [found.known(*step) for step in some])
            for node, held, by, some in rows
        ]


def _run(stored: Row) -> Row:
    return shapes.row(stored, leaves=forms.LEAVES, moments=forms.MOMENTS)


async def board(tx: Tx, run_id: str, *, nodes: Iterable[str] = (), ends: bool = False) -> Board:
    """A run, with the steps of these nodes and what comes after them; NotFound for no run.

    What the window does not know is read. The steps of a node that is not among them are not.
    """
    tx = window(tx)
    wanted = list(nodes)
    known: Running | None = tx.running
    missing = known is None or run_id not in known.boards
    if not missing and known is not None:
        steps = known.boards[run_id].steps.values()
        missing = bool(set(wanted) - {step["node"] for step in steps})
        missing = missing or (ends and not known.after.keys() >= set(wanted))
    if missing:
        await tx.flush()
        await _read(tx, [run_id], [(run_id, n) for n in wanted], wanted if ends else (), 1)
    if run_id not in tx.running.boards:
        raise NotFound(f"There is no run {run_id!r}.", id=run_id)
    found: Board = tx.running.boards[run_id]
    return found


async def reload(tx: Window, run_id: str) -> None:
    """Read the list of what can be claimed again, after everything put off."""
    await tx.flush()
    await _read(tx, [run_id], (), (), SPARE)


async def send(tx: Tx, project_id: str, sent: Deferred) -> None:
    """Write what was put off for steps, runs and the clock."""
    changed = [
        {
            "run": key(project_id, run),
            "node": key(project_id, node),
            "position": position,
            "properties": _properties(row),
        }
        for (run, node, position), row in sent.steps.items()
    ]
    for some in batches(changed):
        await tx.rows("run/update_steps", steps=some)
    if sent.runs or sent.clock:
        rows = [
            {
                "key": key(project_id, run),
                "changes": row.pop("changes", 0),
                "properties": _properties(row),
            }
            for run, row in sent.runs.items()
        ]
        wall, offset = sent.clock
        await tx.rows("run/update_runs", project=project_id, wall=wall, offset=offset, runs=rows)


def _properties(row: Row) -> Row:
    """What an update sets; those of None must reach the database as null."""
    return shapes.properties(row, leaves=forms.LEAVES) | {
        name: None for name, value in row.items() if value is None
    }


def put(tx: Window, step: Row, changes: Row) -> None:
    """Change a step, now in memory and later in the database; None takes a property away."""
    running: Running = tx.running
    running.steps[step["run"], step["position"]] = step
    before = step.get("status") or "ready"
    _merge(step, changes)
    after = step.get("status") or "ready"
    claimable = after == "ready" and step.get("waits") == 0
    queue = -float(step.get("priority") or 0) if claimable else None
    if queue != step.get("queue"):
        changes = changes | {"queue": queue}
        _merge(step, {"queue": queue})
    board = running.boards.get(step["run"])
    if board is not None:
        board.steps[step["position"]] = step
        if queue is not None and "queue" in changes:
            board.ready.append((queue, step["position"]))
            board.ready.sort()
    if before != after:
        _count(tx, step["run"], before, after)
    tx.touched = True
    name = (step["run"], step["node"], step["position"])
    tx.deferred.steps.setdefault(name, {}).update(changes)
    tx.deferred.clock = [running.wall, running.offset]


def _count(tx: Window, run_id: str, before: str, after: str) -> None:
    """Keep the run's counters; those of a run that has no board are counted anew at its next."""
    board = tx.running.boards.get(run_id)
    if board is None:
        tx.deferred.runs.setdefault(run_id, {})["counted_seq"] = None
        return
    counts = board.counts()
    changed = {
        f"steps_{name}": counts[name] + more
        for name, more in ((before, -1), (after, 1))
        if name in COUNTED
    }
    put_run(tx, board, changed, kept=True)


def put_run(tx: Window, board: Board, changes: Row, *, kept: bool = False) -> None:
    """Change a run; `kept`: only what executing keeps, which is no change for its readers."""
    _merge(board.run, changes)
    row = tx.deferred.runs.setdefault(board.id, {})
    row.update(changes)
    if not kept:
        row["changes"] = row.get("changes", 0) + 1
        board.run["revision"] = board.run.get("revision", 1) + 1
        board.told = None
    tx.touched = True
    tx.deferred.clock = [tx.running.wall, tx.running.offset]


def _merge(row: Row, changes: Row) -> None:
    for name, value in changes.items():
        if value is None:
            row.pop(name, None)
        else:
            row[name] = value
