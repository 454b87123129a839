"""What several tests of the journal do: a bit of everything, an export, a proof, a hand."""

from pathlib import Path

from factories import make_edge, make_node

from gotn import journal
from gotn.database.connection import Database
from gotn.work.records import EdgeType, NodeStatus
from gotn.work.usecases import bulk, edges, exporting, link, nodes, planning, projects, replay
from gotn.work.usecases.writing import Request


async def story(database: Database, request: Request) -> None:
    """A bit of everything that a journal can tell."""
    await bulk.add_graph(
        database,
        request,
        [
            make_node("a", produces=("A", "B"), tags=("x",), extra={"estimate_minutes": 5}),
            make_node("b", requires=("A",), produces=("C",), parent="a", guards=["file: x"]),
            make_node("c", requires=("C", "nobody"), children=("late",)),
        ],
        [],
        link=True,
    )
    await edges.add(database, request, make_edge("a", "c"))
    await edges.add(database, request, make_edge("a", "c", type=EdgeType.SOFT_SEMANTIC, score=0.5))
    await edges.add(database, request, make_edge("c", "b", type=EdgeType.RELATED, kind="see"))
    await nodes.update(database, request, "a", {"requires": ("C",), "summary": "new"})
    await link.link(database, request)
    await nodes.update(database, request, "a", {"requires": None, "extra": None})
    await link.link(database, request)
    await planning.plan(database, request, goal="all")
    await nodes.update(database, request, "a", {"status": NodeStatus.FAILED})
    await nodes.add(database, request, make_node("late"))
    await nodes.remove(database, request, "b", cascade=True)
    await projects.settings(database, request, {"description": "d"})


async def entries_of(database: Database, project: str) -> list[journal.Entry]:
    """All entries."""
    return [entry async for entry in journal.entries(database, project)]


async def exported(database: Database, project: str, folder: Path) -> Path:
    """The journal as a file."""
    path = folder / "journal.jsonl"
    with path.open("w") as file:
        async for line in exporting.export_journal(database, project):
            file.write(line)
    return path


async def assert_whole(database: Database, project: str) -> str:
    """The chain is whole and gives what is stored; returns the digest."""
    found = await replay.verify(database, project)
    assert found.problems == ()
    assert found.differing == []
    assert found.equal
    assert found.chain_ok
    return found.live_digest


async def by_hand(database: Database, text: str, request: Request, name: str = "") -> None:
    """Change something as somebody in Neo4j Browser would."""
    async with database.session() as session:
        done = await session.run(
            text,
            {"project": request.project_id, "key": f"{request.project_id}/{name}"},
        )
        await done.consume()
