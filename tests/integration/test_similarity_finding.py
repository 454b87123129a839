"""What is similar, on a real Neo4j, by the real model."""

from pathlib import Path
from typing import Any

import pytest
from factories import make_node
from meaning import SAID, drafts, engine

from gotn.database.connection import Database
from gotn.errors import Invalid, NotFound
from gotn.graph.filters import any_word
from gotn.similarity import finding
from gotn.similarity.engine import Engine
from gotn.similarity.records import SearchWay
from gotn.similarity.store import Which
from gotn.work.usecases import bulk, nodes
from gotn.work.usecases.writing import Request


@pytest.fixture
async def compared(database: Database, request_: Request, tmp_path: Path) -> Engine:
    """The small project's engine, two of its nodes marked."""
    marked: dict[str, Any] = {
        "backup": {"tags": ("ops",), "status": "completed"},
        "lunch": {"tags": ("ops",)},
    }
    await bulk.add_graph(database, request_, drafts(**marked), [])
    return engine(database, tmp_path)


async def test_meaning_finds_what_words_do_not(compared: Engine, project: str) -> None:
    """Words that no node has find it by meaning; its own words find it both ways."""
    asked = "People cannot authenticate on our website"
    assert [] == await finding.similar(compared, project, text=asked, way=SearchWay.WORDS)
    found = await finding.similar(compared, project, text=asked, first=3)
    assert {"login", "signin"} <= {hit.id for hit in found}
    assert (1, None) == (found[0].by_meaning, found[0].by_words)
    (best, *_) = await finding.similar(compared, project, text="fox logo")
    assert ("logo", 1, 1) == (best.id, best.by_meaning, best.by_words)
    assert best.fused == pytest.approx(2 / 61)
    assert best.cosine is not None
    assert 0.4 < best.cosine <= 1


async def test_a_node_is_not_similar_to_itself(compared: Engine, project: str) -> None:
    """Of a node its neighbours, best first, itself left out, whatever the way."""
    for way in SearchWay:
        found = await finding.similar(compared, project, node="login", first=9, way=way)
        assert ("signin", False) == (found[0].id, "login" in {hit.id for hit in found})
    found = await finding.similar(compared, project, node="login", first=100)
    assert SAID.keys() - {"login"} == {hit.id for hit in found}
    assert all(hit.cosine is not None for hit in found)


async def test_a_narrow_filter_still_gives_enough(compared: Engine, project: str) -> None:
    """As many as fulfil it, however far away they are."""
    for which, expected in (
        (Which(tag="ops"), {"backup", "lunch"}),
        (Which(statuses=("completed",)), {"backup"}),
        (Which(kind="micro_prompt", statuses=("ready",), tag="ops"), {"lunch"}),
        (Which(kind="nothing"), set()),
    ):
        for way in (SearchWay.HYBRID, SearchWay.MEANING):
            found = await finding.similar(
                compared, project, text="sign in", which=which, first=5, way=way
            )
            assert expected == {hit.id for hit in found}


async def test_it_sees_what_was_just_written(
    compared: Engine, database: Database, request_: Request
) -> None:
    """Changes, additions and removals are there in the next answer, from wherever they came."""
    project = request_.project_id
    await finding.similar(compared, project, text="anything")
    given = make_node("fresh", summary="Brew coffee", prompt_text="Grind beans, boil water.")
    await nodes.add(database, request_, given)
    await nodes.update(database, request_, "logo", {"summary": "Espresso", "prompt_text": "Brew."})
    found = await finding.similar(compared, project, text="coffee", way=SearchWay.MEANING, first=2)
    assert {"fresh", "logo"} == {hit.id for hit in found}
    await nodes.remove(database, request_, "fresh")
    found = await finding.similar(compared, project, text="coffee", way=SearchWay.MEANING)
    assert ("logo", 9) == (found[0].id, len(found))
    assert 11 == compared.known(project).encoded


async def test_what_cannot_be_asked(compared: Engine, project: str) -> None:
    """Neither or both, empty and endless texts, too many rows, names that are not there."""
    bad: tuple[dict[str, Any], ...] = (
        {},
        {"text": "a", "node": "login"},
        {"text": " "},
        {"text": "x" * 100_001},
        {"text": "a", "first": 101},
    )
    for wrong in bad:
        with pytest.raises(Invalid, match="expected"):
            await finding.similar(compared, project, **wrong)
    for way in SearchWay:
        with pytest.raises(NotFound, match="no node"):
            await finding.similar(compared, project, node="nobody", way=way)
        with pytest.raises(NotFound, match="no project"):
            await finding.similar(compared, f"{project}x", text="a", way=way)
    long = "word " * 10_000
    assert await finding.similar(compared, project, text=long)


def test_any_word_is_safe() -> None:
    """What Lucene would take for an operator is only a word; without words nothing is asked."""
    assert '"b\\*" "c\\:d\\""' == any_word('a OR b* c:d" -- *')
    assert '"a" "or"' == any_word("a OR")
    assert "" == any_word(" ** -- ")
    assert 20 == len(any_word("x " * 500).split())


def test_fusion_is_by_rank() -> None:
    """What both ways find stands before what one finds first; equal ones by id."""
    found = finding.fused(["a", "b"], ["c", "b"])
    assert ["b", "a", "c"] == [hit.id for hit in found]
    assert (2, 2) == (found[0].by_meaning, found[0].by_words)
