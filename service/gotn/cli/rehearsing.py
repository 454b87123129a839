"""The demonstration's run: the sample executed by several workers, one of them killed.

A rehearsal, and told as one: in a temporary folder each step's command only writes the step's
files. What is real is the run: processes that claim, leases that end, a worker that dies.
"""

import contextlib
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gotn.cli.call import Call
from gotn.cli.connecting import Target
from gotn.cli.connecting import run as run_on
from gotn.cli.show import parts
from gotn.cli.working.door import Door
from gotn.database.connection import Database
from gotn.errors import GotnError, NotFound
from gotn.work import exchange
from gotn.work.usecases import bulk, link, planning, projects, replay
from gotn.work.usecases.writing import Request

if TYPE_CHECKING:
    from rich.console import Console

Row = dict[str, Any]

#: The project that is executed; `demo` stays as it was planned.
PROJECT = "demo-run"
WORKERS = ("ann", "ben", "cleo")
#: Length of a lease, and seconds the whole may take.
LEASE, PATIENCE = "3s", 120.0
#: A step's work here: write its files. The chosen one is long, the first time.
STEP = """import os, sys, time
from pathlib import Path
if sys.argv[1] == "long" and os.environ["GOTN_ATTEMPT"] == "1":
    time.sleep(60)
for name in sys.argv[2:]:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(os.environ["GOTN_NODE"] + " was here\\n")
"""


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    """What was executed, and what happened."""

    run_id: str
    steps: int
    status: str
    seconds: float
    killed: str
    #: The step it had, who did it then, in which attempt.
    node: str
    heir: str
    attempt: int
    entries: int
    equal: bool


def rehearse(call: Call, target: Target) -> Rehearsal:
    """Execute the sample in a project and a folder of their own; GotnError where it fails."""
    with tempfile.TemporaryDirectory(prefix="gotn-demo-") as folder:
        place = Path(folder)
        nodes = _nodes()
        run_id, chosen = run_on(target, lambda database: _planned(call, database, place, nodes))
        _prepare(place, nodes)
        begun = time.monotonic()
        killed = _executed(call, target, run_id, chosen, place)
        seconds = time.monotonic() - begun
        return run_on(target, lambda db: _seen(call, db, run_id, chosen, killed, seconds))


def _nodes() -> list[Row]:
    """The sample; what was running elsewhere counts as completed here."""
    sample = json.loads(files("gotn.demo").joinpath("sample.json").read_text("utf-8"))
    nodes: list[Row] = sample["nodes"]
    for node in nodes:
        if node.get("status") == "running":
            node["status"] = "completed"
    return nodes


def _made(node: Row) -> list[str]:
    """The files that a node's work writes."""
    artifacts = node.get("artifacts") or {}
    return [*artifacts.get("files", ()), *artifacts.get("outputs", ())]


def _command(node: Row, chosen: str | None) -> str:
    length = "long" if node["id"] == chosen else "short"
    return shlex.join([*_program(), length, *_made(node)])


def _program() -> list[str]:
    return [sys.executable, "-I", "-S", "step.py"]


async def _planned(
    call: Call, database: Database, place: Path, nodes: list[Row]
) -> tuple[str, str]:
    """Load, link and plan; the run, and the step whose worker will be killed."""
    request = Request(project_id=PROJECT, actor=call.settings.actor)
    with contextlib.suppress(NotFound):
        await projects.remove(database, request)
    chosen = "serve_graphql"
    given = [node | {"command": _command(node, chosen)} for node in nodes]
    content = io.BytesIO(json.dumps({"nodes": given}).encode())
    await bulk.import_graph(database, request, exchange.read(content, "gotn", name="sample.json"))
    await link.link(database, request, whole=True)
    planned = await planning.plan(database, request, goal="A rehearsal", workspace=str(place))
    return str(planned.run_id), chosen


def _prepare(place: Path, nodes: list[Row]) -> None:
    """The folder: the program, what may run, and the files of completed nodes."""
    (place / "step.py").write_text(STEP)
    allow = json.dumps([f"{shlex.join(_program())} *"])
    (place / "gotn.toml").write_text(f"[run]\nallow = {allow}\n")
    given = ["service/gotn/demo/sample.json"]  # nobody's work in the sample, but its own guard
    given += [name for one in nodes if one.get("status") == "completed" for name in _made(one)]
    for name in given:
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def _executed(call: Call, target: Target, run_id: str, chosen: str, place: Path) -> str:
    """Let the workers work, kill the one that has the long step; its name."""
    until = time.monotonic() + PATIENCE
    with _workers(call, run_id, place) as workers:
        killed = run_on(target, lambda db: _whose(call, db, run_id, chosen, until))
        os.kill(workers[killed].pid, signal.SIGKILL)
        for name, worker in workers.items():
            try:
                worker.wait(max(until - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                raise GotnError(f"Worker {name} of the demo did not end in time.") from None
    return killed


@contextlib.contextmanager
def _workers(call: Call, run_id: str, place: Path) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """Worker processes by name; none outlives this."""
    words = ["run", "work", run_id, "-p", PROJECT, "--workspace", str(place), "--yes"]
    started = {
        name: subprocess.Popen(  # noqa: S603  # this very program
            [sys.executable, "-m", "gotn", *words, "--lease", LEASE, "--worker", name],
            env=os.environ | {"GOTN_ACTOR": call.settings.actor},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for name in WORKERS
    }
    try:
        yield started
    finally:
        for worker in started.values():
            worker.kill()
            worker.wait()


def _door(call: Call, database: Database, run_id: str) -> Door:
    return Door(database=database, project=PROJECT, actor=call.settings.actor, run_id=run_id)


async def _whose(call: Call, database: Database, run_id: str, chosen: str, until: float) -> str:
    """Who has the long step, once somebody does."""
    import asyncio  # noqa: PLC0415

    door = _door(call, database, run_id)
    while time.monotonic() < until:
        step = await _step(door, chosen)
        if step.get("status") == "running" and step.get("worker") in WORKERS:
            return str(step["worker"])
        await asyncio.sleep(0.1)
    raise GotnError(f"No worker of the demo claimed {chosen} in time.")


async def _step(door: Door, node: str) -> Row:
    found = await door.ask("RunPulse", id=door.run_id)
    return next((step for step in found["steps"] if step["id"] == node), {})


async def _seen(
    call: Call, database: Database, run_id: str, chosen: str, killed: str, seconds: float
) -> Rehearsal:
    """What became of the run, and whether its journal gives the same graph."""
    door = _door(call, database, run_id)
    run = await door.ask("RunPulse", id=run_id)
    step = await _step(door, chosen)
    verified = await replay.verify(database, PROJECT)
    return Rehearsal(
        run_id=run_id,
        steps=sum(one["status"] in ("completed", "skipped") for one in run["steps"]),
        status=run["status"],
        seconds=round(seconds, 1),
        killed=killed,
        node=chosen,
        heir=str(step.get("worker")),
        attempt=int(step.get("attempt") or 0),
        entries=verified.entries,
        equal=verified.equal and verified.chain_ok,
    )


def show(found: Row, console: "Console") -> None:
    """What happened, as a person reads it."""
    note = f"project {PROJECT}; each command only writes its step's files"
    parts.heading(console, "Executed, as a rehearsal", note)
    facts = {
        "Run": f"{found['run_id']} {found['status']}: {parts.count(found['steps'], 'step')} by "
        f"{len(WORKERS)} worker processes in {found['seconds']} s",
        "Killed": f"{found['killed']}, with kill -9 in the middle of {found['node']}",
        "Then": f"its lease of {LEASE} ended, and {found['heir']} did {found['node']}, "
        f"attempt {found['attempt']}",
        "Questions": "what only a person can say was answered with --yes, and is recorded so",
        "Journal": f"{parts.count(found['entries'], 'entry', 'entries')}, "
        + ("replayed: the same graph" if found["equal"] else "replayed: ANOTHER GRAPH"),
    }
    parts.facts(console, facts)
