"""`make bench` at the smallest size: no figure is looked at, but every row must appear."""

import json
import math
from pathlib import Path

import pytest
from bench import goals, table, timing
from bench.running import measured
from bench.servers import Neo4j as Measured
from bench.world import Options
from conftest import Neo4j
from rich.console import Console

from gotn.database.connection import Database
from gotn.work.usecases import projects

pytestmark = pytest.mark.slow


async def test_every_row_appears(neo4j_server: Neo4j, database: Database, tmp_path: Path) -> None:
    """All measures run, their ratios are finite, and nothing stays in a server that was named."""
    before = {project.id for project in await projects.listed(database, 500)}
    where = Measured(neo4j_server.uri, neo4j_server.user, neo4j_server.password, throw_away=False)
    options = Options(sizes=(200,), rounds=1, warm=0, operations=4, requests=2)
    results, on = await measured(where, options)
    found = table.rows(results)
    assert list(goals.NAMES) == list(dict.fromkeys(row.measure.name for row in found))
    assert [] == [row for row in found if not (math.isfinite(row.ratio) and row.ratio > 0)]
    console = Console(width=120, record=True)
    table.show(found, on, console)
    shown = console.export_text()
    assert [] == [name for name in goals.NAMES if name not in shown]
    assert "peers: measured is the peer: layers" in shown
    table.save(found, on, tmp_path / "bench.json")
    saved = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    assert len(found) == len(saved["rows"])
    left = {project.id for project in await projects.listed(database, 500)} - before
    assert set() == {id_ for id_ in left if id_.startswith("bench-")}


def test_goals_are_held_against_their_figure() -> None:
    """A ratio by median or p99, milliseconds, or a gain: each is compared the right way round."""
    floor, ours = timing.Series([1.0] * 99 + [2.0]), timing.Series([1.5] * 99 + [9.0])

    def reached(measure: str, case: str = "") -> bool | None:
        result = timing.Result(measure, case, floor, ours)
        return table.rows([result])[0].reached

    assert (True, False) == (reached("help"), reached("insert"))
    assert (False, True) == (reached("link"), reached("bulk"))
    assert (False, False) == (reached("ready"), reached("grouped"))
    assert reached("peers") is None
