"""What a GraphQL field reads from the graph, declared beside the field.

A field without a declaration reads the property of its own Python name, in the form that
its annotation tells (`forms`). Normal execution (`resolvers`) and the compiler are
made from these declarations alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gotn.graph.forms import Form
from gotn.graph.paging import Order

#: Key of a field's metadata under which its declaration stands.
KEY = "gotn.graph"


@dataclass(frozen=True)
class Property:
    """A stored property of another name or form than the field's own."""

    name: str
    form: Form | None = None


@dataclass(frozen=True)
class GlobalId:
    """Relay's id: the type's name and the entity's key."""


@dataclass(frozen=True)
class Expression:
    """A snippet over `this` whose value is a member of the record."""

    snippet: str
    form: Form | None = None


@dataclass(frozen=True)
class Computed:
    """A pure Python function of members of the record."""

    needs: tuple[str, ...]


@dataclass(frozen=True)
class Relation:
    """A connection along one relationship type, or over a whole label (`type` None)."""

    target: str
    type: str | None = None
    #: `out`, `in`, or `both`.
    way: str = "out"
    #: A snippet that every row must fulfil.
    where: str | None = None
    #: The property that `where` holds to one value, where an index begins with it.
    pinned: str | None = None
    #: False for what stands above projects.
    scoped: bool = True

    def pattern(self, owner: str, edge: str, this: str) -> str:
        """MATCH's pattern from a bound entity, or from nowhere, to the target."""
        if self.type is None:
            return f"({this}:{self.target})"
        left, right = {"out": ("-", "->"), "in": ("<-", "-"), "both": ("-", "-")}[self.way]
        return f"({owner}){left}[{edge}:{self.type}]{right}({this}:{self.target})"


@dataclass(frozen=True)
class One:
    """A single entity: by its key, or at the end of one relationship."""

    relation: Relation


@dataclass(frozen=True)
class Listed:
    """A root field that lists a whole label."""

    relation: Relation
    #: The project that its arguments name; Invalid for what can be none.
    project: Callable[[Mapping[str, Any]], str]


@dataclass(frozen=True)
class Find:
    """A root field that finds one entity by its key."""

    #: Label, project and key that its arguments lead to; Invalid where they lead nowhere.
    place: Callable[[Mapping[str, Any]], tuple[str, str, str]]


@dataclass(frozen=True)
class Relationships:
    """A root field that lists relationships themselves (`relationships`)."""

    #: From its arguments: the kinds to look through, and the parameters.
    asked: Callable[[Mapping[str, Any]], tuple[tuple[Any, ...], dict[str, Any]]]
    #: The record of one that waits for a node, from its JSON text and its project.
    waiting: Callable[[str, str], Any]


@dataclass(frozen=True)
class End:
    """The entity at one end of a relationship in such a list: `src` or `dst`."""

    name: str


@dataclass(frozen=True)
class Ask:
    """A question that gotn.work.store answers with statements of its own."""


Read = (
    Property
    | GlobalId
    | Expression
    | Computed
    | Relation
    | One
    | Listed
    | Find
    | Relationships
    | End
    | Ask
)


@dataclass(frozen=True)
class Entity:
    """A GraphQL type with a label of its own."""

    label: str
    #: Its key, from a record of it.
    key: Callable[[Any], str]
    #: The members that `key` needs.
    needs: tuple[str, ...] = ("project_id", "id")
    #: How members are read that computed fields need and no field shows.
    hidden: Mapping[str, Expression] = field(default_factory=dict)


@dataclass(frozen=True)
class Equals:
    """A filter's member: a property has the value."""

    property: str


@dataclass(frozen=True)
class In:
    """A filter's member: a property is one of the values."""

    property: str


@dataclass(frozen=True)
class Above:
    """A filter's member: a property is above the value, or below it."""

    property: str
    below: bool = False


@dataclass(frozen=True)
class Fulfils:
    """A filter's member: a snippet over `this` and $value; for a boolean, or its contrary."""

    snippet: str


@dataclass(frozen=True)
class Text:
    """A filter's member: words that a full-text index finds."""

    index: str


Predicate = Equals | In | Above | Fulfils | Text


def order_of(member: Any) -> Order:
    """The order that a member of an `orderBy` enum stands for."""
    found: Order = member.value
    return found
