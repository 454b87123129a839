"""`gotn run work` and `gotn run watch` from their options to their exit code."""

import asyncio
import contextlib
import socket
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from gotn.cli import lengths, operations
from gotn.cli.call import Call
from gotn.cli.working import asking, executing, telling, workspace
from gotn.cli.working.door import Door
from gotn.cli.working.executing import Crew, Wanted
from gotn.cli.working.telling import Plain, Telling
from gotn.cli.working.watching import Picture, Watch
from gotn.database.connection import Database
from gotn.errors import NotFound

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Options:
    """What `gotn run work` was given."""

    worker: str | None
    parallel: int
    once: bool
    node: str | None
    kinds: tuple[str, ...]
    tags: tuple[str, ...]
    lease: str
    workspace: str | None
    yes: bool


def work(call: Call, id_: str | None, options: Options) -> int:
    """Work on a run; the exit code."""
    wanted = Wanted(
        worker=options.worker or f"{call.settings.actor}@{socket.gethostname()}",
        parallel=1 if options.node else options.parallel,
        once=options.once or options.node is not None,
        kinds=options.kinds,
        tags=options.tags,
        node=options.node,
        lease_ms=lengths.lease(options.lease),
    )

    async def worked(database: Database) -> Crew:
        door = await opened(call, database, id_)
        run = await door.ask("RunShow", id=door.run_id, first=1)
        place = workspace.chosen(options.workspace, run.get("workspace_path"))
        _ = place.allowed  # a broken gotn.toml is told before anything is claimed
        async with _told(call, door, options.once) as told:
            name = call.settings.actor
            asked = asking.chosen(
                yes=options.yes, as_json=call.as_json, name=name, quiet=told.quiet
            )
            kept = call.settings.home / "outputs"
            crew = Crew(door=door, place=place, asked=asked, telling=told, wanted=wanted, kept=kept)
            await crew.work()
        crew.run = await door.ask("RunShow", id=door.run_id, first=1)
        return crew

    with telling.cursor_back():
        crew = call.run(worked)
    call.answer(crew.data(), lambda data, _: print(_summary(data)))
    return crew.code()


@contextlib.asynccontextmanager
async def _told(call: Call, door: Door, once: bool) -> AsyncIterator[Telling]:
    """How this says what it does: not at all, in lines, or above a live picture."""
    if call.as_json:
        yield Telling()
    elif once or not sys.stdout.isatty():
        with Plain().open() as plain:
            yield plain
    else:
        from gotn.cli.working.picture import LiveView  # noqa: PLC0415

        watch = Watch(door=door)
        view = LiveView(call.console, watch.picture)
        watch.hindered = view.line
        following = asyncio.create_task(watch.follow())
        try:
            with view.shown():
                yield view
                watch.stop.set()
                await watch.look()  # the last picture is the last state
        finally:
            watch.stop.set()
            await asyncio.wait([following])


def watch(call: Call, id_: str | None) -> int:
    """Follow a run; the exit code."""

    async def watched(database: Database) -> Picture:
        door = await opened(call, database, id_)
        if call.as_json:
            return await Watch(door=door).follow()
        if not sys.stdout.isatty():
            return await _followed(door)
        from gotn.cli.working.picture import LiveView  # noqa: PLC0415

        watch = Watch(door=door)
        with LiveView(call.console, watch.picture).shown() as view:
            watch.hindered = view.line
            return await watch.follow()

    with telling.cursor_back():
        picture = call.run(watched)
    if call.as_json:
        print(call.envelope(_watched(picture)))
    return 0 if picture.run.get("status") == "completed" else executing.FAILED


async def _followed(door: Door) -> Picture:
    """The run at its end; a line for each change, until nobody reads them."""
    with Plain().open() as plain:
        watch = Watch(door=door, told=plain.line, hindered=plain.line)
        loop = asyncio.get_running_loop()
        plain.closed = lambda: loop.call_soon_threadsafe(watch.stop.set)
        return await watch.follow()


def _watched(picture: Picture) -> Row:
    kept = ("id", "layer", "position", "status", "worker", "attempt", "reason", "duration_ms")
    steps = [{name: step.get(name) for name in kept} for step in picture.steps.values()]
    return picture.run | {"counts": dict(picture.counts), "steps": steps, "total": picture.total}


async def opened(call: Call, database: Database, id_: str | None) -> Door:
    """The run that was named, or the newest that is open; NotFound where there is none."""
    actor = call.settings.actor
    if id_ is None:
        given = {"project": call.project, "filter": {"status": ["PLANNED", "RUNNING"]}}
        found = await operations.pages(database, "RunList", given, actor, 1, "runs")
        if not found["runs"]:
            raise NotFound(
                f"Project {call.project!r} has no open run: make one with `gotn plan`.",
                project=call.project,
            )
        id_ = found["runs"][0]["id"]
    return Door(database=database, project=call.project, actor=actor, run_id=str(id_))


def _summary(data: Row) -> str:
    """The last line; what stands in the way of the rest, where something does."""
    failed = len(data["failed_steps"])
    counts = data["counts"] | {"failed": failed, "tried again": data["counts"]["failed"] - failed}
    told = [f"{n} {name.replace('_', ' ')}" for name, n in counts.items() if n]
    done = ", ".join(told) or "no step was worked on"
    said = f"Run {data['run_id']} is {data['status']}; here: {done}."
    if data["on_failure"] == "fail_fast" and (data["run_counts"] or {}).get("failed"):
        said += " It stops at the first failure (--fail-fast), so the rest is not handed out;"
        said += f" `gotn run resume {data['run_id']}` tries again and goes on."
    return said
