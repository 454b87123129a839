"""What the GraphQL types declare, in the shape that resolvers and statements need.

A *face* is a GraphQL type that inherits a record. For a set of selected fields it tells
which members of the record must be read, and how each is read in Cypher.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from strawberry.schema.config import StrawberryConfig
from strawberry.types.base import get_object_definition

from gotn.errors import ProgrammingError
from gotn.graph import snippets
from gotn.graph.forms import Form, form_of
from gotn.graph.reads import (
    KEY,
    Ask,
    Computed,
    End,
    Entity,
    Expression,
    GlobalId,
    One,
    Property,
    Read,
    Relation,
)

_ENTITIES: dict[type, Entity] = {}
_NAMES = StrawberryConfig().name_converter


def entity(cls: type, found: Entity) -> None:
    """Say which label a GraphQL type has, and how its key is made."""
    _ENTITIES[cls] = found


def entity_of(record: Any) -> Entity:
    """The entity that a record, or the GraphQL type over it, is."""
    return _entity(record if isinstance(record, type) else type(record))


@cache
def _entity(cls: type) -> Entity:
    for face, found in _ENTITIES.items():
        if cls is face or (issubclass(face, cls) and cls is not object):
            return found
    raise ProgrammingError(f"{cls.__name__} is no entity")


def entities() -> tuple[type, ...]:
    """Every GraphQL type with a label of its own."""
    return tuple(_ENTITIES)


def labelled(label: str) -> type | None:
    """The GraphQL type of a label."""
    return next((cls for cls, found in _ENTITIES.items() if found.label == label), None)


@dataclass(frozen=True)
class Face:
    """A GraphQL type's declarations."""

    cls: type
    #: What each field reads, by its name in GraphQL.
    reads: dict[str, tuple[str, Read]] = field(default_factory=dict)

    def members(self, selected: Iterable[str]) -> dict[str, Read]:
        """The members of the record that the selected fields need, and what each reads."""
        found: dict[str, Read] = {}
        for name in selected:
            if name in self.reads:
                self._add(found, *self.reads[name])
        return found

    def needed(self, read: Computed) -> dict[str, Read]:
        """The members that a computed field needs, and what each reads."""
        return {need: self._member(need) for need in read.needs}

    def _add(self, found: dict[str, Read], member: str, read: Read) -> None:
        if isinstance(read, Computed):
            for need, one in self.needed(read).items():
                found.setdefault(need, one)
        elif isinstance(read, Property):
            found.setdefault(read.name, read)
        elif isinstance(read, Expression):
            found.setdefault(member, read)
        elif isinstance(read, GlobalId | Relation | One | End | Ask):
            needs = _ENTITIES[self.cls].needs if self.cls in _ENTITIES else ()
            for need in needs:
                found.setdefault(need, Property(need))

    def _member(self, name: str) -> Read:
        """How a member that a computed field needs is read."""
        hidden = _ENTITIES[self.cls].hidden if self.cls in _ENTITIES else {}
        if name in hidden:
            return hidden[name]
        for member, read in self.reads.values():
            if member == name and isinstance(read, Property | Expression):
                return read
        return Property(name)

    def forms(self, members: dict[str, Read]) -> dict[str, Form]:
        """How each of these members is stored."""
        return {
            name: (read.form if isinstance(read, Property | Expression) else None)
            or form_of(self.cls, name)
            for name, read in members.items()
        }


@cache
def face(cls: type) -> Face:
    """The declarations of a GraphQL type; ProgrammingError for a field that declares nothing."""
    definition = get_object_definition(cls, strict=True)
    found = Face(cls)
    for one in definition.fields:
        read = one.metadata.get(KEY)
        if read is None and one.base_resolver is not None:
            raise ProgrammingError(f"{cls.__name__}.{one.python_name} does not say what it reads")
        name = _NAMES.get_graphql_name(one)
        found.reads[name] = (one.python_name, read or Property(one.python_name))
    return found


def projection(var: str, members: dict[str, Read]) -> str:
    """A map of these members in Cypher: `m {.kind, requires: COLLECT {…}}`."""
    parts = []
    for name in sorted(members):
        read = members[name]
        if isinstance(read, Expression):
            parts.append(f"{name}: {snippets.named(read.snippet).at(var)}")
        else:
            parts.append(f".{name}")
    return f"{var} {{{', '.join(parts)}}}"
