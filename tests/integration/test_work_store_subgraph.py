"""Parts of a graph: which nodes, which edges, and where they end."""

import pytest
from factories import make_edge, make_node

from gotn.database.connection import Database
from gotn.errors import Invalid, NotFound
from gotn.work.records import EdgeType, NodeStatus
from gotn.work.store.subgraph import Part, Scope, part
from gotn.work.usecases import bulk
from gotn.work.usecases.writing import Request

#: a → b → c → d, b ~ e, f is alone.
CHAIN = [("a", "b"), ("b", "c"), ("c", "d")]


async def build(database: Database, request: Request) -> None:
    """The graph above; c is done."""
    drafts = [
        make_node(id_, status=NodeStatus.COMPLETED if id_ == "c" else None) for id_ in "abcdef"
    ]
    joined = [make_edge(*pair) for pair in CHAIN]
    joined.append(make_edge("e", "b", type=EdgeType.SOFT_SEMANTIC, score=0.5))
    await bulk.add_graph(database, request, drafts, joined)


async def asked(database: Database, project: str, scope: Scope) -> Part:
    """The part."""
    return await database.read(lambda tx: part(tx, project, scope))


async def test_what_a_part_holds(database: Database, request_: Request) -> None:
    """Nearest first, either way, along every type; edges only between what is there."""
    await build(database, request_)
    project = request_.project_id
    for scope, ids, edges, more in (
        (Scope(), "abcdef", 4, False),
        (Scope(first=2), "ab", 1, True),
        (Scope(statuses=(NodeStatus.COMPLETED,)), "c", 0, False),
        (Scope(around="b", depth=0), "b", 0, False),
        (Scope(around="b", depth=1), "bace", 3, False),
        (Scope(around="b", depth=2), "baced", 4, False),
        (Scope(around="b", depth=2, first=3), "bac", 2, True),
        (Scope(around="c", depth=9, statuses=(NodeStatus.READY,)), "cbdae", 4, False),
        (Scope(ids=("d", "nothing", "c", "d")), "dc", 1, False),
        (Scope(ids=()), "", 0, False),
    ):
        found = await asked(database, project, scope)
        assert ("".join(found.ids), len(found.edges), found.more) == (ids, edges, more), scope


async def test_scopes_out_of_bounds(database: Database, request_: Request) -> None:
    """Each refusal says which member; projects do not see each other."""
    await build(database, request_)
    project = request_.project_id
    for scope, error in (
        (Scope(around="nothing"), NotFound),
        (Scope(around="b", depth=21), Invalid),
        (Scope(around="b", depth=-1), Invalid),
        (Scope(first=501), Invalid),
        (Scope(ids=tuple(map(str, range(501)))), Invalid),
    ):
        with pytest.raises(error):
            await asked(database, project, scope)
    with pytest.raises(NotFound):
        await asked(database, f"{project}-other", Scope())
