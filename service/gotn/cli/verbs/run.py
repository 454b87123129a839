"""gotn run: list, show, steps."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from gotn.cli.call import Call
from gotn.cli.verb import group, verb
from gotn.cli.verbs.planning import Limit

app = group("run", "Plans that were stored, and what became of their steps.")

Run = Annotated[str, typer.Argument(help="Id of a run, such as run-20250901-083000.")]


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


@verb(app, "show", "gotn run show run-20250901-083000 -p demo")
def show(call: Call, id: Run) -> None:
    """Show a run: its goal, its layers, why it has this order."""
    from gotn.cli.show import things  # noqa: PLC0415

    call.answer(call.ask("RunShow", id=id, first=1), things.show_run)


@verb(app, "steps", "gotn run steps run-20250901-083000 -p demo")
def steps(call: Call, id: Run, limit: Limit = 50) -> None:
    """List the steps of a run in their order."""
    from gotn.cli.show import things  # noqa: PLC0415

    call.answer(call.pages("RunShow", limit, "steps", id=id), things.show_steps)
