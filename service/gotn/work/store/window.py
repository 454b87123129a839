"""A transaction that remembers: what small writes look at is read once, what they write goes later.

The queue groups many small writes in one transaction, and each runs the ordinary use case.
Inside a `Window` the store's functions answer from what was read before or written since,
and put off what they write; `flush` sends it, many rows a statement. Any statement that the
window does not know is sent at once, after everything put off: a writing one makes the
window forget what it had read. So a use case sees what it would see alone.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, LiteralString

from gotn.database import queries
from gotn.database.connection import Tx
from gotn.work.rules import fold

Row = dict[str, Any]


@dataclass
class Deferred:
    """What is still to be written; an edge stands in one of its three lists at most."""

    #: New nodes and edges with their place in the order of arrival.
    nodes: list[tuple[Row, int]] = field(default_factory=list)
    edges: list[tuple[Row, int]] = field(default_factory=list)
    #: Changes of nodes and edges, in order.
    changes: list[Row] = field(default_factory=list)
    edge_changes: list[Row] = field(default_factory=list)
    #: Edges to delete.
    gone: list[Row] = field(default_factory=list)
    #: Changes of steps by run, node and position; of runs by id; and the clock of leases.
    steps: dict[tuple[str, str, int], Row] = field(default_factory=dict)
    runs: dict[str, Row] = field(default_factory=dict)
    clock: list[Any] = field(default_factory=list)

    def __bool__(self) -> bool:
        return any(vars(self).values())

    def names(self, rows: Iterable[Row]) -> bool:
        """Whether any of these edges is to be written already."""
        told = [row for row, _ in self.edges] + self.edge_changes + self.gone
        return bool({fold.edge_key(row) for row in rows} & {fold.edge_key(row) for row in told})


class Window(Tx):
    """The transaction, what is known of the project, and what is to be written."""

    def __init__(
        self, tx: Tx, project_id: str, send: Callable[["Window"], Awaitable[None]]
    ) -> None:
        super().__init__(tx._transaction, tx._count)  # noqa: SLF001  # the same transaction
        self.project_id = project_id
        #: The transaction itself, for what the store does on its own account.
        self.plain = tx
        self._send = send
        self.deferred = Deferred()
        #: Whether the write that runs now has written or put off anything.
        self.touched = False
        self.forget()

    def forget(self) -> None:
        """Know nothing: what is asked next is read again."""
        #: Nodes and edges as the store's `get` gives them; None for what is not stored.
        self.nodes: dict[str, Row | None] = {}
        self.edges: dict[fold.EdgeKey, Row | None] = {}
        #: What waits for a node, by that node's id and its own key.
        self.waiting: dict[str, dict[str, Row]] = {}
        #: Whether any edge is flagged; whether any node is failed or held.
        self.flagged: bool | None = None
        self.concerned: bool | None = None
        #: Where the next new node goes; None where nobody asked.
        self.next_rank: int | None = None
        #: Whether the ranks of known nodes are the stored ones.
        self.ranked = True
        #: The runs that are looked at (`store.running`); None where nobody asked.
        self.running: Any = None
        #: Whether the window should be filled again before the next write.
        self.stale = True

    async def flush(self) -> None:
        """Write what was put off."""
        if self.deferred:
            await self._send(self)

    async def composed(
        self, text: LiteralString, parameters: dict[str, Any], *, name: str
    ) -> list[dict[str, Any]]:
        """A statement that the window does not answer: after what was put off, and at once."""
        await self.flush()
        known = queries.table().get(name)
        if known and known.writes:
            self.forget()
            self.touched = True
        return await self.plain.composed(text, parameters, name=name)

    async def standing(self) -> None:
        """Ask what holds for the whole project, where that is not known."""
        if self.flagged is None or self.concerned is None or self.next_rank is None:
            await self.flush()
            row = await self.plain.row("work/standing", project=self.project_id)
            self.flagged, self.concerned = row["flagged"], row["concerned"]
            self.next_rank = row["next_rank"]

    def drop(self, *ids: str) -> None:
        """Forget these nodes alone."""
        for id_ in ids:
            self.nodes.pop(id_, None)
