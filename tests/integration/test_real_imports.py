"""Every real file of another tool: taken in, planned, replayed, exported; and again nothing new."""

import io
from itertools import pairwise
from pathlib import Path

import pytest
from graphs import assert_verified

from gotn import journal
from gotn.database.connection import Database
from gotn.errors import CycleRefused
from gotn.work import exchange
from gotn.work.records import GraphDraft
from gotn.work.usecases import bulk, exporting, planning, replay
from gotn.work.usecases.writing import Request

#: Folder of the data, and what its files are called.
FILES = (("beads", "*.issues.jsonl"), ("taskmaster", "*.tasks.json"))
#: Nodes, edges and pending ones of the files that are known; others are held to the rest.
KNOWN = {
    "beads.issues.jsonl": (704, 745, 30),
    "tugtool.issues.jsonl": (160, 274, 8),
    "aastar-sdk.tasks.json": (10, 11, 0),
    "testcraft.tasks.json": (145, 298, 0),
}


def _files(data: Path) -> list[Path]:
    return sorted(path for folder, name in FILES for path in (data / folder).glob(name))


async def _replayed(database: Database, project: str) -> str:
    """The digest of a project that is rebuilt from another's journal."""
    copy = Request(project_id=f"{project}-copy", actor="tester")
    return (await replay.replay(database, copy, lambda: journal.entries(database, project))).digest


async def _planned(database: Database, request: Request, draft: GraphDraft) -> None:
    """Every node that can be done is a step, after all that it needs, or told as blocked."""
    plan = await planning.plan(database, request, goal="all of it")
    place = {id_: at for at, id_ in enumerate(plan.ordered_node_ids)}
    told = place.keys() | {node.id for node in plan.blocked}
    assert {row["id"] for row in draft.nodes if row["status"] == "ready"} <= told
    assert [id_ for layer in plan.layers for id_ in layer] == list(plan.ordered_node_ids)
    hard = [(e["src"], e["dst"]) for e in draft.edges if e["type"] == "hard_requires"]
    assert all(place[a] < place[b] for a, b in hard if a in place and b in place)
    done = [row for row in draft.nodes if row["status"] in ("completed", "skipped")]
    assert (plan.run_id is not None, plan.satisfied) == (bool(place), len(done))


@pytest.mark.parametrize("name", sorted(KNOWN))
async def test_a_real_file(
    database: Database, request_: Request, shared_data: Path, name: str
) -> None:
    """Counted, planned, replayed to the same digest, imported again, exported and imported."""
    (path,) = [path for path in _files(shared_data) if path.name == name]
    draft = exchange.read(path)
    first = await bulk.import_graph(database, request_, draft)
    assert (first.nodes, first.edges, first.pending) == KNOWN[name]
    assert first.changed == first.nodes + first.edges
    await _planned(database, request_, draft)
    again = await bulk.import_graph(database, request_, exchange.read(path))
    assert (again.changed, again.pending) == (0, first.pending)
    live = await replay.current_digest(database, request_.project_id)
    assert await _replayed(database, request_.project_id) == live
    await assert_verified(database, request_.project_id)
    await _exported_is_imported(database, request_)


async def _exported_is_imported(database: Database, request: Request) -> None:
    """The project's own document makes the same graph elsewhere, and changes nothing here."""
    pieces = exporting.export_graph(database, request.project_id, style="jsonl")
    text = "".join([piece async for piece in pieces])
    draft = exchange.read(io.BytesIO(text.encode()), name="export.jsonl")
    assert (await bulk.import_graph(database, request, draft)).changed == 0


def test_no_file_of_the_data_is_left_out(shared_data: Path) -> None:
    """A file that is new there is new here."""
    assert {path.name for path in _files(shared_data)} == set(KNOWN)


async def test_a_cycle_between_real_tasks_is_refused_with_its_lines(
    database: Database, request_: Request, shared_data: Path, tmp_path: Path
) -> None:
    """One dependency turned back in a real file: the path, and the lines of its tasks."""
    text = (shared_data / "taskmaster" / "aastar-sdk.tasks.json").read_text("utf-8")
    whole = text.replace('"dependencies": []', '"dependencies": [2]', 1)
    path = tmp_path / "tasks.json"
    path.write_text(whole, "utf-8")
    with pytest.raises(CycleRefused) as caught:
        await bulk.import_graph(database, request_, exchange.read(path))
    hops = caught.value.facts["path"]
    assert {hops[0]} == {hops[-1]}
    edges = {(edge["src"], edge["dst"]) for edge in exchange.read(path).edges}
    assert set(pairwise(hops)) <= edges
    assert all(
        '"id"' in "".join(whole.splitlines()[n - 1 : n + 1]) for n in caught.value.facts["lines"]
    )
