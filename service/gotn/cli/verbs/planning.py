"""From a graph to a plan: link, plan, ready."""

from pathlib import Path
from typing import Annotated, Any

import typer

from gotn.cli import drawing
from gotn.cli.call import Call
from gotn.cli.verb import verb

Limit = Annotated[int, typer.Option("--limit", min=1, max=100_000, help="Rows to show at most.")]


def register(app: typer.Typer) -> None:
    """Add these verbs."""
    verb(app, "link", "gotn link -p demo", "gotn link --hard --soft --all")(link)
    verb(
        app,
        "plan",
        "gotn plan -p demo --dry-run",
        "gotn plan --goal 'Release 1.0' --target release --leaves",
        "gotn plan --dry-run --format mermaid -o plan.mmd",
        options=drawing.OPTIONS,
    )(plan)
    verb(app, "ready", "gotn ready -p demo --limit 10")(ready)


def link(
    call: Call,
    hard: Annotated[
        bool, typer.Option("--hard", help="From tags: what is done before what; as without both.")
    ] = False,
    soft: Annotated[
        bool, typer.Option("--soft", help="From meaning: what is about the same.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="All nodes, not only those that changed.")
    ] = False,
) -> None:
    """Derive edges: hard ones from tags, soft ones from what nodes say."""
    from gotn.cli.show import alike, work  # noqa: PLC0415

    if not soft:
        call.answer(call.change("Link", whole=everything), work.show_linked)
    elif not hard:
        call.answer(call.change("LinkSoft", whole=everything), alike.show_linked)
    else:
        data = call.change("Link", whole=everything)
        data["soft"] = call.change("LinkSoft", whole=everything)
        call.answer(data, alike.show_both)


def plan(
    call: Call,
    goal: Annotated[str, typer.Option("--goal", help="What the plan is for, in words.")] = "",
    target: Annotated[
        list[str] | None,
        typer.Option("--target", help="Plan only this node and what it needs; repeatable."),
    ] = None,
    leaves: Annotated[
        bool, typer.Option("--leaves", help="Leave out nodes that were broken into others.")
    ] = False,
    workspace: Annotated[
        Path | None, typer.Option("--workspace", help="Folder of the work; default: this one.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show the plan; store no run.")
    ] = False,
    **fields: Any,
) -> None:
    """Order the open work in layers, with the reason, the critical path and what blocks it."""
    from gotn.cli.show import plan as picture  # noqa: PLC0415

    wanted = {"goal": goal, "targets": list(target or ()), "leaves": leaves}
    folder = str((workspace or Path()).absolute())
    data = (
        call.ask("PlanPreview", **wanted)
        if dry_run
        else call.change("Plan", workspace=folder, **wanted)
    )
    data = {"project_id": call.project} | data
    if drawing.is_diagram(call, fields):
        _draw(call, data, fields)
    else:
        drawing.answer(call, data, picture.show, fields["output"])


def _draw(call: Call, data: dict[str, Any], fields: dict[str, Any]) -> None:
    """The plan's first steps as a diagram."""
    from gotn.cli.views import answers, picture  # noqa: PLC0415

    ids = answers.plan_ids(data)
    shown = ids[: fields["limit"]]
    part = drawing.part(call, ids=shown, first=len(shown))
    drawing.draw(call, answers.plan(data, part, picture.cut(len(shown), len(ids), "steps")), fields)
    drawing.left_out(call, len(shown), len(ids))


def ready(call: Call, limit: Limit = 50) -> None:
    """List the nodes that can be claimed now: ready, and everything they need is done."""
    from gotn.cli.show import work  # noqa: PLC0415

    call.answer(call.pages("Ready", limit, "nodes"), work.show_nodes)
