import json
from pathlib import Path

from factories import make_node
from graphs import assert_verified

from gotn import journal
from gotn.database.connection import Database
from gotn.work import exchange
from gotn.work.usecases import bulk
from gotn.work.usecases.drafting import drafted
from gotn.work.usecases.writing import Request


async def test_many_runs_take_few_statements(database: Database, request_: Request) -> None:
    """Their steps are looked up at once, and each run is noted with its own steps in order."""
    counts: list[int] = []
    for count in (2, 60):
        draft = drafted([make_node("a"), make_node("b")])
        ids = [["a", f"later{i}", "b"] for i in range(count)]
        draft.runs = [
            {"id": f"r{count}-{i}", "ordered_node_ids": some, "layers": [some[:1], some[1:]]}
            for i, some in enumerate(ids)
        ]
        seen: list[str] = []
        database.on_statement = seen.append
        try:
            await bulk.import_graph(database, request_, draft)
        finally:
            database.on_statement = lambda name: None
        counts.append(len(seen))
        run = [
            entry.items()
            async for entry in journal.entries(database, request_.project_id)
            if entry.event == "start_run"
        ][-1]
        steps = [item["step"] for item in run[1:]]
        assert [(0, 0), (1, 1), (2, 1)] == [(step["position"], step["layer"]) for step in steps]
        assert [None, True, None] == [step.get("pending") for step in steps]
    assert counts[1] <= counts[0]
    await assert_verified(database, request_.project_id)


async def test_steps_of_an_original_folder_have_their_outcome(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """Status and times of steps.jsonl stand on the steps; a rebuilt project has them too."""
    folder = tmp_path / ".gotn" / "runs" / "r1"
    folder.mkdir(parents=True)
    nodes = [{"id": i, "kind": "k", "summary": "s", "prompt_text": "p"} for i in "ab"]
    (tmp_path / ".gotn" / "graph.json").write_text(json.dumps({"nodes": nodes, "edges": []}))
    (folder / "plan.json").write_text(json.dumps({"id": "r1", "ordered_node_ids": ["a", "b"]}))
    line = {"node_id": "a", "status": "success", "outputs": ["o"]}
    times = {"started_at": "2025-01-27T10:31:00Z", "finished_at": "2025-01-27T10:32:00Z"}
    (folder / "steps.jsonl").write_text(json.dumps(line | times) + "\n")
    found = await bulk.import_graph(database, request_, exchange.read(tmp_path))
    assert (found.runs, found.warnings) == (1, ())
    entries = [e async for e in journal.entries(database, request_.project_id)]
    (run, *steps) = next(e.items() for e in entries if e.event == "start_run")
    assert run["run"]["extra"]["steps"] == [line | times]
    first = {"run": "r1", "node": "a", "position": 0, "status": "completed", **times}
    assert [item["step"] for item in steps] == [
        first,
        {"run": "r1", "node": "b", "position": 1, "status": "ready"},
    ]
    assert (await bulk.import_graph(database, request_, exchange.read(tmp_path))).changed == 0
    await assert_verified(database, request_.project_id)
