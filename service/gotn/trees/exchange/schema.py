"""The JSON Schema of a tree's document, made from the shapes.

`python -m gotn.trees.exchange.schema` prints it, `task_tree.schema.json` is what it printed,
and a test compares the two. It is as lenient as the reader: any id that is not empty, null
for what is optional, unknown members kept.
"""

import sys
from dataclasses import is_dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Any, get_args, get_origin

import orjson

from gotn.trees.records import TaskNode, TreeDocument
from gotn.trees.rules import shaped

Row = dict[str, Any]
_SCALARS: dict[Any, Row] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    Decimal: {"type": "number"},
    datetime: {"type": "string", "format": "date-time"},
}
#: Members that the reader fills in where a document lacks them.
_LENIENT = {TreeDocument: {"version"}, TaskNode: {"status"}}


def schema() -> Row:
    """The schema as a JSON value."""
    shapes: dict[str, Row] = {}
    whole = _object(TreeDocument, shapes)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A recursive task tree with token and cost tracking",
        **whole,
        "$defs": {name: shapes[name] for name in sorted(shapes)},
    }


def _object(cls: type, shapes: dict[str, Row]) -> Row:
    members = shaped.members(cls)
    needed = [name for name in shaped.needed(cls) if name not in _LENIENT.get(cls, ())]
    found: Row = {"type": "object"}
    if cls.__doc__:
        found["description"] = cls.__doc__.split("\n", maxsplit=1)[0]
    if needed:
        found["required"] = needed
    found["properties"] = {
        name: _member(kind, one, name in needed, shapes) for name, (kind, one) in members.items()
    }
    return found


def _member(kind: Any, declared: Any, needed: bool, shapes: dict[str, Row]) -> Row:
    found = _kind(kind, shapes)
    bounds = {"minimum": declared.metadata.get("least"), "maximum": declared.metadata.get("most")}
    found |= {name: bound for name, bound in bounds.items() if bound is not None}
    if "pattern" in declared.metadata and declared.name == "version":
        found["pattern"] = declared.metadata["pattern"]
    elif "pattern" in declared.metadata:
        found["minLength"] = 1
    return found if needed else {"anyOf": [found, {"type": "null"}]}


def _kind(kind: Any, shapes: dict[str, Row]) -> Row:
    if get_origin(kind) is tuple:
        return {"type": "array", "items": _kind(get_args(kind)[0], shapes)}
    if isinstance(kind, type) and is_dataclass(kind):
        if kind.__name__ not in shapes:
            shapes[kind.__name__] = {}  # a task holds tasks
            shapes[kind.__name__] = _object(kind, shapes)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"type": "string", "enum": [one.value for one in kind]}
    return dict(_SCALARS[kind])


def text() -> str:
    """The schema as it is shipped."""
    return orjson.dumps(schema(), option=orjson.OPT_INDENT_2).decode() + "\n"


if __name__ == "__main__":
    sys.stdout.write(text())
