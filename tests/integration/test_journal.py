"""The journal on a real Neo4j: kept with every write, proved, exported, replayed, recovered."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from factories import make_edge, make_node
from stories import assert_whole, by_hand, entries_of, exported, story

from gotn import journal, shapes
from gotn.database.connection import Database
from gotn.errors import BadDocument, Conflict, CycleRefused, DatabaseUnavailable, Invalid, NotFound
from gotn.work.store import nodes as store
from gotn.work.usecases import bulk, edges, exporting, nodes, projects, replay
from gotn.work.usecases.lines import Lines
from gotn.work.usecases.writing import Request


async def test_first_write_begins_the_journal(database: Database, request_: Request) -> None:
    """workspace_initialized comes first, then what was done, each with its actor."""
    await nodes.add(database, request_, make_node("a"))
    found = await entries_of(database, request_.project_id)
    assert [entry.event for entry in found] == ["workspace_initialized", "add_node"]
    assert [entry.seq for entry in found] == [1, 2]
    assert {entry.actor for entry in found} == {"tester"}


async def test_everything_is_in_the_journal(database: Database, request_: Request) -> None:
    """After a bit of everything the journal gives just what is stored."""
    await story(database, request_)
    await assert_whole(database, request_.project_id)
    times = [shapes.moment(e.timestamp) for e in await entries_of(database, request_.project_id)]
    assert times == sorted(times)


async def test_seq_is_gapless_under_concurrent_writers(
    database: Database, request_: Request
) -> None:
    """Forty writers at once, some refused: no gap, no entry twice, the chain whole."""

    async def one(i: int) -> None:
        if i % 4:
            await nodes.add(database, request_, make_node(f"n{i}"))
        else:
            with pytest.raises(NotFound):
                await edges.add(database, request_, make_edge("nobody", "nothing"))

    await asyncio.gather(*(one(i) for i in range(40)))
    found = await entries_of(database, request_.project_id)
    assert [entry.seq for entry in found] == list(range(1, 32))
    await assert_whole(database, request_.project_id)


async def test_refusal_leaves_the_journal_untouched(database: Database, request_: Request) -> None:
    """A refused write takes no seq, and creates no project."""
    with pytest.raises(NotFound):
        await edges.add(database, request_, make_edge())
    with pytest.raises(NotFound):
        await projects.show(database, request_.project_id)
    await bulk.add_graph(database, request_, [make_node("a"), make_node("b")], [make_edge()])
    before = (await projects.show(database, request_.project_id)).seq
    with pytest.raises(CycleRefused):
        await edges.add(database, request_, make_edge("b", "a"))
    with pytest.raises(Conflict):
        await nodes.add(database, request_, make_node("a", summary="other"))
    assert (await projects.show(database, request_.project_id)).seq == before


async def test_same_again_is_no_entry(database: Database, request_: Request) -> None:
    """Adding what is there already says nothing."""
    await nodes.add(database, request_, make_node("a"))
    before = await entries_of(database, request_.project_id)
    await nodes.add(database, request_, make_node("a"))
    assert await entries_of(database, request_.project_id) == before


async def test_entry_holds_a_thousand_items(database: Database, request_: Request) -> None:
    """Bulk work makes one entry for each 1,000 items."""
    await bulk.add_graph(database, request_, [make_node(f"n{i}") for i in range(2001)], [])
    found = await entries_of(database, request_.project_id)
    assert [len(entry.items()) for entry in found] == [0, 1000, 1000, 1]


@pytest.mark.parametrize("actor", ["\ud800", "x" * 1001])
async def test_actor_is_text(database: Database, project: str, actor: str) -> None:
    """An actor that cannot be written down is refused, in words."""
    with pytest.raises(Invalid, match="actor"):
        await nodes.add(database, Request(project_id=project, actor=actor), make_node())


async def test_idempotency_key_gives_the_first_answer(database: Database, project: str) -> None:
    """The same key changes nothing again; another input under it is a Conflict."""
    request = Request(project_id=project, actor="t", idempotency_key="k/%")
    first = await nodes.add(database, request, make_node("a"))
    assert await nodes.add(database, request, make_node("a")) == first
    with pytest.raises(Conflict, match="used with another input"):
        await nodes.add(database, request, make_node("b"))
    assert (await projects.show(database, project)).seq == 2


@pytest.mark.parametrize("ahead", [20_000, 2])
async def test_exported_lines_rebuild_the_project(
    database: Database,
    request_: Request,
    project: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ahead: int,
) -> None:
    """JSONL into an empty project: same digest, same journal word for word, same export.

    So too where the journal is long and goes in transactions of its own.
    """
    monkeypatch.setattr(replay, "AHEAD", ahead)
    await story(database, request_)
    before = await assert_whole(database, project)
    path = await exported(database, project, tmp_path)
    copy = Request(project_id=f"{project}-copy", actor="other")
    found = await replay.replay_file(database, copy, path)
    assert found.verbatim
    assert found.digest == before
    assert await assert_whole(database, copy.project_id) == before
    assert await entries_of(database, copy.project_id) == await entries_of(database, project)
    texts = [
        "".join([piece async for piece in exporting.export_graph(database, name)])
        for name in (project, copy.project_id)
    ]
    assert texts[0] == texts[1]
    await nodes.add(database, copy, make_node("more"))
    await assert_whole(database, copy.project_id)


async def test_a_long_journal_that_stops_leaves_nothing(
    database: Database, request_: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meanwhile nobody can write; where it fails the project is gone."""
    monkeypatch.setattr(replay, "AHEAD", 2)
    await story(database, request_)
    copy = Request(project_id=f"{project}-copy", actor="other")

    async def failing(*_: object) -> None:
        with pytest.raises(Conflict, match="is being removed"):
            await nodes.add(database, copy, make_node("a"))
        raise DatabaseUnavailable

    monkeypatch.setattr(journal, "append_ahead", failing)
    with pytest.raises(DatabaseUnavailable):
        await replay.replay(database, copy, partial(journal.entries, database, project))
    with pytest.raises(NotFound):
        await projects.show(database, copy.project_id)


async def test_a_long_journal_leaves_another_project_of_that_name_alone(
    database: Database, request_: Request, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Removed and made anew meanwhile: the replay is refused, the new project stays."""
    monkeypatch.setattr(replay, "AHEAD", 2)
    await story(database, request_)
    copy = Request(project_id=f"{project}-copy", actor="other")
    append = journal.append_ahead

    async def late(*given: Any) -> journal.Entry | None:
        await projects.remove(database, copy)
        await nodes.add(database, copy, make_node("mine"))
        return await append(*given)

    monkeypatch.setattr(journal, "append_ahead", late)
    with pytest.raises(Conflict, match="removed while a journal was replayed"):
        await replay.replay(database, copy, partial(journal.entries, database, project))
    assert 1 == (await projects.show(database, copy.project_id)).nodes
    await assert_whole(database, copy.project_id)


@pytest.mark.parametrize("ahead", [20_000, 2])
async def test_replay_from_another_project(
    database: Database,
    request_: Request,
    project: str,
    monkeypatch: pytest.MonkeyPatch,
    ahead: int,
) -> None:
    """From Neo4j into an empty project; one that holds something is refused."""
    monkeypatch.setattr(replay, "AHEAD", ahead)
    await story(database, request_)
    copy = Request(project_id=f"{project}-copy", actor="other")
    source = partial(journal.entries, database, project)
    found = await replay.replay(database, copy, source)
    assert found.digest == await replay.current_digest(database, project)
    with pytest.raises(Conflict, match="not empty"):
        await replay.replay(database, copy, source)


def _line(change: Callable[[dict[str, Any]], None]) -> Callable[[bytes], bytes]:
    def changed(line: bytes) -> bytes:
        found = json.loads(line)
        change(found)
        return json.dumps(found).encode() + b"\n"

    return changed


def _swap(lines: list[bytes]) -> None:
    lines[2], lines[3] = lines[3], lines[2]


def _in_line(number: int, change: Callable[[bytes], bytes]) -> Callable[[list[bytes]], None]:
    def damage(lines: list[bytes]) -> None:
        lines[number - 1] = change(lines[number - 1])

    return damage


def _renamed(entry: dict[str, Any]) -> None:
    entry["data"]["items"] = [{"node": {"id": "x"}}]


DAMAGES: dict[str, tuple[Callable[[list[bytes]], Any], int, str]] = {
    "cut": (lambda ls: ls.append(ls[-1][:40]), 5, "cut short or damaged"),
    "conflict": (lambda ls: ls.insert(2, b"<<<<<<< HEAD\n"), 3, "merge-conflict marker"),
    "gap": (lambda ls: ls.pop(2), 3, "expected seq 3, found 4"),
    "changed": (_in_line(3, _line(_renamed)), 3, "its hash does not fit"),
    "swapped": (_swap, 3, "expected seq 3, found 4"),
    "twice": (lambda ls: ls.insert(3, ls[2]), 4, "expected seq 4, found 3"),
    "no seq": (_in_line(3, _line(lambda e: e.pop("seq"))), 3, "a journal entry without seq"),
    "binary": (_in_line(3, lambda _: b"\x00\xff\x01\n"), 3, "binary data"),
    "not UTF-8": (_in_line(3, lambda _: b'{"seq": "\xff"}\n'), 3, "cut short or damaged"),
    "a list": (_in_line(3, lambda _: b"[1]\n"), 3, "not a JSON object"),
    "first gone": (lambda ls: ls.pop(0), 1, "expected seq 1, found 2"),
}


@pytest.mark.parametrize("name", DAMAGES)
async def test_damage_is_reported_by_line(
    database: Database, request_: Request, project: str, tmp_path: Path, name: str
) -> None:
    """Every damage is named with its line; nothing is written; --recover takes the rest."""
    await bulk.add_graph(database, request_, [make_node("a"), make_node("b")], [])
    await nodes.add(database, request_, make_node("c"))
    await nodes.update(database, request_, "a", {"summary": "last"})
    path = await exported(database, project, tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    damage, number, reason = DAMAGES[name]
    damage(lines)
    path.write_bytes(b"".join(lines))
    copy = Request(project_id=f"{project}-copy", actor="other")
    with pytest.raises(BadDocument) as refused:
        await replay.replay_file(database, copy, path)
    first = refused.value.facts["violations"][0]
    assert first["line"] == number
    assert reason in first["reason"]
    with pytest.raises(NotFound):
        await projects.show(database, copy.project_id)
    found = await replay.replay_file(database, copy, path, recover=True)
    assert not found.verbatim
    assert found.skipped
    assert found.nodes >= 2
    await assert_whole(database, copy.project_id)
    if name in ("cut", "conflict", "swapped", "twice", "first gone"):
        assert found.digest == await replay.current_digest(database, project)


async def test_newer_journal_is_refused(
    database: Database, request_: Request, project: str, tmp_path: Path
) -> None:
    """Entries of a newer program are refused, by name, with --recover too."""
    await nodes.add(database, request_, make_node("a"))
    path = await exported(database, project, tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"schema_version":1', b'"schema_version":2'))
    for recover in (False, True):
        copy = Request(project_id=f"{project}-copy", actor="other")
        with pytest.raises(Invalid, match="schema version 2 is newer than 1"):
            await replay.replay_file(database, copy, path, recover=recover)
    with pytest.raises(NotFound):
        await projects.show(database, f"{project}-copy")


async def test_newer_lines_are_damage_among_others(
    database: Database, request_: Request, project: str, tmp_path: Path
) -> None:
    """Each is named with its line, the rest as ever; --recover takes the rest and lists them."""
    for name in "abcd":
        await nodes.add(database, request_, make_node(name))
    path = await exported(database, project, tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"schema_version":1', b'"schema_version":2')
    lines[3] = lines[3].replace(b'"schema_version":1', b'"schema_version":3')
    lines[4] = lines[4][:40] + b"\n"
    path.write_bytes(b"".join(lines))
    copy = Request(project_id=f"{project}-copy", actor="other")
    with pytest.raises(BadDocument, match="but what a newer program wrote") as refused:
        await replay.replay_file(database, copy, path)
    listed = [(one["line"], one.get("id")) for one in refused.value.facts["violations"]]
    assert listed == [(2, "2"), (4, "4"), (5, None)]
    found = await replay.replay_file(database, copy, path, recover=True)
    assert [(one.line, one.id) for one in found.skipped] == listed
    assert found.nodes == 1
    rows = await database.read(lambda tx: store.get(tx, copy.project_id, "abcd"))
    assert list(rows) == ["b"]
    await assert_whole(database, copy.project_id)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\x00\x01\x02", b"no journal\n"])
async def test_file_without_entries_is_refused(
    database: Database, request_: Request, tmp_path: Path, content: bytes
) -> None:
    """An empty or binary file holds no journal, and is told so."""
    path = tmp_path / "j.jsonl"
    path.write_bytes(content)
    for recover in (False, True):
        with pytest.raises(BadDocument, match="holds no journal entry"):
            await replay.replay_file(database, request_, path, recover=recover)


async def test_missing_file_is_told(database: Database, request_: Request, tmp_path: Path) -> None:
    """A path that is not there is an error of ours."""
    with pytest.raises(Invalid, match="cannot be read"):
        await replay.replay_file(database, request_, tmp_path / "none")


async def test_byte_order_mark_is_tolerated(
    database: Database, request_: Request, project: str, tmp_path: Path
) -> None:
    """A BOM and blank lines, which editors leave, damage nothing."""
    await nodes.add(database, request_, make_node("a"))
    path = await exported(database, project, tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n\r\n"))
    found = await replay.replay_file(
        database, Request(project_id=f"{project}-copy", actor="other"), path
    )
    assert found.verbatim


def test_endless_line_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a line without an end only a part is read; the next line has its right number."""
    monkeypatch.setattr("gotn.work.usecases.lines.LINE_BYTES", 1000)
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"a":"' + b"x" * 10_000 + b'"}\n{}\n')
    lines = Lines(path)
    assert list(lines.scan()) == []
    assert [(one.line, one.reason[:30]) for one in lines.damaged] == [
        (1, "expected at most 1000 bytes, f"),
        (2, "a journal entry without seq"),
    ]


async def test_damage_in_the_database_is_seen(database: Database, request_: Request) -> None:
    """An entry that was changed or deleted in Neo4j breaks the chain."""
    for name in "abc":
        await nodes.add(database, request_, make_node(name))
    await by_hand(
        database, "MATCH (e:JournalEntry {key: $key}) SET e.actor = 'else'", request_, "2"
    )
    found = await replay.verify(database, request_.project_id)
    assert not found.chain_ok
    assert found.problems == ("seq 2: was changed; its hash does not fit",)
    await by_hand(database, "MATCH (e:JournalEntry {key: $key}) DELETE e", request_, "4")
    found = await replay.verify(database, request_.project_id)
    assert "seq 4" in found.problems[-1]
    with pytest.raises(Conflict, match="journal itself is damaged"):
        await replay.adopt(database, request_)


async def test_verify_while_somebody_writes(database: Database, request_: Request) -> None:
    """A verification beside writers tells no difference that is not there."""
    await nodes.add(database, request_, make_node("a"))
    done = asyncio.Event()

    async def busy() -> None:
        for i in range(20):
            await nodes.update(database, request_, "a", {"summary": f"s{i}"})
        done.set()

    async def look() -> list[bool]:
        seen: list[bool] = []
        while not done.is_set():
            with suppress(Conflict):  # it is being written all the time
                seen.append((await replay.verify(database, request_.project_id)).equal)
        return seen

    _, seen = await asyncio.gather(busy(), look())
    assert all(seen)
    await assert_whole(database, request_.project_id)
