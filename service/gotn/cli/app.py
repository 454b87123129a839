"""The tree of verbs (interfaces, Command line); what each does stands in `verbs`."""

from typing import Annotated

import typer

from gotn.cli.verb import COMMON, Actor, Debug, Json, Project
from gotn.cli.verbs import (
    alike,
    asking,
    cost,
    demo,
    edge,
    exchange,
    journal,
    node,
    planning,
    project,
    server,
    setup,
    step,
    tree,
    working,
)

app = typer.Typer(
    name="gotn",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start here: gotn demo",
)


def _version(wanted: bool) -> None:
    if wanted:
        from gotn import __version__  # noqa: PLC0415

        print(f"gotn {__version__}")
        raise typer.Exit


@app.callback()
def gotn(
    ctx: typer.Context,
    project: Project = None,
    as_json: Json = False,
    actor: Actor = None,
    debug: Debug = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A knowledge service for agent work: a typed work graph on Neo4j, planned and explained."""
    given = {"project": project, "as_json": as_json, "actor": actor, "debug": debug}
    ctx.obj = {name: given[name] for name in COMMON}


for part in (server, demo, setup, planning, asking, alike, exchange):
    part.register(app)
# What executes steps stands beside the runs' own verbs.
working.register()
for part in (project, node, edge, step, tree, cost, journal):
    app.add_typer(part.app, rich_help_panel="Things")
