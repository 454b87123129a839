"""Task trees and costs over HTTP."""

import json
from pathlib import Path
from typing import Any

import pytest
from e2e.conftest import Api, node

from gotn.api import operations
from gotn.api.context import Context
from gotn.api.limits import Limits
from gotn.api.schema import Schema
from gotn.database.connection import Database

SIMPLE = "rlm/examples/rlm-task-tree.simple_tree.json"


@pytest.fixture
def simple(shared_data: Path) -> str:
    """The first published tree as text."""
    return (shared_data / SIMPLE).read_text()


async def test_a_tree_is_taken_in_and_shown(api: Api, simple: str) -> None:
    """Own and inclusive side by side, money as text, in one compiled statement."""
    await api.graph([node("n")])
    planted = await api.run("TreeImport", input={"content": simple, "executes": "n"})
    assert (3, 5, "n", []) == (
        planted["tasks"], planted["changed"], planted["executes"], planted["disagreements"]
    )  # fmt: skip
    shown = await api.run("TaskTreeShow", id="tree-12345678")
    assert 1 == len(api.statements)
    assert (3, 10900, "0.109000000000") == (
        shown["tasks"], shown["totalTokens"], shown["totalCostUsd"]
    )  # fmt: skip
    root = shown["root"]
    assert ("0.065000000000", "0.109000000000") == (root["ownCostUsd"], root["inclusiveCostUsd"])
    assert ["task-b2c3d4e5", "task-c3d4e5f6"] == [
        one["node"]["taskId"] for one in root["children"]["edges"]
    ]
    assert [{"nodeId": "n", "status": "READY"}] == shown["executes"]["nodes"]
    listed = await api.run("TaskTreeList")
    assert ["tree-12345678"] == [one["treeId"] for one in listed["nodes"]]
    again = await api.run("TreeImport", input={"content": simple, "executes": "n"})
    assert 0 == again["changed"]


async def test_a_task_has_its_documents(api: Api, simple: str) -> None:
    """Context, documents with their relevance, parent and children."""
    await api.run("TreeImport", input={"content": simple})
    task = await api.run("TaskShow", tree="tree-12345678", id="task-a1b2c3d4")
    (read,) = task["documents"]["edges"]
    assert (0.95, "src/auth/login.ts") == (read["relevanceScore"], read["node"]["source"])
    assert task["parent"] is None
    assert "0.065" == task["cost"]["total_cost_usd"]
    child = await api.run("TaskShow", tree="tree-12345678", id="task-b2c3d4e5")
    assert "task-a1b2c3d4" == child["parent"]["taskId"]
    found = await api.post(f'{{ node(id: "{child["id"]}") {{ id }} }}')
    assert {"node": {"id": child["id"]}} == found["data"]


async def test_costs_of_everything(api: Api, simple: str) -> None:
    """Of project, tree, task and node; grouped; a name that is not there is an error."""
    await api.graph([node("n")])
    await api.run("TreeImport", input={"content": simple, "executes": "n"})
    for scope in ({}, {"tree": "tree-12345678"}, {"node": "n"}):
        found = await api.run("CostShow", groupBy="DEPTH", **scope)
        assert "0.109000000000" == found["inclusive"]["totalCostUsd"]
        assert [("0", 6500), ("1", 4400)] == [
            (one["name"], one["total"]["totalTokens"]) for one in found["groups"]
        ]
    one = await api.run("CostShow", tree="tree-12345678", task="task-b2c3d4e5")
    assert "0.028000000000" == one["own"]["totalCostUsd"] == one["inclusive"]["totalCostUsd"]
    answer = await api.post(operations.text("CostShow"), project=api.project, tree="x")
    assert "NOT_FOUND" == answer["errors"][0]["extensions"]["code"]


async def test_bad_documents_are_listed(api: Api, simple: str) -> None:
    """Every violation, and nothing stored; a different tree under the id is a conflict."""
    document = json.loads(simple)
    document["root_task"]["cost"] |= {"input_tokens": -1, "output_tokens": 0.5}
    refused = await api.run("TreeImport", input={"content": json.dumps(document)})
    assert "BAD_DOCUMENT" == refused["code"]
    assert 2 == len(refused["facts"]["violations"])
    assert not await api.exists()
    await api.run("TreeImport", input={"content": simple})
    document["root_task"]["cost"] = {"total_tokens": 1}
    refused = await api.run("TreeImport", input={"content": json.dumps(document)})
    assert "CONFLICT" == refused["code"]
    taken = await api.run("TreeImport", input={"content": json.dumps(document), "asId": "mine"})
    assert "mine" == taken["treeId"]


async def test_compiled_answers_are_the_normal_ones(
    api: Api, database: Database, simple: str
) -> None:
    """The same operations executed field by field."""
    await api.run("TreeImport", input={"content": simple})
    plain = Schema(Limits(), compiled=False)
    asked: dict[str, dict[str, Any]] = {
        "TaskTreeShow": {"id": "tree-12345678"},
        "TaskTreeList": {"orderBy": "ID"},
        "TaskShow": {"tree": "tree-12345678", "id": "task-a1b2c3d4"},
    }
    for name, variables in asked.items():
        result = await plain.execute(
            operations.text(name),
            variable_values=variables | {"project": api.project},
            context_value=Context(database=database),
        )
        assert not result.errors
        assert result.data
        (normal,) = result.data.values()
        assert normal == await api.run(name, **variables), name


async def test_the_protocol_of_agents(api: Api) -> None:
    """Claim, finish with children and exact money, spawn beyond a limit, cancel."""
    root = {"node_id": "root", "prompt": "Answer", "status": "pending"}
    document = {"version": "1.0.0", "root_task": root, "metadata": {"tree_id": "tree-1"}}
    await api.run("TreeImport", input={"content": json.dumps(document)})
    claimed = await api.run("TaskClaim", input={"tree": "tree-1", "worker": "w"})
    assert ("root", "Answer", 1) == (claimed["taskId"], claimed["prompt"], claimed["attempt"])
    given = {"tree": "tree-1", "task": "root", "token": claimed["token"]}
    cost = {"total_tokens": 5, "total_cost_usd": "0.000000000003"}
    ended = await api.run(
        "TaskFinish",
        input=given | {"cost": cost, "children": [{"prompt": "a"}], "result": {"confidence": 0.5}},
    )
    assert ("COMPLETED", 1) == (ended["status"].upper(), len(ended["spawned"]))
    again = await api.run("TaskFinish", input=given)
    assert "ILLEGAL_MOVE" == again["code"]
    many = [{"prompt": str(i)} for i in range(11)]
    refused = await api.run(
        "TasksSpawn", input={"tree": "tree-1", "parent": ended["spawned"][0], "children": many}
    )
    assert ("LIMIT", "max_children_per_node") == (refused["code"], refused["facts"]["name"])
    spawned = await api.run(
        "TasksSpawn", input={"tree": "tree-1", "parent": ended["spawned"][0], "children": many[:2]}
    )
    gone = await api.run("TaskCancel", input={"tree": "tree-1", "task": "root", "reason": "r"})
    assert [*ended["spawned"], *spawned["tasks"]] == gone["cancelled"]
    assert "0.000000000003" == (await api.run("CostShow"))["inclusive"]["totalCostUsd"]
    verified = await api.read("journalVerification(project: $p) { equal chainOk }")
    assert {"equal": True, "chainOk": True} == verified["journalVerification"]


async def test_work_on_a_tree(api: Api, simple: str) -> None:
    """What may start, merged results, costs that are set and added, what was executed, texts."""
    await api.graph([node("n")])
    await api.run("TreeImport", input={"content": simple})
    tree, task = "tree-12345678", "task-b2c3d4e5"
    assert 0 == (await api.run("TaskQueue", tree=tree))["total"]
    merged = await api.run("ResultsMerge", tree=tree, task="task-a1b2c3d4", strategy="BEST_OF_N")
    assert task == merged["chosen"]
    given = {"tree": tree, "task": task, "cost": {"total_cost_usd": "0.000000000001"}, "add": True}
    recorded = await api.run("CostRecord", input=given)
    assert "0.028000000001" == recorded["totalCostUsd"]
    refused = await api.run("CostRecord", input=given | {"cost": {"input_tokens": -1}})
    assert "INVALID" == refused["code"]
    linked = await api.run("TreeLink", input={"tree": tree, "task": task, "node": "n"})
    assert (task, 1) == (linked["taskId"], linked["changed"])
    found = await api.run("CostShow", node="n")
    assert "0.028000000001" == found["inclusive"]["totalCostUsd"]
    written = await api.run("TaskTreeText", tree=tree, strict=True)
    assert 0.109000000001 == json.loads(written["text"])["metadata"]["total_cost_usd"]
    assert "null" not in written["text"]
    assert "- Dearest: 0.093000000001 USD" in (
        await api.run("TaskTreeText", tree=tree, format="REPORT")
    )["text"]  # fmt: skip


MERGED: dict[str, dict[str, Any]] = {
    "CONCATENATE": {"output": "Yes.\n\nno\n\n yes", "chosen": None},
    "VOTE": {"output": " yes", "chosen": "c"},
    "BEST_OF_N": {"output": "no", "chosen": "b"},
    "SUMMARIZE": {"output": None, "inputs": ["Yes.", "no", " yes"]},
}


@pytest.mark.parametrize("strategy", [None, *MERGED])
async def test_results_are_merged(api: Api, strategy: str | None) -> None:
    """The four strategies and the task's own; what failed is named, nothing is written."""
    said = (("a", "Yes.", 0.1), ("b", "no", 0.9), ("c", " yes", 0.5))
    children: list[dict[str, Any]] = [
        {"node_id": id_, "prompt": id_, "status": "completed",
         "result": {"status": "success", "output": output, "confidence": sure}}
        for id_, output, sure in said
    ]  # fmt: skip
    children.append({"node_id": "d", "prompt": "d", "status": "failed"})
    root = {"node_id": "r", "prompt": "Sure?", "status": "completed", "merge_strategy": "vote"}
    document = {"version": "1.0.0", "root_task": root | {"children": children}}
    about = {"metadata": {"tree_id": "tree-1"}}
    await api.run("TreeImport", input={"content": json.dumps(document | about)})
    found = await api.run("ResultsMerge", tree="tree-1", task="r", strategy=strategy)
    expected = MERGED[strategy or "VOTE"]
    assert expected == {name: found[name] for name in expected}
    assert (["a", "b", "c"], ["d: failed"]) == (found["merged"], found["leftOut"])
    assert (strategy == "SUMMARIZE") == bool(found["prompt"])
    assert (found["extract"] is None) == (found["extractedBy"] is None)
    assert ("Sure?" in str(found["prompt"])) == (strategy == "SUMMARIZE")
    for tree, task in (("tree-1", "x"), ("x", "r")):
        text = operations.text("ResultsMerge")
        answer = await api.post(text, project=api.project, tree=tree, task=task)
        assert "NOT_FOUND" == answer["errors"][0]["extensions"]["code"]
