"""Check a document's values against a declared shape (`records.documents`).

A value comes back in the order and with the members it came with: unknown ones are kept,
nulls are kept, money becomes text, other decimals floats. Whatever is wrong is named by
its path, all of it.
"""

import types
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime
from decimal import Decimal
from difflib import get_close_matches
from enum import Enum
from functools import cache, lru_cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from gotn import checks, shapes
from gotn.errors import Invalid
from gotn.trees.rules import money

#: Items of one list, at most.
ITEMS = 100_000
#: Where the report of what is wrong goes: the path and the reason.
Wrong = Callable[[str], None]
#: Where members go that a shape does not know: the shape, the name, its path.
Unknown = Callable[[type, str, str], None]
#: Members that counts of tokens are.
_TOKENS = "_tokens"


@cache
def members(cls: type) -> dict[str, tuple[Any, Field[Any]]]:
    """Each member of a shape: its type without None, and its declaration."""
    hints = get_type_hints(cls)
    return {one.name: (_some(hints[one.name]), one) for one in fields(cls)}


def _some(hint: Any) -> Any:
    if get_origin(hint) in (Union, types.UnionType):
        return next(kind for kind in get_args(hint) if kind is not types.NoneType)
    return hint


def needed(cls: type) -> tuple[str, ...]:
    """The members that a shape cannot be without."""
    return tuple(name for name, (_, one) in members(cls).items() if one.default is MISSING)


@lru_cache(maxsize=1000)
def near(cls: type, name: str) -> str | None:
    """The member of a shape that a name is almost, or None."""
    return next(iter(get_close_matches(name[:_LONG], members(cls), 1, _NEAR)), None)


#: How much of two names is the same where one may be the other mistyped.
_NEAR = 0.75
#: Characters of a name that are compared.
_LONG = 60


def advice(cls: type, name: str) -> str:
    """What to write in place of a name that a shape does not know."""
    found = near(cls, name)
    return f"did you mean {found}?" if found else f"known are {', '.join(members(cls))}"


def shape(
    cls: type,
    value: Any,
    path: str,
    wrong: Wrong,
    *,
    beside: frozenset[str],
    unknown: Unknown | None = None,
) -> Any:
    """An object's members, checked; those in `beside` are left to the caller.

    Members that the shape does not know are kept, and told to `unknown`.
    """
    if not isinstance(value, dict):
        wrong(f"{path}: expected an object, found {shapes.shown(value)}")
        return {}
    known = members(cls)
    for name in needed(cls):
        if name not in beside and value.get(name) is None:
            wrong(f"{_at(path, name)}: is missing")
    found: dict[str, Any] = {}
    for name, item in value.items():
        if name in beside:
            found[name] = item
        elif item is None and name in known:
            found[name] = None
        else:
            _member(found, name, item, known.get(name), path, wrong, unknown)
            if name in found and name not in known and unknown is not None:
                unknown(cls, name, _at(path, name))
    return found


def _at(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _member(
    found: dict[str, Any],
    name: str,
    item: Any,
    known: Any,
    path: str,
    wrong: Wrong,
    unknown: Unknown | None,
) -> None:
    where = _at(path, name)
    try:
        shapes.check_text(name, "a key")
        if known is None:
            found[name] = checks.leaf(plain(shapes.portable(item, where)), where)
        else:
            found[name] = _value(known[0], known[1], item, where, wrong, unknown)
    except Invalid as error:
        wrong(error.message)


def _value(
    kind: Any, declared: Field[Any], item: Any, where: str, wrong: Wrong, unknown: Unknown | None
) -> Any:
    if get_origin(kind) is tuple:
        one = get_args(kind)[0]
        return [
            _value(one, declared, each, f"{where}[{i}]", wrong, unknown)
            for i, each in enumerate(_several(item, where))
        ]
    if is_dataclass(kind) and isinstance(kind, type):
        return shape(kind, item, where, wrong, beside=frozenset(), unknown=unknown)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return checks.one_of(item, where, [one.value for one in kind])
    return _SCALARS[kind](item, where, declared)


def _several(item: Any, where: str) -> list[Any]:
    if not isinstance(item, list):
        raise Invalid(f"{where}: expected a list, found {shapes.shown(item)}")
    if len(item) > ITEMS:
        raise Invalid(f"{where}: expected at most {ITEMS} items, found {len(item)}")
    return item


def _text(item: Any, where: str, declared: Field[Any]) -> str:
    if "pattern" in declared.metadata:
        return checks.identifier(item, where)
    return checks.text(item, where)


def _boolean(item: Any, where: str, _: Field[Any]) -> bool:
    if not isinstance(item, bool):
        raise Invalid(f"{where}: expected true or false, found {shapes.shown(item)}")
    return item


def whole(item: Any, where: str, declared: Field[Any]) -> int:
    """A whole number within the bounds that its member declares; Invalid names them."""
    found = item
    if isinstance(found, Decimal) and found.is_finite() and found == found.to_integral_value():
        found = int(found) if abs(found) < shapes.LARGEST_INTEGER else found
    if isinstance(found, bool) or not isinstance(found, int):
        raise Invalid(f"{where}: expected a whole number, found {_said(item)}")
    _bounded(found, where, declared)
    counted = declared.name.endswith(_TOKENS) or declared.name == "cache_hits"
    single = counted and not declared.metadata.get("sum")
    most = money.TOKENS if single else shapes.LARGEST_INTEGER
    if abs(found) > most:
        raise Invalid(f"{where}: expected at most {most}, found {found}")
    return found


def _number(item: Any, where: str, declared: Field[Any]) -> int | float:
    if isinstance(item, bool) or not isinstance(item, int | Decimal | float):
        raise Invalid(f"{where}: expected a number, found {_said(item)}")
    found = plain(item)
    checks.leaf(found, where)
    _bounded(found, where, declared)
    return found  # type: ignore[no-any-return]  # an int or a float


def _bounded(found: Any, where: str, declared: Field[Any]) -> None:
    least, most = declared.metadata.get("least"), declared.metadata.get("most")
    if (least is not None and found < least) or (most is not None and found > most):
        wanted = f"{least} to {most}" if most is not None else f"{least} or more"
        raise Invalid(f"{where}: expected {wanted}, found {_said(found)}")


def _money(item: Any, where: str, declared: Field[Any]) -> str:
    most = money.MOST_STATED if declared.metadata.get("sum") else money.MOST
    return money.text(item, where, most)


def _time(item: Any, where: str, _: Field[Any]) -> str:
    """The text as it came, if it is a time."""
    checks.time(item, where)
    return str(item)


_SCALARS: dict[Any, Callable[[Any, str, Field[Any]], Any]] = {
    str: _text,
    bool: _boolean,
    int: whole,
    float: _number,
    Decimal: _money,
    datetime: _time,
}


def _said(value: Any) -> str:
    number = isinstance(value, Decimal | int) and not isinstance(value, bool)
    return str(value) if number else shapes.shown(value)


def plain(value: Any) -> Any:
    """A value in plain JSON: decimals that are no money as floats."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value
