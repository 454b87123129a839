"""`gotn demo`: Neo4j up, the sample in, linked, planned, executed, printed; then the API."""

import contextlib
import dataclasses
import signal
from importlib.resources import files
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from gotn import provision, shapes
from gotn.cli import migrating, rehearsing, serving, splitting
from gotn.cli.call import Call
from gotn.cli.connecting import Target
from gotn.cli.connecting import run as run_on
from gotn.cli.show import parts, pasting
from gotn.cli.show import plan as picture
from gotn.cli.show.visible import hint
from gotn.database.connection import Database
from gotn.errors import EncoderUnavailable, NotFound
from gotn.keys import key
from gotn.similarity import linking
from gotn.similarity.engine import Engine
from gotn.work import exchange
from gotn.work.records import Imported, Linked, Plan
from gotn.work.store import asking
from gotn.work.usecases import bulk, link, planning, projects
from gotn.work.usecases.writing import Request

if TYPE_CHECKING:
    from rich.console import Console

#: The project the sample is loaded into; it is emptied first.
PROJECT = "demo"
GOAL = "Build GoTN, and know at every moment what to do next"


def demonstrate(call: Call, *, once: bool) -> None:
    """Run the demonstration; what it started it also stops, unless it ends after the plan."""
    signal.signal(signal.SIGTERM, _terminated)
    call.note("GoTN demo: a real plan out of a real Neo4j.")
    target, server = migrating.bring_up(call)
    started = server is not None and server.started
    try:
        call.note(f"Neo4j answers at {target.shown}{'' if started else ' (it was running)'}.")
        migrating.migrate(target)
        data = _prepared(call, target)
        call.note("Executing it as a rehearsal, by three workers, one of them killed on purpose …")
        rehearsed = rehearsing.rehearse(call, target)
        data["rehearsal"] = dataclasses.asdict(rehearsed)
        data["tree"] = splitting.split(call, target, rehearsing.PROJECT, rehearsed.node)
        if once:
            call.answer(data, _show_once)
            return
        _served(call, target, data)
    finally:
        if started and not once:
            call.note("Stopping the Neo4j that this demo started …")
            provision.down(call.settings.home)


def _terminated(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def _prepared(call: Call, target: Target) -> dict[str, Any]:
    """Load, link and plan; what the demonstration shows."""
    request = Request(project_id=PROJECT, actor=call.settings.actor)

    async def work(database: Database) -> dict[str, Any]:
        imported = await _loaded(database, request)
        call.note(
            f"Project `{PROJECT}` emptied and the sample loaded: "
            f"{parts.count(imported.nodes, 'node')}, {parts.count(imported.edges, 'edge')}."
        )
        linked = await link.link(database, request, whole=True)
        call.note(_linked(linked))
        soft = await _soft(call, database, request)
        planned = await planning.plan(database, request, goal=GOAL, workspace=str(Path.cwd()))
        waiting = await _waiting(database, planned)
        return {
            "project": PROJECT,
            "import": {"nodes": imported.nodes, "edges": imported.edges},
            "link": {"added": linked.added, "removed": linked.removed, "soft": soft},
            "plan": shapes.plain(planned) | {"run_id": planned.run_id, "waiting": waiting},
            "cypher": [] if soft is None else _cypher(planned),
            "managed": target.managed,
        }

    return run_on(target, work)


async def _loaded(database: Database, request: Request) -> Imported:
    with contextlib.suppress(NotFound):
        await projects.remove(database, request)
    with files("gotn.demo").joinpath("sample.json").open("rb") as sample:
        draft = exchange.read(sample, "gotn", name="sample.json")  # type: ignore[arg-type]
    return await bulk.import_graph(database, request, draft)


def _linked(linked: Linked) -> str:
    return (
        f"Linked: {parts.count(linked.added, 'dependency', 'dependencies')} derived from tags, "
        f"{len(linked.unmet)} unmet, {parts.count(len(linked.cycles), 'cycle')}."
    )


async def _soft(call: Call, database: Database, request: Request) -> dict[str, Any] | None:
    """Join what is about the same; without an encoder say how to install one."""
    compared = Engine(database, call.similarity)
    try:
        linked = await linking.link(compared, request)
    except EncoderUnavailable as error:
        call.note(f"Nothing is grouped by meaning: {error.message}")
        return None
    finally:
        await compared.close()
    pairs = parts.count(linked.added, "pair")
    call.note(f"Compared what the nodes say: {pairs} alike ({linked.model}).")
    return shapes.plain(linked)


def _cypher(plan: Plan) -> list[str]:
    """What draws the soft edges, and what the plan put together by them."""
    alike = pasting.statement("similarity/draw_alike", project=PROJECT)
    if plan.run_id is None:
        return [alike]
    return [alike, pasting.statement("similarity/draw_groups", run=key(PROJECT, plan.run_id))]


async def _waiting(database: Database, plan: Plan) -> dict[str, list[str]]:
    """For each running node, the steps of the plan that need it."""
    steps = set(plan.ordered_node_ids)
    found: dict[str, list[str]] = {}
    for id_ in plan.waiting_on:
        impact = await database.read(lambda tx, i=id_: asking.impact(tx, PROJECT, i))  # type: ignore[misc]
        found[id_] = [name for name in impact.direct if name in steps]
    return found


def _show_once(data: dict[str, Any], console: "Console") -> None:
    picture.show(data["plan"], console)
    rehearsing.show(data["rehearsal"], console)
    splitting.show(data["tree"], console)
    _next(console, data["rehearsal"]["run_id"])
    pasting.show(data["cypher"], console)
    if data["managed"]:
        console.print(f"Neo4j keeps running. Stop it with: {hint('down')}", markup=False)


def _next(console: "Console", run: str) -> None:
    parts.heading(console, "Look further")
    parts.facts(
        console,
        {
            hint("-p demo ready"): "what can be claimed now",
            hint("-p demo why release"): "what keeps a node from starting",
            hint("-p demo tree-of build_gotn"): "how the work is broken down",
            hint("-p demo edge list --type soft_semantic"): "what is about the same, and why",
            hint("-p demo context release"): "what an agent is given for a node",
            hint("-p demo node list --status failed"): "what went wrong",
            hint(f"run steps -p {rehearsing.PROJECT} {run}"): "who did which step",
            hint(f"cost show -p {rehearsing.PROJECT} --run {run} --by model"): "what it cost",
            hint(f"tree show -p {rehearsing.PROJECT} {splitting.TREE}"): "the tasks of a step",
            hint("journal verify -p demo"): "the journal gives the same graph",
        },
    )


def _served(call: Call, target: Target, data: dict[str, Any]) -> None:
    bound = serving.bind(call.settings)
    try:
        data["addresses"] = serving.addresses(call, target, bound.url)
        call.answer(data, _show_served)
        serving.listen(call.settings, target, bound)
    finally:
        bound.socket.close()


def _show_served(data: dict[str, Any], console: "Console") -> None:
    picture.show(data["plan"], console)
    rehearsing.show(data["rehearsal"], console)
    splitting.show(data["tree"], console)
    _next(console, data["rehearsal"]["run_id"])
    pasting.show(data["cypher"], console)
    serving.show(data["addresses"], console)
