"""Trajectories (rlm-trajectory): a task with one child for each iteration."""

from typing import Any

from gotn.trees.exchange.costs import counted
from gotn.trees.exchange.nesting import shown
from gotn.trees.exchange.reading import tree
from gotn.trees.exchange.report import Report
from gotn.trees.records import TreeDraft

Row = dict[str, Any]
#: How an outcome ended -> the task's status, and its result's.
_ENDED = {
    "success": ("completed", "success"),
    "partial": ("completed", "partial"),
    "failure": ("failed", "failed"),
    "failed": ("failed", "failed"),
    "timeout": ("failed", "failed"),
    "cancelled": ("cancelled", "cancelled"),
    "aborted": ("cancelled", "cancelled"),
}
_ITERATION = frozenset(("iteration_number", "timestamp", "thought", "cost", "duration_ms"))


def trajectory_tree(document: Row, report: Report, as_id: str | None = None) -> TreeDraft:
    """The tree of a trajectory, named after it; its stated totals are compared."""
    context = _object(document.get("task_context"))
    iterations = document.get("iterations")
    if not isinstance(iterations, list):
        report.wrong(f"iterations: expected a list, found {shown(iterations)}")
        report.finish()
    root: Row = {
        "node_id": context.get("task_id") or document.get("trajectory_id") or "task",
        "prompt": context.get("task_prompt") or "",
        "decomposition_strategy": "sequential",
    }
    if context.get("context_size_tokens") is not None:
        root["context"] = {"size_tokens": context["context_size_tokens"]}
    root |= _outcome(document)
    if children := [_iteration(one, i, report) for i, one in enumerate(iterations or ())]:
        root["children"] = children
    report.finish()
    draft = tree(_document(document, root), report, as_id)
    count = len(iterations or ())
    stated, outcome = _object(document.get("metadata")), _object(document.get("outcome"))
    draft.disagreements += counted(stated, "metadata", {"total_iterations": count})
    draft.disagreements += counted(outcome, "outcome", {"iterations_to_completion": count})
    report.warn("a trajectory: one task for each of its iterations, below the task itself")
    return draft


def _document(document: Row, root: Row) -> Row:
    stated = _object(document.get("metadata"))
    metadata: Row = {"tree_id": document.get("trajectory_id"), "root_prompt": root["prompt"]}
    metadata |= {n: stated[n] for n in ("total_tokens", "total_cost_usd") if n in stated}
    metadata |= {"execution_mode": stated["execution_mode"]} if "execution_mode" in stated else {}
    if stated.get("model") is not None or stated.get("temperature") is not None:
        names = ("model", "temperature")
        root["execution_config"] = {n: stated[n] for n in names if stated.get(n) is not None}
        for child in root.get("children", ()):
            child["execution_config"] = dict(root["execution_config"])
    read = ("version", "iterations", "metadata")
    about = {key: value for key, value in document.items() if key not in read}
    return {
        "version": document.get("version"),
        "root_task": root,
        "metadata": {key: value for key, value in metadata.items() if value is not None},
        "rlm_trajectory": about | ({"metadata": _unpriced(stated)} if stated else {}),
    }


def _unpriced(stated: Row) -> Row:
    """What the metadata says beside money, which the tree's own metadata has."""
    return {key: value for key, value in stated.items() if not key.endswith("_usd")}


def _object(value: Any) -> Row:
    return value if isinstance(value, dict) else {}


def _outcome(document: Row) -> Row:
    outcome, stated = _object(document.get("outcome")), _object(document.get("metadata"))
    status, result = _ENDED.get(str(outcome.get("status")), ("running", "partial"))
    found: Row = {"status": status}
    made: Row = {"status": result, "output": outcome.get("final_result")}
    made |= {"confidence": outcome.get("quality_score")}
    made |= {"artifacts": outcome.get("artifacts_generated")}
    if outcome:
        found["result"] = {key: value for key, value in made.items() if value is not None}
    times = {"started_at": stated.get("started_at"), "completed_at": stated.get("completed_at")}
    times |= {"duration_ms": stated.get("total_duration_ms")}
    if any(value is not None for value in times.values()):
        found["timestamps"] = {key: value for key, value in times.items() if value is not None}
    return found


def _iteration(one: Any, place: int, report: Report) -> Row:
    if not isinstance(one, dict):
        report.wrong(f"iterations[{place}]: expected an object, found {shown(one)}")
        return {}
    thought, seen = _object(one.get("thought")), _object(one.get("observation"))
    failed = seen.get("status") in ("failure", "error")
    result: Row = {"status": "failed" if failed else "success", "output": seen.get("result")}
    result |= {"confidence": thought.get("confidence")}
    if (wrong := _object(seen.get("error_details"))) and failed:
        error = {"message": wrong.get("message"), "code": wrong.get("error_type")}
        result["errors"] = [{key: value for key, value in error.items() if value is not None}]
    if not isinstance(result["output"], str):
        del result["output"]
    times = {"started_at": one.get("timestamp"), "duration_ms": one.get("duration_ms")}
    node: Row = {
        "node_id": f"iteration-{one.get('iteration_number', place + 1)}",
        "prompt": thought.get("content") or "",
        "status": "failed" if failed else "completed",
        "result": {key: value for key, value in result.items() if value is not None},
    }
    if any(value is not None for value in times.values()):
        node["timestamps"] = {key: value for key, value in times.items() if value is not None}
    if "cost" in one:
        node["cost"] = one["cost"]
    node["thought"] = {key: value for key, value in thought.items() if key != "content"}
    return node | {key: value for key, value in one.items() if key not in _ITERATION}
