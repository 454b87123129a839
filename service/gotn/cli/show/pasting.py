"""Statements of ours to paste into Neo4j Browser, with their values in them."""

import re
from typing import TYPE_CHECKING

from gotn import shapes
from gotn.cli.show import parts
from gotn.database import queries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

_PARAMETER = re.compile(r"\$(\w+)")


def statement(name: str, **values: str) -> str:
    """A query of `cypher/` under the line that says what it does, with these texts in it.

    One statement, so that Browser draws it: after a `:param` line it would only say that it ran.
    """
    query = queries.named(name)
    query.check(values)
    lines = query.text.strip().splitlines()
    said = "\n".join(line for line in lines if not line.startswith("//"))
    return f"{lines[0]}\n{_PARAMETER.sub(lambda found: shapes.dumps(values[found[1]]), said)}"


def show(statements: "Sequence[str]", console: "Console") -> None:
    """One below the other, each on lines of its own: wrapped ones could not be pasted."""
    if not statements:
        return
    parts.heading(console, "Draw it", "paste one into Neo4j Browser")
    for one in statements:
        console.print(one, markup=False, highlight=False, soft_wrap=True)
        console.print()
