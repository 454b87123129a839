"""Journals of the original program (001), and what a damaged one of ours keeps of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from factories import make_node
from stories import assert_whole, entries_of, exported

from gotn import shapes
from gotn.database.connection import Database
from gotn.errors import Conflict
from gotn.work.records import GraphDraft, NodeStatus, WorkNode
from gotn.work.store import nodes as store
from gotn.work.usecases import bulk, nodes, projects, replay
from gotn.work.usecases.writing import Request

ORIGINAL = [
    {"event": "workspace_initialized", "timestamp": "2025-01-27T10:30:00Z", "data": {"v": 1}},
    {
        "event": "add_node",
        "timestamp": "2025-01-27T10:31:00Z",
        "data": {"node": {"id": "web", "kind": "micro_prompt", "summary": "Server", "tags": ["t"]}},
    },
    {
        "event": "add_node",
        "timestamp": "2025-01-27T10:32:00Z",
        "data": {"node": {"id": "db", "kind": "micro_prompt", "summary": "Data", "parent": "web"}},
    },
    {
        "event": "add_edge",
        "timestamp": "2025-01-27T10:33:00Z",
        "data": {"edge": {"src": "web", "dst": "db", "type": "hard_requires", "score": None}},
    },
    {
        "event": "update_node",
        "timestamp": "2025-01-27T10:34:00Z",
        "data": {"node": {"id": "web", "summary": "Web server", "status": "completed"}},
    },
]


def original(folder: Path, extra: bytes = b"") -> Path:
    """A `.gotn` folder with a journal."""
    home = folder / ".gotn"
    home.mkdir(exist_ok=True)
    (home / "meta.json").write_text(json.dumps({"version": 1, "workspace_path": "/w"}))
    lines = [json.dumps(entry).encode() for entry in ORIGINAL]
    (home / "journal.jsonl").write_bytes(b"\n".join([*lines[:3], extra, *lines[3:]]) + b"\n")
    return home


@pytest.mark.parametrize("form", ["folder", "file"])
async def test_original_journal_is_recovered(
    database: Database, project: str, tmp_path: Path, form: str
) -> None:
    """Later entries win, damage is listed, the entries are kept whole; twice gives one digest."""
    home = original(tmp_path, b'{"event": "add_no')
    path = home if form == "folder" else home / "journal.jsonl"
    first = Request(project_id=project, actor="t")
    found = await replay.replay_file(database, first, path)
    assert (found.nodes, found.verbatim) == (2, False)
    assert [one.line for one in found.skipped] == [4]
    await assert_whole(database, project)

    async def web() -> WorkNode:
        rows = await database.read(lambda tx: store.get(tx, project, ["web"]))
        return store.record(rows["web"] | {"project_id": project})

    assert (await web()).summary == "Web server"
    created = (await web()).created_at
    assert created
    assert shapes.iso(created) == "2025-01-27T10:31:00Z"
    second = Request(project_id=f"{project}-2", actor="t")
    assert (await replay.replay_file(database, second, path)).digest == found.digest
    kept = [e.data["original"] for e in await entries_of(database, project) if "original" in e.data]
    assert kept == ORIGINAL

    await nodes.update(database, first, "web", {"summary": "Mine", "status": NodeStatus.READY})
    await nodes.update(database, first, "web", {"prompt_text": "Said since"})
    before = (await projects.show(database, project)).seq
    await replay.replay_file(database, first, path)
    assert (await projects.show(database, project)).seq == before
    assert ((await web()).summary, (await web()).prompt_text) == ("Mine", "Said since")


async def test_recovery_keeps_imported_originals(
    database: Database, request_: Request, project: str, tmp_path: Path
) -> None:
    """What was taken over from another tool's journal survives a damage of ours."""
    await replay.replay_file(database, request_, original(tmp_path))
    path = await exported(database, project, tmp_path)
    path.write_bytes(path.read_bytes()[:-40])
    copy = Request(project_id=f"{project}-copy", actor="other")
    await replay.replay_file(database, copy, path, recover=True)
    kept = [e for e in await entries_of(database, copy.project_id) if "original" in e.data]
    assert len(kept) == len(ORIGINAL) - 1
    await assert_whole(database, copy.project_id)


async def test_recovery_under_a_key_answers_again(
    database: Database, project: str, tmp_path: Path
) -> None:
    """Same journal, same key: the first answer, although everything in it is stored by now."""
    path = original(tmp_path)
    keyed = Request(project_id=project, actor="t", idempotency_key="k")
    first = await replay.replay_file(database, keyed, path)
    seq = (await projects.show(database, project)).seq
    again = await replay.replay_file(database, keyed, path)
    assert (first.digest, first.entries) == (again.digest, again.entries)
    assert (await projects.show(database, project)).seq == seq


async def test_a_recovered_graph_decides_under_the_lock(
    database: Database, request_: Request, project: str, tmp_path: Path
) -> None:
    """A node that somebody writes while the journal is read stays as it was written."""
    path = original(tmp_path)
    writes = database.write

    async def racing(work: Any) -> Any:
        database.write = writes  # type: ignore[method-assign]
        await nodes.add(database, request_, make_node("web", summary="Mine"))
        return await writes(work)

    database.write = racing  # type: ignore[method-assign]
    try:
        await replay.replay_file(database, request_, path)
    finally:
        database.write = writes  # type: ignore[method-assign]
    rows = await database.read(lambda tx: store.get(tx, project, ["web"]))
    assert rows["web"]["summary"] == "Mine"
    await assert_whole(database, project)


@pytest.mark.parametrize("waiting", [False, True])
async def test_a_second_parent_is_reported(
    database: Database, request_: Request, project: str, tmp_path: Path, waiting: bool
) -> None:
    """The stored parent stays, waited for or not; the journal's is listed as left out."""
    if not waiting:
        await nodes.add(database, request_, make_node("mine"))
    await bulk.add_graph(database, request_, [make_node("db", parent="mine")], [])
    found = await replay.replay_file(database, request_, original(tmp_path))
    ((id_, reason),) = [(one.id, one.reason) for one in found.skipped if "parent" in one.reason]
    assert id_ == "db"
    assert reason == 'the journal\'s parent "web" gives way to "mine", which is stored'
    await assert_whole(database, project)


@pytest.mark.parametrize("damaged", [False, True])
async def test_a_replay_under_a_key_answers_again(
    database: Database, request_: Request, project: str, tmp_path: Path, damaged: bool
) -> None:
    """The second time it is the first answer, not a Conflict; another journal is one."""
    await nodes.add(database, request_, make_node("a"))
    await nodes.add(database, request_, make_node("b"))
    path = await exported(database, project, tmp_path)
    if damaged:
        path.write_bytes(path.read_bytes()[:-40])
    copy = Request(project_id=f"{project}-copy", actor="t", idempotency_key="k")
    first = await replay.replay_file(database, copy, path, recover=damaged)
    assert first.digest == await replay.current_digest(database, copy.project_id)
    assert await replay.replay_file(database, copy, path, recover=damaged) == first
    await nodes.add(database, request_, make_node("c"))
    with pytest.raises(Conflict, match="another input"):
        await replay.replay_file(database, copy, await exported(database, project, tmp_path))
    other = Request(project_id=copy.project_id, actor="t", idempotency_key="other")
    with pytest.raises(Conflict, match="not empty"):
        await replay.replay_file(database, other, path, recover=damaged)


async def test_equal_entries_are_kept_apart(database: Database, request_: Request) -> None:
    """Two alike in a file are two in the journal; the same file again brings none."""
    one = {"event": "execute_step", "timestamp": "2025-01-01T00:00:00Z", "data": {"n": 1}}

    async def kept(*entries: dict[str, Any]) -> list[Any]:
        await bulk.import_graph(database, request_, GraphDraft(journal=list(entries)))
        found = await entries_of(database, request_.project_id)
        return [entry.data["original"] for entry in found if "original" in entry.data]

    other = one | {"data": {"n": 2}}
    assert await kept(one, other, one) == [one, other, one]
    assert await kept(one, other, one) == [one, other, one]
    assert await kept(one) == [one, other, one]
    assert await kept(one, one, one) == [one, other, one, one]
    await assert_whole(database, request_.project_id)
