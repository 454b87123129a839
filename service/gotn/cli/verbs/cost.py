"""gotn cost: show."""

from enum import StrEnum
from typing import Annotated

import typer

from gotn.cli.call import Call
from gotn.cli.verb import group, verb

app = group("cost", "What work cost, own and inclusive side by side.")


class By(StrEnum):
    """By what costs are grouped."""

    model = "model"
    depth = "depth"
    strategy = "strategy"
    status = "status"
    day = "day"


@verb(
    app,
    "show",
    "gotn cost show -p demo",
    "gotn cost show --tree tree-12345678 --by model",
    "gotn cost show --node serve_graphql --json",
)
def show(
    call: Call,
    tree: Annotated[str | None, typer.Option("--tree", help="Of this task tree.")] = None,
    task: Annotated[str | None, typer.Option("--task", help="Of this task of the tree.")] = None,
    session: Annotated[str | None, typer.Option("--session", help="Of this session.")] = None,
    node: Annotated[
        str | None, typer.Option("--node", help="Of what executed this work node.")
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", help="Of what executed the steps of this run.")
    ] = None,
    by: Annotated[By | None, typer.Option("--by", help="Tasks by these groups too.")] = None,
) -> None:
    """Show tokens and money: of the project, or of one tree, task, session, node or run."""
    from gotn.cli import costing  # noqa: PLC0415

    costing.show(
        call,
        {"tree": tree, "task": task, "session": session, "node": node, "run": run},
        by.value if by else None,
    )
