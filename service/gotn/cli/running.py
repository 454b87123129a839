"""One command from its arguments to its exit code: nothing but our own words gets out."""

import sys
import warnings
from collections.abc import Sequence
from typing import Any

from gotn.cli import failing, garbage

#: 128 + SIGINT, as shells have it.
INTERRUPTED = 130


def run(arguments: Sequence[str] | None = None) -> int:
    """The exit code of a command. What the verb raises is printed by the verb itself."""
    import typer.main  # noqa: PLC0415

    from gotn.cli.app import app  # noqa: PLC0415

    garbage.importing()
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # libraries' words to programmers, not to users
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code: Any = typer.main.get_command(app).main(given, prog_name="gotn", standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return failing.nobody_reads()
    except typer.Abort:
        return failing.plain("aborted", 1)
    except Exception as error:  # noqa: BLE001  # usage errors; their class is Typer's own affair
        return failing.usage(error, given)
    return code if isinstance(code, int) else 0
