"""Documents in and out: import, export."""

from enum import StrEnum
from typing import Annotated

import typer

from gotn.cli.call import Call
from gotn.cli.verb import verb
from gotn.cli.verbs.journal import Output


class Source(StrEnum):
    """What a document that comes in is."""

    auto = "auto"
    gotn = "gotn"
    beads = "beads"
    taskmaster = "taskmaster"


class Style(StrEnum):
    """What a graph is written as."""

    gotn = "gotn"
    jsonl = "jsonl"
    dot = "dot"
    mermaid = "mermaid"


def register(app: typer.Typer) -> None:
    """Add these verbs."""
    verb(
        app,
        "import",
        "gotn import plan.json -p demo --link",
        "gotn import issues.jsonl --format beads --dry-run",
        "gotn import .taskmaster/tasks/tasks.json -p tasks",
        "gotn import --abort -p demo",
    )(import_)
    verb(app, "export", "gotn export -p demo -o plan.json", "gotn export --format jsonl")(export)


def import_(
    call: Call,
    file: Annotated[
        str | None, typer.Argument(help="A file, an original .gotn folder, or - for stdin.")
    ] = None,
    format: Annotated[
        Source, typer.Option("--format", help="What it is; auto looks for itself.")
    ] = Source.auto,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would happen, with up to 1,000 violations.")
    ] = False,
    flag_cycles: Annotated[
        bool, typer.Option("--flag-cycles", help="Keep edges that close a cycle, flagged.")
    ] = False,
    link: Annotated[
        bool, typer.Option("--link", help="Derive edges from tags in the same transaction.")
    ] = False,
    abort: Annotated[
        bool, typer.Option("--abort", help="Take away what an unfinished large import staged.")
    ] = False,
) -> None:
    """Take in a document: all of it or nothing. The same again changes nothing.

    A large one that was cut short goes on where it was when it is imported again.
    """
    from gotn.cli import exchanging  # noqa: PLC0415

    if abort:
        exchanging.abort(call)
        return
    if file is None:
        raise typer.BadParameter("expected a file, a folder or -, found none", param_hint="FILE")

    exchanging.import_file(
        call, file, format.value, dry_run=dry_run, flag_cycles=flag_cycles, derive=link
    )


def export(
    call: Call,
    format: Annotated[Style, typer.Option("--format", help="How to write it.")] = Style.gotn,
    journal: Annotated[
        bool, typer.Option("--journal", help="With the journal, in the document's own form.")
    ] = False,
    output: Output = "-",
) -> None:
    """Write a project as a document; an untouched import comes out as it went in.

    dot and mermaid draw all of it, without the runs; `gotn graph` draws a part.
    """
    if journal and format in (Style.dot, Style.mermaid):
        raise typer.BadParameter(f"a diagram has no journal: leave out --journal or {format}")
    from gotn.cli import exchanging  # noqa: PLC0415

    exchanging.export(call, format.value, output, with_journal=journal)
