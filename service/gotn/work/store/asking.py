"""Questions to the graph that Cypher answers: what comes before, after, around, and why not."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import rustworkx as rx

from gotn.database.connection import Tx
from gotn.errors import LimitExceeded, NotFound
from gotn.graph.scope import require_project
from gotn.work.records import (
    BlockingPath,
    Cycle,
    CycleCheck,
    Impact,
    NodeStatus,
    Reached,
    StatusCount,
    StepOfPath,
    TreeRow,
    UnmetRequirement,
)
from gotn.work.rules import ranks
from gotn.work.store import graph, nodes
from gotn.work.store.keys import key

#: Rows of a list that has no pages; one that has so many may have been cut.
LIMIT = 1000
#: Nodes of a decomposition tree.
TREE = 10_000
#: Causes that `why` names.
CAUSES = 20


async def require(tx: Tx, project_id: str, *ids: str) -> dict[str, dict[str, Any]]:
    """The stored nodes of these ids; NotFound names the first that is missing."""
    found = await nodes.get(tx, project_id, ids)
    for id_ in ids:
        if id_ not in found:
            raise NotFound(f"There is no node {id_!r} in project {project_id!r}.", id=id_)
    return found


async def tied(tx: Tx, project_id: str, ids: Iterable[str]) -> set[str]:
    """Which of these nodes hang together with more than the work graph, such as a task tree."""
    return set(await tx.value("work/tied", keys=[key(project_id, id_) for id_ in ids]))


async def prerequisites(
    tx: Tx, project_id: str, id_: str, first: int = 50, after: tuple[int, str] = (0, "")
) -> list[Reached]:
    """What must be done before a node, nearest first; `after` is the last (distance, id) seen."""
    return await _reach(tx, "work/prerequisites", project_id, id_, first, after)


async def dependants(
    tx: Tx, project_id: str, id_: str, first: int = 50, after: tuple[int, str] = (0, "")
) -> list[Reached]:
    """What needs a node, nearest first; `after` is the last (distance, id) seen."""
    return await _reach(tx, "work/dependants", project_id, id_, first, after)


async def _reach(
    tx: Tx, query: str, project_id: str, id_: str, first: int, after: tuple[int, str]
) -> list[Reached]:
    await require(tx, project_id, id_)
    found = await tx.value(
        query,
        key=key(project_id, id_),
        first=min(first, LIMIT),
        after_distance=after[0],
        after_id=after[1],
    )
    rows = await nodes.get(tx, project_id, [name for name, _ in found])
    return [
        Reached(node=nodes.record(rows[name] | {"project_id": project_id}), distance=distance)
        for name, distance in found
    ]


async def impact(tx: Tx, project_id: str, id_: str) -> Impact:
    """What depends on a node."""
    await require(tx, project_id, id_)
    row = await tx.row("work/impact", key=key(project_id, id_), limit=LIMIT)
    counts = Counter(row["statuses"])
    return Impact(
        id=id_,
        direct=tuple(row["direct"]),
        dependants=len(row["statuses"]),
        by_status=tuple(
            StatusCount(status=s, count=counts[s.value]) for s in NodeStatus if counts[s.value]
        ),
        sole_tags=tuple(row["sole_tags"]),
        runs=tuple(row["runs"]),
    )


async def why(tx: Tx, project_id: str, id_: str) -> list[BlockingPath]:
    """What keeps a node from starting; empty where nothing does. Failed causes first."""
    await require(tx, project_id, id_)
    found = await tx.value("work/why", key=key(project_id, id_), limit=CAUSES)
    return [
        BlockingPath(cause=cause, status=NodeStatus(status), hops=_hops(path, tags))
        for cause, status, path, tags in found or []
    ]


def _hops(path: list[str], tags: list[list[str]]) -> tuple[StepOfPath, ...]:
    pairs = zip(path, path[1:], tags, strict=False)
    return tuple(StepOfPath(src=src, dst=dst, tags=tuple(names)) for src, dst, names in pairs)


async def would_cycle(tx: Tx, project_id: str, src: str, dst: str) -> CycleCheck:
    """Whether a hard edge src -> dst would close a cycle."""
    await require(tx, project_id, src, dst)
    if src == dst:
        return CycleCheck(closes=True, path=(src, src), tags=())
    here, there = key(project_id, src), key(project_id, dst)
    at = await tx.row("work/edge_ranks", src=here, dst=there)
    if at["rank_src"] < at["rank_dst"]:
        return CycleCheck(closes=False)
    found = await tx.one("work/closing_path", src=here, dst=there, rank_src=at["rank_src"])
    if found is None:
        return CycleCheck(closes=False)
    return CycleCheck(closes=True, path=(src, *found["path"]), tags=tuple(_said(found["tags"])))


def _said(tags: list[list[str]]) -> list[str]:
    return [", ".join(names) if names else "explicit" for names in tags]


async def cycles(tx: Tx, project_id: str) -> list[Cycle]:
    """Components of nodes that need each other, at most 1,000, with one shortest way round.

    Every cycle passes through a flagged edge (graph-model, Invariants, 2), so Cypher
    looks for one shortest path a flagged edge; without flags nothing is read. Beyond the
    first 1,000 flagged edges no way is looked for: such a component has an empty path.
    """
    if not await graph.has_flags(tx, project_id):
        await require_project(tx, project_id)
        return []
    ways = await tx.value("work/flagged_cycles", project=project_id, limit=LIMIT)
    shortest: dict[str, tuple[list[str], list[list[str]]]] = {}
    members = await _components(tx, project_id)
    for path, tags in ways:
        first = members[path[0]][0]
        known = shortest.get(first)
        if known is None or (len(path), path) < (len(known[0]), known[0]):
            shortest[first] = (path, tags)
    firsts = sorted(name for name, component in members.items() if component[0] == name)
    found = [(members[name], *shortest.get(name, ([], []))) for name in firsts[:LIMIT]]
    return [Cycle(nodes=tuple(n), path=tuple(p), tags=tuple(_said(t))) for n, p, t in found]


async def _components(tx: Tx, project_id: str) -> dict[str, list[str]]:
    """The component of each node that stands in a cycle, sorted."""
    found = await graph.hard_graph(tx, project_id)
    fixed, loose = found.split(set())
    parts = rx.strongly_connected_components(ranks.graph(len(found.ids), fixed + loose))
    members: dict[str, list[str]] = {}
    for part in parts:
        if len(part) > 1:
            names = sorted(await graph.names_at(tx, found, list(part)))
            members |= dict.fromkeys(names, names)
    return members


async def unmet(tx: Tx, project_id: str) -> list[UnmetRequirement]:
    """Required tags that nobody produces, at most 1,000."""
    found = await tx.value("work/unmet", project=project_id, limit=LIMIT)
    if not found:
        await require_project(tx, project_id)
    return [UnmetRequirement(tag=tag, nodes=tuple(ids)) for tag, ids in found or [] if ids]


async def tree_of(tx: Tx, project_id: str, id_: str) -> list[TreeRow]:
    """A node and what it was broken into, parents before children.

    LimitExceeded where that is more than 10,000 nodes: a tree cut somewhere would be no tree.
    """
    await require(tx, project_id, id_)
    found = await tx.value("work/tree_of", key=key(project_id, id_), limit=TREE + 1)
    if len(found) > TREE:
        raise LimitExceeded(
            f"{id_!r} was broken into more than {TREE} nodes; ask for one further down.",
            limit=TREE,
            id=id_,
        )
    rows = await nodes.get(tx, project_id, [name for name, *_ in found])
    below: dict[str | None, list[tuple[int, str, int]]] = {}
    for name, depth, parent, position in found:
        place = position if position is not None else 1 << 30
        below.setdefault(None if name == id_ else parent, []).append((place, name, depth))
    ordered: list[TreeRow] = []
    todo: list[tuple[str | None, tuple[int, str, int]]] = [(None, top) for top in below[None]]
    while todo:
        parent, (place, name, depth) = todo.pop()
        ordered.append(
            TreeRow(
                node=nodes.record(rows[name] | {"project_id": project_id}),
                depth=depth,
                parent=parent,
                position=None if place == 1 << 30 else place,
            )
        )
        todo.extend((name, child) for child in sorted(below.get(name, ()), reverse=True))
    return ordered
