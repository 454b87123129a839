import random
from itertools import pairwise

import pytest
from factories import make_edge, make_node
from graphs import assert_verified, closes, seq_of

from gotn.database.connection import Database
from gotn.errors import CycleRefused, Invalid, NotFound
from gotn.work.records import EdgeType, NodeStatus, Plan, RunStatus, UnmetRequirement
from gotn.work.store import asking, runs
from gotn.work.usecases import bulk, nodes, planning, projects
from gotn.work.usecases.writing import Request

S = NodeStatus


async def _build(
    database: Database, request: Request, ids: str, *pairs: str, **statuses: NodeStatus
) -> None:
    """Nodes of one letter each, and edges given as "ab"."""
    drafts = [make_node(i, status=statuses.get(i)) for i in ids]
    hard = [make_edge(pair[0], pair[1]) for pair in pairs]
    await bulk.add_graph(database, request, drafts, hard)


def _timeless(plan: Plan) -> tuple[object, ...]:
    return (plan.layers, plan.steps, plan.critical_path, plan.ordering_reason, plan.blocked)


async def test_a_plan_is_kept_as_a_run(database: Database, request_: Request) -> None:
    """Layers, order, reason and steps as 001's Run has them; its status is planned."""
    await _build(database, request_, "abcd", "ab", "ac", "bd")
    plan = await planning.plan(database, request_, goal="Build", workspace="/w")
    assert (("a",), ("b", "c"), ("d",)) == plan.layers
    assert ("a", "b", "c", "d") == plan.ordered_node_ids
    assert [(0, 0), (1, 1), (2, 1), (3, 2)] == [(s.position, s.layer) for s in plan.steps]
    assert ("a", "b", "d") == plan.critical_path.node_ids
    assert [0, 0, 1, 0] == [step.slack for step in plan.steps]
    assert "3 hard dependencies (0 from tags, 3 explicit)" in plan.ordering_reason
    assert plan.run_id is not None
    assert plan.created_at is not None
    assert plan.run_id.startswith(f"run-{plan.created_at:%Y%m%d-%H%M%S}")
    stored = await database.read(lambda tx: runs.get(tx, request_.project_id, [plan.run_id or ""]))
    run = runs.record(stored[plan.run_id], request_.project_id)
    assert (plan.goal, plan.ordered_node_ids, [list(layer) for layer in plan.layers]) == (
        run.goal,
        run.ordered_node_ids,
        run.layers,
    )
    assert ("/w", RunStatus.PLANNED, plan.ordering_reason) == (
        run.workspace_path,
        run.status,
        run.ordering_reason,
    )
    await assert_verified(database, request_.project_id)


async def test_runs_of_one_second_are_numbered(database: Database, request_: Request) -> None:
    """Suffix -2, -3 where the id is taken."""
    await _build(database, request_, "a")
    found = [(await planning.plan(database, request_)).run_id or "" for _ in range(4)]
    assert 4 == len(set(found))
    stamps = [id_.split("-")[1:] for id_ in found]
    for before, after in pairwise(stamps):
        if before[:2] == after[:2]:
            assert int((before[2:] or ["1"])[0]) + 1 == int(after[2])
        else:
            assert 2 == len(after)
    await assert_verified(database, request_.project_id)


async def test_a_preview_writes_nothing(database: Database, request_: Request) -> None:
    """The same plan without a run; no project is made by looking."""
    with pytest.raises(NotFound):
        await planning.plan(database, request_, targets=("a",), dry_run=True)
    with pytest.raises(NotFound):
        await projects.show(database, request_.project_id)
    await _build(database, request_, "ab", "ab")
    seq = await seq_of(database, request_.project_id)
    preview = await planning.plan(database, request_, dry_run=True)
    assert (None, seq) == (preview.run_id, await seq_of(database, request_.project_id))
    assert _timeless(preview) == _timeless(await planning.plan(database, request_))


async def test_the_same_graph_gives_the_same_plan(
    database: Database, request_: Request, project: str
) -> None:
    """However it was put together: two projects, other orders of arrival."""
    rng = random.Random(3)
    ids = [f"n{i}" for i in range(30)]
    hard = {tuple(sorted(rng.sample(ids, 2))) for _ in range(40)}
    soft = {tuple(sorted(rng.sample(ids, 2))) for _ in range(25)}
    drafts = [make_node(id_) for id_ in ids]
    edges = [make_edge(*pair) for pair in sorted(hard)] + [
        make_edge(*pair, type=EdgeType.SOFT_SEMANTIC, score=rng.choice([0.8, 0.9]))
        for pair in sorted(soft)
    ]
    plans = []
    for request in (request_, Request(project_id=f"{project}-b")):
        rng.shuffle(drafts)
        rng.shuffle(edges)
        for start in range(0, 30, 10):
            await bulk.add_graph(database, request, drafts[start : start + 10], [])
        await bulk.add_graph(database, request, [], edges)
        plans.append(await planning.plan(database, request))
    assert _timeless(plans[0]) == _timeless(plans[1])
    await assert_verified(database, request_.project_id)


async def test_scope_is_open_work_or_what_targets_need(
    database: Database, request_: Request
) -> None:
    """Satisfied nodes are left out and counted; leaves drops what has children; targets go deep."""
    await _build(database, request_, "abcde", "ab", "bc", "de", a=S.COMPLETED, d=S.SKIPPED)
    await nodes.update(database, request_, "c", {"children": ("e",)})
    plan = await planning.plan(database, request_)
    assert ((("b", "e"), ("c",)), 2) == (plan.layers, plan.satisfied)
    assert (("b",), ("c",)) == (await planning.plan(database, request_, targets=("c",))).layers
    assert (("b", "e"),) == (await planning.plan(database, request_, leaves=True)).layers
    with pytest.raises(NotFound, match="'nowhere'"):
        await planning.plan(database, request_, targets=("c", "nowhere"))
    with pytest.raises(Invalid, match=r"targets\[0\]"):
        await planning.plan(database, request_, targets=("",))
    with pytest.raises(Invalid, match="workspace: holds half a character"):
        await planning.plan(database, request_, workspace="\ud800")


async def test_nothing_to_do_is_said_and_not_kept(database: Database, request_: Request) -> None:
    """All done, a satisfied target, or all held back: no run."""
    await _build(database, request_, "abc", "ab", a=S.FAILED, c=S.COMPLETED)
    seq = await seq_of(database, request_.project_id)
    for targets in ((), ("c",)):
        plan = await planning.plan(database, request_, targets=targets)
        assert (None, ()) == (plan.run_id, plan.layers)
        assert plan.ordering_reason.startswith("Nothing is left to do")
    assert seq == await seq_of(database, request_.project_id)


async def test_blocked_waiting_and_unmet_are_told(database: Database, request_: Request) -> None:
    """With the path from the failed node, the running ones waited for, and who asks for a tag."""
    await _build(database, request_, "abcdef", "ab", "bc", "ad", "de", "ef", a=S.READY, d=S.RUNNING)
    await nodes.update(database, request_, "b", {"status": S.FAILED})
    await nodes.update(database, request_, "f", {"requires": ("nobody",)})
    plan = await planning.plan(database, request_)
    assert ("b", "c") == plan.blocked[0].path
    assert ("d",) == plan.waiting_on
    assert (("a", "e"), ("f",)) == plan.layers
    assert {"a": True, "e": False, "f": False} == {step.id: step.ready for step in plan.steps}
    assert (UnmetRequirement(tag="nobody", nodes=("f",)),) == plan.unmet
    assert () == (await planning.plan(database, request_, targets=("e",))).unmet
    await assert_verified(database, request_.project_id)


async def test_unmet_is_cut_short_in_scope(
    database: Database, request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit counts tags and nodes of the plan's own, however many others there are."""
    monkeypatch.setattr(asking, "LIMIT", 2)
    monkeypatch.setattr(planning, "SCOPE", 2)
    drafts = [make_node(f"other{i}", requires=(f"a{i}", "z1")) for i in range(3)]
    drafts += [make_node(f"m{i}", requires=("z2", "z1", f"z{i + 3}")) for i in range(3)]
    drafts += [make_node("done", requires=("a", "z1"), status=S.COMPLETED)]
    await bulk.add_graph(database, request_, drafts, [])
    plan = await planning.plan(database, request_, targets=("m2", "m0", "m1"), dry_run=True)
    unmet = [(found.tag, found.nodes) for found in plan.unmet]
    assert [("z1", ("m0", "m1")), ("z2", ("m0", "m1"))] == unmet


async def test_a_project_that_is_not_there_has_no_plan(
    database: Database, request_: Request
) -> None:
    """Neither planned nor looked at, and not made; one without open work has an empty plan."""
    for dry_run in (False, True):
        with pytest.raises(NotFound, match="no project"):
            await planning.plan(database, request_, dry_run=dry_run)
    with pytest.raises(NotFound):
        await projects.show(database, request_.project_id)
    await _build(database, request_, "a", a=S.COMPLETED)
    for dry_run in (False, True):
        assert () == (await planning.plan(database, request_, dry_run=dry_run)).layers


async def test_minutes_weigh_where_nodes_have_them(database: Database, request_: Request) -> None:
    """The longest chain in minutes; a node without an estimate counts as the median."""
    minutes = {"a": 5, "b": 10, "d": 30}
    drafts = [
        make_node(i, extra={"estimate_minutes": minutes[i]} if i in minutes else None)
        for i in "abcd"
    ]
    hard = [make_edge("a", "b"), make_edge("b", "c"), make_edge("a", "d")]
    await bulk.add_graph(database, request_, drafts, hard)
    plan = await planning.plan(database, request_)
    path = plan.critical_path
    assert (("a", "d"), 35.0, "minutes") == (path.node_ids, path.length, path.unit)
    assert {"a": 0, "b": 10, "c": 10, "d": 0} == {step.id: step.slack for step in plan.steps}
    assert 10.0 == next(step.weight for step in plan.steps if step.id == "c")


async def test_a_cycle_in_scope_is_refused_with_tags(database: Database, request_: Request) -> None:
    """One shortest cycle a component, each hop with its tag; out of scope it does not matter."""
    drafts = [
        make_node("a", produces=("t",), requires=("u",)),
        make_node("b", requires=("t",), produces=("u", "v")),
        make_node("c", requires=("v",), produces=("w",)),
        make_node("d", requires=("w",), produces=("u",)),
        make_node("e"),
    ]
    await bulk.add_graph(database, request_, drafts, [], link=True)
    seq = await seq_of(database, request_.project_id)
    with pytest.raises(CycleRefused) as caught:
        await planning.plan(database, request_)
    (cycle,) = caught.value.facts["cycles"]
    assert {"path": ["a", "b", "a"], "tags": ["t", "u"]} == cycle
    assert closes(cycle["path"], {("a", "b"), ("b", "a")})
    assert "a → b (t) → a (u)" in caught.value.message
    assert seq == await seq_of(database, request_.project_id)
    assert (("e",),) == (await planning.plan(database, request_, targets=("e",))).layers
    await nodes.update(database, request_, "b", {"status": S.COMPLETED})
    assert (("c", "e"), ("d",), ("a",)) == (await planning.plan(database, request_)).layers
    await assert_verified(database, request_.project_id)
