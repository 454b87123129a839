"""gotn journal: tail, export, verify, replay."""

from typing import Annotated

import typer

from gotn.cli.call import Call
from gotn.cli.verb import group, verb
from gotn.cli.verbs.planning import Limit

app = group("journal", "Every change of a project, in order; it can rebuild the project.")

Output = Annotated[
    str, typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is the terminal.")
]


@verb(app, "tail", "gotn journal tail -p demo --limit 5", "gotn journal tail -p demo --follow")
def tail(
    call: Call,
    limit: Limit = 20,
    follow: Annotated[
        bool,
        typer.Option("--follow", "-f", help="Go on with each new one, a line each, until Ctrl-C."),
    ] = False,
) -> None:
    """Show the newest entries, the newest last.

    With --follow and --json each entry is one line of JSON. `counts` is false for what an import
    staged that did not finish.
    """
    from gotn.cli.show import things  # noqa: PLC0415

    if follow:
        from gotn.cli import tailing  # noqa: PLC0415

        tailing.follow(call, limit)
        return
    data = call.pages("JournalTail", limit, "entries")
    data["entries"].reverse()
    things.settle(data["entries"])
    call.answer(data, things.show_entries)


@verb(app, "export", "gotn journal export -p demo -o demo.journal.jsonl")
def export(call: Call, output: Output = "-") -> None:
    """Write the whole journal as JSONL, with every field: seq, hashes, actors."""
    from gotn.cli import exchanging  # noqa: PLC0415

    exchanging.export_journal(call, output)


@verb(app, "verify", "gotn journal verify -p demo")
def verify(call: Call) -> int:
    """Check the chain of hashes, and that replaying gives what the database holds."""
    from gotn.cli import exchanging  # noqa: PLC0415

    return exchanging.verify(call)


@verb(
    app,
    "replay",
    "gotn journal replay demo.journal.jsonl -p copy",
    "gotn journal replay --from-project demo -p copy",
)
def replay(
    call: Call,
    source: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", help="Exported JSONL or an original .gotn folder."),
    ] = None,
    from_project: Annotated[
        str | None, typer.Option("--from-project", help="Replay this project's journal instead.")
    ] = None,
    recover: Annotated[
        bool, typer.Option("--recover", help="Take what can be read of a damaged journal.")
    ] = False,
) -> None:
    """Rebuild an empty project from a journal; the digest is that of where it comes from."""
    from gotn.cli import exchanging  # noqa: PLC0415

    if (source is None) == (from_project is None):
        raise typer.BadParameter("give either a file or --from-project.")
    exchanging.replay(call, source, from_project, recover=recover)
