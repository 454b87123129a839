"""Rows as documents of 004: an untouched import as it came; strict as the schema wants it."""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any, get_args, get_origin

import orjson
import yaml

from gotn.errors import Invalid
from gotn.trees.exchange import deep
from gotn.trees.records import TaskNode, TreeMetadata
from gotn.trees.records.documents import TASK_ID, TREE_ID
from gotn.trees.rules import shaped

Row = dict[str, Any]
#: How the documents order what never was in one.
_ORDER = (*(one.name for one in fields(TaskNode) if one.name != "children"), "children")


class Money(str):
    """An amount as text, which a document shows as a number."""

    __slots__ = ()


def document(tree: Row, tasks: Sequence[Row]) -> Row:
    """The document of a tree; its tasks' rows stand with parents first."""
    made: dict[str, Row] = {}
    for row in tasks:
        node = made[row["id"]] = _node(row)
        if row.get("parent") is not None:
            made[row["parent"]].setdefault("children", []).append(node)
    for row in tasks:
        made[row["id"]] = _ordered(made[row["id"]], row["layout"], _ORDER)
    for row in tasks:
        if children := made[row["id"]].get("children"):
            children[:] = [made[child["node_id"]] for child in children]
    return _whole(tree, made[tasks[0]["id"]])


def _whole(tree: Row, root: Row) -> Row:
    found: Row = {"version": tree["version"], "root_task": root}
    if "metadata" in tree:
        found["metadata"] = _moneyed(TreeMetadata, tree["metadata"])
    layout = tree.get("layout") or {"keys": ["version", "root_task", "metadata"]}
    return _ordered(found | tree.get("extra", {}), layout, ())


def node(row: Row) -> Row:
    """One task by itself, as `nodes/{id}.json` has it."""
    layout = {"keys": [key for key in row["layout"]["keys"] if key != "children"]}
    layout |= {"nulls": row["layout"]["nulls"]} if "nulls" in row["layout"] else {}
    return _ordered(_node(row), layout, _ORDER)


def _node(row: Row) -> Row:
    found: Row = {"node_id": row["id"], "depth": row["layout"].get("depth", row["depth"])}
    if row.get("parent") is not None:
        found["parent_id"] = row["parent"]
    for name, (kind, _) in shaped.members(TaskNode).items():
        if name in row and name not in found:
            found[name] = _moneyed(kind, row[name])
    if "documents" in row:
        found["context"] = found["context"] | {"documents": row["documents"]}
    extra: Row = row.get("extra", {})
    return found | extra


def _moneyed(kind: Any, value: Any) -> Any:
    """A leaf with its amounts marked, and in the order it has."""
    if not (isinstance(value, dict) and isinstance(kind, type) and is_dataclass(kind)):
        return value
    known = shaped.members(kind)
    return {name: _amount(known.get(name), item) for name, item in value.items()}


def _amount(known: Any, item: Any) -> Any:
    if known is None or item is None:
        return item
    if known[0] is Decimal:
        return Money(item)
    if get_origin(known[0]) is tuple and is_dataclass(get_args(known[0])[0]):
        return [_moneyed(get_args(known[0])[0], one) for one in item]
    return _moneyed(known[0], item)


def _ordered(found: Row, layout: Row, usual: Sequence[str]) -> Row:
    """The members in the order they came in; those that came without are left as they were."""
    keys = layout["keys"]
    nulls = dict.fromkeys(layout.get("nulls", ()))
    said = {key: found.get(key, nulls.get(key)) for key in keys if key in found or key in nulls}
    if "children" in keys and "children" not in said:
        said = {key: found.get(key, nulls.get(key, [])) for key in keys}
    implied = {"depth", "parent_id", "status", "node_id", "version"}
    more = [key for key in (*usual, *found) if key in found and key not in said]
    return said | {key: found[key] for key in more if key not in implied or key in ("children",)}


def strict(found: Row) -> tuple[Row, dict[str, str]]:
    """The document as the published schema wants it, and which ids were replaced by which."""
    names: dict[str, str] = {}
    todo = [found["root_task"]]
    while todo:
        one = todo.pop()
        for key in [key for key, value in one.items() if value is None]:
            del one[key]
        _rename(one, "node_id", TASK_ID, names)
        _rename(one, "parent_id", TASK_ID, names)
        one.setdefault("status", "pending")
        for key, value in one.items():
            if key != "children":
                one[key] = _without_nulls(value)
        todo += one.get("children", ())
    if len(set(names.values())) < len(names):
        raise Invalid("Two ids have the same first 8 hex digits of SHA-256; export without strict.")
    found["version"] = found.get("version") or "1.0.0"
    if isinstance(found.get("metadata"), dict):
        found["metadata"] = _without_nulls(found["metadata"])
        _rename(found["metadata"], "tree_id", TREE_ID, names)
    elif "metadata" in found:
        del found["metadata"]
    return found, {old: new for old, new in names.items() if old != new}


def _rename(one: Row, member: str, pattern: str, names: dict[str, str]) -> None:
    old = one.get(member)
    if old is None:
        return
    start = "tree-" if member == "tree_id" else "task-"
    if old not in names:
        hexed = hashlib.sha256(old.encode()).hexdigest()[:8]
        names[old] = old if re.fullmatch(pattern, old) else start + hexed
    one[member] = names[old]


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_nulls(item) for k, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def text(found: Row, style: str = "json") -> str:
    """A document as text: `json`, or `yaml`; amounts are exact numbers in both."""
    if style == "yaml":
        return _yaml(found)
    try:
        option = orjson.OPT_INDENT_2 | orjson.OPT_PASSTHROUGH_SUBCLASS
        return orjson.dumps(found, default=_exact, option=option).decode() + "\n"
    except TypeError:  # deeper than orjson goes
        return "".join(deep.dumps(found, _exact)) + "\n"


def _exact(value: Any) -> Any:
    if isinstance(value, Money):
        return orjson.Fragment(value.encode())
    raise TypeError(type(value).__name__)


class _Dumper(yaml.SafeDumper):
    """YAML with keys in their order, no aliases, and amounts as numbers."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  # PyYAML's signature
        """What stands twice is written twice."""
        return True


def _number(dumper: Any, value: Money) -> Any:
    kind = "float" if "." in value else "int"
    return dumper.represent_scalar(f"tag:yaml.org,2002:{kind}", str(value))


_Dumper.add_representer(Money, _number)


def _yaml(found: Row) -> str:
    try:
        dumped: str = yaml.dump(found, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
    except RecursionError:
        raise Invalid("This tree is deeper than YAML writers go; export it as JSON.") from None
    return dumped


#: What writes an amount as a program's own JSON has it.
Exact = Callable[[Any], Any]
