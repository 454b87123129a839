"""The complexity of operations: the formula's examples, its bound, and what it may cost."""

import re
import time
from typing import Any

import pytest
from graphql import (
    GraphQLInterfaceType,
    GraphQLObjectType,
    get_introspection_query,
    get_named_type,
    is_composite_type,
    is_list_type,
    parse,
    validate,
)
from graphql.type import get_nullable_type

from gotn.api import complexity
from gotn.api.complexity import LISTS, Meter, is_page
from gotn.api.limits import Limits
from gotn.api.rules import NESTING, rule
from gotn.api.schema import schema

CORE = schema()._schema
EXAMPLES = re.findall(r"^    (\{.*\}) +(\d+)$", complexity.__doc__ or "", re.MULTILINE)


def of(text: str, **variables: Any) -> int:
    """The complexity of a valid document."""
    document = parse(text)
    assert validate(CORE, document) == []
    return Meter(CORE).of(text, document, None, variables)


@pytest.mark.parametrize(("text", "expected"), EXAMPLES)
def test_the_examples_of_the_formula(text: str, expected: str) -> None:
    """What the documentation works out is what is computed."""
    assert of(text) == int(expected)
    assert len(EXAMPLES) == 5


@pytest.mark.parametrize(
    ("expected", "variables"),
    [
        (52, {}),
        (9, {"n": 7}),
        (9, {"n": 7.0}),
        (2, {"n": 0}),
        (2, {"n": -5}),
        (502, {"n": 10**12}),
        (52, {"n": None}),
        (52, {"n": "7"}),
        (52, {"n": True}),
        (52, {"n": [9]}),
        (52, {"n": float("nan")}),
        (52, {"n": float("inf")}),
    ],
)
def test_first_as_a_variable(expected: int, variables: dict[str, Any]) -> None:
    """The request's value counts, at most a page; what GraphQL refuses counts as usual."""
    text = "query Q($n: Int! = 50) { workNodes(first: $n) { nodes { id } } }"
    assert of(text, **variables) == expected


def test_a_variables_own_default_counts() -> None:
    """`$n: Int! = 3` is 3 where the request says nothing."""
    text = "query Q($n: Int! = 3) { workNodes(first: $n) { nodes { id } } }"
    assert of(text) == 5


def test_one_document_and_other_variables() -> None:
    """What is kept of a document is kept for each value of the variables that count."""
    text = """query Q($n: Int!, $m: Int!, $p: String!) {
      workNodes(project: $p, first: $n) { nodes { children(first: $m) { nodes { id } } } } }"""
    meter, document = Meter(CORE), parse(text)
    for n, m, expected in ((10, 10, 122), (2, 10, 26), (10, 2, 42), (10, 10, 122)):
        for project in ("a", "b"):
            given = {"n": n, "m": m, "p": project}
            assert meter.of(text, document, None, given) == expected
    assert len(meter._totals) == 3


def test_only_the_named_operation_counts() -> None:
    """A document may hold several; the one that runs is measured."""
    text = "query A { version } query B { workNodes { nodes { id } } }"
    document, meter = parse(text), Meter(CORE)
    assert [meter.of(text, document, name, {}) for name in ("A", "B", "C")] == [1, 52, 0]


def test_fragments_count_at_each_use_and_in_the_page_they_stand_in() -> None:
    """Fragments on a page, on its edge and on an interface multiply by the `first` around them."""
    text = """{ a: workNodes(first: 10) { ...P } b: workNodes(first: 3) { ...P } }
      fragment P on WorkNodeConnection { ... on Connection { totalCount } nodes { ...N } }
      fragment N on WorkNode { id ... on Node { id } ... { kind } }"""
    assert of(text) == (1 + 1 + 1 + 10 * 3) + (1 + 1 + 1 + 3 * 3)


def test_a_list_without_pages_counts_first_times() -> None:
    """What is below such a list is there once a row."""
    assert of('{ readySteps(runId: "r", first: 10) { nodeId node { id } } }') == 1 + 10 * 3
    assert of('{ nextSteps(runId: "r") { reason step { nodeId } } }') == 1 + 50 * 3


def test_a_fragment_bomb_is_counted_in_no_time() -> None:
    """Fragments that use each other twice are counted once each, however large the number."""
    depth = 90
    text = "{ ...A0 }" + "".join(
        f" fragment A{i} on Query {{ ...A{i + 1} ...A{i + 1} }}" for i in range(depth)
    )
    text += f" fragment A{depth} on Query {{ version }}"
    start = time.perf_counter()
    assert Meter(CORE).of(text, parse(text), None, {}) == 2**depth
    assert time.perf_counter() - start < 1


def test_what_is_kept_is_bounded() -> None:
    """Many documents and values are forgotten again, and long documents are not kept."""
    text = "query Q($n: Int!) { workNodes(first: $n) { nodes { id } } }"
    meter, document = Meter(CORE), parse(text)
    for number in range(5000):
        meter.of(text, document, None, {"n": number})
    assert 0 < len(meter._totals) <= complexity._KEPT
    meter.of(text + " " * complexity._KEPT_TEXT, document, None, {"n": 1})
    assert len(meter._names) == 1


def _lists() -> dict[str, Any]:
    """Every field that is a list of objects and takes no `first`, by Type.field."""
    found = {}
    for kind in CORE.type_map.values():
        if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
            for name, field in kind.fields.items():
                listed = is_list_type(get_nullable_type(field.type))
                rows = listed and "first" not in field.args
                if rows and is_composite_type(get_named_type(field.type)):
                    found[f"{kind.name}.{name}"] = kind
    return found


def test_every_list_has_its_length() -> None:
    """Each list of objects is a page's rows or stands in the table, and nothing else does."""
    pages = {place for place, kind in _lists().items() if is_page(kind)}
    assert {place.rpartition(".")[2] for place in pages} == {"edges", "nodes"}
    others = set(_lists()) - pages
    about_schema = set(complexity.introspection(CORE))
    assert {place for place in others if place.startswith("__")} <= about_schema
    assert {place for place in others if not place.startswith("__")} == set(LISTS)


def test_every_page_is_asked_for_with_first() -> None:
    """A field that gives a page takes `first`: no rows are multiplied by nothing."""
    for kind in CORE.type_map.values():
        if isinstance(kind, GraphQLObjectType):
            for name, field in kind.fields.items():
                if is_page(get_named_type(field.type)):
                    assert "first" in field.args, f"{kind.name}.{name}"


def test_the_schema_about_itself_has_a_price() -> None:
    """The tools' usual query passes, one that goes round in it does not."""
    usual = get_introspection_query(input_value_deprecation=True, specified_by_url=True)
    assert of(usual) <= Limits().complexity
    walk = "type { ...D }"
    text = "{ __schema { types { " + " ".join(
        f"a{i}: fields {{ type {{ fields {{ {walk} args {{ {walk} }} }} }} }}" for i in range(9)
    )
    deep = "ofType { kind name " * 9 + "kind" + "}" * 9
    text += f" }} }} }} fragment D on __Type {{ kind name {deep} }}"
    assert of(text) > Limits().complexity


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{" + "... {" * 120 + "version" + "}" * 120 + "}", "nesting"),
        (
            "{ ...A0 }"
            + "".join(f" fragment A{i} on Query {{ ...A{i + 1} }}" for i in range(600))
            + " fragment A600 on Query { version }",
            "nesting",
        ),
        ("{ workNode(id: 1) {" + "parent {" * 12 + "id" + "}" * 12 + "} }", "depth"),
        ("{" + " version" * 1001 + "}", "fields"),
        (
            "{ __schema {" + " ".join(f"t{i}: types {{ name }}" for i in range(31)) + "} }",
            "aliases",
        ),
    ],
)
def test_a_document_above_a_limit_is_refused_alone_and_at_once(text: str, what: str) -> None:
    """One error, with its facts, and no other rule has looked at the document."""
    start = time.perf_counter()
    (error,) = validate(CORE, parse(text), [rule(Limits())])
    assert time.perf_counter() - start < 1
    extensions = error.extensions or {}
    assert (extensions["code"], extensions["what"]) == ("LIMIT", what)
    assert extensions["limit"] == (NESTING if what == "nesting" else getattr(Limits(), what))


@pytest.mark.parametrize(
    "text",
    [
        "{ ...A } fragment A on Query { ...A }",
        "{ ...A } fragment A on Query { ...B } fragment B on Query { version ...A }",
        "{ ...Nowhere }",
        "{ a { b } } fragment A on Query { version ...A }",
    ],
)
def test_cyclic_and_missing_fragments_are_other_rules_to_refuse(text: str) -> None:
    """Measuring them ends, and GraphQL's own rules say what is wrong."""
    document = parse(text)
    assert validate(CORE, document, [rule(Limits())]) == []
    assert validate(CORE, document) != []


def test_an_absent_variable_is_not_null() -> None:
    """A request that is refused for its null does not lend its number to one with the default."""
    text = """query($n: Int = 500) { workNodes(first: $n) { nodes {
        children(first: $n) { nodes { id } } } } }"""
    document, meter = parse(text), Meter(CORE)
    least = meter.of(text, document, None, {"n": None})
    most = meter.of(text, document, None, {})
    assert most == Meter(CORE).of(text, document, None, {})
    assert least < most
