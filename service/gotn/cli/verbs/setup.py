"""The set-up itself: config show, doctor, help, completion."""

from enum import StrEnum
from typing import Annotated

import typer

from gotn.cli.call import Call
from gotn.cli.verb import group, verb

config = group("config", "What is set, and where it comes from.")


class Shell(StrEnum):
    """Shells that can complete our words."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"
    powershell = "powershell"


def register(app: typer.Typer) -> None:
    """Add these verbs."""
    verb(
        app,
        "doctor",
        "gotn doctor",
        "gotn doctor -p demo --json",
        "gotn doctor -p demo --adopt",
    )(doctor)
    verb(app, "help", "gotn help", "gotn help --json")(help_)
    verb(app, "completion", "gotn completion bash > ~/.local/share/bash-completion/gotn")(
        completion
    )
    app.add_typer(config, rich_help_panel="Things")


def doctor(
    call: Call,
    adopt: Annotated[
        bool,
        typer.Option("--adopt", help="First take changes made by hand over into the journal."),
    ] = False,
) -> int:
    """Check the set-up and every invariant of the stored graphs, and say how to mend them.

    Every project is examined, or with -p only that one. Exits with 1 if anything is wrong.
    """
    from gotn.cli import doctor as checks  # noqa: PLC0415

    if adopt:
        checks.adopt(call)
    return checks.examine(call)


@verb(config, "show", "gotn config show")
def show(call: Call) -> None:
    """Print every setting with its value and its origin; secrets are masked."""
    from gotn.cli import configuration  # noqa: PLC0415

    configuration.show(call)


def help_(
    call: Call,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[VERB]…", help="The verb to explain.")
    ] = None,
) -> None:
    """Explain a verb; with --json, print the tree of all commands."""
    from gotn.cli import helping  # noqa: PLC0415

    helping.explain(call, words or [])


def completion(
    call: Call, shell: Annotated[Shell, typer.Argument(help="The shell that will complete.")]
) -> None:
    """Print the script that makes a shell complete gotn's words."""
    from typer import completion as scripts  # noqa: PLC0415

    script = scripts.get_completion_script(  # type: ignore[attr-defined]  # imported there
        prog_name="gotn", complete_var="_GOTN_COMPLETE", shell=shell.value
    )
    call.answer({"shell": shell.value, "script": script}, lambda data, _: print(data["script"]))
