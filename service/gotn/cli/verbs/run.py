"""gotn run: start, list, show, steps, ready, cancel, resume, replan."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from gotn.cli.call import Call
from gotn.cli.failing import Misused
from gotn.cli.verb import group, verb
from gotn.cli.verbs.planning import Limit

app = group("run", "Plans that were stored, and what became of their steps.")

Run = Annotated[
    str | None,
    typer.Argument(
        metavar="[RUN]", help="Id of a run, such as run-20250901-083000; else the newest open one."
    ),
]
Seen = Annotated[
    str | None,
    typer.Argument(metavar="[RUN]", help="Id of a run; else the newest open one, or the newest."),
]
OPEN = ("PLANNED", "RUNNING")
#: What `resume` goes on with.
STOPPED = ("FAILED", "CANCELLED")


def chosen(call: Call, id: str | None, *statuses: str) -> str:
    """The run that is named, or the newest in one of these statuses; NotFound for none."""
    from gotn.errors import NotFound  # noqa: PLC0415

    wanted = statuses or OPEN
    found = [{"id": id}] if id is not None else _newest(call, wanted)
    if not found:
        said = " or ".join(one.lower() for one in wanted)
        raise NotFound(f"There is no {said} run in project {call.project!r}: name one.")
    return str(found[0]["id"])


def _newest(call: Call, statuses: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The newest run in one of these statuses, or of all; a list of one, or of none."""
    wanted = {"status": list(statuses)} if statuses else {}
    found: list[dict[str, Any]] = call.pages("RunList", 1, "runs", filter=wanted)["runs"]
    return found


def looked_at(call: Call, id: str | None) -> str:
    """The run that is named, or the newest open one, or the newest; NotFound for none."""
    from gotn.errors import NotFound  # noqa: PLC0415

    found = [{"id": id}] if id is not None else _newest(call, OPEN) or _newest(call)
    if not found:
        raise NotFound(f"There is no run in project {call.project!r}: make one with `gotn plan`.")
    return str(found[0]["id"])


class Status(StrEnum):
    """Where a run stands."""

    planned = "planned"
    running = "running"
    completed = "completed"
    failed = "failed"
    cancelled = "cancelled"


@verb(app, "list", "gotn run list -p demo")
def list_(
    call: Call,
    status: Annotated[
        list[Status] | None, typer.Option("--status", help="Only these; repeatable.")
    ] = None,
    limit: Limit = 50,
) -> None:
    """List runs, newest first."""
    from gotn.cli.show import things  # noqa: PLC0415

    wanted: dict[str, Any] = {}
    if status:
        wanted["status"] = [one.name.upper() for one in status]
    call.answer(call.pages("RunList", limit, "runs", filter=wanted), things.show_runs)


@verb(app, "show", "gotn run show -p demo", "gotn run show run-20250901-083000 -p demo")
def show(call: Call, id: Seen = None) -> None:
    """Show a run: its goal, its layers, why it has this order."""
    from gotn.cli.show import things  # noqa: PLC0415

    call.answer(call.ask("RunShow", id=looked_at(call, id), first=1), things.show_run)


@verb(app, "steps", "gotn run steps", "gotn run steps run-20250901-083000 -p demo")
def steps(call: Call, id: Seen = None, limit: Limit = 50) -> None:
    """List the steps of a run in their order."""
    from gotn.cli.show import things  # noqa: PLC0415

    found = call.pages("RunShow", limit, "steps", id=looked_at(call, id))
    call.answer(found, things.show_steps)


@verb(app, "ready", "gotn run ready -p demo", "gotn run ready run-20250901-083000 --all")
def ready(
    call: Call,
    id: Run = None,
    every: Annotated[
        bool, typer.Option("--all", help="Those that cannot be claimed yet, too, and why.")
    ] = False,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=500, help="Show at most so many.")
    ] = 50,
) -> None:
    """List the steps that can be claimed now, in the order of claims."""
    from gotn.cli.show import runs  # noqa: PLC0415

    run_id = chosen(call, id)
    if every:
        told = call.ask("RunNext", id=run_id, first=limit)
        steps = [one["step"] | {"ready": one["ready"], "waits": one["reason"]} for one in told]
    else:
        steps = [one | {"ready": True} for one in call.ask("RunReady", id=run_id, first=limit)]
    call.answer({"run_id": run_id, "steps": steps}, runs.show_ready)


@verb(
    app,
    "start",
    "gotn run start run-20250901-083000",
    "gotn run start --goal 'Ship it' --fail-fast",
)
def start(
    call: Call,
    id: Run = None,
    goal: Annotated[
        str | None, typer.Option("--goal", help="Plan all open work for this, and start that.")
    ] = None,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Give out no more steps once one has failed.")
    ] = False,
) -> None:
    """Start a planned run, or plan and start one. A claim starts a run, too."""
    from gotn.cli.show import runs  # noqa: PLC0415

    if goal is not None:
        if id is not None:
            raise typer.BadParameter("give a run, or --goal for a new one.")
        planned = call.change("Plan", goal=goal, workspace=str(Path.cwd()))["run_id"]
        if planned is None:
            raise Misused("nothing is left to do: no open node can be started.")
    else:
        planned = chosen(call, id, "PLANNED")
    how = "FAIL_FAST" if fail_fast else "GO_ON"
    data = call.change("RunStart", runId=planned, onFailure=how)
    call.answer(data, runs.show_changed)


@verb(app, "cancel", "gotn run cancel --reason 'the goal has changed'")
def cancel(
    call: Call,
    reason: Annotated[str, typer.Option("--reason", help="Why it is given up.")],
    id: Run = None,
) -> None:
    """Give a run up: its open steps are skipped, its nodes stay open for another plan."""
    from gotn.cli.show import runs  # noqa: PLC0415

    data = call.change("RunCancel", runId=chosen(call, id), reason=reason)
    call.answer(data, runs.show_changed)


@verb(app, "resume", "gotn run resume run-20250901-083000")
def resume(call: Call, id: Run = None) -> None:
    """Go on with a run that failed or was cancelled: what failed is tried anew."""
    from gotn.cli.show import runs  # noqa: PLC0415

    data = call.change("RunResume", runId=chosen(call, id, *STOPPED))
    call.answer(data, runs.show_changed)


@verb(app, "replan", "gotn run replan --dry-run", "gotn run replan run-20250901-083000")
def replan(
    call: Call,
    id: Run = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change; change nothing.")
    ] = False,
) -> None:
    """Plan what is not begun of a run anew, after the graph has changed."""
    from gotn.cli.show import runs  # noqa: PLC0415

    data = call.change("RunReplan", runId=chosen(call, id), dryRun=dry_run)
    call.answer(data, runs.show_replanned)
