"""The exported schema is the code's, and explains itself."""

from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    build_schema,
    is_introspection_type,
    is_specified_scalar_type,
)

from gotn import resources
from gotn.api.errors import HANDLERS, TABLE, ErrorCode
from gotn.api.nodes import WorkNode
from gotn.api.schema import schema
from gotn.errors import Conflict, CycleRefused, Invalid, NotFound
from gotn.graph import faces, snippets

SDL = resources.graphql() / "schema.graphql"


def test_the_exported_schema_is_the_codes() -> None:
    """`make sdl` was run after the last change of a type."""
    assert SDL.read_text("utf-8") == schema().as_str() + "\n"


def _undescribed(built: GraphQLSchema | None = None) -> list[str]:
    found = []
    built = built or build_schema(SDL.read_text("utf-8"))
    for name, kind in built.type_map.items():
        if is_introspection_type(kind) or is_specified_scalar_type(kind):
            continue
        if not kind.description:
            found.append(name)
        members: Any = {}
        if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType):
            members = kind.fields
        if isinstance(kind, GraphQLEnumType):
            members = kind.values
        for member, one in members.items():
            found += [] if one.description else [f"{name}.{member}"]
            for argument, given in getattr(one, "args", {}).items():
                found += [] if given.description else [f"{name}.{member}({argument})"]
    return found


def test_everything_is_described() -> None:
    """Types, fields, arguments, inputs and enum values each say what they mean."""
    assert _undescribed() == []
    built = build_schema(SDL.read_text("utf-8"))
    for directive in built.directives:
        assert directive.description, directive.name
        assert all(given.description for given in directive.args.values()), directive.name


def test_what_describes_everything_misses_nothing() -> None:
    """The walk finds each kind of place: without descriptions, every line of it is named."""
    bare = build_schema(
        """type Query { a(b: Int): E! } interface I { c: Int } input N { d: Int } enum E { F }
           union U = Query scalar S"""
    )
    assert set(_undescribed(bare)) == {
        "Query", "Query.a", "Query.a(b)", "I", "I.c", "N", "N.d", "E", "E.F", "U", "S",
    }  # fmt: skip


def test_every_root_field_has_a_project() -> None:
    """All but node, projects and version take `project`, "default" where nobody says."""
    query = build_schema(SDL.read_text("utf-8")).query_type
    assert query is not None
    without = {name for name, field in query.fields.items() if "project" not in field.args}
    assert without == {"node", "projects", "version"}
    defaults = {
        f.args["project"].default_value for n, f in query.fields.items() if n not in without
    }
    assert len(defaults) == 1


def test_every_mutation_has_its_errors() -> None:
    """Each takes one input with a project, and answers with a union of a value and errors."""
    found = build_schema(SDL.read_text("utf-8"))
    mutation = found.mutation_type
    assert mutation is not None
    errors = {kind.name for kind in found.get_implementations(found.type_map["Error"]).objects}  # type: ignore[arg-type]
    for name, field in mutation.fields.items():
        assert list(field.args) == ["input"], name
        given: Any = field.args["input"].type
        assert "project" in given.of_type.fields, name
        answer: Any = field.type
        members = [kind.name for kind in answer.of_type.types]
        assert len([m for m in members if m not in errors]) == 1, name
        assert {"InvalidInput", "Conflict", "LimitExceeded"} <= set(members), name


def test_the_table_of_errors_is_whole() -> None:
    """Every code of the schema is a class of ours, most specific classes come first."""
    codes = {cls.code for cls, _ in TABLE} | {"BAD_DOCUMENT"}
    assert codes == set(ErrorCode.__members__)
    order = [cls for cls, _ in TABLE]
    for place, cls in enumerate(order):
        assert not any(issubclass(later, cls) for later in order[place + 1 :]), cls
    assert len(HANDLERS) == len(TABLE)
    assert {CycleRefused, Conflict, Invalid, NotFound} <= set(order)


def test_every_field_says_what_it_reads() -> None:
    """Each declared type can be asked for any of its fields, and every snippet is used."""
    used: set[str] = set()
    for cls in faces.entities():
        face = faces.face(cls)
        members = face.members(face.reads)
        used |= {read.snippet for read in members.values() if hasattr(read, "snippet")}
    assert faces.entity_of(WorkNode).label == "WorkNode"
    assert {name for name in snippets.table() if name.startswith("node_")} >= {"node_requires"}
    assert used <= set(snippets.table())


def test_snippets_are_scoped() -> None:
    """A snippet that matches anything names the project, or the entity whose id that is."""
    for name, snippet in snippets.table().items():
        if "MATCH" in snippet.text or "(x:" in snippet.text:
            assert "$project" in snippet.text or "project_id: this.id" in snippet.text, name
