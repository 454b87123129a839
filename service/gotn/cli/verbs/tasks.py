"""gotn tree ready, spawn, claim, finish, merge, cancel, retry, link: the agent protocol (004)."""

from enum import StrEnum
from typing import Annotated

import typer

from gotn.cli.call import Call
from gotn.cli.verb import verb

Tree = Annotated[str, typer.Argument(help="Id of a task tree, such as tree-12345678.")]
Task = Annotated[str, typer.Argument(help="Id of a task in it.")]
Children = Annotated[
    list[str] | None,
    typer.Option("--child", help="A task as JSON ({prompt, context, …}), or its prompt alone."),
]


class Merging(StrEnum):
    """How results are put together."""

    concatenate = "concatenate"
    summarize = "summarize"
    vote = "vote"
    best_of_n = "best-of-n"


def register(app: typer.Typer) -> None:
    """Add these verbs to `gotn tree`."""
    verb(app, "ready", "gotn tree ready tree-12345678", "gotn tree ready tree-12345678 --json")(
        ready
    )
    verb(
        app,
        "spawn",
        "gotn tree spawn tree-12345678 task-a1b2c3d4 --child 'Read the tests'",
        """gotn tree spawn T root --child '{"prompt": "Read", "context": {"type": "none"}}'""",
    )(spawn)
    verb(
        app,
        "claim",
        "gotn tree claim tree-12345678 --worker me",
        "gotn tree claim tree-12345678 --worker me --task task-a1b2c3d4 --json",
    )(claim)
    verb(
        app,
        "finish",
        "gotn tree finish T task-a1b2c3d4 --token TOKEN --output 'Done' --tokens 900 --cost 0.01",
        "gotn tree finish T task-a1b2c3d4 --token TOKEN --failed --output 'No such file'",
    )(finish)
    verb(
        app,
        "merge",
        "gotn tree merge tree-12345678 task-a1b2c3d4",
        "gotn tree merge tree-12345678 task-a1b2c3d4 --strategy vote",
    )(merge)
    verb(
        app,
        "link",
        "gotn tree link tree-12345678 serve_graphql",
        "gotn tree link tree-12345678 serve_graphql --task task-a1b2c3d4",
    )(link)
    verb(app, "cancel", "gotn tree cancel tree-12345678 task-a1b2c3d4 --reason enough")(cancel)
    verb(app, "retry", "gotn tree retry tree-12345678 task-a1b2c3d4")(retry)


def ready(
    call: Call,
    tree: Tree,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=100_000, help="Tasks of each kind that are shown.")
    ] = 50,
) -> None:
    """List what may start now, what runs, and what waits for what."""
    from gotn.cli import protocol  # noqa: PLC0415

    protocol.ready(call, tree, limit)


def link(
    call: Call,
    tree: Tree,
    node: Annotated[str, typer.Argument(help="Id of the work node that it executed.")],
    task: Annotated[
        str | None, typer.Option("--task", help="Only this task and those below it.")
    ] = None,
) -> None:
    """Say which work node a tree, or one of its tasks, executed: its cost is the node's."""
    from gotn.cli import protocol  # noqa: PLC0415

    protocol.link(call, tree, node, task)


def spawn(call: Call, tree: Tree, task: Task, child: Children = None) -> None:
    """Add tasks below one: ids minted, within the tree's limits, all or nothing."""
    from gotn.cli import protocol  # noqa: PLC0415

    if not child:
        raise typer.BadParameter("expected at least one --child")
    protocol.spawn(call, tree, task, child)


def claim(
    call: Call,
    tree: Tree,
    worker: Annotated[str, typer.Option("--worker", help="Who executes it.")],
    task: Annotated[
        str | None, typer.Option("--task", help="This task; none: the first that may start.")
    ] = None,
    lease: Annotated[
        int | None,
        typer.Option(
            "--lease",
            min=1,
            max=3600,
            help="Seconds that the claim holds; none: the task's timeout, 300 where it has none.",
        ),
    ] = None,
) -> None:
    """Take a task under a lease; prints its prompt with its context, and the token to finish it."""
    from gotn.cli import protocol  # noqa: PLC0415

    protocol.claim(call, tree, worker, task, lease and lease * 1000)


def finish(
    call: Call,
    tree: Tree,
    task: Task,
    token: Annotated[str, typer.Option("--token", help="What claiming it gave.")],
    output: Annotated[str | None, typer.Option("--output", help="Its result as text.")] = None,
    result: Annotated[
        str | None, typer.Option("--result", help="Its whole result as JSON (004, TaskResult).")
    ] = None,
    tokens: Annotated[int | None, typer.Option("--tokens", help="Tokens it used in all.")] = None,
    cost: Annotated[
        str | None,
        typer.Option("--cost", help="USD it cost, or all as JSON (004, CostTracking)."),
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="It did not succeed.")] = False,
    child: Children = None,
) -> None:
    """End a claimed task with its result and usage; spawn its children in the same step."""
    from gotn.cli import protocol  # noqa: PLC0415

    if output is not None and result is not None:
        raise typer.BadParameter("give either --output or --result")
    said = {"output": output, "result": result, "tokens": tokens, "cost": cost}
    protocol.finish(call, tree, task, token, said, failed=failed, children=child or [])


def merge(
    call: Call,
    tree: Tree,
    task: Task,
    strategy: Annotated[
        Merging | None, typer.Option("--strategy", help="How; none: as the task says.")
    ] = None,
) -> None:
    """Put the results of a task's children together; changes nothing."""
    from gotn.cli import protocol  # noqa: PLC0415

    protocol.merge(call, tree, task, strategy.value if strategy else None)


def cancel(
    call: Call,
    tree: Tree,
    task: Task,
    reason: Annotated[str, typer.Option("--reason", help="Why.")] = "cancelled",
) -> None:
    """Cancel a task and everything below it that has not ended."""
    from gotn.cli import protocol  # noqa: PLC0415

    protocol.cancel(call, tree, task, reason)


def retry(call: Call, tree: Tree, task: Task) -> None:
    """Make a task that failed for good pending again, with all the tries that its policy gives."""
    from gotn.cli import protocol  # noqa: PLC0415

    protocol.retry(call, tree, task)
