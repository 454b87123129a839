"""One operation on a run: its board, and what the operation changes, in memory and the journal.

Steps and nodes change together, and an operation's items are one entry an event.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from gotn import shapes
from gotn.database.connection import Tx
from gotn.errors import StaleRevision
from gotn.journal import Ledger
from gotn.work.records import NodeStatus, Run, RunStatus, StepOfRun
from gotn.work.rules import moves, running
from gotn.work.store import nodes, runs
from gotn.work.store import running as store
from gotn.work.store import steps as columns
from gotn.work.store.running import Board
from gotn.work.store.window import Window
from gotn.work.usecases import blocking, comparing

Row = dict[str, Any]
#: What a step has only while somebody has it.
FREE: Row = {"lease_until": None, "lease_end": None, "heartbeat_at": None}


@dataclass
class Turn:
    """What one operation works on."""

    tx: Window
    ledger: Ledger
    board: Board
    #: What is to be noted, by event.
    noted: dict[str, list[Row]] = field(default_factory=dict)

    @property
    def clock(self) -> int:
        """The time that leases go by, in milliseconds."""
        found: int = self.tx.running.clock
        return found

    def moment(self, later_ms: int) -> str:
        """So many milliseconds from now, by the server's clock, as rows keep it."""
        at = (self.tx.running.wall + later_ms) / 1000
        return shapes.iso(datetime.fromtimestamp(at, UTC))

    def step(self, step: Row, said: Row, event: str = "update_run", **kept: Any) -> None:
        """Change a step; what is `said` is journalled, what is kept is not."""
        store.put(self.tx, step, said | kept)
        names = {"run": step["run"], "node": step["node"], "position": step["position"]}
        self.noted.setdefault(event, []).append({"step": names | said})

    def run(self, said: Row, event: str = "update_run") -> None:
        """Change the run, first in its entry."""
        changes = said | {"updated_at": self.ledger.time}
        if "layout" in self.board.run:
            printed = {*self.board.run.get("touched", ()), *said}
            changes["touched"] = sorted(printed)
        store.put_run(self.tx, self.board, changes)
        item = {"run": {"id": self.board.id} | changes}
        self.noted.setdefault(event, []).insert(0, item)

    async def node(
        self, id_: str, status: NodeStatus, event: str, reason: str | None = None
    ) -> bool:
        """Move a node where its step went, if it may go there; whether it did."""
        known = (await nodes.get(self.tx, self.ledger.project_id, [id_])).get(id_)
        if known is None:
            return False
        before = NodeStatus(known["status"])
        if before is status or status not in moves.NODE_MOVES[before]:
            return False
        row: Row = {"status": status.value} | ({"status_reason": reason} if reason else {})
        changed = blocking.restated(known, row, comparing.difference(row, known))
        change = comparing.touched(known, changed, self.ledger)
        await nodes.update(self.tx, self.ledger.project_id, [change])
        self.noted.setdefault(event, []).append({"node": change})
        return True

    async def reopen(self, id_: str) -> None:
        """Let a failed node be ready again; what failed since elsewhere stays."""
        known = (await nodes.get(self.tx, self.ledger.project_id, [id_])).get(id_, {})
        if known.get("status") == NodeStatus.FAILED.value:
            await self.node(id_, NodeStatus.READY, "update_run")

    async def steps(self, statuses: Sequence[str], *, cancelled: bool = False) -> list[Row]:
        """The run's steps in these statuses, or that its cancelling skipped, by position."""
        await self.tx.flush()
        found = await columns.standing(
            self.tx.plain, self.ledger.project_id, self.board.id, statuses, cancelled=cancelled
        )
        return [self.tx.running.known(self.board.id, node, stored) for node, stored in found]

    def write_down(self) -> None:
        """Note in the journal what was changed up to here."""
        for event, items in self.noted.items():
            self.ledger.record(event, items)
        self.noted = {}

    def told(self) -> Run:
        """The run as it is now, without its order and layers."""
        if self.board.told is None:
            row = self.board.run | {"project_id": self.ledger.project_id}
            self.board.told = shapes.build(Run, row)
        return self.board.told

    async def row(self) -> Row:
        """The whole row of the run as it is now."""
        found = await runs.get(self.tx, self.ledger.project_id, [self.board.id])
        return found[self.board.id]

    def shown(self, step: Row) -> StepOfRun:
        """A step as it is now."""
        return shown(self.ledger.project_id, step)


def shown(project_id: str, step: Row) -> StepOfRun:
    """The record of a step's row."""
    names = {"run_id": step["run"], "node_id": step["node"], "project_id": project_id}
    return shapes.build(StepOfRun, step | names)


async def begun(
    tx: Tx, ledger: Ledger, run_id: str, *, nodes: Iterable[str] = (), ends: bool = False
) -> Turn:
    """The operation's view of a run; NotFound where there is none."""
    board = await store.board(tx, run_id, nodes=nodes, ends=ends)
    return Turn(store.window(tx), ledger, board)


def finish(turn: Turn) -> None:
    """End a running run that has nothing left to wait for, and note it."""
    board = turn.board
    if running.run_status(board.run) is not RunStatus.RUNNING:
        return
    counts = board.counts()
    after = running.outcome(board.run, counts)
    if after is None:
        return
    said: Row = {"status": after.value, "finished_at": turn.ledger.time}
    if after is RunStatus.FAILED:
        parts = [f"{counts[name]} {name}" for name in ("failed", "blocked") if counts[name]]
        said["reason"] = f"steps: {', '.join(parts)}"
    turn.write_down()
    turn.run(said, "finish_run")


def expect(turn: Turn, revision: int | None) -> None:
    """StaleRevision where the run is at another revision than its caller has seen."""
    current = turn.board.run.get("revision", 1)
    if revision is not None and revision != current:
        raise StaleRevision(
            f"The run is at revision {current}, not {revision}: read it again.",
            expected=revision,
            current=current,
        )
