"""How verbs draw: the format and file that were asked for, and what had to be left out."""

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gotn.cli.call import Call
from gotn.cli.verb import Options

if TYPE_CHECKING:
    from rich.console import Console

    from gotn.cli.views.picture import Picture

Row = dict[str, Any]
#: Nodes that a diagram shows unless somebody asks for more, and at most: as many as can be
#: read, and as Mermaid draws with its usual limits.
USUAL, MOST = 100, 500


class Format(StrEnum):
    """How a graph is shown."""

    tree = "tree"
    mermaid = "mermaid"
    dot = "dot"


class Way(StrEnum):
    """Which way a diagram grows."""

    right = "right"
    down = "down"


#: The options of verbs that draw.
OPTIONS: Options = {
    "format": (
        Annotated[
            Format,
            typer.Option("--format", help="For a terminal, or as a Mermaid or Graphviz diagram."),
        ],
        Format.tree,
    ),
    "direction": (
        Annotated[Way, typer.Option("--direction", help="Which way a diagram grows.")],
        Way.right,
    ),
    "limit": (
        Annotated[
            int, typer.Option("--limit", min=1, max=MOST, help="Nodes that a diagram shows.")
        ],
        USUAL,
    ),
    "output": (
        Annotated[
            str,
            typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is here."),
        ],
        "-",
    ),
}


def is_diagram(call: Call, fields: Row) -> bool:
    """Whether a diagram is wanted; with --json the answer stays data."""
    return not call.as_json and fields["format"] is not Format.tree


def part(call: Call, **scope: Any) -> Row:
    """Some nodes and the edges between them."""
    found: Row = call.ask("Subgraph", **scope)
    return found


def answer(call: Call, data: Any, show: Callable[[Any, "Console"], None], output: str) -> None:
    """For a terminal, or the same without colours in a file; programs get the data."""
    from gotn.cli.show.terminal import Terminal  # noqa: PLC0415

    if output == "-":
        call.answer(data, show)
        return
    with _opened(output) as file:
        if call.as_json:
            file.write(call.envelope(data) + "\n")
        else:
            show(data, Terminal(file=file, width=call.console.width, highlight=False))


def draw(call: Call, picture: "Picture", fields: Row) -> None:
    """Write a picture in the format and to the file that were asked for."""
    text = written(call, picture, fields["format"].value, fields["direction"].value)
    with _opened(fields["output"]) as file:
        file.write(text)
    if fields["output"] != "-":
        call.note(f"Written: {fields['output']}")


def written(call: Call, picture: "Picture", style: str, direction: str = "right") -> str:
    """A picture's text; what Mermaid would not draw is said."""
    from gotn.cli.views import dot, mermaid  # noqa: PLC0415
    from gotn.cli.views.picture import Direction  # noqa: PLC0415

    if style == "dot":
        return dot.write(picture, Direction(direction))
    text = mermaid.write(picture, Direction(direction))
    if reason := mermaid.too_much(text):
        call.note(f"This diagram has {reason}.")
    return text


def _opened(path: str) -> Any:
    from gotn.cli import output  # noqa: PLC0415

    return output.opened(path)


def left_out(call: Call, shown: int, total: int | None, hint: str = "") -> None:
    """Say on stderr that there is more than is shown."""
    if total is None or total > shown:
        of = f" of {total:,}" if total is not None else ""
        call.note(f"Only {shown:,}{of} nodes are shown{hint}; --limit shows up to {MOST}.")
