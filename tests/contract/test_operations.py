"""The named operations are valid, small enough for a server, and each stands once."""

from collections import Counter

import pytest
from graphql import FieldNode, OperationDefinitionNode, parse, validate

from gotn.api import operations
from gotn.api.complexity import Meter
from gotn.api.limits import Limits
from gotn.api.rules import rule
from gotn.api.schema import schema

NAMES = sorted(operations.table())


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_is_valid_within_the_limits(name: str) -> None:
    """It fits the schema, and a server's usual limits let it through."""
    limits = Limits()
    document = parse(operations.text(name), max_tokens=limits.tokens)
    core = schema()._schema
    assert validate(core, document) == []
    assert validate(core, document, [rule(limits)]) == []
    assert Meter(core).of("", document, name, {"first": 500}) <= limits.complexity


def test_names_are_unique() -> None:
    """No two files have an operation of the same name, and every operation has one."""
    names = [
        one.name.value if one.name else ""
        for document in operations.documents().values()
        for one in document.definitions
        if isinstance(one, OperationDefinitionNode)
    ]
    assert [name for name, count in Counter(names).items() if count > 1 or not name] == []
    assert sorted(names) == NAMES


def test_every_root_field_has_an_operation() -> None:
    """What the API can do, a named operation shows."""
    core = schema()._schema
    assert core.query_type is not None
    assert core.mutation_type is not None
    asked = {
        field.name.value
        for document in operations.documents().values()
        for one in document.definitions
        if isinstance(one, OperationDefinitionNode)
        for field in one.selection_set.selections
        if isinstance(field, FieldNode)
    }
    assert {*core.query_type.fields, *core.mutation_type.fields} - asked == {"node"}


def test_a_mutation_asks_for_its_errors() -> None:
    """Without the error's members a refused write would look like an empty answer."""
    for name in NAMES:
        text = operations.text(name)
        if text.startswith("mutation"):
            assert "on Error" in text, name
            assert "code" in text, name
