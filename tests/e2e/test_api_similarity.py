"""What is about the same, over HTTP."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from e2e.conftest import Api, MakeApp, node
from meaning import SAID, needs_encoder


@pytest.fixture
async def alike(make_app: MakeApp, opened: Callable[..., Any], project: str, tmp_path: Path) -> Api:
    """The API with the small project, its vectors in a folder of this test's own."""
    needs_encoder()
    app = make_app(home=tmp_path, encoder="onnx")
    names: list[str] = []
    found = Api(await opened(app), project, names)
    endpoint: Any = next(r for r in app.routes if getattr(r, "path", "") == "/graphql")
    endpoint.app._database.on_statement = names.append
    rows = [node(id_, summary=said[0], promptText=said[1]) for id_, said in SAID.items()]
    await found.graph(rows)
    return found


async def test_a_search_takes_as_many_statements_for_any_rows(alike: Api) -> None:
    """Nodes of hits are read in one statement, with just what the document selects."""
    counts = []
    for first in (1, 1, 9):
        rows = await alike.read(
            f'similar(project: $p, text: "log in", first: {first}) '
            "{ id cosine fused byMeaning byWords node { summary status tags } }"
        )
        assert first == len(rows["similar"])
        counts.append(len(alike.statements))
    assert {"signin", "login"} >= {rows["similar"][0]["id"]}
    assert SAID[rows["similar"][0]["id"]][0] == rows["similar"][0]["node"]["summary"]
    assert counts[1] == counts[2]


async def test_soft_edges_show_their_evidence(alike: Api) -> None:
    """They are linked once a key, and read with score, evidence and model."""
    given = {"idempotencyKey": "once"}
    done = await alike.run("LinkSoft", input=given)
    assert (1, 9, 0.6) == (min(done["added"], 1), done["vectors"], done["threshold"])
    assert done == await alike.run("LinkSoft", input=given)
    rows = await alike.read(
        'workNode(project: $p, id: "login") { softNeighbours { edges '
        "{ score evidence node { nodeId } } } }"
    )
    (edge,) = rows["workNode"]["softNeighbours"]["edges"]
    assert "signin" == edge["node"]["nodeId"]
    assert f"cosine {edge['score']:.4f} (all-MiniLM-L6-v2@" in edge["evidence"]


async def test_errors_are_members_or_have_codes(alike: Api) -> None:
    """A project that is not there, an argument that makes no sense, a merge that never was."""
    answer = await alike.post('{ similar(project: "nowhere-x", text: "a") { id } }')
    assert "NOT_FOUND" == answer["errors"][0]["extensions"]["code"]
    answer = await alike.post('{ similar(text: "a", node: "b") { id } }')
    assert "INVALID" == answer["errors"][0]["extensions"]["code"]
    refused = await alike.run("UndoMerge", input={"merge": 1})
    assert ("NotFound", "NOT_FOUND") == (refused["__typename"], refused["code"])
    refused = await alike.run("LinkSoft", input={"project": "nowhere-x"})
    assert "NOT_FOUND" == refused["code"]
