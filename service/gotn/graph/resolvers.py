"""The normal execution: one generic resolver for each kind of declaration, batched.

A nested relation is one statement for any number of rows: a DataLoader gathers the owners
of one level, and order, paging and limits are Cypher's.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Protocol

import strawberry
from graphql import get_named_type
from strawberry.dataloader import DataLoader

from gotn import shapes
from gotn.database.connection import Database
from gotn.errors import LimitExceeded
from gotn.graph import faces, filters, paging, statements
from gotn.graph.arguments import FILTER, ORDER, After, First
from gotn.graph.forms import build
from gotn.graph.pages import Wanted, wanted
from gotn.graph.reads import KEY, Computed, Expression, GlobalId, One, Property, Relation, order_of
from gotn.graph.selection import selected
from gotn.graph.statements import Asked

#: Rows that one statement may return, at most: owners times rows of each.
ROWS = 100_000


class Reading(Protocol):
    """What a request carries for its reads."""

    database: Database
    #: The request's loaders, by what they load.
    loaders: dict[Any, Any]


def global_id() -> Any:
    """Relay's id of an entity: its label and key."""

    def resolver(self: Any) -> strawberry.ID:
        found = faces.entity_of(self)
        return strawberry.ID(f"{found.label}:{found.key(self)}")

    return strawberry.field(
        resolver=resolver,
        name="id",
        metadata={KEY: GlobalId()},
        description="Global id: the type's name and the key, `WorkNode:demo/n1`.",
    )


def member(name: str, result: Any, description: str) -> Any:
    """A record's member under another name than its own."""

    def resolver(self: Any) -> Any:
        return getattr(self, name)

    return strawberry.field(
        resolver=_signed(resolver, result, {}),
        metadata={KEY: Computed((name,))},
        description=description,
    )


def stored(description: str, read: Property | Expression | None = None, default: Any = None) -> Any:
    """A record's member, described; read as its own property or as declared."""
    return strawberry.field(
        default=default, description=description, metadata={KEY: read} if read else {}
    )


def computed(*needs: str, description: str) -> Callable[[Callable[[Any], Any]], Any]:
    """A field computed in Python from members of the record; `self` has those only."""
    return lambda function: strawberry.field(
        resolver=function, metadata={KEY: Computed(needs)}, description=description
    )


def single(
    relation: Relation,
    result: Any,
    cls: Callable[[], type],
    description: str,
    name: str | None = None,
) -> Any:
    """The one entity at the end of a relationship, or null."""

    async def resolver(self: Any, info: strawberry.Info) -> Any:
        owner = faces.entity_of(self)
        members = faces.face(cls()).members(selected(info))
        project = self.project_id
        text = statements.single(relation, owner.label, _frozen(members))

        async def load(keys: list[str]) -> list[Any]:
            found = await _found(info, text, {"keys": keys, "project": project})
            return [found.get(key, (None,))[0] for key in keys]

        row = await _load(info, (text, project), load, owner.key(self))
        return None if row is None else _entity(cls(), row, members, project)

    return strawberry.field(
        resolver=_signed(resolver, result, {}),
        name=name,
        metadata={KEY: One(relation)},
        description=description,
    )


def connection(
    relation: Relation,
    result: Any,
    orders: Any,
    usual: Any,
    filter_type: Any = None,
    *,
    description: str,
    name: str | None = None,
) -> Any:
    """A relation of an entity as a Relay connection, in one statement for all owners."""

    async def resolver(
        self: Any,
        info: strawberry.Info,
        first: int = paging.USUAL,
        after: str | None = None,
        filter_: Any = None,
        order_by: Any = usual,
    ) -> Any:
        owner = faces.entity_of(self)
        want = wanted(_page_class(info), info)
        asked, values = ask(relation, want, order_by, first, after, filter_)
        project = self.project_id
        text = statements.nested(asked, owner.label)

        async def load(keys: list[str]) -> list[Any]:
            if len(keys) * (first + 1) > ROWS:
                raise LimitExceeded(
                    f"{len(keys)} × first: {first} is more than {ROWS} rows; ask for fewer.",
                    limit=ROWS,
                )
            found = await _found(info, text, values | {"keys": keys, "project": project})
            return [found.get(key, ([], 0)) for key in keys]

        place = (text, project, repr(sorted(values.items())))
        rows, total = await _load(info, place, load, owner.key(self))
        return want.page(rows, total, first, order_by.name, after, project)

    return strawberry.field(
        resolver=_signed(resolver, result, _options(orders, filter_type)),
        name=name,
        metadata={KEY: relation},
        description=description,
    )


async def listed(
    info: strawberry.Info,
    relation: Relation,
    project: str,
    order_by: Any,
    first: int,
    after: str | None,
    filter_: Any = None,
) -> Any:
    """A page of a whole label, for a root field."""
    want = wanted(_page_class(info), info)
    asked, values = ask(relation, want, order_by, first, after, filter_)
    reading: Reading = info.context
    rows = await reading.database.read(
        lambda tx: tx.composed(
            statements.root(asked), values | {"project": project}, name=_name(info)
        )
    )
    row = rows[0]
    return want.page(row["rows"], row["total"], first, order_by.name, after, project)


async def fetched(info: strawberry.Info, cls: type, project: str, key: str) -> Any:
    """An entity by its key, or None, with what the document selects of it."""
    members = faces.face(cls).members(selected(info))
    text = statements.by_key(faces.entity_of(cls).label, _frozen(members))
    found = await _found(info, text, {"keys": [key], "project": project})
    return _entity(cls, found[key][0], members, project) if key in found else None


async def found_by_key(info: strawberry.Info, cls: type, project: str, key: str) -> Any:
    """The same, batched with its siblings: for fields that lead from a key to an entity."""
    members = faces.face(cls).members(selected(info))
    text = statements.by_key(faces.entity_of(cls).label, _frozen(members))

    async def load(keys: list[str]) -> list[Any]:
        found = await _found(info, text, {"keys": keys, "project": project})
        return [found.get(key, (None,))[0] for key in keys]

    row = await _load(info, (text, project), load, key)
    return None if row is None else _entity(cls, row, members, project)


def ask(
    relation: Relation, want: Wanted, order_by: Any, first: int, after: str | None, filter_: Any
) -> tuple[Asked, dict[str, Any]]:
    """The shape of a connection's statement, and the parameters that a caller chose."""
    order = order_of(order_by)
    predicates, values = filters.bound(filter_)
    values["limit"] = paging.checked(first) + 1
    if after is not None:
        for number, at in enumerate(paging.decode(order_by.name, len(order.keys), after)):
            if order.keys[number].temporal:
                shapes.moment(at, "after")
            values[f"at{number}"] = at
    asked = Asked(
        relation=relation,
        order=order,
        members=_frozen(want.members),
        facts=_frozen(want.facts),
        filters=predicates,
        after=after is not None,
        rows=want.rows,
        total=want.total,
    )
    return asked, values


def _frozen(members: dict[str, Any]) -> statements.Members:
    return tuple(sorted(members.items(), key=lambda pair: pair[0]))


def _entity(cls: type, row: dict[str, Any], members: dict[str, Any], project: str) -> Any:
    face = faces.face(cls)
    return build(cls, row, face.forms(members), project_id=project)


async def _found(info: strawberry.Info, text: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Rows of [key, …] by key."""
    reading: Reading = info.context
    rows = await reading.database.read(lambda tx: tx.composed(text, parameters, name=_name(info)))
    return {key: rest for key, *rest in rows[0]["found"]}


def _load(
    info: strawberry.Info, place: Any, load: Callable[[list[Any]], Awaitable[list[Any]]], key: Any
) -> Awaitable[Any]:
    """Ask the request's loader; shielded, since a cancelled sibling must not cancel others."""
    reading: Reading = info.context
    if place not in reading.loaders:
        reading.loaders[place] = DataLoader(load)
    return asyncio.shield(reading.loaders[place].load(key))


def _name(info: strawberry.Info) -> str:
    """What a composed statement is called in metrics: the type and field it answers."""
    raw = info._raw_info  # noqa: SLF001  # Strawberry's view has no parent type's name
    return f"graph/{raw.parent_type.name}.{raw.field_name}"


def _page_class(info: strawberry.Info) -> type:
    raw = info._raw_info  # noqa: SLF001  # the type as the schema has resolved it
    found: type = get_named_type(raw.return_type).extensions["strawberry-definition"].origin
    return found


def _options(orders: Any, filter_type: Any) -> dict[str, Any]:
    """The arguments of a connection, each with its description."""
    options: dict[str, Any] = {"first": First, "after": After}
    if filter_type is not None:
        options["filter_"] = Annotated[filter_type | None, FILTER]
    options["order_by"] = Annotated[orders, ORDER]
    return options


def _signed(resolver: Any, result: Any, options: dict[str, Any]) -> Any:
    """Annotate a generic resolver with a field's own types."""
    known = inspect.signature(resolver).parameters
    parameters = [p for p in known.values() if p.name in ("self", "info")]
    parameters += [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=kind,
            default=known[name].default,
        )
        for name, kind in options.items()
    ]
    resolver.__annotations__ = {"info": strawberry.Info, **options, "return": result}
    resolver.__signature__ = inspect.Signature(parameters, return_annotation=result)
    return resolver
