"""What an agent needs for a node, on a real Neo4j, by the real model."""

from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from factories import make_edge, make_node
from meaning import drafts, engine

from gotn.database.connection import Database
from gotn.errors import Invalid, NotFound
from gotn.similarity import preparing
from gotn.similarity.engine import Engine
from gotn.similarity.records import PartKind
from gotn.work.records import NodeStatus
from gotn.work.usecases import bulk, claiming, ending, planning
from gotn.work.usecases.writing import Request


@pytest.fixture
async def compared(database: Database, request_: Request, tmp_path: Path) -> Engine:
    """Reset needs signin, which needs login; restore and backup are alike, and backup is done."""
    done: dict[str, Any] = {"status": "completed", "artifacts": {"files": ["src/login.py"]}}
    said = {"login": done, "backup": {"status": "completed"}, "invoice": {"status": "completed"}}
    joined = [make_edge("login", "signin"), make_edge("signin", "reset")]
    await bulk.add_graph(database, request_, drafts(**said), joined)
    return engine(database, tmp_path)


async def _finish(database: Database, request: Request, node: str) -> None:
    """Do a step of a run, which leaves what it made."""
    run = await planning.plan(database, request, targets=(node,))
    assert run.run_id is not None
    claim = await claiming.claim(database, request, run.run_id, "worker", node_id=node)
    assert claim.token is not None
    await ending.complete(
        database, request, run.run_id, node, claim.token,
        outputs={"form": "ready"}, artifacts=["src/form.html"],
    )  # fmt: skip


async def test_what_was_done_comes_with_what_it_brought(
    compared: Engine, database: Database, request_: Request
) -> None:
    """The task first, then the direct prerequisite with its outputs, then the farther one."""
    await _finish(database, request_, "signin")
    found = await preparing.context(compared, request_.project_id, "reset", 4000)
    assert [("task", "reset"), ("prerequisite", "signin"), ("prerequisite", "login")] == [
        (part.kind.value, part.id) for part in found.parts
    ]
    _, direct, farther = found.parts
    assert (["src/form.html"], {"form": "ready"}, 1.0) == (
        direct.artifacts, direct.outputs, direct.usefulness,
    )  # fmt: skip
    assert ({"files": ["src/login.py"]}, 0.5) == (farther.artifacts, farther.usefulness)
    assert found.text.startswith("# reset: Reset a forgotten password")
    assert "src/form.html" in found.text
    assert "A form in which users log in" in found.text
    assert (preparing.tokens(found.text), None, ()) <= (found.tokens, found.note, found.left_out)


async def test_the_like_that_was_solved_helps(compared: Engine, project: str) -> None:
    """A finished node that is about the same is there; what is not alike or not done is not."""
    found = await preparing.context(compared, project, "restore", 4000)
    assert [(PartKind.TASK, "restore"), (PartKind.SOLVED, "backup")] == [
        (part.kind, part.id) for part in found.parts
    ]
    assert 0.3 < found.parts[1].usefulness < 1
    assert "Dump the database every night" in found.text


async def test_a_budget_is_kept(compared: Engine, project: str) -> None:
    """Of ever fewer tokens none is passed; what does not fit is shortened, cut or left out."""
    whole = await preparing.context(compared, project, "restore", 4000)
    for budget in range(whole.tokens, 49, -7):
        found = await preparing.context(compared, project, "restore", budget)
        assert preparing.tokens(found.text) <= found.tokens <= budget
        assert ("task", "restore") == (found.parts[0].kind.value, found.parts[0].id)
        assert {"backup"} == {part.id for part in found.parts[1:]} | set(found.left_out)
    tight = await preparing.context(compared, project, "restore", whole.tokens - 1)
    assert tight.parts[1].shortened
    assert "every night" not in tight.text


async def test_of_a_long_task_its_prompt_is_cut(
    compared: Engine, database: Database, request_: Request
) -> None:
    """What a node works on, and when it is done, stays; where that alone is too much, it is cut."""
    prompt = "Read each word of this: " + "überlang " * 200
    task = make_node("long", prompt_text=prompt, success_criteria=["tests are green"])
    await bulk.add_graph(database, request_, [task], [])
    for budget in (50, 61, 200, 400):
        found = await preparing.context(compared, request_.project_id, "long", budget)
        assert found.parts[0].shortened
        assert preparing.tokens(found.text) <= budget
        assert budget - preparing.tokens(found.text) <= 10
        assert found.text.startswith("# long: ")
        assert "überlang … (cut to fit)\n\nDone when: " in found.text
        assert found.text.endswith('["tests are green"]\n\n')
    criteria = make_node("strict", prompt_text="Do it.", success_criteria=["word " * 100])
    await bulk.add_graph(database, request_, [criteria], [])
    found = await preparing.context(compared, request_.project_id, "strict", 50)
    assert "Do it.\n\nDone when: " in found.text
    assert found.text.endswith("word … (cut to fit)\n\n")


async def test_open_prerequisites_hide_no_finished_one(
    compared: Engine, database: Database, request_: Request
) -> None:
    """Sixty nearer ones are open, a farther one is done: it is there. A limit is told."""
    near = [make_node(f"open-{n:02}") for n in range(60)]
    far = make_node("far", status=NodeStatus.COMPLETED)
    edges = [make_edge(one.id, "much") for one in near] + [make_edge("far", near[0].id)]
    await bulk.add_graph(database, request_, [make_node("much"), *near, far], edges)
    found = await preparing.context(compared, request_.project_id, "much", 4000)
    assert (["much", "far"], None) == ([part.id for part in found.parts], found.note)
    assert found.parts[1].kind is PartKind.PREREQUISITE
    with mock.patch("gotn.similarity.preparing.BEFORE", 60):
        found = await preparing.context(compared, request_.project_id, "much", 4000)
    assert PartKind.PREREQUISITE not in {part.kind for part in found.parts}
    assert found.note == "Of what comes before, the nearest 60 nodes were looked at."


async def test_without_an_encoder_the_rest_is_there(
    compared: Engine, database: Database, request_: Request
) -> None:
    """Prerequisites need none; a note says what is missing and how to install it."""
    await _finish(database, request_, "signin")
    with mock.patch("gotn_embeddings.choice.installed", return_value=False):
        found = await preparing.context(compared, request_.project_id, "reset", 4000)
    assert ["reset", "signin", "login"] == [part.id for part in found.parts]
    assert found.note is not None
    assert "pip install" in found.note


async def test_what_cannot_be_asked(compared: Engine, project: str) -> None:
    """A node that is not there, and budgets that make no sense."""
    with pytest.raises(NotFound):
        await preparing.context(compared, project, "nobody", 4000)
    for budget in (0, 49, 1_000_001):
        with pytest.raises(Invalid, match="tokenBudget"):
            await preparing.context(compared, project, "reset", budget)
