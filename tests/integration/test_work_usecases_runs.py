from factories import make_node
from graphs import assert_verified

from gotn import journal
from gotn.database.connection import Database
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
