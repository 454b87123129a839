"""gotn project: list, show, settings, remove."""

import contextlib
import math
from typing import Annotated

import typer

from gotn.cli.call import Call
from gotn.cli.failing import Misused
from gotn.cli.verb import group, verb
from gotn.cli.verbs.planning import Limit

app = group("project", "Spaces of their own: every id, edge and journal belongs to one project.")

Name = Annotated[
    str | None, typer.Argument(metavar="[PROJECT]", help="The project; default: that of -p.")
]


def _chosen(call: Call, name: str | None) -> None:
    call.choose(name)


@verb(app, "list", "gotn project list")
def list_(call: Call, limit: Limit = 50) -> None:
    """List the projects."""
    from gotn.cli.show import things  # noqa: PLC0415

    call.answer(call.pages("ProjectList", limit, "projects"), things.show_projects)


@verb(app, "show", "gotn project show demo")
def show(call: Call, name: Name = None) -> None:
    """Show a project: how much it holds, its settings."""
    from gotn.cli.show import things  # noqa: PLC0415

    _chosen(call, name)
    call.answer(call.ask("ProjectShow"), things.show_project)


@verb(
    app,
    "settings",
    "gotn project settings description='Our next release' -p demo",
    "gotn project settings soft_k=8 soft_threshold=0.7 -p demo",
)
def settings(
    call: Call,
    change: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME=VALUE]…", help="What to set; an empty value takes it away."),
    ] = None,
) -> None:
    """Show a project's settings, or change some."""
    from gotn.cli.show import things  # noqa: PLC0415

    pairs = [_pair(text) for text in change or ()]
    if not pairs:
        call.answer(call.ask("ProjectShow"), things.show_settings)
        return
    changes = {name: _value(name, value) for name, value in pairs}
    call.answer(call.change("ProjectSettings", settings=changes), things.show_settings)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise typer.BadParameter(f"expected NAME=VALUE, found {text!r}.")
    return name, value


def _value(name: str, text: str) -> str | float | None:
    """What a setting is set to; a text that is no number is left for the service to refuse."""
    if name in ("soft_k", "soft_threshold"):
        with contextlib.suppress(ValueError):
            number = int(text) if text.isdigit() else float(text)
            return number if math.isfinite(number) else text
    return text or None


@verb(app, "remove", "gotn project remove scratch --yes")
def remove(
    call: Call,
    name: Name = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove a project with everything it holds, its journal included. There is no way back."""
    import sys  # noqa: PLC0415

    from gotn.cli.show import things  # noqa: PLC0415

    _chosen(call, name)
    if not yes:
        if call.as_json or not sys.stdin.isatty():
            raise Misused(f"This removes project {call.project!r} for good: give --yes.")
        typer.confirm(f"Remove project {call.project!r} with everything in it?", abort=True)
    call.answer(call.change("ProjectRemove"), things.show_removed_project)
