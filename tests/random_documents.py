"""Random valid documents over the schema: whatever a client could ask of lists and entities."""

import random
from dataclasses import dataclass, field
from typing import Any

import orjson
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLSchema,
    get_named_type,
    get_nullable_type,
    is_composite_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
)

#: Root fields that are asked for, those that are compiled more often.
ROOTS = (
    *("workNodes", "workNode", "node", "runs", "run", "journal", "projects", "workEdges") * 3,
    *("workNodes", "ready", "orphans", "project", "version", "impact", "workEdge", "unmet"),
)
#: Lists in lists, at most.
DEEPEST = 3


@dataclass
class Pool:
    """What arguments are chosen from."""

    project: str
    #: Texts by the name of the argument or the filter's member: ids, tags, kinds and so on.
    texts: dict[str, list[str]] = field(default_factory=dict)
    #: Cursors by the name of the order that they are of, from earlier answers.
    cursors: dict[str, list[str]] = field(default_factory=dict)


class Document:
    """Writes one document with its variables."""

    def __init__(self, schema: GraphQLSchema, pool: Pool, seed: int) -> None:
        self._schema, self._pool = schema, pool
        self._random = random.Random(seed)
        self._numbers = 0
        #: Variables as they are declared, and what is sent for them.
        self._declared: list[str] = []
        self._fragments: list[str] = []
        self.values: dict[str, Any] = {}
        query = schema.query_type
        chosen = [self._random.choice(ROOTS) for _ in range(self._random.choice((1, 1, 1, 2, 3)))]
        fields = [self._field(query, name, 0, renamed=True) for name in chosen]
        if self._chance(0.1):
            fields.append("__typename")
        head = f"({', '.join(self._declared)})" if self._declared else ""
        self.text = "\n".join([f"query Q{head} {{ {' '.join(fields)} }}", *self._fragments])

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _field(self, parent: Any, name: str, depth: int, *, renamed: bool = False) -> str:
        declared = parent.fields[name]
        kind = get_named_type(declared.type)
        alias = f"a{self._number()}: " if renamed or declared.args or self._chance(0.1) else ""
        text = alias + name + self._arguments(declared) + self._directive()
        if not is_composite_type(kind):
            return text
        return f"{text} {self._selection(kind, depth + ('first' in declared.args))}"

    def _directive(self) -> str:
        if not self._chance(0.06):
            return ""
        word, value = self._random.choice(("skip", "include")), self._chance(0.5)
        if self._chance(0.5):
            return f" @{word}(if: {str(value).lower()})"
        return f" @{word}(if: ${self._variable('Boolean!', value)})"

    def _variable(self, kind: str, value: Any) -> str:
        name = f"v{self._number()}"
        self._declared.append(f"${name}: {kind}")
        self.values[name] = value
        return name

    def _selection(self, kind: Any, depth: int) -> str:
        parts = self._parts(kind, depth)
        if self._chance(0.08):
            name = f"F{self._number()}"
            inner = " ".join(self._parts(kind, depth) or ["__typename"])
            self._fragments.append(f"fragment {name} on {kind.name} {{ {inner} }}")
            parts.append(f"...{name}{self._directive()}")
        if self._chance(0.06):
            parts.append(f"...{self._directive()} {{ __typename }}")
        return f"{{ {' '.join(parts or ['__typename'])} }}"

    def _parts(self, kind: Any, depth: int) -> list[str]:
        if not is_object_type(kind):
            parts = ["__typename"] if self._chance(0.6) else []
            parts += [name for name in getattr(kind, "fields", ()) if self._chance(0.6)]
            for one in self._schema.get_possible_types(kind):
                if self._chance(0.8):
                    parts.append(
                        f"... on {one.name}{self._directive()} {self._selection(one, depth)}"
                    )
            return parts
        names = [name for name in kind.fields if self._chance(self._share(kind, name, depth))]
        self._random.shuffle(names)
        parts = [self._field(kind, name, depth) for name in names]
        if self._chance(0.12):
            parts.insert(self._random.randint(0, len(parts)), "__typename")
        return parts

    def _share(self, kind: Any, name: str, depth: int) -> float:
        """How often a field is selected."""
        declared = kind.fields[name]
        if (kind.name, name) == ("ProjectConnection", "totalCount"):
            return 0.0  # other tests make and remove projects beside this one
        if not is_composite_type(get_named_type(declared.type)):
            return 0.35
        if name in ("nodes", "edges", "node", "pageInfo"):
            return 0.6
        return 0.25 / (depth + 1) if depth < DEEPEST else 0.0

    def _arguments(self, declared: Any) -> str:
        given, order = [], ""
        for name, argument in declared.args.items():
            required = is_non_null_type(argument.type) and argument.default_value is None
            fixed = name in ("project", "id", "src", "dst")
            share = 0.9 if required or name == "first" else 0.4
            if name == "after" or not (fixed or self._chance(share)):
                continue
            value = self._value(name, argument.type)
            if name == "orderBy":
                order = value
            given.append(f"{name}: {self._written(argument.type, value)}")
        if "after" in declared.args and self._chance(0.3):
            usual = declared.args.get("orderBy")
            order = order or getattr(usual and usual.default_value, "name", "EDGE")
            if order in self._pool.cursors or self._chance(0.05):
                given.append(f"after: {self._written('String', self._cursor(order))}")
        return f"({', '.join(given)})" if given else ""

    def _cursor(self, order: str) -> str:
        known = self._pool.cursors
        if order not in known or self._chance(0.03):
            order = self._random.choice([*known, ""])
        return self._random.choice(known[order]) if order else "no cursor"

    def _written(self, kind: Any, value: Any) -> str:
        """An argument in the document, or as a variable."""
        if self._chance(0.4):
            return f"${self._variable(str(kind), value)}"
        return self._literal(kind, value)

    def _literal(self, kind: Any, value: Any) -> str:
        kind = kind if isinstance(kind, str) else get_nullable_type(kind)
        if value is None:
            return "null"
        if isinstance(kind, GraphQLEnumType):
            return str(value)
        if isinstance(value, list):
            return f"[{', '.join(self._literal(kind.of_type, one) for one in value)}]"
        if isinstance(kind, GraphQLInputObjectType):
            members = kind.fields
            parts = (
                f"{name}: {self._literal(members[name].type, one)}" for name, one in value.items()
            )
            return f"{{{', '.join(parts)}}}"
        return orjson.dumps(value).decode()

    def _value(self, name: str, kind: Any) -> Any:
        if not is_non_null_type(kind) and self._chance(0.06):
            return None
        kind = get_nullable_type(kind)
        if is_list_type(kind):
            return [self._value(name, kind.of_type) for _ in range(self._random.randint(0, 3))]
        if isinstance(kind, GraphQLEnumType):
            return self._random.choice(list(kind.values))
        if isinstance(kind, GraphQLInputObjectType):
            most = self._random.choice((1, 1, 1, 2, 3))
            names = self._random.sample(list(kind.fields), min(most, len(kind.fields)))
            return {one: self._value(one, kind.fields[one].type) for one in names}
        if kind.name == "Boolean":
            return self._chance(0.5)
        if kind.name == "Int":
            few = (0, 1, 2, 3, 4, 5, 7, 50)
            return self._random.choice((*few, -1, 500, 501) if self._chance(0.06) else few)
        return self._text(name, kind)

    def _text(self, name: str, kind: Any) -> str:
        if kind.name == "DateTime":
            return self._random.choice(self._pool.texts["moment"])
        if name == "project":
            others = ("no-such-project", "NOT A NAME", "demo")
            return self._random.choice(others) if self._chance(0.06) else self._pool.project
        known = self._pool.texts.get("globalId" if kind.name == "ID" else name, ["x"])
        return self._random.choice(known)
