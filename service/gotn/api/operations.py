"""The named operations of `graphql/operations/`: what the command line and the tests send."""

from functools import cache

from graphql import DocumentNode, parse, print_ast
from graphql.utilities import separate_operations

from gotn import resources
from gotn.errors import UnknownQuery


@cache
def documents() -> dict[str, DocumentNode]:
    """Each file as a document, by its name; a fragment belongs to its file."""
    folder = resources.graphql() / "operations"
    return {path.stem: parse(path.read_text("utf-8")) for path in sorted(folder.glob("*.graphql"))}


@cache
def table() -> dict[str, DocumentNode]:
    """Each operation with just the fragments it uses, by its name."""
    found: dict[str, DocumentNode] = {}
    for document in documents().values():
        found |= separate_operations(document)
    return found


@cache
def text(name: str) -> str:
    """The text of a named operation; UnknownQuery where there is none."""
    try:
        return print_ast(table()[name])
    except KeyError:
        raise UnknownQuery(f"There is no operation {name} in graphql/operations.") from None
