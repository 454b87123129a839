"""Every Cypher statement, loaded once, checked, and known by its path.

A file under `cypher/` is one statement under a header of comment lines: the first says in
one sentence what it does, `// params: a, b` names its parameters (or `none`),
`// returns: …` its columns, and `// :param {…}` gives values to paste into Neo4j Browser.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, LiteralString

from gotn import resources
from gotn.errors import UnknownQuery, WrongParameters

_NOT_CODE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`[^`]*`""", re.DOTALL
)
_PARAMETER = re.compile(r"\$(\w+)")
_WRITES = re.compile(r"\b(CREATE|MERGE|SET|DELETE|REMOVE)\b")


@dataclass(frozen=True)
class Query:
    """One statement: its name ("work/put_nodes"), text, parameters and what it is for."""

    name: str
    text: LiteralString
    parameters: frozenset[str]
    summary: str
    #: Whether it can change the graph.
    writes: bool = False

    def check(self, given: dict[str, Any]) -> None:
        """Refuse anything but exactly the declared parameters."""
        if given.keys() != self.parameters:
            missing, unknown = self.parameters - given.keys(), given.keys() - self.parameters
            raise WrongParameters(
                f"{self.name}: missing {sorted(missing)}, unknown {sorted(unknown)}"
            )


def code(text: str) -> str:
    """The statement without comments, strings and quoted names."""
    return _NOT_CODE.sub(" ", text)


def read(path: Path, name: str) -> Query:
    """Load one file; a header that disagrees with the statement is a WrongParameters."""
    text = path.read_text(encoding="utf-8")
    header = [line[2:].strip() for line in text.splitlines() if line.startswith("//")]
    labelled = dict(line.split(": ", 1) for line in header if re.match(r"(params|returns): ", line))
    if not header or labelled.keys() != {"params", "returns"}:
        raise WrongParameters(f"{path.name}: the header needs a sentence, params and returns")
    declared = frozenset(re.findall(r"\w+", labelled["params"])) - {"none"}
    found = frozenset(_PARAMETER.findall(code(text)))
    if declared != found:
        raise WrongParameters(f"{name}: declares {sorted(declared)}, uses {sorted(found)}")
    return Query(name, text, declared, header[0], bool(_WRITES.search(code(text))))


@cache
def table() -> dict[str, Query]:
    """Every query by name, sorted; migrations and field snippets are not queries."""
    base = resources.cypher()
    names = (path.relative_to(base).with_suffix("").as_posix() for path in base.rglob("*.cypher"))
    return {
        name: read(base / f"{name}.cypher", name)
        for name in sorted(names)
        if not name.startswith(("migrations/", "fields/"))
    }


def named(name: str) -> Query:
    """The query of this name; UnknownQuery if there is none."""
    try:
        return table()[name]
    except KeyError:
        raise UnknownQuery(f"There is no query cypher/{name}.cypher.") from None


def trusted(statement: str) -> LiteralString:
    """A statement out of a migration file, which is ours too."""
    return statement
