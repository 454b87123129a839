"""gotn run work, gotn run watch: executing a run here, and following one."""

from typing import Annotated

import typer

from gotn.cli.call import Call
from gotn.cli.verb import verb
from gotn.cli.verbs import run

Run = Annotated[str | None, typer.Argument(help="Id of a run; the newest open one otherwise.")]


def register() -> None:
    """Add these verbs to `gotn run`."""
    verb(
        run.app,
        "work",
        "gotn run work -p demo --worker ann",
        "gotn run work run-20250901-083000 --parallel 4 --workspace . --yes",
    )(work)
    verb(run.app, "watch", "gotn run watch -p demo", "gotn run watch run-20250901-083000")(watch)


def work(
    call: Call,
    id: Run = None,
    worker: Annotated[
        str | None, typer.Option("--worker", "-w", help="Who works; your name and host otherwise.")
    ] = None,
    parallel: Annotated[
        int, typer.Option("--parallel", "-j", min=1, max=64, help="Workers in this process.")
    ] = 1,
    once: Annotated[bool, typer.Option("--once", help="One step for each worker.")] = False,
    node: Annotated[
        str | None, typer.Option("--node", help="Only this node's step; implies --once.")
    ] = None,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", help="Only nodes of this kind; repeatable.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", help="Only nodes with this tag; repeatable.")
    ] = None,
    lease: Annotated[
        str, typer.Option("--lease", help="How long a step is kept without news: 60s, 5m.")
    ] = "60s",
    workspace: Annotated[
        str | None, typer.Option("--workspace", help="Folder to work in; this one otherwise.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Say yes to every assertion; recorded as said so.")
    ] = False,
) -> int:
    """Work on a run's steps until nothing is left: claim, check, run, check, complete.

    A step's `command` is run where the workspace's gotn.toml allows it; otherwise its prompt is
    printed and the outcome taken from you, or left to `gotn run complete` and `gotn run fail`.
    Ends with 0, with 1 where a step failed, 4 where one was lost, 6 where one waits for an answer.
    """
    from gotn.cli.working import session  # noqa: PLC0415

    return session.work(
        call,
        id,
        session.Options(
            worker=worker,
            parallel=parallel,
            once=once,
            node=node,
            kinds=tuple(kind or ()),
            tags=tuple(tag or ()),
            lease=lease,
            workspace=workspace,
            yes=yes,
        ),
    )


def watch(call: Call, id: Run = None) -> int:
    """Follow a run that others execute, until it is over; 0 where it was completed.

    A picture of layers and steps on a terminal, a line a change elsewhere, and with --json the
    run and its steps once it is over.
    """
    from gotn.cli.working import session  # noqa: PLC0415

    return session.watch(call, id)
