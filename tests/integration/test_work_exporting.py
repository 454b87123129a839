"""Exports that come back: what linking made is still linking's after a journey through a file."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from factories import make_edge, make_node
from graphs import assert_verified, hard_edges
from stories import exported

from gotn.database.connection import Database
from gotn.errors import Conflict
from gotn.work import exchange
from gotn.work.records import GraphDraft
from gotn.work.store import exporting as store
from gotn.work.usecases import bulk, exporting, link, nodes, replay
from gotn.work.usecases.writing import Request


def beside(request: Request, name: str) -> Request:
    """A project beside the test's own."""
    return Request(project_id=f"{request.project_id}-{name}", actor=request.actor)


async def text_of(database: Database, request: Request, *, with_journal: bool = False) -> str:
    """A project's export."""
    pieces = exporting.export_graph(database, request.project_id, with_journal=with_journal)
    return "".join([piece async for piece in pieces])


def draft_of(text: str) -> GraphDraft:
    """What a text brings."""
    return exchange.read(io.BytesIO(text.encode()), name="x.json")


async def _circle(database: Database, request: Request) -> None:
    """Nodes a and b in a circle by their tags, c behind them by an edge of its own and by a tag."""
    drafts = [
        make_node("a", produces=("t", "s"), requires=("u",)),
        make_node("b", produces=("u",), requires=("s", "t")),
        make_node("c", requires=("u",)),
    ]
    await bulk.add_graph(database, request, drafts, [make_edge("b", "c", evidence="mine")])
    await link.link(database, request)


async def test_a_linked_circle_travels(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """Imported elsewhere the circle is flagged, not refused; linking changes nothing there."""
    await _circle(database, request_)
    text = await text_of(database, request_)
    copy = beside(request_, "copy")
    await bulk.import_graph(database, copy, draft_of(text))
    await assert_verified(database, copy.project_id)
    there = await hard_edges(database, copy.project_id, "a", "b", "c")
    here = await hard_edges(database, request_.project_id, "a", "b", "c")
    assert {("a", "b"): ["s", "t"], ("b", "a"): ["u"]} == {
        pair: row["tags"] for pair, row in there.items() if row["origin"] == "derived"
    }
    flags = [{p: row.get("closes_cycle") for p, row in some.items()} for some in (here, there)]
    assert flags[0] == flags[1]
    assert text == await text_of(database, copy)
    found = await link.link(database, copy)
    assert (0, 0) == (found.added, found.removed)
    assert 1 == len(found.cycles)
    assert text == await text_of(database, copy)
    assert 0 == (await bulk.import_graph(database, copy, draft_of(text))).changed
    path = await exported(database, copy.project_id, tmp_path)
    again = beside(request_, "again")
    await replay.replay_file(database, again, path)
    assert text == await text_of(database, again)


async def test_what_is_linked_already_takes_its_own_export(
    database: Database, request_: Request
) -> None:
    """Derived over derived says nothing new."""
    await _circle(database, request_)
    found = await bulk.import_graph(database, request_, draft_of(await text_of(database, request_)))
    assert 0 == found.changed


async def test_an_imported_derived_edge_goes_with_its_tags(
    database: Database, request_: Request
) -> None:
    """It is linking's again: without the tags nothing holds it."""
    await _circle(database, request_)
    copy = beside(request_, "copy")
    await bulk.import_graph(database, copy, draft_of(await text_of(database, request_)))
    await nodes.update(database, copy, "a", {"requires": None})
    assert 1 == (await link.link(database, copy)).removed
    assert {("a", "b"), ("b", "c")} == set(await hard_edges(database, copy.project_id, "a", "b"))
    await assert_verified(database, copy.project_id)


async def test_an_explicit_edge_that_tags_confirm_later_is_both(
    database: Database, request_: Request
) -> None:
    """An edge without its nodes is a statement; with them the same edge is tags' work too."""
    drafts = [make_node("a", produces=("t",)), make_node("b", requires=("t",))]
    await bulk.add_graph(database, request_, drafts, [], link=True)
    document = json.loads(await text_of(database, request_))
    other = beside(request_, "other")
    alone = json.dumps(document["edges"][0])
    await bulk.import_graph(database, other, draft_of(alone))
    await bulk.import_graph(database, other, draft_of(json.dumps({"nodes": document["nodes"]})))
    stored = (await hard_edges(database, other.project_id, "a"))["a", "b"]
    assert ("explicit", False) == (stored["origin"], "tags" in stored)
    await bulk.import_graph(database, other, draft_of(json.dumps(document)))
    stored = (await hard_edges(database, other.project_id, "a"))["a", "b"]
    assert ("both", ["t"]) == (stored["origin"], stored["tags"])
    assert 0 == (await bulk.import_graph(database, other, draft_of(json.dumps(document)))).changed
    await assert_verified(database, other.project_id)


async def test_an_edge_that_was_said_over_an_imported_derived_one(
    database: Database, request_: Request
) -> None:
    """A statement of a person's makes it both, with the person's evidence, until tags change."""
    drafts = [make_node("a", produces=("t",)), make_node("b", requires=("t",))]
    await bulk.add_graph(database, request_, drafts, [], link=True)
    copy = beside(request_, "copy")
    await bulk.import_graph(database, copy, draft_of(await text_of(database, request_)))
    said = {"src": "a", "dst": "b", "type": "hard_requires", "evidence": "mine"}
    await bulk.import_graph(database, copy, draft_of(json.dumps(said)))
    stored = (await hard_edges(database, copy.project_id, "a"))["a", "b"]
    assert ("both", "mine") == (stored["origin"], stored["evidence"])
    assert [said] == json.loads(await text_of(database, copy))["edges"]
    await assert_verified(database, copy.project_id)


@pytest.mark.parametrize("times", [1, exporting.PATIENCE])
async def test_an_export_is_of_one_moment(
    database: Database, request_: Request, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """What is written while pages are read brings a second reading, not half of it."""
    await nodes.add(database, request_, make_node("a"))
    reads, left = store.all_edges, [f"n{i}" for i in range(times)]

    async def racing(database: Database, project_id: str) -> list[dict[str, Any]]:
        if left:
            late = left.pop(0)
            await bulk.add_graph(database, request_, [make_node(late)], [make_edge("a", late)])
        return await reads(database, project_id)

    monkeypatch.setattr(store, "all_edges", racing)
    if times == exporting.PATIENCE:
        with pytest.raises(Conflict, match="is being written to; try again"):
            await text_of(database, request_)
    document = json.loads(await text_of(database, request_, with_journal=True))
    assert times + 1 == len(document["nodes"])
    assert times == len(document["edges"])
    assert 2 * times + 2 == len(document["journal"])


async def test_waiting_edges_keep_their_order(database: Database, request_: Request) -> None:
    """Edges that name no stored node come out as they came, the first one too."""
    rows = [
        {"src": src, "dst": dst, "type": "hard_requires"}
        for src, dst in (("z", "y"), ("m", "n"), ("a", "b"))
    ]
    await bulk.import_graph(database, request_, draft_of(json.dumps({"nodes": [], "edges": rows})))
    assert rows == json.loads(await text_of(database, request_))["edges"]
