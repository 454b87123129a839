"""Journals of the original program (001), and what a damaged one of ours keeps of them."""

import json
from pathlib import Path

import pytest
from stories import assert_whole, entries_of, exported

from gotn import shapes
from gotn.database.connection import Database
from gotn.work.records import NodeStatus, WorkNode
from gotn.work.store import nodes as store
from gotn.work.usecases import nodes, projects, replay
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
