from pathlib import Path
from typing import Any

import pytest
from command import Command
from factories import make_edge, make_node

from gotn.database.connection import Database
from gotn.work.usecases import bulk
from gotn.work.usecases.writing import Request


@pytest.fixture
async def gotn(
    neo4j_environment: dict[str, str],
    tmp_path: Path,
    project: str,
    database: Database,
    request_: Request,
) -> Command:
    """The command on a project with three nodes in a row."""
    nodes = [make_node("a", produces=("t",)), make_node("b", requires=("t",)), make_node("c")]
    await bulk.add_graph(database, request_, nodes, [make_edge("b", "c")], link=True)
    return Command(neo4j_environment, tmp_path, project)


#: Damage by hand -> the check that must see it.
DAMAGE = {
    "1 one project": """
        MATCH (a:WorkNode {key: $project + '/a'})
        CREATE (a)-[:RELATED {project_id: $project, kind: 'x'}]->
          (:WorkNode {key: $project + '-other/a', project_id: $project + '-other', id: 'a'})""",
    "2 order": """
        MATCH (a:WorkNode {key: $project + '/a'}), (b:WorkNode {key: $project + '/b'})
        SET a.rank = b.rank + 1""",
    "2 flags": """
        MATCH (:WorkNode {key: $project + '/b'})-[r:HARD_REQUIRES]->() SET r.closes_cycle = true""",
    "3 journal": "MATCH (n:WorkNode {key: $project + '/c'}) SET n.summary = 'by hand'",
    "4 seq": "MATCH (e:JournalEntry {project_id: $project, seq: 2}) DETACH DELETE e",
}


def _checks(gotn: Command, code: int) -> dict[str, Any]:
    found = gotn.data("doctor", code=code)
    return {check["name"]: check for check in found["checks"]}


def test_a_healthy_project(gotn: Command) -> None:
    """Schema and every invariant are looked at, and all is well."""
    checks = _checks(gotn, 0)
    assert {"settings", "migrations", "schema", *DAMAGE} <= checks.keys()
    assert not [check for check in checks.values() if check["ok"] is False]
    assert "Everything is in order" in gotn.text("doctor")


@pytest.mark.parametrize("name", DAMAGE)
async def test_damage_is_seen(gotn: Command, name: str, database: Database) -> None:
    """Each invariant that is broken by hand is found, named, and told how to mend."""
    async with database.session() as session:
        await (await session.run(DAMAGE[name], project=gotn.project)).consume()
    found = _checks(gotn, 1)[name]
    assert found["ok"] is False
    assert found["found"]
    assert "gotn " in found["mend"]
    assert ("--adopt" in found["mend"]) == (name == "3 journal")
