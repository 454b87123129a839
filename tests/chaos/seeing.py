"""What is stored, read straight from Neo4j: past the service, and past the proxy."""

import json
from typing import Any

from chaos.judge import Seen
from gotn import journal
from gotn.database.connection import Database, Tx
from gotn.errors import GotnError
from gotn.work.usecases import doctor

_NODES = "MATCH (n:WorkNode {project_id: $project}) RETURN n.id AS id, n.summary AS summary"
_EDGES = """MATCH (a:WorkNode {project_id: $project})-[:HARD_REQUIRES]->(b)
RETURN a.id + '>' + b.id AS ends"""
_RUNS = """MATCH (r:Run {project_id: $project})
RETURN r.id AS id, r.goal AS goal, r.status AS status"""
_STEPS = """MATCH (r:Run {project_id: $project})-[s:STEP]->(n:WorkNode)
RETURN r.id + '/' + n.id AS step, s.status AS status, s.outputs AS outputs"""


async def seen(database: Database, project: str) -> Seen:
    """Everything that the judge needs to know of a project."""
    found = Seen()
    async for entry in journal.entries(database, project):
        for item in entry.items():
            for token in _tokens(entry.event, item):
                found.journal.setdefault(token, []).append(entry.seq)
    found.nodes = {r["id"]: r["summary"] for r in await _rows(database, _NODES, project)}
    found.edges.update(r["ends"] for r in await _rows(database, _EDGES, project))
    for run in await _rows(database, _RUNS, project):
        found.runs[run["goal"]] += 1
        found.ends[run["id"]] = run["status"] or "planned"
    for row in await _rows(database, _STEPS, project):
        outputs = json.loads(row["outputs"] or "{}")
        found.steps[row["step"]] = (row["status"] or "ready", outputs.get("by", ""))
    found.broken = await broken(database, project)
    return found


async def broken(database: Database, project: str) -> list[str]:
    """What `doctor` finds wrong: chain, replay, order, flags, seq."""
    try:
        checks = [check async for check in doctor.invariants(database, project)]
    except GotnError as error:
        return [f"doctor could not look: {error.message}"]
    return [f"doctor: {check.name}: {check.found}" for check in checks if not check.ok]


def _tokens(event: str, item: dict[str, Any]) -> list[str]:
    """What an item of an entry did, by the names that callers gave it."""
    if event in {"add_node", "update_node"} and "summary" in item.get("node", {}):
        return [item["node"]["summary"]]
    if event == "add_edge":
        return [f"{item['edge']['src']}>{item['edge']['dst']}"]
    if event == "start_run" and "goal" in item.get("run", {}):
        return [item["run"]["goal"]]
    return _attempted(item["step"]) if "step" in item else []


def _attempted(step: dict[str, Any]) -> list[str]:
    """A claim by its step and number, an end by what its worker gave."""
    if step.get("status") == "running" and "attempt" in step:
        return [f"{step['run']}/{step['node']}@{step['attempt']}"]
    if attempts := step.get("attempts"):
        last = attempts[-1]
        if last["outcome"] == "completed":
            return [last["outputs"]["by"]]
        if last["outcome"] == "failed":
            return [last["reason"]]
    return []


async def _rows(database: Database, text: str, project: str) -> list[dict[str, Any]]:
    async def read(tx: Tx) -> list[dict[str, Any]]:
        return await tx.composed(text, {"project": project}, name="chaos/seen")

    return await database.read(read)
