"""Where the files that travel beside the code are: in the wheel, or in a checkout."""

from functools import cache
from importlib.resources import files
from pathlib import Path


@cache
def root() -> Path:
    """The folder that holds `cypher/` and `graphql/`.

    An installed wheel carries them in `gotn/_data`; a checkout has them at its root. An
    editable install leaves a stale copy elsewhere, which is never looked at.
    """
    package = Path(str(files("gotn")))
    packed = package / "_data"
    return packed if packed.is_dir() else package.parents[1]


def cypher() -> Path:
    """The folder of queries and migrations."""
    return root() / "cypher"


def graphql() -> Path:
    """The folder of the exported schema and the named operations."""
    return root() / "graphql"
