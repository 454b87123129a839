"""The error tree is drawn as it is, and every error of the driver has one of ours."""

import inspect
import re
from collections.abc import Iterator

import neo4j.exceptions
import pytest

from gotn import errors
from gotn.database import connection
from gotn.errors import GotnError, ProgrammingError

#: The driver's errors that only a mistake of ours can bring about.
OURS = {
    "CypherSyntaxError",
    "CypherTypeError",
    "GqlError",
    "Neo4jError",
    "ClientError",
    "DatabaseError",
}


def _below(error: type[GotnError]) -> Iterator[type[GotnError]]:
    for one in error.__subclasses__():
        yield one
        yield from _below(one)


def drawn() -> dict[str, str]:
    """Each class in the module's drawing, with the one above it."""
    above: list[str] = []
    found: dict[str, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        if match := re.match(r"    ([│├└─ ]*)([A-Z]\w+)", line):
            depth = len(match[1]) // 4
            found[match[2]] = above[depth - 1] if depth else ""
            above[depth:] = [match[2]]
    return found


def test_drawing_is_the_tree() -> None:
    """No class is missing in the drawing, none stands elsewhere."""
    ours: list[type[GotnError]] = [GotnError]
    ours += [one for one in _below(GotnError) if one.__module__ == "gotn.errors"]
    real = {one.__name__: one.__mro__[1].__name__ for one in ours} | {"GotnError": ""}
    assert drawn() == real


@pytest.mark.parametrize("name", drawn())
def test_every_error_has_a_message_and_a_code(name: str) -> None:
    """The docstring is a sentence a person can read, the code is in capitals."""
    found = getattr(errors, name)
    assert found.__doc__.strip().splitlines()[0].endswith(".")
    assert re.fullmatch(r"[A-Z_]+", found.code)
    assert str(found()) == found.__doc__.strip().splitlines()[0]
    assert 1 <= found.exit_code <= 8


def _driver_errors() -> list[type[Exception]]:
    every = [one for _, one in inspect.getmembers(neo4j.exceptions, inspect.isclass)]
    return sorted(
        {one for one in every if issubclass(one, Exception) and not issubclass(one, Warning)},
        key=lambda one: one.__name__,
    )


@pytest.mark.parametrize("theirs", _driver_errors(), ids=lambda one: one.__name__)
def test_every_driver_error_is_translated(theirs: type[Exception]) -> None:
    """A class that a new driver brings is found here: it must be mapped, or listed as ours."""
    ours = connection.translate(theirs.__new__(theirs))
    assert isinstance(ours, GotnError)
    assert isinstance(ours, ProgrammingError) == (theirs.__name__ in OURS), type(ours)
