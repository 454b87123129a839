"""The open work of projects that were planned lately, kept in memory while nobody writes them.

Every change of a project moves the hash of its journal's last entry, in the transaction
that makes it (graph-model, Invariants, 3): while that hash is the same, so is the graph.
What somebody changes by hand in Neo4j Browser shows with the next entry.
"""

from collections import OrderedDict

from gotn.database.connection import Tx
from gotn.work.store.planning import OpenWork, open_work

#: Nodes of all projects that are kept, at most.
NODES = 500_000


class Mirror:
    """Open work by project, the least recently used one forgotten first."""

    def __init__(self, nodes: int = NODES) -> None:
        self._most = nodes
        self._known: OrderedDict[str, tuple[str, OpenWork]] = OrderedDict()

    async def same(self, tx: Tx, project_id: str) -> OpenWork | None:
        """What is known of a project, if nothing was written since; one look at its head."""
        known = self._known.get(project_id)
        if known is None or known[0] != await tx.value("project/head", project=project_id):
            return None
        return known[1]

    def knows(self, project_id: str) -> bool:
        """Whether asking for `same` is worth it."""
        return project_id in self._known

    async def open_work(self, tx: Tx, project_id: str) -> OpenWork:
        """What `planning.open_work` would read now; whoever gets it must not change it."""
        head = await tx.value("project/head", project=project_id)
        known = self._known.get(project_id)
        if known is not None and known[0] == head:
            self._known.move_to_end(project_id)
            return known[1]
        self._known.pop(project_id, None)
        found = await open_work(tx, project_id)
        # Read between two writes it may be of neither state; then it is shown, and not kept.
        if head is not None and head == await tx.value("project/head", project=project_id):
            self._keep(project_id, head, found)
        return found

    def _keep(self, project_id: str, head: str, found: OpenWork) -> None:
        self._known[project_id] = (head, found)
        while sum(len(work.ids) for _, work in self._known.values()) > self._most:
            self._known.popitem(last=False)
