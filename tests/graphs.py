"""Work graphs for tests, and what must be true of every project after every story."""

from itertools import pairwise
from typing import Any

import hypothesis.strategies as st
import numpy as np

from gotn import journal
from gotn.database.connection import Database, Tx
from gotn.work.rules import plans, ranks
from gotn.work.store import edges, graph
from gotn.work.usecases import projects, replay

Pair = tuple[int, int]


@st.composite
def dags(draw: st.DrawFn, most: int = 9) -> tuple[int, list[Pair]]:
    """A count of nodes and edges among them that go round nowhere."""
    count = draw(st.integers(1, most))
    order = draw(st.permutations(range(count)))
    every = [(order[a], order[b]) for a in range(count) for b in range(a + 1, count)]
    return count, draw(st.lists(st.sampled_from(every), unique=True)) if every else []


def make_open(
    count: int,
    hard: list[Pair] | None = None,
    *,
    soft: list[tuple[int, int, float]] | None = None,
    statuses: dict[int, str] | None = None,
    **more: Any,
) -> plans.Open:
    """Open work of nodes n0, n1 … (ten at most), all ready but these, with these hard edges."""

    def of(status: str) -> ranks.Ints:
        return np.array([i for i, s in (statuses or {}).items() if s == status], dtype=np.int64)

    return plans.Open(
        ids=[f"n{i}" for i in range(count)],
        hard=ranks.Edges.of(hard or []),
        soft=ranks.Edges.of([(a, b) for a, b, _ in soft or []]),
        scores=[score for _, _, score in soft or []],
        running=of("running"),
        failed=of("failed"),
        blocked=of("blocked"),
        **more,
    )


async def seq_of(database: Database, project: str) -> int:
    """The journal's last seq."""
    return (await projects.show(database, project)).seq


async def assert_verified(database: Database, project: str) -> None:
    """The journal is whole and gives what is stored; seq has no gap; unflagged edges are in order.

    These are the graph's invariants 2, 3 and 4.
    """
    found = await replay.verify(database, project)
    assert ((), True) == (found.problems, found.chain_ok)
    assert [] == found.differing, found.differing
    assert found.replay_digest == found.live_digest
    seqs = [entry.seq async for entry in journal.entries(database, project)]
    assert list(range(1, await seq_of(database, project) + 1)) == seqs
    await database.read(lambda tx: _assert_ordered(tx, project))


async def _assert_ordered(tx: Tx, project: str) -> None:
    found = await graph.hard_graph(tx, project)
    assert (found.explicit + found.derived).in_order(found.ranks)


async def state_of(database: Database, project: str) -> dict[str, Any]:
    """What a project holds without times, so that two projects can be compared."""
    state = await replay.folded(journal.entries(database, project), replay.Chain())

    def timeless(row: dict[str, Any]) -> dict[str, Any]:
        return {k: v for k, v in row.items() if k not in ("created_at", "updated_at", "touched")}

    return {
        "nodes": {id_: timeless(row) for id_, row in state.nodes.items()},
        "edges": {key: timeless(row) for key, row in state.edges.items()},
    }


async def hard_edges(database: Database, project: str, *ids: str) -> dict[tuple[str, str], Any]:
    """The stored hard edges that touch these nodes, as rows by their ends."""
    rows = await database.read(lambda tx: edges.of_nodes(tx, project, ids, 1000))
    return {(row["src"], row["dst"]): row for row in rows if row["type"] == "hard_requires"}


def closes(path: tuple[str, ...] | list[str], known: set[tuple[str, str]]) -> bool:
    """Whether a path goes round along these edges."""
    return path[0] == path[-1] and len(path) > 1 and set(pairwise(path)) <= known
