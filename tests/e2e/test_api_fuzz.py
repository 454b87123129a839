"""Random operations against the real Neo4j: no 500, no hang, no error that was not foreseen.

Few and always the same ones here; GOTN_TEST_PROFILE=fuzz (`make fuzz`) makes many random ones.
"""

import asyncio
import gc
import json
import os
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Callable
from typing import Any

import graphql
import httpx2
import pytest
import schemathesis
from e2e.conftest import Api, edge, node
from graphql import parse, print_ast, visit
from graphql.language import (
    ArgumentNode,
    FloatValueNode,
    IntValueNode,
    NameNode,
    ObjectFieldNode,
    ObjectValueNode,
    StringValueNode,
    Visitor,
)
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis_graphql import Mode, from_schema, nodes
from schemathesis.checks import content_type_conformance, response_schema_conformance

from gotn import errors
from gotn.api import client, masking, operations
from gotn.api.schema import schema

#: The driver's socket, see `judge`.
pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed <socket:ResourceWarning",
    "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning",
)
FUZZ = os.environ.get("GOTN_TEST_PROFILE") == "fuzz"
CORE = graphql.build_schema(schema().as_str())
#: What a caller may be told; anything else is a mistake of ours.
CODES = {
    cls.code
    for cls in client._classes().values()
    if issubclass(cls, errors.NotFound | errors.Invalid | errors.Conflict | errors.Forbidden)
} | {errors.EncoderUnavailable.code}
#: Seconds that one operation of a tiny project may take.
PATIENCE = 10.0


def profile(few: int, many: int) -> settings:
    """Few fixed examples, or many random ones."""
    return settings(
        max_examples=many if FUZZ else few,
        derandomize=not FUZZ,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink) if FUZZ else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )


@pytest.fixture
def unexpected(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was masked, with its cause."""
    causes: list[Any] = []
    monkeypatch.setattr(masking.log, "error", lambda *_, exc_info, **__: causes.append(exc_info))
    return causes


class Judge:
    """Sends operations and holds every answer to what was promised."""

    def __init__(self, api: Api, unexpected: list[Any]) -> None:
        self.api = api
        self.unexpected = unexpected
        self.answered = 0

    async def send(self, content: bytes) -> httpx2.Response:
        """The answer to a body; the test fails where it is not a foreseen one."""
        headers = {"content-type": "application/json"}
        start = time.perf_counter()
        answer = await self.api.client.post("/graphql", content=content, headers=headers)
        assert time.perf_counter() - start < PATIENCE, "this took too long"
        assert self.unexpected == [], self.unexpected
        assert answer.status_code in {200, 400}, (answer.status_code, answer.text)
        assert answer.headers["content-type"] == "application/json"
        found = answer.json()
        if answer.status_code == 400:
            assert (found["code"], bool(found["message"])) == ("INVALID", True)
            return answer
        assert set(found) <= {"data", "errors", "extensions"}, found
        assert "data" in found
        assert found["data"] is not None or found["errors"]
        for error in found.get("errors", ()):
            assert error["message"], error
            assert error["extensions"]["code"] in CODES, error
            assert len(error["message"]) < 10_000, error["message"][:200]
        self.answered += not found.get("errors")
        return answer

    async def ask(self, query: str, variables: Any = None) -> httpx2.Response:
        """The same for a document."""
        body = {"query": query, "variables": variables}
        return await self.send(json.dumps(body).encode("utf-8", "surrogatepass"))


@pytest.fixture
async def judge(api: Api, unexpected: list[Any]) -> AsyncIterator[Judge]:
    """A judge over a small graph with everything in it."""
    await api.graph(
        [
            node("a", tags=["t"], produces=["P"], extra={"x": [1]}),
            node("b", requires=["P"], parent="a"),
            node("c", children=["d"]),
        ],
        [edge("a", "b"), edge("a", "c", type="RELATED", kind="see")],
        link=True,
    )
    await api.run("Plan", input={})
    # The driver leaves a socket to the garbage collector when it is cancelled while it connects,
    # as fields are whose sibling failed; most connections are there before, hence.
    await asyncio.gather(*(api.read("project(project: $p) { seq }") for _ in range(40)))
    yield Judge(api, unexpected)
    gc.collect()  # what it left is told of here, where it is expected, and in no later test


def _text(value: Any) -> StringValueNode:
    return StringValueNode(value=value)


MOMENTS = st.one_of(
    st.datetimes(timezones=st.timezones()).map(lambda when: when.isoformat()),
    st.sampled_from(["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59.999999-23:59", "now", ""]),
    st.text(max_size=5),
)
NUMBERS = st.sampled_from(["1e400", "-1e400", "1e-400", "-0.0", "1.5", "123456789012345678901.5"])
LEAVES = st.one_of(
    st.text(max_size=5).map(_text),
    st.integers().map(lambda n: IntValueNode(value=str(n))),
    st.integers(2**60, 2**200).map(lambda n: IntValueNode(value=str(n))),
    NUMBERS.map(lambda n: FloatValueNode(value=n)),
    st.booleans().map(nodes.Boolean),
    st.just(nodes.Null),
)
NAMES = st.from_regex(r"[_A-Za-z][_0-9A-Za-z]{0,5}", fullmatch=True)
ANY = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(nodes.List),
        st.dictionaries(NAMES, inner, max_size=3).map(
            lambda found: nodes.Object(
                [ObjectFieldNode(name=NameNode(value=k), value=v) for k, v in found.items()]
            )
        ),
    ),
    max_leaves=6,
)
SCALARS: dict[str, Any] = {"DateTime": MOMENTS.map(_text), "JSON": ANY}
IDS = st.sampled_from(["a", "b", "c", "d", "zz", "run", "日本", "a/b", ""])
#: What a random argument is worth asking with, by its name: the graph's own names.
WORTH: dict[str, st.SearchStrategy[Any]] = {
    "id": IDS.map(_text),
    "src": IDS.map(_text),
    "dst": IDS.map(_text),
    "first": st.integers(0, 20).map(lambda n: IntValueNode(value=str(n))),
}


class Rewritten(Visitor):
    """A document with names of this test's graph in it, most of the time."""

    def __init__(self, project: str, draw: Callable[[Any], Any]) -> None:
        super().__init__()
        self._project, self._draw = project, draw

    def leave_argument(self, node: ArgumentNode, *where: Any) -> Any:
        """An argument of a field; mutations stay in this test's projects, whatever comes."""
        if node.name.value == "input" and isinstance(node.value, ObjectValueNode):
            kept = [field for field in node.value.fields if field.name.value != "project"]
            field = where[-1][-1].name.value  # what is removed must not be what the rest asks
            project = f"{self._project}-gone" if field == "removeProject" else self._project
            own = ObjectFieldNode(name=NameNode(value="project"), value=_text(project))
            return ArgumentNode(name=node.name, value=ObjectValueNode(fields=(*kept, own)))
        return self._worth(node)

    def leave_object_field(self, node: ObjectFieldNode, *_: Any) -> Any:
        """A member of an input."""
        return self._worth(node)

    def _worth(self, node: Any) -> Any:
        name = node.name.value
        if name == "project":
            value: Any = _text(self._project)
        elif name in WORTH:
            value = self._draw(WORTH[name])
        else:
            return None
        if name != "project" and not self._draw(st.integers(0, 3)):
            return None
        return type(node)(name=node.name, value=value)


@given(data=st.data())
@profile(40, 800)
async def test_random_operations(judge: Judge, data: st.DataObject) -> None:
    """Queries and mutations of any shape that the schema allows, and some that it does not."""
    mode = data.draw(st.sampled_from([Mode.POSITIVE, Mode.POSITIVE, Mode.NEGATIVE]))
    found: Any = data.draw(
        from_schema(CORE, custom_scalars=SCALARS, mode=mode, print_ast=lambda made: made)
    )
    document = visit(found, Rewritten(judge.api.project, data.draw))
    await judge.ask(print_ast(document))
    await _still_well(judge)


async def _still_well(judge: Judge) -> None:
    """Whatever was asked before, the service answers."""
    answer = await judge.api.client.post("/graphql", json={"query": "{ version }"})
    assert answer.status_code == 200
    assert answer.json()["data"]["version"]


for _name, _strategy in SCALARS.items():
    schemathesis.graphql.scalar(_name, _strategy)
CASES = schemathesis.graphql.from_dict({"data": graphql.introspection_from_schema(CORE)})


@given(case=CASES.as_strategy(), data=st.data())
@profile(30, 500)
async def test_schemathesis_finds_nothing(judge: Judge, case: Any, data: st.DataObject) -> None:
    """Schemathesis makes the operations and judges the answers too."""
    document = visit(parse(case.body), Rewritten(judge.api.project, data.draw))
    answer = await judge.ask(print_ast(document))
    case.validate_response(answer, checks=[content_type_conformance, response_schema_conformance])


#: JSON of any kind, with what JSON can say and Python, GraphQL or Neo4j cannot.
ODD = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.sampled_from([2**31, -(2**31) - 1, 2**53 + 1, 2**63, -(2**63) - 1, 2**64, 10**40]),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=8),
        st.sampled_from(["\0", "a\0b", "\ufeff", "\u202e", "a" * 5000, "0", "true", "null"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
GIVEN: dict[str, st.SearchStrategy[Any]] = {
    "Int": st.integers(-2, 600),
    "Float": st.floats(-1, 2),
    "String": st.one_of(IDS, st.text(max_size=8)),
    "ID": st.one_of(IDS, st.text(max_size=8), IDS.map("WorkNode:{}".format)),
    "Boolean": st.booleans(),
    "DateTime": MOMENTS,
    "JSON": ODD,
}


#: None most of the time, and cursors as lists give them, with values they would not have.
CURSORS = st.one_of(
    st.none(),
    st.none(),
    st.tuples(
        st.sampled_from(["ID", "NEWEST", "OLDEST", "STATUS", "SEQ", "DISTANCE", "EDGE", "x"]),
        st.lists(ODD, max_size=3),
    ).map(lambda found: urlsafe_b64encode(json.dumps([found[0], *found[1]]).encode()).decode()),
    st.text(max_size=8),
)


@st.composite
def values(draw: Any, kind: Any, odd: int) -> Any:
    """A value for a type of the schema; one of `odd` members is anything at all."""
    if draw(st.integers(1, odd)) == 1:
        return draw(ODD)
    if isinstance(kind, graphql.GraphQLNonNull):
        return draw(values(kind.of_type, odd))
    if isinstance(kind, graphql.GraphQLList):
        return draw(st.lists(values(kind.of_type, odd), max_size=3))
    if isinstance(kind, graphql.GraphQLEnumType):
        return draw(st.sampled_from(sorted(kind.values)))
    if isinstance(kind, graphql.GraphQLInputObjectType):
        needed = {n for n, f in kind.fields.items() if graphql.is_required_input_field(f)}
        more = draw(st.sets(st.sampled_from(sorted(kind.fields)), max_size=6))
        return {n: draw(values(kind.fields[n].type, odd)) for n in sorted(needed | more)}
    return draw(GIVEN[kind.name])


def _named(definition: Any, name: str) -> bool:
    return isinstance(definition, graphql.OperationDefinitionNode) and (
        definition.name is not None and definition.name.value == name
    )


NAMED: dict[str, Any] = {
    name: next(d for d in parse(operations.text(name)).definitions if _named(d, name))
    for name in sorted(operations.table())
}


@given(data=st.data())
@profile(120, 1500)
async def test_random_variables(judge: Judge, data: st.DataObject) -> None:
    """The named operations with variables of the right types, but for some of any other."""
    name = data.draw(st.sampled_from(sorted(NAMED)))
    given_: dict[str, Any] = {}
    for one in NAMED[name].variable_definitions or ():
        called = one.variable.name.value
        kind = graphql.type_from_ast(CORE, one.type)
        given_[called] = data.draw(CURSORS if called == "after" else values(kind, 25))
    if "project" in given_:
        given_["project"] = judge.api.project
    if isinstance(given_.get("input"), dict):
        gone = "-gone" if name == "ProjectRemove" else ""
        given_["input"]["project"] = judge.api.project + gone
    document = operations.text(name)
    body = {"query": document, "variables": given_, "operationName": name}
    await judge.send(json.dumps(body).encode())


def _body(found: tuple[Any, Any, Any]) -> bytes:
    variables, name, extensions = found
    body = {"query": "{ version }", "variables": variables, "operationName": name}
    return json.dumps(body | {"extensions": extensions}).encode()


@given(data=st.data())
@profile(60, 2000)
async def test_random_bodies(judge: Judge, data: st.DataObject) -> None:
    """Bytes, JSON of any shape, and documents of signs that GraphQL knows, in any order."""
    signs = st.sampled_from(
        ["{", "}", "(", ")", "[", "]", "...", "$", "@", ":", "!", "|", "&", '"', '"""', "#", "\n",
         "query", "mutation", "fragment", "on", "Query", "version", "workNodes", "first", "1",
         "-1", "1e999", "null", "true", "$n", "@skip(if: true)", "\\u{110000}", "\\ud800", "\0",
         "__schema", "__type", "__typename", "type", "A", " "]
    )  # fmt: skip
    body: bytes = data.draw(
        st.one_of(
            st.binary(max_size=50),
            ODD.map(lambda found: json.dumps(found).encode()),
            st.lists(signs, max_size=30).map(
                lambda found: json.dumps({"query": " ".join(found)}).encode()
            ),
            st.tuples(ODD, ODD, ODD).map(_body),
        )
    )
    await judge.send(body)
