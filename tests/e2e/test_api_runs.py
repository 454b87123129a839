"""Runs over HTTP: started, claimed, kept alive, ended; refusals with their facts."""

from typing import Any

from e2e.conftest import Api, edge, node


async def planned(api: Api, ids: str, *pairs: str, **given: Any) -> str:
    """A run of nodes of one letter each, with edges given as "ab"."""
    for id_ in ids:
        await api.run("NodeAdd", input={"node": node(id_, **given)})
    for pair in pairs:
        await api.run("EdgeAdd", input={"edge": edge(pair[0], pair[1])})
    found = await api.run("Plan", input={"goal": "g"})
    return str(found["runId"])


async def test_a_run_over_http(api: Api) -> None:
    """Start, claim, heartbeat, complete, fail, skip: each answers with what it changed."""
    run = await planned(api, "abc", "ab", guards=["file: x"], successCriteria=["works"])
    started = await api.run("RunStart", input={"runId": run, "onFailure": "FAIL_FAST"})
    assert ("RUNNING", "FAIL_FAST") == (started["status"], started["onFailure"])
    assert started["startedAt"]
    claim = await api.run("RunClaim", input={"runId": run, "worker": "w", "leaseMs": 5000})
    assert ("CLAIMED", 1, "a") == (claim["status"], claim["attempt"], claim["step"]["nodeId"])
    assert ("w", "RUNNING") == (claim["step"]["worker"], claim["step"]["status"])
    assert (["file: x"], ["works"]) == (claim["guards"], claim["successCriteria"])
    assert claim["prompt"] == claim["node"]["promptText"]
    mine = {"runId": run, "nodeId": "a", "token": claim["token"]}
    beat = await api.run("RunHeartbeat", input={**mine, "leaseMs": 60000})
    assert beat["leaseUntil"] > claim["leaseUntil"]
    lost = await api.run("RunComplete", input={**mine, "token": "other"})
    assert ("Conflict", "LEASE_LOST") == (lost["__typename"], lost["code"])
    assert ("w", 1, beat["leaseUntil"]) == tuple(
        lost["facts"][name] for name in ("holder", "attempt", "lease_until")
    )
    given = {"outputs": {"k": [1]}, "artifacts": ["out.txt"], "durationMs": 12}
    done = await api.run("RunComplete", input=mine | given)
    assert ("COMPLETED", {"k": [1]}, ["out.txt"], 12) == tuple(
        done[name] for name in ("status", "outputs", "artifacts", "durationMs")
    )
    claim = await api.run("RunClaim", input={"runId": run, "worker": "v", "nodeId": "b"})
    mine = {"runId": run, "nodeId": "b", "token": claim["token"]}
    failed = await api.run("RunFail", input={**mine, "reason": "broken"})
    assert ("FAILED", "broken") == (failed["status"], failed["reason"])
    late = await api.run("RunSkip", input={"runId": run, "nodeId": "c", "reason": "late"})
    assert ("ILLEGAL_MOVE", "failed") == (late["code"], late["facts"]["before"])
    ended = await api.run("RunClaim", input={"runId": run, "worker": "v"})
    assert ("RUN_ENDED", "FAILED") == (ended["status"], ended["run"]["status"])
    shown = await api.run("RunShow", id=run)
    rows = {row["node"]["nodeId"]: row for row in shown["steps"]["edges"]}
    assert ["COMPLETED", "FAILED", "READY"] == [rows[i]["status"] for i in "abc"]
    assert ["COMPLETED", "FAILED", "READY"] == [rows[i]["node"]["status"] for i in "abc"]
    refused = await api.run("RunStart", input={"runId": run})
    assert ("IllegalMove", "ILLEGAL_MOVE") == (refused["__typename"], refused["code"])
    facts = await api.read(
        f'run(project: $p, id: "{run}") {{ steps(first: 1) {{ edges {{ worker attempt outputs '
        "artifacts durationMs attempts leaseUntil } } }"
    )
    (first,) = facts["run"]["steps"]["edges"]
    assert ("w", 1, ["out.txt"]) == (first["worker"], first["attempt"], first["artifacts"])
    assert "completed" == first["attempts"][0]["outcome"]


async def test_a_key_gives_the_same_claim_again(api: Api) -> None:
    """A claim asked for twice under one key is one claim, token included."""
    run = await planned(api, "ab")
    given = {"runId": run, "worker": "w", "idempotencyKey": "k1"}
    first = await api.run("RunClaim", input=given)
    assert first == await api.run("RunClaim", input=given)
    other = await api.run("RunClaim", input=given | {"worker": "v"})
    assert "CONFLICT" == other["code"]
    mine = {"runId": run, "nodeId": first["step"]["nodeId"], "token": first["token"]}
    done = await api.run("RunComplete", input=mine | {"idempotencyKey": "k2"})
    assert done == await api.run("RunComplete", input=mine | {"idempotencyKey": "k2"})
    missing = await api.run("RunClaim", input={"runId": "none", "worker": "w"})
    assert "NOT_FOUND" == missing["code"]
    short = await api.run("RunClaim", input={"runId": run, "worker": "w", "leaseMs": 1})
    assert ("INVALID", "leaseMs") == (short["code"], short["facts"]["field"])
