"""A real tracker's history of 78,242 events, through the public functions."""

from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from graphs import assert_verified
from history import Replayer, events
from stories import exported

from gotn.database.connection import Database
from gotn.errors import CycleRefused, NotFound
from gotn.work.usecases import projects, replay
from gotn.work.usecases.grouping import Outcome
from gotn.work.usecases.writing import Request, perform_all

#: Events of one batch.
BATCH = 500
#: The `blocks` that would have closed a cycle when they came: issue, what it waits for, how often.
CLOSING = {
    ("bd-240", "bd-242"): 1,
    ("bd-05a8", "bd-tggf"): 1,
    ("bd-4nqq", "bd-tggf"): 1,
    ("bd-74w1", "bd-tggf"): 2,
    ("bd-9g1z", "bd-tggf"): 1,
    ("bd-dhza", "bd-tggf"): 1,
    ("bd-ork0", "bd-tggf"): 1,
    ("bd-qioh", "bd-tggf"): 1,
    ("bd-rgyd", "bd-tggf"): 1,
}


async def test_the_recorded_history_in_order(
    database: Database, request_: Request, shared_data: Path, tmp_path: Path
) -> None:
    """Every event is answered; the 10 that close a cycle are named; replay gives the same digest.

    What was refused is later taken away again: that edge is not there, and said so.
    """
    asked = Replayer(request_)
    waiting = events(shared_data)
    answers: list[list[Outcome[Any]]] = []
    refused: list[tuple[str, Exception]] = []
    while batch := list(islice(waiting, BATCH)):
        named = [asked.writes(event) for event in batch]
        outcomes = iter(
            await perform_all(database, [write for event in named for _, write in event])
        )
        for event in named:
            answers.append([next(outcomes) for _ in event])
            refused += [
                (name, outcome.error)
                for (name, _), outcome in zip(event, answers[-1], strict=True)
                if outcome.error is not None
            ]
        assert [] == list(outcomes)
    assert 78_242 == len(answers)
    assert all(one and one[0].answer is not None for one in answers)
    closing = [error for _, error in refused if isinstance(error, CycleRefused)]
    assert 10 == len(closing) == sum(CLOSING.values())
    names = [name for name, error in refused if isinstance(error, CycleRefused)]
    said = [f"add_edges: {a} blocks {b}" for (a, b), times in CLOSING.items() for _ in range(times)]
    assert sorted(said) == sorted(names)
    assert {tuple(error.facts["path"]) for error in closing} == {(b, a, b) for a, b in CLOSING}
    others = {name for name, error in refused if isinstance(error, NotFound)}
    assert {f"remove_edges: {a} blocks {b}" for a, b in CLOSING} == others
    assert len(refused) == len(closing) + len(others)
    await assert_verified(database, request_.project_id)
    path = await exported(database, request_.project_id, tmp_path)
    other = replace(request_, project_id=f"{request_.project_id}-again")
    await replay.replay_file(database, other, path)
    digest = await replay.current_digest(database, request_.project_id)
    assert digest == await replay.current_digest(database, other.project_id)
    for request in (request_, other):
        await projects.remove(database, request)
