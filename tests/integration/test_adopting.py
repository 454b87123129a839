"""Changes that somebody makes by hand in Neo4j are seen, and taken over on demand."""

from functools import partial
from typing import Any

import pytest
from factories import make_node
from stories import assert_whole, by_hand

from gotn import journal
from gotn.database.connection import Database
from gotn.errors import Invalid
from gotn.work.usecases import bulk, doctor, nodes, planning, projects, replay
from gotn.work.usecases.writing import Request

HANDS: dict[str, tuple[str, list[list[Any]]]] = {
    "a property": (
        "MATCH (n:WorkNode {key: $key}) SET n.summary = 'by hand', n.status = 'failed'",
        [["WorkNode", "a"]],
    ),
    "a property of its own": (
        "MATCH (n:WorkNode {key: $key}) SET n.mine = duration('P1D'), n.when = datetime()",
        [["WorkNode", "a"]],
    ),
    "a property gone": (
        "MATCH (n:WorkNode {key: $key}) REMOVE n.summary",
        [["WorkNode", "a"]],
    ),
    "a node deleted": (
        "MATCH (n:WorkNode {key: $key}) DETACH DELETE n",
        [["HARD_REQUIRES", "a", "b", ""], ["PRODUCES", "a", "A", 0], ["STEP", None, "a", 0]],
    ),
    "a node made": (
        (
            "CREATE (:WorkNode {project_id: $project, id: 'new', kind: 'k', summary: 's', "
            "prompt_text: 'p'})"
        ),
        [["WorkNode", "new"]],
    ),
    "an edge made": (
        (
            "MATCH (a:WorkNode {project_id: $project, id: 'c'}), (b:WorkNode {key: $key}) "
            "CREATE (a)-[:HARD_REQUIRES]->(b)"
        ),
        [["HARD_REQUIRES", "c", "a", ""]],
    ),
    "an edge twice": (
        (
            "MATCH (a:WorkNode {key: $key})-[r:HARD_REQUIRES]->(b) "
            "CREATE (a)-[s:HARD_REQUIRES]->(b) SET s = properties(r)"
        ),
        [["HARD_REQUIRES", "a", "b", ""]],
    ),
    "an edge deleted": (
        "MATCH (:WorkNode {key: $key})-[r:HARD_REQUIRES]->() DELETE r",
        [["HARD_REQUIRES", "a", "b", ""]],
    ),
    "an edge changed": (
        "MATCH (:WorkNode {key: $key})-[r:HARD_REQUIRES]->() SET r.evidence = 'mine'",
        [["HARD_REQUIRES", "a", "b", ""]],
    ),
    "a tag taken": (
        "MATCH (:WorkNode {key: $key})-[r:PRODUCES]->() DELETE r",
        [["PRODUCES", "a", "A", 0]],
    ),
    "a tag given": (
        (
            "MATCH (n:WorkNode {key: $key}) "
            "CREATE (n)-[:REQUIRES]->(:Tag {project_id: $project, name: 'hand'})"
        ),
        [["REQUIRES", "a", "hand", None], ["Tag", "hand"]],
    ),
    "a run changed": (
        "MATCH (r:Run {project_id: $project}) SET r.goal = 'other', r.note = 1",
        [["Run", None]],
    ),
    "a step changed": (
        "MATCH (:Run {project_id: $project})-[s:STEP {position: 0}]->() SET s.status = 'completed'",
        [["STEP", None, "a", 0]],
    ),
    "a run deleted": ("MATCH (r:Run {project_id: $project}) DETACH DELETE r", [["Run", None]]),
    "a pending edge deleted": (
        "MATCH (p:PendingEdge {project_id: $project}) DELETE p",
        [["PendingEdge", "derived_from", "a", "later", ""]],
    ),
}


@pytest.mark.parametrize("name", HANDS)
async def test_change_by_hand_is_seen_and_adopted(
    database: Database, request_: Request, project: str, name: str
) -> None:
    """What somebody changes in Neo4j Browser shows in verify, and adopt takes it over."""
    await bulk.add_graph(
        database,
        request_,
        [
            make_node("a", produces=("A",), tags=("x",), children=("later",)),
            make_node("b", requires=("A",)),
            make_node("c"),
        ],
        [],
        link=True,
    )
    await planning.plan(database, request_)
    text, expected = HANDS[name]
    await by_hand(database, text, request_, "a")
    found = await replay.verify(database, project)
    assert not found.equal
    assert found.chain_ok
    entities = [one["entity"] for one in found.differing]
    for one in expected:
        assert any(
            len(e) == len(one) and all(x is None or x == y for x, y in zip(one, e, strict=True))
            for e in entities
        ), entities
    adopted = await replay.adopt(database, request_)
    assert adopted.entities == len(entities)
    await assert_whole(database, project)
    assert (await replay.adopt(database, request_)).entities == 0
    copy = Request(project_id=f"{project}-copy", actor="other")
    rebuilt = await replay.replay(database, copy, partial(journal.entries, database, project))
    assert rebuilt.digest == await replay.current_digest(database, project)
    wrong = [c async for c in doctor.invariants(database, project) if c.ok is False]
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (n:WorkNode {key: $key}) CREATE (n)-[:FOO]->(:Thing {name: 't'})",
        "MATCH (n:WorkNode {key: $key}) SET n.guards = 'not JSON'",
        "MATCH (n:WorkNode {key: $key}) SET n.status = 'resting'",
        "MATCH (n:WorkNode {key: $key}) CREATE (n)-[:HARD_REQUIRES]->(n)",
    ],
)
async def test_what_no_journal_can_say_is_not_adopted(
    database: Database, request_: Request, text: str
) -> None:
    """A change that breaks the model is listed, and nothing is taken over."""
    await nodes.add(database, request_, make_node("a"))
    await by_hand(database, text, request_, "a")
    with pytest.raises(Invalid, match="cannot be taken over"):
        await replay.adopt(database, request_)
    assert (await projects.show(database, request_.project_id)).seq == 2
    await by_hand(database, "MATCH (t:Thing {name: 't'}) DETACH DELETE t", request_)


async def test_first_twenty_differences_are_listed(database: Database, request_: Request) -> None:
    """A graph changed all over gives twenty examples."""
    await bulk.add_graph(database, request_, [make_node(f"n{i:02}") for i in range(30)], [])
    await by_hand(database, "MATCH (n:WorkNode {project_id: $project}) SET n.kind = 'x'", request_)
    found = await replay.verify(database, request_.project_id)
    assert [one["difference"] for one in found.differing] == ["changed by hand"] * 20
