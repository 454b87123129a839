"""One root field and its whole selection to one Cypher statement.

Names in the text come from declarations and from counters; values travel as parameters only;
every entity that is matched is matched within $project. Which fields are selected is found out
by graphql-core's own code, so fragments, directives and merging are its work.
"""

from itertools import count
from typing import Any

from graphql import GraphQLField, get_named_type, is_abstract_type, is_non_null_type
from graphql.execution.collect_fields import collect_subfields

from gotn.graph import answer, connections, edge_pages, faces, snippets
from gotn.graph.answer import Column
from gotn.graph.forms import build, defaults
from gotn.graph.leaves import NotCompilable, Surprise, column, complete, is_temporal
from gotn.graph.plans import Binder, Make, Plan, arguments, definition, varies
from gotn.graph.reads import (
    KEY,
    Computed,
    Expression,
    Find,
    GlobalId,
    Listed,
    One,
    Property,
    Relation,
    Relationships,
)
from gotn.graph.statements import Names


def compiled(executor: Any, parent: Any, details: Any) -> Plan:
    """The plan of a root field; NotCompilable where something is not declared as a read."""
    field_def = parent.fields.get(details[0].node.name.value)
    read = definition(field_def).metadata.get(KEY) if field_def else None
    if not isinstance(read, Listed | Find | Relationships):
        raise NotCompilable("a root field that is no list and finds no entity")
    compiler = Compiler(executor)
    compiler.check(field_def)
    if isinstance(read, Relationships):
        text, show = edge_pages.listed(compiler, read, field_def, details)
    elif isinstance(read, Listed):
        text, show = connections.listed(compiler, read, field_def, details)
    else:
        text, show = compiler.found(read, field_def, details)
    return Plan(
        text=text if isinstance(read, Relationships) else f"RETURN {text} AS value",
        name=f"graph/{parent.name}.{details[0].node.name.value}",
        show=show,
        binders=tuple(compiler.binders),
        constants=compiler.constants,
        nested=tuple(compiler.nested),
        scoped=isinstance(read, Relationships)
        or (isinstance(read, Listed) and read.relation.scoped),
    )


class Compiler:
    """Compiles selections, handing out names and gathering what gives the parameters."""

    def __init__(self, executor: Any) -> None:
        self._executor = executor
        self._numbers = count(1)
        self.binders: list[Binder] = []
        self.constants: dict[str, Any] = {}
        #: The limits of the lists that what is compiled now stands in, and of all lists in lists.
        self.within: tuple[str, ...] = ()
        self.nested: list[tuple[str, ...]] = []

    def names(self, owner: str = "") -> Names:
        """Fresh names for one part of the statement."""
        number = next(self._numbers)
        return Names(owner, f"r{number}", f"n{number}", f"p{number}_")

    def check(self, field_def: GraphQLField) -> None:
        """NotCompilable for a field that something stands around, which would not be asked."""
        found = definition(field_def)
        if found.extensions or found.permission_classes:
            raise NotCompilable(f"{found.name} has extensions")

    def arguments(self, field_def: GraphQLField, details: Any) -> dict[str, Any]:
        """A field's arguments in this request."""
        return arguments(self._executor, field_def, details)

    def bound(self, field_def: GraphQLField, details: Any, make: Make) -> str:
        """Text that depends on a field's arguments; its parameters are bound per request."""
        text, parameters = make(self.arguments(field_def, details))
        if varies(details[0].node.arguments):
            self.binders.append(Binder(field_def, details, make, text))
        else:
            self.constants |= parameters
        return text

    def selection(self, kind: Any, details: Any) -> dict[str, Any]:
        """Response keys of what is selected below a field, with the details of each."""
        e = self._executor
        collected = collect_subfields(
            e.schema, e.fragments, e.variable_values, e.operation, kind, details
        )
        for group in collected.grouped_field_set.values():
            if declared := kind.fields.get(group[0].node.name.value):
                self.check(declared)
        return collected.grouped_field_set

    def object(self, kind: Any, details: Any, this: str) -> tuple[str, answer.Show]:
        """A row of one entity, and how rows of it are shown."""
        chosen = self.selection(kind, details).items()
        return answer.row([self.column(kind, key, group, this) for key, group in chosen])

    def column(self, kind: Any, key: str, details: Any, this: str) -> Column:
        """One selected field of an entity, or a fact of a relationship."""
        name = details[0].node.name.value
        if name == "__typename":
            return answer.constant(key, kind.name)
        field_def = kind.fields[name]
        cls = kind.extensions["strawberry-definition"].origin
        member, read = faces.face(cls).reads[name]
        if isinstance(read, GlobalId):
            return _global_id(cls, key, this)
        if isinstance(read, Property | Expression):
            return _stored(cls, key, field_def, member, read, this)
        if isinstance(read, Computed):
            return _computed(cls, key, field_def, read, this)
        if isinstance(read, Relation):
            return Column(key, *connections.nested(self, read, field_def, details, this))
        if isinstance(read, One):
            return Column(key, *self._one(read, field_def, details, this))
        raise NotCompilable(f"{kind.name}.{name} is not declared as a read")

    def _one(
        self, read: One, field_def: GraphQLField, details: Any, this: str
    ) -> tuple[str, answer.Show]:
        """The entity at the end of one relationship."""
        names = self.names(this)
        row, show = self.object(get_named_type(field_def.type), details, names.this)
        pattern = read.relation.pattern(this, names.edge, names.this)
        match = f"MATCH {pattern} WHERE {names.this}.project_id = $project"
        required = is_non_null_type(field_def.type)
        return f"COLLECT {{ {match} RETURN {row} LIMIT 2 }}", answer.at_most_one(show, required)

    def found(self, read: Find, field_def: GraphQLField, details: Any) -> tuple[str, answer.Show]:
        """One entity by its key, of whichever possible type the arguments name."""
        schema = self._executor.schema
        kind = get_named_type(field_def.type)
        kinds = schema.get_possible_types(kind) if is_abstract_type(kind) else [kind]
        prefix = self.names().prefix
        labels, parts, shows = [], [], {}
        for one in kinds:
            label = faces.entity_of(one.extensions["strawberry-definition"].origin).label
            this = self.names().this
            row, shows[label] = self.object(one, details, this)
            labels.append(label)
            parts.append(
                f"MATCH ({this}:{label} {{key: ${prefix}{label}}}) "
                f"WHERE {this}.project_id = $project RETURN ['{label}', {row}] AS row"
            )

        def make(given: Any) -> tuple[str, dict[str, Any]]:
            label, project, key = read.place(given)
            keys = {f"{prefix}{one}": key if one == label else None for one in labels}
            return "", keys | {"project": project}

        self.bound(field_def, details, make)
        return f"COLLECT {{ {' UNION ALL '.join(parts)} }}", answer.tagged(shows)


def _global_id(cls: type, key: str, this: str) -> Column:
    label = faces.entity_of(cls).label

    def show(values: list[Any], _: Any) -> list[Any]:
        if None in values:
            raise Surprise("null")
        return [f"{label}:{value}" for value in values]

    return Column(key, f"{this}.key", show)


def _stored(
    cls: Any, key: str, field_def: GraphQLField, member: str, read: Any, this: str
) -> Column:
    """A stored property, or an expression."""
    name = read.name if isinstance(read, Property) else member
    form = faces.face(cls).forms({name: read})[name]
    convert = column(field_def.type, form, defaults(cls).get(name))
    text = _read(name, read, this)
    if is_temporal(field_def.type):
        text = f"toString({text})"
    return Column(key, text, lambda values, _: convert(values))


def _computed(cls: Any, key: str, field_def: GraphQLField, read: Computed, this: str) -> Column:
    """A Python function over members that the statement reads for it."""
    resolver = definition(field_def).base_resolver
    if field_def.args or resolver.is_async:
        raise NotCompilable(f"{cls.__name__}.{key} takes arguments or waits")
    members = faces.face(cls).needed(read)
    forms = faces.face(cls).forms(members)
    kind, function = field_def.type, resolver.wrapped_func

    def show(values: list[Any], _: Any) -> list[Any]:
        records = (build(cls, dict(zip(members, value, strict=True)), forms) for value in values)
        return [complete(kind, function(record)) for record in records]

    reads = ", ".join(_read(name, one, this) for name, one in members.items())
    return Column(key, f"[{reads}]", show)


def _read(name: str, read: Any, this: str) -> str:
    """A member in Cypher."""
    if isinstance(read, Expression):
        return snippets.named(read.snippet).at(this)
    return f"{this}.{name}"
