"""What is there twice, on a real Neo4j, by the real model."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from factories import make_edge, make_node
from graphs import assert_verified, hard_edges, seq_of, state_of
from meaning import drafts, engine

from gotn.database.connection import Database
from gotn.errors import Conflict, Invalid, NotFound
from gotn.similarity import duplicates
from gotn.similarity.engine import Engine
from gotn.similarity.records import Deduped, DuplicateKind
from gotn.trees import exchange as trees
from gotn.trees.usecases import linking, planting
from gotn.work.records import Merged, WorkEdgeDraft
from gotn.work.usecases import bulk, merging, nodes
from gotn.work.usecases.writing import Request

#: Copies of nodes of the small project: the same, nearly the same, the same in other words.
COPIES: dict[str, tuple[str, str]] = {
    "logo-2": ("draw a  LOGO", "Sketch three drafts of a logo with a fox."),
    "lunch-2": ("Order a lunch", "Find out who eats no meat and call a restaurant."),
    "reset-2": ("Reset a lost password", "Mail users a link with which they set a new password."),
}
#: A task tree whose tasks are a and b.
TREE = json.dumps(
    {
        "version": "1.0.0",
        "root_task": {
            "node_id": "a",
            "prompt": "Draw it",
            "children": [{"node_id": "b", "prompt": "Sketch it"}],
        },
        "metadata": {"tree_id": "tree-00000001"},
    }
)
LOGO = {"summary": "Draw a logo", "prompt_text": "Sketch three drafts of a logo with a fox."}


@pytest.fixture
async def compared(database: Database, request_: Request, tmp_path: Path) -> Engine:
    """The small project with copies; the fuzzy one is under way."""
    copies = [
        make_node(id_, summary=summary, prompt_text=prompt, **_more(id_))
        for id_, (summary, prompt) in COPIES.items()
    ]
    await bulk.add_graph(database, request_, [*drafts(), *copies], [make_edge("logo-2", "login")])
    return engine(database, tmp_path)


def _more(id_: str) -> dict[str, Any]:
    return {"status": "running"} if id_ == "lunch-2" else {}


def told(done: Deduped) -> set[tuple[str, str, str]]:
    """What stays, what goes, and why."""
    return {(one.keep, one.gone, one.kind.value) for one in done.duplicates}


async def test_each_kind_is_told_with_its_reason(
    compared: Engine, database: Database, request_: Request
) -> None:
    """Exact, by spelling and by meaning, each pair once by its surest kind; nothing is changed."""
    seq = await seq_of(database, request_.project_id)
    done = await duplicates.dedupe(compared, request_, threshold=0.85)
    assert {
        ("logo", "logo-2", "exact"),
        ("lunch-2", "lunch", "fuzzy"),
        ("reset", "reset-2", "meaning"),
    } == told(done)
    reasons = {one.kind.value: one.reason for one in done.duplicates}
    assert "same" in reasons["exact"]
    assert "differ only in: with 'a'" in reasons["fuzzy"] or "without 'a'" in reasons["fuzzy"]
    stays = {one.gone: one.stays for one in done.duplicates}
    assert {"it is running", "its id comes first"} == {stays["lunch"], stays["logo-2"]}
    (lunch,) = [one for one in done.duplicates if one.gone == "lunch"]
    assert ("Order a lunch", "running") == (lunch.keep_summary, lunch.keep_status.value)
    assert "cosine 0." in reasons["meaning"]
    assert "all-MiniLM-L6-v2@" in reasons["meaning"]
    assert (0, False, ()) == (done.merged, done.more, done.notes)
    assert seq == await seq_of(database, request_.project_id)
    one = await duplicates.dedupe(compared, request_, kinds=(DuplicateKind.EXACT,))
    assert {("logo", "logo-2", "exact")} == told(one)
    one = await duplicates.dedupe(compared, request_, threshold=0.85, only="lunch")
    assert {("lunch-2", "lunch", "fuzzy")} == told(one)


async def test_merging_and_taking_it_back(
    compared: Engine, database: Database, request_: Request
) -> None:
    """`apply` merges all that is not refused, again finds nothing, and each can be undone."""
    before = await state_of(database, request_.project_id)
    done = await duplicates.dedupe(
        compared, request_, kinds=duplicates.EVERY, threshold=0.85, apply=True
    )
    assert (3, None) == (done.merged, done.duplicates[0].refused)
    state = await state_of(database, request_.project_id)
    assert {"logo-2", "lunch", "reset-2"} == before["nodes"].keys() - state["nodes"].keys()
    assert ("hard_requires", "logo", "login", "") in state["edges"]
    again = await duplicates.dedupe(compared, request_, threshold=0.85, apply=True)
    assert ((), 0) == (again.duplicates, again.merged)
    for one in reversed(done.duplicates):
        assert one.merge is not None
        await merging.undo(database, request_, one.merge)
    after = await state_of(database, request_.project_id)
    assert before["edges"] == after["edges"]
    assert before["nodes"].keys() == after["nodes"].keys()
    await assert_verified(database, request_.project_id)


def _ready(*ids: str) -> dict[str, str]:
    return dict.fromkeys(ids, "ready")


async def _copies(
    database: Database, request: Request, states: Mapping[str, str], *edges: WorkEdgeDraft
) -> None:
    """Nodes that say the same, with their statuses, and edges between them."""
    same = {"summary": "Water the plants", "prompt_text": "All of them."}
    nodes_ = [make_node(id_, status=status, **same) for id_, status in states.items()]
    await bulk.add_graph(database, request, nodes_, list(edges))


async def test_what_somebody_told_apart_is_not_merged(
    compared: Engine, database: Database, request_: Request
) -> None:
    """Nodes that need each other are told as refused; many copies go into one."""
    await _copies(database, request_, _ready("w1", "w2", "w3"), make_edge("w1", "w3"))
    done = await duplicates.dedupe(
        compared, request_, kinds=(DuplicateKind.EXACT,), only="w1", apply=True
    )
    found = {one.gone: one.refused for one in done.duplicates}
    assert {"w2": None, "w3": "One needs the other."} == found
    assert 1 == done.merged


async def test_copies_that_need_each_other_do_not_both_go(
    compared: Engine, database: Database, request_: Request
) -> None:
    """An edge between two that would go into the same node is told and kept, not swallowed."""
    await _copies(database, request_, _ready("w1", "w2", "w3", "w4"), make_edge("w2", "w3"))
    for apply in (False, True):
        done = await duplicates.dedupe(
            compared, request_, kinds=(DuplicateKind.EXACT,), apply=apply
        )
        found = {one.gone: one.refused for one in done.duplicates if one.keep == "w1"}
        assert {"w2": None, "w3": "One needs the other.", "w4": None} == found
    assert ("w1", "w3") in await hard_edges(database, request_.project_id, "w3")
    again = await duplicates.dedupe(compared, request_, only="w3", apply=True)
    assert ["One needs the other."] == [one.refused for one in again.duplicates]
    await assert_verified(database, request_.project_id)


@pytest.mark.parametrize(
    ("id_", "change", "why"),
    [
        ("w2", {"status": "completed"}, "w2 is completed and w1 ready: what was done would go"),
        ("w1", {"status": "completed"}, "w2 is ready and w1 completed: open work would go"),
        ("w2", {"status": "running"}, "w2 was changed since"),
        ("w2", {"prompt_text": "Only the ferns."}, "w2 was changed since"),
        ("w1", {"summary": "Water the ferns"}, "w1 was changed since"),
    ],
)
async def test_what_changed_meanwhile_is_not_merged(
    compared: Engine, database: Database, request_: Request, id_: str, change: Any, why: str
) -> None:
    """What was completed or edited between finding and merging is refused; others go on."""
    await _copies(database, request_, _ready("w1", "w2"))
    merge = merging.merge

    async def meanwhile(database: Database, request: Request, keep: str, *rest: Any) -> Merged:
        if keep == "w1":
            await nodes.update(database, request, id_, change)
        return await merge(database, request, keep, *rest)

    with mock.patch.object(merging, "merge", meanwhile):
        done = await duplicates.dedupe(compared, request_, kinds=(DuplicateKind.EXACT,), apply=True)
    refused = {one.gone: one.refused for one in done.duplicates}
    assert (1, None) == (done.merged, refused["logo-2"])
    assert why in str(refused["w2"])
    state = await state_of(database, request_.project_id)
    assert {"w1", "w2"} <= state["nodes"].keys()


async def test_only_what_is_sure_is_merged_unasked(compared: Engine, request_: Request) -> None:
    """Where no kind is named, `apply` merges exact copies; what else is alike is only told."""
    done = await duplicates.dedupe(compared, request_, threshold=0.85, apply=True)
    assert 1 == done.merged
    assert {"logo-2": None, "lunch": duplicates.UNSURE, "reset-2": duplicates.UNSURE} == {
        one.gone: one.refused for one in done.duplicates
    }


async def test_open_work_never_goes_into_what_is_done(
    compared: Engine, database: Database, request_: Request
) -> None:
    """Of many copies the open ones become one, those that are done too, and no open one goes."""
    states = {"w1": "ready", "w2": "completed", "w3": "ready", "w4": "skipped", "w5": "ready"}
    await _copies(database, request_, states)
    done = await duplicates.dedupe(compared, request_, kinds=(DuplicateKind.EXACT,), apply=True)
    mine = [one for one in done.duplicates if one.keep.startswith("w")]
    assert {("w2", "w4"), ("w1", "w3"), ("w1", "w5"), ("w2", "w1")} == {
        (one.keep, one.gone) for one in mine
    }
    (left,) = [one for one in mine if one.refused]
    assert "w1 is ready and w2 completed: open work would go" in (left.refused or "")
    state = await state_of(database, request_.project_id)
    assert {"w1", "w2"} == {id_ for id_ in state["nodes"] if id_.startswith("w")}


async def test_what_is_done_never_goes_into_open_work(
    compared: Engine, database: Database, request_: Request
) -> None:
    """One that is completed beside two that are open stays, with what it made."""
    states = {"w1": "ready", "w2": "ready", "w3": "completed"}
    await _copies(database, request_, states)
    done = await duplicates.dedupe(compared, request_, apply=True, only="w3")
    (left,) = done.duplicates
    assert "w1 is ready and w3 completed" in (left.refused or "")
    done = await duplicates.dedupe(compared, request_, apply=True)
    mine = {(one.keep, one.gone): one.refused for one in done.duplicates if one.keep[0] == "w"}
    refused = "w3 is completed and w1 ready: what was done would go. Complete or skip w1"
    assert (None, True) == (mine.pop(("w1", "w2")), refused in str(mine.pop(("w1", "w3"))))
    assert {} == mine
    state = await state_of(database, request_.project_id)
    assert {"w1", "w3"} == {id_ for id_ in state["nodes"] if id_.startswith("w")}


async def test_what_a_task_tree_executed_stays(
    compared: Engine, database: Database, request_: Request
) -> None:
    """Its copy goes into it, though older and farther done; of two such none goes."""
    await planting.plant(database, request_, trees.read(TREE))
    await linking.link(database, request_, "tree-00000001", "logo-2")
    await linking.link(database, request_, "tree-00000001", "lunch", task="a")
    done = await duplicates.dedupe(
        compared, request_, kinds=duplicates.EVERY, threshold=0.85, apply=True
    )
    assert {("logo-2", "logo", "exact"), ("lunch", "lunch-2", "fuzzy")} <= told(done)
    assert (3, None) == (done.merged, done.duplicates[0].refused)
    await nodes.add(database, request_, make_node("logo", **LOGO))
    await linking.link(database, request_, "tree-00000001", "logo", task="b")
    (one,) = (await duplicates.dedupe(compared, request_, kinds=[DuplicateKind.EXACT])).duplicates
    assert "more than the work graph" in (one.refused or "")
    seq = await seq_of(database, request_.project_id)
    with pytest.raises(Conflict, match="task tree executed 'logo'"):
        await merging.merge(database, request_, "reset", "logo")
    assert seq == await seq_of(database, request_.project_id)
    await assert_verified(database, request_.project_id)


async def test_without_an_encoder_spelling_is_compared(compared: Engine, request_: Request) -> None:
    """What needs none is told, with a note on what is missing."""
    with mock.patch("gotn_embeddings.choice.installed", return_value=False):
        done = await duplicates.dedupe(compared, request_)
    assert {("logo", "logo-2", "exact"), ("lunch-2", "lunch", "fuzzy")} == told(done)
    assert "pip install" in done.notes[0]


async def test_what_cannot_be_asked(compared: Engine, request_: Request) -> None:
    """A threshold that means nothing, a project that is not there."""
    for threshold in (0, 1.5, -1):
        with pytest.raises(Invalid, match="threshold"):
            await duplicates.dedupe(compared, request_, threshold=threshold)
    with pytest.raises(NotFound, match="zzz"):
        await duplicates.dedupe(compared, request_, only="zzz")
    other = Request(project_id=f"{request_.project_id}x")
    with pytest.raises(NotFound):
        await duplicates.dedupe(compared, other)
