"""Summaries of a task's results without a model, on a real Neo4j, by the real embeddings."""

import json
from pathlib import Path
from unittest import mock

from meaning import engine

from gotn.database.connection import Database
from gotn.similarity import summarising
from gotn.similarity.preparing import tokens
from gotn.trees import exchange
from gotn.trees.rules.merging import MergedResults
from gotn.trees.usecases import executing, planting
from gotn.work.usecases.writing import Request

TREE = "tree-0000abcd"
SAID = (
    "The login form accepts SQL in its password field. We had pizza.\nPasswords are in the logs!",
    "Passwords are stored as plain text. An attacker can read every password of a user.",
    "The login form accepts SQL in its password field. My cat is asleep.",
)


async def _summary(database: Database, request: Request) -> MergedResults:
    """The merge of three children and one that failed, before there is an extract."""
    children = [
        {"node_id": f"c{at}", "prompt": f"Part {at}", "status": "completed",
         "result": {"status": "success", "output": output}}
        for at, output in enumerate(SAID)
    ]  # fmt: skip
    failed = {"node_id": "d", "prompt": "d", "status": "failed"}
    root = {"node_id": "root", "prompt": "Is it safe?", "status": "completed"}
    body = {
        "version": "1.0.0",
        "root_task": root | {"children": [*children, failed]},
        "metadata": {"tree_id": TREE},
    }
    await planting.plant(database, request, exchange.read(json.dumps(body)))
    return await executing.merge(database, request.project_id, TREE, "root", "summarize")


async def test_an_extract_stands_beside_prompt_and_inputs(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """The sentences nearest the mean in their order, once each, marked with the model."""
    merged = await _summary(database, request_)
    found = await summarising.extracted(engine(database, tmp_path), merged)
    assert (None, SAID, ("d: failed",), None) == (
        found.output, found.inputs, found.left_out, found.note
    )  # fmt: skip
    assert all(text in str(found.prompt) for text in SAID)
    assert str(found.extracted_by).startswith("all-MiniLM-L6-v2@")
    said = [one for text in SAID for one in summarising.sentences(text)]
    kept = str(found.extract).splitlines()
    assert kept == [one for one in dict.fromkeys(said) if one in kept]
    assert "The login form accepts SQL in its password field." in kept


async def test_what_matters_comes_before_what_does_not(database: Database, tmp_path: Path) -> None:
    """Where not all fits, what the children are about stays, and within the tokens."""
    children = [summarising.sentences(text) for text in SAID]
    compared = engine(database, tmp_path)
    vectors = await compared.encode([one for child in children for one in child])
    for budget in (20, 40):
        text = summarising.extract(children, vectors, budget)
        assert "assword" in text
        assert "pizza" not in text
        assert "cat" not in text
        assert tokens(text) <= budget


async def test_without_an_encoder_a_note_says_how(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """Prompt and inputs are there; the extract is not, and neither for other strategies."""
    merged = await _summary(database, request_)
    compared = engine(database, tmp_path)
    with mock.patch("gotn_embeddings.choice.installed", return_value=False):
        found = await summarising.extracted(compared, merged)
    assert (None, None, merged.prompt) == (found.extract, found.extracted_by, found.prompt)
    assert "pip install" in str(found.note)
    assert (await summarising.extracted(None, merged)).note
    other = await executing.merge(database, request_.project_id, TREE, "root", "vote")
    assert other == await summarising.extracted(None, other)


async def test_long_results_are_bounded(database: Database, tmp_path: Path) -> None:
    """Texts without sentences and without end are cut into pieces that fit; silence says none."""
    assert [] == summarising.sentences(" \n ... \n--")
    endless = "𝔸" * 3_000 + " end"
    pieces = summarising.sentences(endless)
    assert all(tokens(piece + "\n") <= summarising.BUDGET for piece in pieces)
    merged = MergedResults(
        strategy="summarize", output=None, merged=("a", "b"), left_out=(),
        inputs=(endless, " ... "),
    )  # fmt: skip
    found = await summarising.extracted(engine(database, tmp_path), merged)
    assert 0 < tokens(str(found.extract)) <= summarising.BUDGET
