"""Vectors in step with the journal: callers that leave, processes side by side, disks that fail."""

import asyncio
import logging
import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from factories import make_node
from meaning import SAID, drafts, engine

from gotn.database.connection import Database
from gotn.errors import Invalid
from gotn.similarity import finding, following, linking
from gotn.work.usecases import bulk, nodes, projects, replay
from gotn.work.usecases.writing import Request
from gotn_embeddings import FaissStore, Position


async def test_a_caller_that_leaves_stops_nothing(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """What was begun for it is done for the next one."""
    await bulk.add_graph(database, request_, drafts(), [])
    compared = engine(database, tmp_path)
    await compared.store()
    known = compared.known(request_.project_id)
    caller = asyncio.create_task(following.current(compared, request_.project_id))
    while known.task is None:  # noqa: ASYNC110  # nothing tells when it begins
        await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    await following.current(compared, request_.project_id)
    assert (len(SAID), len(SAID)) == (known.encoded, len(known.vectors))


async def test_many_callers_encode_once(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """Ten at the same time, while others write: each text is encoded once, none is missed."""
    await bulk.add_graph(database, request_, drafts(), [])
    compared = engine(database, tmp_path)
    project = request_.project_id

    async def write(number: int) -> None:
        node = make_node(f"new{number}", summary=f"Number {number}", prompt_text="Count it.")
        await nodes.add(database, request_, node)

    asked = (finding.similar(compared, project, text="count", first=5) for _ in range(10))
    await asyncio.gather(*asked, *(write(number) for number in range(5)))
    known = await following.current(compared, project)
    assert SAID.keys() | {f"new{n}" for n in range(5)} == known.vectors.keys()
    assert len(SAID) + 5 == known.encoded


async def test_two_processes_link_one_project(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """At the same time, each with its own index: the edges are those of one, each pair once."""
    await bulk.add_graph(database, request_, drafts(), [])
    await projects.settings(database, request_, {"soft_threshold": 0.4})
    both = (engine(database, tmp_path / name) for name in ("one", "two"))
    done = await asyncio.gather(*(linking.link(one, request_) for one in both))
    assert sorted((0, max(one.added for one in done))) == sorted(one.added for one in done)
    again = await linking.link(engine(database, tmp_path / "three"), request_, whole=True)
    assert (0, 0, 0) == (again.added, again.removed, again.updated)


async def test_another_journal_under_the_name_is_noticed(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """A project that was removed and made anew is not answered from the old one's vectors."""
    await bulk.add_graph(database, request_, drafts(), [])
    compared = engine(database, tmp_path)
    await finding.similar(compared, request_.project_id, text="fox")
    await projects.remove(database, request_)
    await bulk.add_graph(database, request_, [make_node("only", summary="A fox")], [])
    for one in (compared, engine(database, tmp_path)):
        found = await finding.similar(one, request_.project_id, text="fox")
        assert ["only"] == [hit.id for hit in found]


async def test_a_replayed_project_links_to_the_same_digest(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """Soft edges and a merge are in the journal: replaying it gives the digest it was taken at."""
    await bulk.add_graph(database, request_, drafts(), [])
    await projects.settings(database, request_, {"soft_threshold": 0.4})
    compared = engine(database, tmp_path)
    await linking.link(compared, request_)
    await nodes.update(database, request_, "logo", {"summary": "Back up", "prompt_text": "Dumps."})
    assert (await linking.link(compared, request_)).added
    found = await replay.verify(database, request_.project_id)
    assert (True, found.live_digest, []) == (found.equal, found.replay_digest, found.differing)


async def test_a_process_that_is_killed_goes_on_later(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """What was encoded by then is not encoded again: nothing is closed in between."""
    await bulk.add_graph(database, request_, drafts(), [])
    first, second = engine(database, tmp_path), engine(database, tmp_path)
    await finding.similar(first, request_.project_id, text="fox")
    await nodes.add(database, request_, make_node("late", summary="A late one"))
    await finding.similar(second, request_.project_id, text="fox")
    assert 1 == second.known(request_.project_id).encoded


async def test_vectors_of_another_model_are_made_anew(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """A file of another model, or of another dimension, answers nothing."""
    await bulk.add_graph(database, request_, drafts(), [])
    compared = engine(database, tmp_path)
    ours = (await compared.store()).identity
    for other in (replace(ours, revision="0" * 16), replace(ours, dimension=8)):
        project = request_.project_id
        vector = np.eye(1, other.dimension, dtype=np.float32)[0]
        await FaissStore(tmp_path / "vectors", other).replace(project, {"x": vector}, Position())
        fresh = engine(database, tmp_path)
        found = await finding.similar(fresh, project, text="fox", first=1)
        assert ("logo", len(SAID)) == (found[0].id, fresh.known(project).encoded)


async def test_a_long_text_is_like_others_of_its_matter(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """Many windows make one vector; a text that says nothing is refused before there is any."""
    long = " ".join(f"{SAID['backup'][1]} {SAID['restore'][1]}" for _ in range(400))
    await bulk.add_graph(database, request_, drafts(), [])
    await nodes.update(database, request_, "backup", {"prompt_text": long})
    compared = engine(database, tmp_path)
    done = await linking.link(compared, request_)
    assert (len(SAID), len(SAID)) == (done.vectors, done.encoded)
    found = await finding.similar(compared, request_.project_id, node="backup", first=1)
    assert ["restore"] == [hit.id for hit in found]
    with pytest.raises(Invalid, match="not blank"):
        await nodes.add(database, request_, make_node("silent", summary=" ", prompt_text="\n"))
    done = await linking.link(compared, request_)
    assert (0, False) == (done.encoded, done.whole)


async def test_projects_have_settings_of_their_own(database: Database, tmp_path: Path) -> None:
    """The same nodes in three projects of one engine: each has the edges its settings give."""
    compared = engine(database, tmp_path)
    found: dict[tuple[float, float], int] = {}
    low: dict[str, float] = {"soft_threshold": 0.3}
    for asked in ({}, low, low | {"soft_k": 1}):
        request = Request(project_id=f"t-{uuid.uuid4().hex[:16]}")
        await bulk.add_graph(database, request, drafts(), [])
        if asked:
            await projects.settings(database, request, asked)
        done = await linking.link(compared, request)
        found[done.k, done.threshold] = done.added
    assert [(5, 0.6), (5, 0.3), (1, 0.3)] == list(found)
    assert found[5, 0.6] < found[5, 0.3] > found[1, 0.3] > 0


def _no_folder(folder: Path, project: str) -> None:
    folder.write_text("a file")


def _a_folder_for_a_file(folder: Path, project: str) -> None:
    (folder / f"{project}.vectors" / "in it").mkdir(parents=True)


def _no_lock(folder: Path, project: str) -> None:
    (folder / f"{project}.vectors.lock").mkdir(parents=True)


@pytest.mark.parametrize("spoil", [_no_folder, _a_folder_for_a_file, _no_lock])
async def test_a_disk_that_fails_costs_only_the_next_start(
    database: Database,
    request_: Request,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    spoil: Callable[[Path, str], None],
) -> None:
    """Where no file can be written vectors are kept in memory, and the log says so once."""
    await bulk.add_graph(database, request_, drafts(), [])
    spoil(tmp_path / "vectors", request_.project_id)
    compared = engine(database, tmp_path)
    with caplog.at_level(logging.WARNING, "gotn.similarity"):
        found = await finding.similar(compared, request_.project_id, text="fox", first=1)
        await compared.close()
    assert ["logo"] == [hit.id for hit in found]
    assert 1 == caplog.text.count("vectors are kept in memory alone")


async def test_an_index_that_was_deleted_is_told(
    database: Database, request_: Request, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The first use of a project says nothing; where there were vectors it says so."""
    await bulk.add_graph(database, request_, drafts(), [])
    first, second = engine(database, tmp_path), engine(database, tmp_path)
    with caplog.at_level(logging.WARNING, "gotn.similarity"):
        await linking.link(first, request_)
        await first.close()
        assert not caplog.text
        (tmp_path / "vectors" / f"{request_.project_id}.vectors").unlink()
        await following.current(second, request_.project_id)
    assert "are built anew: There is no index" in caplog.text


async def test_what_is_encoded_outlives_a_process_that_ends_in_between(
    database: Database,
    request_: Request,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Long texts are encoded part by part, and each part is saved: a second try goes on."""
    await bulk.add_graph(database, request_, drafts(), [])
    monkeypatch.setattr(following, "CHARACTERS", 200)
    monkeypatch.setattr(following, "SAVED", 1)
    first, second = engine(database, tmp_path), engine(database, tmp_path)
    encode, times = first.encode, 0

    async def encoded(texts: Sequence[str]) -> Any:
        nonlocal times
        times += 1
        if times == 3:
            raise asyncio.CancelledError
        return await encode(texts)

    monkeypatch.setattr(first, "encode", encoded)
    with pytest.raises(asyncio.CancelledError):
        await following.current(first, request_.project_id)
    known = await following.current(second, request_.project_id)
    assert SAID.keys() == known.vectors.keys()
    assert 0 < known.encoded < len(SAID)


async def test_who_leaves_stops_the_thread_that_encodes(database: Database, tmp_path: Path) -> None:
    """It ends with its batch, so that Ctrl-C does not wait for a megabyte."""
    compared = engine(database, tmp_path)
    encoder: Any = await compared.encoder()
    begun, left, ended = threading.Event(), threading.Event(), threading.Event()
    done: list[int] = []
    encode = encoder.encode

    def slowly(texts: Sequence[str], progress: Callable[[int, int], None]) -> Any:
        def tell(now: int, total: int) -> None:
            begun.set()
            left.wait(60)
            done.append(now)
            progress(now, total)

        try:
            return encode(texts, tell)
        finally:
            ended.set()

    encoder.encode = slowly
    task = asyncio.create_task(compared.encode([f"text number {n}" for n in range(200)]))
    await asyncio.to_thread(begun.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    left.set()
    assert await asyncio.to_thread(ended.wait, 60)
    assert 1 == len(done)
