"""A part of a graph that a person can look at: some nodes, and every edge between them."""

from collections.abc import Sequence
from dataclasses import dataclass

from gotn.database.connection import Tx
from gotn.errors import Invalid
from gotn.graph.paging import checked
from gotn.graph.scope import require_project
from gotn.work.records import NodeStatus, WorkEdge
from gotn.work.rules import forms
from gotn.work.store import asking, edges, nodes
from gotn.work.store.keys import key

#: Nodes of a part, and steps away from the node it is drawn around.
MOST, DEEPEST = 500, 20
#: Edges of a part.
EDGES = 5000


@dataclass(frozen=True)
class Part:
    """Which nodes a part has, the edges between them, and whether it could have gone on."""

    ids: tuple[str, ...]
    edges: tuple[WorkEdge, ...]
    more: bool


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Which part is asked for: these ids, or all around a node, or a project's first by id."""

    ids: tuple[str, ...] | None = None
    around: str | None = None
    #: Edges from the node it is drawn around, in any direction.
    depth: int = 2
    #: Only nodes of these; none: of any. The node it is drawn around is always there.
    statuses: tuple[NodeStatus, ...] = ()
    first: int = 100


async def part(tx: Tx, project_id: str, scope: Scope) -> Part:
    """The part; NotFound for an unknown node or project, Invalid for a scope out of bounds."""
    first = checked(scope.first)
    if scope.ids is not None:
        found = await _these(tx, project_id, scope.ids)
    elif scope.around is not None:
        found = await _around(tx, project_id, scope)
    else:
        found = await _first(tx, project_id, scope)
    if not found:
        await require_project(tx, project_id)
    ids = tuple(found[:first])
    between = await _between(tx, project_id, ids)
    more = len(found) > first or len(between) > EDGES
    return Part(ids, tuple(between[:EDGES]), more)


async def _these(tx: Tx, project_id: str, ids: tuple[str, ...]) -> list[str]:
    """Those that are stored, in the order asked for."""
    if len(ids) > MOST:
        raise Invalid(f"ids: expected at most {MOST}, found {len(ids)}", field="ids")
    wanted = list(dict.fromkeys(forms.identifiers(ids, "ids")))
    stored = await nodes.existing(tx, project_id, wanted)
    return [id_ for id_ in wanted if id_ in stored]


async def _first(tx: Tx, project_id: str, scope: Scope) -> list[str]:
    """One more than asked for, where there is one."""
    found: list[str] = await tx.value(
        "work/first_nodes",
        project=project_id,
        statuses=_words(scope),
        first=scope.first + 1,
    )
    return found


async def _around(tx: Tx, project_id: str, scope: Scope) -> list[str]:
    """Breadth first, one statement a step: what is nearest, then by id; one more than asked for."""
    if not 0 <= scope.depth <= DEEPEST:
        raise Invalid(f"depth: expected 0 to {DEEPEST}, found {scope.depth}", field="depth")
    start = scope.around or ""
    await asking.require(tx, project_id, start)
    seen, border = [start], [start]
    for _ in range(scope.depth):
        room = scope.first + 1 - len(seen)
        if not border or room <= 0:
            break
        border = await tx.value(
            "work/neighbours",
            keys=[key(project_id, id_) for id_ in border],
            seen=[key(project_id, id_) for id_ in seen],
            statuses=_words(scope),
            first=room,
        )
        seen += border
    return seen


def _words(scope: Scope) -> list[str]:
    return [status.value for status in scope.statuses]


async def _between(tx: Tx, project_id: str, ids: Sequence[str]) -> list[WorkEdge]:
    found = await tx.value(
        "work/edges_between", keys=[key(project_id, id_) for id_ in ids], limit=EDGES + 1
    )
    return [edges.record(edges.plain(*one), project_id) for one in found]
