"""The demonstration: from nothing to a plan and its run, then the API."""

from typing import Annotated

import typer

from gotn.cli.call import Call
from gotn.cli.verb import verb


def register(app: typer.Typer) -> None:
    """Add this verb."""
    verb(app, "demo", "gotn demo", "gotn demo --once")(demo)


def demo(
    call: Call,
    once: Annotated[
        bool, typer.Option("--once", help="End after the run and leave Neo4j running.")
    ] = False,
) -> None:
    """Show the main job: a sample project loaded, linked, planned, executed and explained.

    Starts the managed Neo4j (or uses NEO4J_URI), empties project `demo`, loads the bundled
    sample into it, plans it, executes it in project `demo-run` with three workers, one of them
    killed on purpose, prints plan and run, and serves the API until Ctrl-C.
    """
    from gotn.cli import demonstrating  # noqa: PLC0415

    demonstrating.demonstrate(call, once=once)
