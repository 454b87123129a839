"""The statements of connections, composed from declarations: the only Cypher made in Python.

A value never becomes text: properties, labels and snippets are declared names, everything
a caller gives is a parameter. Every matched entity is bound to $project.
"""

from dataclasses import dataclass, field
from functools import lru_cache

from gotn.errors import ProgrammingError
from gotn.graph import faces, snippets
from gotn.graph.paging import Order
from gotn.graph.reads import Above, Equals, Fulfils, In, Predicate, Read, Relation, Text

#: Names in a composed statement: the owner, the relationship, the row's entity.
OWNER, EDGE, THIS = "n", "r", "m"


@dataclass(frozen=True)
class Names:
    """Names in one part of a statement: of the owner, the relationship, the entity."""

    owner: str = OWNER
    edge: str = EDGE
    this: str = THIS
    #: What the names of this part's parameters begin with.
    prefix: str = ""


#: Rows that one level of lists may have, at most: owners times rows of each.
ROWS = 100_000
Members = tuple[tuple[str, Read], ...]


@dataclass(frozen=True)
class Asked:
    """What one statement of a connection depends on; equal ones give the same text."""

    relation: Relation
    order: Order
    #: Members of the row's entity and of the relationship.
    members: Members = ()
    facts: Members = ()
    #: Filters that are set, with their parameter's name; a false boolean is the contrary.
    filters: tuple[tuple[Predicate, str, bool], ...] = field(default=())
    after: bool = False
    rows: bool = True
    total: bool = False


@lru_cache(maxsize=2048)
def root(asked: Asked) -> str:
    """A list over a whole label: one row of rows and total."""
    return f"{_page(asked, '')}\nRETURN rows, total"


@lru_cache(maxsize=2048)
def nested(asked: Asked, label: str) -> str:
    """A list for each of the owners in $keys: one row of [key, rows, total]."""
    return (
        f"UNWIND $keys AS key\nMATCH ({OWNER}:{label} {{key: key}})\n"
        f"WHERE {OWNER}.project_id = $project\n{_page(asked, OWNER)}\n"
        "RETURN collect([key, rows, total]) AS found"
    )


@lru_cache(maxsize=2048)
def single(relation: Relation, label: str, members: Members) -> str:
    """The entity at the end of one relationship of each owner: one row of [key, entity]."""
    pattern = relation.pattern(OWNER, EDGE, THIS)
    return (
        f"UNWIND $keys AS key\nMATCH ({OWNER}:{label} {{key: key}})\n"
        f"WHERE {OWNER}.project_id = $project\nMATCH {pattern}\n"
        f"WHERE {THIS}.project_id = $project\n"
        f"RETURN collect([key, {faces.projection(THIS, dict(members))}]) AS found"
    )


@lru_cache(maxsize=2048)
def by_key(label: str, members: Members) -> str:
    """Entities by key: one row of [key, entity]."""
    return (
        f"UNWIND $keys AS key\nMATCH ({THIS}:{label} {{key: key}})\n"
        f"WHERE {THIS}.project_id = $project\n"
        f"RETURN collect([key, {faces.projection(THIS, dict(members))}]) AS found"
    )


def connection(asked: Asked, names: Names, row: str) -> str:
    """One page as an expression: rows, or [rows, total] where the total is asked for."""
    prefix = names.prefix
    rows = "[]"
    if asked.rows:
        joined = asked.relation.type is not None
        keep = f"{names.this}, {names.edge}" if joined else names.this
        order = asked.order.clause(names.this, names.edge, asked.relation.pinned)
        beyond = [asked.order.beyond(names.this, names.edge, prefix)] if asked.after else []
        rows = (
            f"COLLECT {{ {_match(asked, names, beyond)} "
            f"WITH {keep} ORDER BY {order} LIMIT ${prefix}limit RETURN {row} }}"
        )
    if not asked.total:
        return rows
    # A procedure's rows are a whole query's, which must say what it returns.
    procedure = any(isinstance(predicate, Text) for predicate, _, _ in asked.filters)
    returned = f" RETURN {names.this}" if procedure else ""
    return f"[{rows}, COUNT {{ {_match(asked, names, [])}{returned} }}]"


def _page(asked: Asked, owner: str) -> str:
    names = Names(owner)
    rows = (
        _rows(asked, names) if asked.rows else "WITH *, [] AS rows" if owner else "WITH [] AS rows"
    )
    total = _total(asked, names) if asked.total else "WITH *, null AS total"
    return f"{rows}\n{total}"


def _rows(asked: Asked, names: Names) -> str:
    joined = asked.relation.type is not None
    keep = f"{THIS}, {EDGE}" if joined else THIS
    facts = faces.projection(EDGE, dict(asked.facts)) if joined else "{}"
    entity = faces.projection(THIS, dict(asked.members))
    order = asked.order.clause(THIS, EDGE, asked.relation.pinned)
    beyond = [asked.order.beyond(THIS, EDGE)] if asked.after else []
    return (
        f"CALL ({names.owner}) {{\n  {_match(asked, names, beyond)}\n"
        f"  WITH {keep} ORDER BY {order} LIMIT $limit\n"
        f"  RETURN collect([{entity}, {facts}, {asked.order.values(THIS, EDGE)}]) AS rows\n}}"
    )


def _total(asked: Asked, names: Names) -> str:
    match = _match(asked, names, [])
    return f"CALL ({names.owner}) {{\n  {match}\n  RETURN count(*) AS total\n}}"


def _match(asked: Asked, names: Names, more: list[str]) -> str:
    """Where rows come from, and what they must fulfil."""
    this = names.this
    parts = [f"{this}.project_id = $project"] if asked.relation.scoped else []
    pattern = asked.relation.pattern(names.owner, names.edge, this)
    start = f"MATCH {pattern}{_hint(asked, this)}"
    for predicate, parameter, wanted in asked.filters:
        if isinstance(predicate, Text):
            start = (
                f"CALL db.index.fulltext.queryNodes('{predicate.index}', "
                f"${names.prefix}{parameter}) YIELD node AS {this} WITH {this}"
            )
        else:
            parts.append(_predicate(predicate, this, names.prefix + parameter, wanted))
    if asked.relation.where:
        parts.append(snippets.named(asked.relation.where).at(this))
    if asked.relation.type is None:
        # An index over several properties serves only where each has a predicate.
        parts += [f"{this}.{k.name} IS NOT NULL" for k in asked.order.keys if k.missing is None]
    return f"{start} WHERE {' AND '.join(parts + more)}" if parts + more else start


def _hint(asked: Asked, this: str) -> str:
    """The index that has a whole label's order: read in order, a page ends where it is full.

    Not where a filter is set, as another index may then lead to fewer rows.
    """
    index = asked.order.index(asked.relation.pinned)
    if asked.relation.type is not None or asked.filters or index is None:
        return ""
    return f" USING INDEX {this}:{asked.relation.target}({index})"


def _predicate(predicate: Predicate, this: str, parameter: str, wanted: bool) -> str:
    if isinstance(predicate, Equals):
        return f"{this}.{predicate.property} = ${parameter}"
    if isinstance(predicate, In):
        return f"{this}.{predicate.property} IN ${parameter}"
    if isinstance(predicate, Above):
        return f"{this}.{predicate.property} {'<' if predicate.below else '>'} ${parameter}"
    if not isinstance(predicate, Fulfils):
        raise ProgrammingError(f"{predicate} is no condition on a row")
    text = snippets.named(predicate.snippet).at(this, value=parameter)
    return text if wanted else f"NOT ({text})"
