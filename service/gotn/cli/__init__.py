"""The command line: `gotn VERB`. Nothing heavy is imported before a verb needs it."""

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and end the process with its exit code."""
    from gotn.cli.running import run  # noqa: PLC0415  # Typer only when the command runs

    raise SystemExit(run(arguments))
