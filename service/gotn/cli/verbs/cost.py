"""gotn cost: show, record."""

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


@verb(
    app,
    "record",
    "gotn cost record tree-12345678 task-a1b2c3d4 --tokens 900 --cost 0.01 --add",
    """gotn cost record T root --cost '{"input_tokens": 5, "total_cost_usd": 0.000001}'""",
)
def record(
    call: Call,
    tree: Annotated[str, typer.Argument(help="Id of a task tree, such as tree-12345678.")],
    task: Annotated[str, typer.Argument(help="Id of a task in it.")],
    tokens: Annotated[int | None, typer.Option("--tokens", help="Tokens it used in all.")] = None,
    cost: Annotated[
        str | None,
        typer.Option("--cost", help="USD it cost, or all as JSON (004, CostTracking)."),
    ] = None,
    add: Annotated[
        bool, typer.Option("--add", help="Add to what it cost before, not in place of it.")
    ] = False,
) -> None:
    """Set what a task alone cost, or add to it; the totals above it follow at once."""
    if tokens is None and cost is None:
        raise typer.BadParameter("give --tokens, --cost or both.")
    from gotn.cli import costing  # noqa: PLC0415

    costing.record(call, tree, task, tokens, cost, add=add)
