"""The normal execution: one generic resolver for each kind of declaration, batched.

A nested relation is one statement for any number of rows: a DataLoader gathers the owners
of one level, and order, paging and limits are Cypher's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import strawberry
from graphql import get_named_type

from gotn import shapes
from gotn.database.connection import Tx
from gotn.errors import LimitExceeded
from gotn.graph import faces, filters, paging, statements
from gotn.graph.arguments import FILTER, ORDER, After, First
from gotn.graph.fields import signed
from gotn.graph.forms import build
from gotn.graph.loading import Reading, found, loaded, named, once
from gotn.graph.pages import Wanted, wanted
from gotn.graph.reads import KEY, One, Relation, order_of
from gotn.graph.scope import require_project
from gotn.graph.selection import selected
from gotn.graph.statements import ROWS, Asked


@dataclass(frozen=True)
class Nested:
    """A connection below many owners, prepared once for all of them."""

    want: Wanted
    text: str
    values: dict[str, Any]
    first: int

    async def load(self, info: strawberry.Info, keys: list[str], project: str) -> list[Any]:
        """Rows and total of each owner, in one statement."""
        if len(keys) * (self.first + 1) > ROWS:
            raise LimitExceeded(
                f"{len(keys)} × first: {self.first} is more than {ROWS} rows; ask for fewer.",
                limit=ROWS,
            )
        rows = await found(info, self.text, self.values | {"keys": keys, "project": project})
        return [rows.get(key, ([], 0)) for key in keys]


def single(
    relation: Relation,
    result: Any,
    cls: Callable[[], type],
    description: str,
    name: str | None = None,
) -> Any:
    """The one entity at the end of a relationship, or null."""

    async def resolver(self: Any, info: strawberry.Info) -> Any:
        owner, project = faces.entity_of(self), self.project_id
        members = once(info, owner.label, lambda: faces.face(cls()).members(selected(info)))
        text = statements.single(relation, owner.label, _frozen(members))

        async def load(keys: list[str]) -> list[Any]:
            rows = await found(info, text, {"keys": keys, "project": project})
            return [rows.get(key, (None,))[0] for key in keys]

        row = await loaded(info, (text, project), load, owner.key(self))
        return None if row is None else _entity(cls(), row, members, project)

    return strawberry.field(
        resolver=signed(resolver, result, {}),
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
        owner, project = faces.entity_of(self), self.project_id

        def prepare() -> Nested:
            want = wanted(_page_class(info), info)
            asked, values = ask(relation, want, order_by, first, after, filter_)
            return Nested(want, statements.nested(asked, owner.label), values, first)

        nested = once(info, owner.label, prepare)
        place = (nested.text, project, nested.first, id(nested))

        async def load(keys: list[str]) -> list[Any]:
            return await nested.load(info, keys, project)

        rows, total = await loaded(info, place, load, owner.key(self))
        return nested.want.page(rows, total, first, order_by.name, after, project)

    return strawberry.field(
        resolver=signed(resolver, result, _options(orders, filter_type)),
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
    """A page of a whole label, for a root field; NotFound where there is no such project."""
    want = wanted(_page_class(info), info)
    asked, values = ask(relation, want, order_by, first, after, filter_)
    values["project"] = project

    async def read(tx: Tx) -> Any:
        rows = await tx.composed(statements.root(asked), values, name=named(info))
        if relation.scoped and not rows[0]["rows"] and not rows[0]["total"]:
            await require_project(tx, project)
        return rows[0]

    reading: Reading = info.context
    row = await reading.database.read(read)
    return want.page(row["rows"], row["total"], first, order_by.name, after, project)


async def fetched(info: strawberry.Info, cls: type, project: str, key: str) -> Any:
    """An entity by its key, or None, with what the document selects of it."""
    members = faces.face(cls).members(selected(info))
    text = statements.by_key(faces.entity_of(cls).label, _frozen(members))
    rows = await found(info, text, {"keys": [key], "project": project})
    return _entity(cls, rows[key][0], members, project) if key in rows else None


async def found_by_key(info: strawberry.Info, cls: type, project: str, key: str) -> Any:
    """The same, batched with its siblings: for fields that lead from a key to an entity."""
    members = once(info, cls, lambda: faces.face(cls).members(selected(info)))
    text = statements.by_key(faces.entity_of(cls).label, _frozen(members))

    async def load(keys: list[str]) -> list[Any]:
        rows = await found(info, text, {"keys": keys, "project": project})
        return [rows.get(key, (None,))[0] for key in keys]

    row = await loaded(info, (text, project), load, key)
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
            if not order.keys[number].fits(at):
                raise paging.foreign()
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


def _page_class(info: strawberry.Info) -> type:
    raw = info._raw_info  # noqa: SLF001  # the type as the schema has resolved it
    kind: type = get_named_type(raw.return_type).extensions["strawberry-definition"].origin
    return kind


def _options(orders: Any, filter_type: Any) -> dict[str, Any]:
    """The arguments of a connection, each with its description."""
    options: dict[str, Any] = {"first": First, "after": After}
    if filter_type is not None:
        options["filter_"] = Annotated[filter_type | None, FILTER]
    options["order_by"] = Annotated[orders, ORDER]
    return options
