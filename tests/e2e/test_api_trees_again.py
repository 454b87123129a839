"""Writes of task trees that are asked for twice, and money that arrives as it was sent."""

import json
from typing import Any

import pytest
from e2e.conftest import Api, node

Row = dict[str, Any]
TREE = "tree-00000001"
ROOT: Row = {"node_id": "root", "prompt": "Answer", "status": "pending"}
DOCUMENT: Row = {"version": "1.0.0", "root_task": ROOT, "metadata": {"tree_id": TREE}}
#: No try after the first.
ONCE: Row = {"execution_config": {"retry_policy": {"max_retries": 0}}}


async def twice(api: Api, name: str, **given: Any) -> Any:
    """The answer of a write, which is the same when it is asked for again with its key."""
    given["idempotencyKey"] = f"key of {name}"
    first = await api.run(name, input=given)
    assert first == await api.run(name, input=given), name
    assert "code" not in first, first
    return first


async def planted(api: Api) -> str:
    """A tree of one pending task, as text."""
    content = json.dumps(DOCUMENT)
    await twice(api, "TreeImport", content=content)
    return content


async def test_a_key_has_one_answer(api: Api) -> None:
    """Each write of the protocol and of costs: the same key, the same answer, done once."""
    await api.graph([node("n")])
    await planted(api)
    claimed = await twice(api, "TaskClaim", tree=TREE, worker="w")
    finish = {"tree": TREE, "task": "root", "token": claimed["token"]}
    cost = {"input_tokens": 3, "output_tokens": 2, "total_cost_usd": "0.000000000003"}
    ended = await twice(api, "TaskFinish", **finish, cost=cost, children=[{"prompt": "a"}])
    (below,) = ended["spawned"]
    spawned = await twice(api, "TasksSpawn", tree=TREE, parent=below, children=[{"prompt": "b"}])
    added = await twice(
        api, "CostRecord", tree=TREE, task="root", cost={"total_cost_usd": "0.25"}, add=True
    )
    assert "0.250000000003" == added["totalCostUsd"]
    await twice(api, "TreeLink", tree=TREE, node="n")
    gone = await twice(api, "TaskCancel", tree=TREE, task=below, reason="enough")
    assert [below, *spawned["tasks"]] == gone["cancelled"]
    found = await api.run("CostShow", tree=TREE)
    assert ("0.250000000003", 3) == (found["inclusive"]["totalCostUsd"], found["own"]["tasks"] + 2)
    refused = await api.run(
        "CostRecord",
        input={"tree": TREE, "task": "root", "cost": {}, "idempotencyKey": "key of CostRecord"},
    )
    assert "CONFLICT" == refused["code"]


async def test_a_retry_with_a_key_is_done_once(api: Api) -> None:
    """A claim tells that nothing is left; the retry asked for twice gives one new try."""
    await twice(api, "TreeImport", content=json.dumps(DOCUMENT | {"root_task": ROOT | ONCE}))
    claimed = await twice(api, "TaskClaim", tree=TREE, worker="w")
    finish = {"tree": TREE, "task": "root", "token": claimed["token"]}
    assert "failed" == (await twice(api, "TaskFinish", **finish, status="FAILED"))["status"]
    ended = await api.run("TaskClaim", input={"tree": TREE, "worker": "w"})
    assert ("TREE_ENDED", None) == (ended["status"], ended["taskId"])
    assert "Nothing is left" in ended["nothing"]
    await twice(api, "TaskRetry", tree=TREE, task="root")
    again = await api.run("TaskClaim", input={"tree": TREE, "worker": "w"})
    assert ("CLAIMED", "root", 2) == (again["status"], again["taskId"], again["attempt"])


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("0.1", "0.100000000000"),
        ("4095.123456789012", "4095.123456789012"),
        ("7", "7.000000000000"),
        ('"1234567.123456789012"', "1234567.123456789012"),
    ],
)
async def test_money_is_exact(api: Api, sent: str, kept: str) -> None:
    """A number that a float holds to the pico-dollar, and any text, comes out as it went in."""
    await planted(api)
    for query, variables in forms(api, sent):
        answer = await api.post(query, **variables)
        assert {"recordCost": {"totalCostUsd": kept}} == answer["data"], answer


@pytest.mark.parametrize("sent", ["1234567.123456789012", "0.0000000000015", "5000.5"])
async def test_money_that_a_float_would_round(api: Api, sent: str) -> None:
    """It is refused, in variables and in the query itself, with what to send in its place."""
    await planted(api)
    for query, variables in forms(api, sent):
        answer = await api.post(query, **variables)
        said = json.dumps(answer)
        assert "INVALID" in said, answer
        assert "as text" in said, answer
    found = await api.run("CostShow", tree=TREE)
    assert "0.000000000000" == found["own"]["totalCostUsd"]


def forms(api: Api, sent: str) -> list[tuple[str, Row]]:
    """A recorded cost as a variable and as a literal."""
    shown = "{ ... on CostTotal { totalCostUsd } ... on Error { code message } }"
    about = f'tree: "{TREE}", task: "root", project: "{api.project}"'
    literal = (
        f"mutation {{ recordCost(input: {{{about}, cost: {{total_cost_usd: {sent}}}}}) {shown} }}"
    )
    given: Row = {"tree": TREE, "task": "root", "project": api.project}
    given["cost"] = {"total_cost_usd": json.loads(sent)}
    variable = f"mutation M($i: RecordCostInput!) {{ recordCost(input: $i) {shown} }}"
    return [(literal, {}), (variable, {"i": given})]


async def test_costs_beyond_a_bound(api: Api) -> None:
    """Two additions that come to too much are refused by a typed answer that has the bound."""
    await planted(api)
    query = (
        "mutation M($i: RecordCostInput!) { recordCost(input: $i) { ... on CostTotal "
        "{ totalCostUsd } ... on LimitExceeded { message limit } ... on Error { code message } } }"
    )
    given: Row = {"tree": TREE, "task": "root", "project": api.project, "add": True}
    for stated, bound in (
        ({"total_cost_usd": "5000000"}, 9_000_000),
        ({"input_tokens": 900_000_000_000, "output_tokens": 1}, 10**12),
    ):
        first = await api.post(query, i=given | {"cost": stated})
        assert "totalCostUsd" in first["data"]["recordCost"], first
        second = await api.post(query, i=given | {"cost": stated})
        assert bound == second["data"]["recordCost"]["limit"], second
    huge = await api.post(query, i=given | {"cost": {"input_tokens": 2**63}})
    assert "expected at most 1000000000000" in json.dumps(huge)
