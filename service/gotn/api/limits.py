"""What one operation may ask for, and where each limit is held.

    nesting     selections and fragments in each other    before validation, `rules`
    introspection  lists of the schema about itself        by validation, graphql-core's
    depth       fields below each other                   before validation, `rules`
    aliases     new names for fields                      before validation, `rules`
    fields      fields of the document                    before validation, `rules`
    tokens      words and signs of the document           while it is parsed
    complexity  values of the answer, at most             before execution, `complexity`
    time        seconds for all of it                     `schema`; statements end by it too

Each is refused with the code LIMIT and the same facts: `what` as above, `limit`, `found`, and
`setting`, which sets it. The size of a request is `server.size`'s.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Limits:
    """What one operation may ask for."""

    #: Fields below each other.
    depth: int = 12
    #: Aliases, each use of a fragment counted.
    aliases: int = 30
    tokens: int = 5000
    #: Fields that the document selects, each use of a fragment counted.
    fields: int = 1000
    #: Values that the answer can have, at most; see `complexity`.
    complexity: int = 300_000
    #: Seconds from the first byte parsed to the last value read.
    seconds: float = 30.0


#: Limits that no setting moves.
FIXED = frozenset(("nesting", "introspection"))


def facts(what: str, limit: float, found: float | None) -> dict[str, Any]:
    """What a program is told about a limit that was reached, beside the message."""
    name = {"time": "seconds"}.get(what, what)
    setting = None if what in FIXED else f"GOTN_MAX_{name.upper()}"
    return {"code": "LIMIT", "what": what, "limit": limit, "found": found, "setting": setting}
