"""Cypher snippets of `cypher/fields/`: expressions and predicates that are part of a statement.

A file holds one snippet under comment lines; the first says what it gives. `this` stands
for the entity, `edge` for the relationship that led to it, `$project` for the project,
`$value` for a filter's value.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gotn import resources
from gotn.errors import UnknownQuery

_PARAMETER = re.compile(r"\$(\w+)")


@dataclass(frozen=True)
class Snippet:
    """A part of a statement: its name ("node_requires"), its text, what it is for."""

    name: str
    text: str
    summary: str

    def at(self, this: str, *, edge: str = "edge", value: str = "value") -> str:
        """The text with its final names; only whole words that stand for them change."""
        names = {"this": this, "edge": edge}
        text = re.sub(r"(?<![.$\w:'])(this|edge)\b", lambda m: names[m[1]], self.text)
        return _PARAMETER.sub(lambda m: f"${value}" if m[1] == "value" else m[0], text)


@cache
def table() -> dict[str, Snippet]:
    """Every snippet by name."""
    folder = resources.cypher() / "fields"
    return {path.stem: _read(path.stem, path.read_text("utf-8")) for path in _files(folder)}


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.cypher"))


def _read(name: str, text: str) -> Snippet:
    lines = text.splitlines()
    said = [line[2:].strip() for line in lines if line.startswith("//")]
    code = "\n".join(line for line in lines if not line.startswith("//")).strip()
    if not said or not code:
        raise UnknownQuery(f"cypher/fields/{name}.cypher needs a comment and a snippet.")
    return Snippet(name, code, said[0])


@cache
def named(name: str) -> Snippet:
    """The snippet of this name; UnknownQuery where there is none."""
    try:
        return table()[name]
    except KeyError:
        raise UnknownQuery(f"There is no snippet cypher/fields/{name}.cypher.") from None
