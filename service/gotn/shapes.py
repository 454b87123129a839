"""The only converter between what is stored, what travels as JSON, and records.

Neo4j keeps a moment as a temporal value and a leaf that is never matched on as JSON text;
journals and documents keep both as plain JSON. Records use datetime and Python values; a
Decimal is exact text wherever it is no Decimal.
"""

import dataclasses
import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import orjson

from gotn.errors import Invalid

R = TypeVar("R")

#: The largest integer that every JSON reader keeps exactly (RFC 8785 and RFC 7493 ask for it).
LARGEST_INTEGER = 2**53 - 1
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)")

#: What `iso` writes; anything else it must write anew.
_PLAIN_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,5}[1-9])?Z")


def moment(text: Any, field: str = "time") -> datetime:
    """ISO 8601 with an offset, as UTC in microseconds; Invalid for anything else."""
    if isinstance(text, datetime) and text.tzinfo is not None:
        return text.astimezone(UTC)
    if not isinstance(text, str) or not _MOMENT.fullmatch(text):
        raise Invalid(
            f"{field}: expected an ISO 8601 time with an offset such as "
            f"2025-01-27T10:30:00Z, found {shown(text)}",
            field=field,
        )
    shortened = re.sub(r"(\.\d{6})\d+", r"\1", text) if "." in text else text
    try:
        return datetime.fromisoformat(shortened.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Invalid(f"{field}: there is no such time: {shown(text)}", field=field) from None


def iso(value: datetime) -> str:
    """UTC with `Z`, and a fraction only where there is one."""
    text = value.astimezone(UTC).isoformat(timespec="seconds")
    return text[:19] + (f".{value.microsecond:06d}".rstrip("0") if value.microsecond else "") + "Z"


def shown(value: Any, length: int = 60) -> str:
    """A value as an error message quotes it: JSON, cut short."""
    try:
        text = orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
    except (TypeError, ValueError, UnicodeEncodeError):
        text = ascii(value)
    return text if len(text) <= length else f"{text[:length]}…"


def dumps(value: Any) -> str:
    """JSON text of a leaf, keys in their order; moments as ISO text."""
    return orjson.dumps(value, default=_default).decode()


def loads(text: str | bytes) -> Any:
    """The value of a stored leaf."""
    return orjson.loads(text)


def _default(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    raise TypeError(type(value).__name__)


def portable(value: Any, field: str) -> Any:
    """The value, if every JSON reader keeps it; Invalid names what it cannot keep.

    NaN and infinities, integers beyond 2^53 - 1 and lone surrogates have no portable JSON.
    Iterative, so that depth cannot exhaust the stack.
    """
    todo: list[tuple[Any, int]] = [(value, 0)]
    while todo:
        item, depth = todo.pop()
        if depth > 64:
            raise Invalid(f"{field}: nested deeper than 64 levels", field=field)
        if isinstance(item, Mapping):
            todo.extend((part, depth + 1) for pair in item.items() for part in pair)
        elif isinstance(item, list | tuple):
            todo.extend((part, depth + 1) for part in item)
        else:
            _check_leaf(item, field)
    return value


def _check_leaf(item: Any, field: str) -> None:
    if isinstance(item, float) and not math.isfinite(item):
        raise Invalid(f"{field}: {item} is not a JSON number", field=field)
    if isinstance(item, int) and not isinstance(item, bool) and abs(item) > LARGEST_INTEGER:
        raise Invalid(f"{field}: {item} is beyond 2^53-1; put it in quotes", field=field)
    if isinstance(item, str):
        check_text(item, field)


def check_text(text: str, field: str) -> str:
    """The text, if it can be stored as UTF-8; Invalid for a lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Invalid(f"{field}: holds half a character (a lone surrogate)", field=field) from None
    return text


def properties(row: Mapping[str, Any], *, leaves: Iterable[str]) -> dict[str, Any]:
    """A plain JSON row as Neo4j properties: leaves as JSON text.

    Moments stay text here and become temporal in the statement that writes them: the
    driver takes 0.1 ms to pack one, Neo4j almost nothing to read it.
    """
    leaves = frozenset(leaves)
    stored: dict[str, Any] = {}
    for name, value in row.items():
        if value is None:
            continue
        if name in leaves:
            stored[name] = dumps(value)
        else:
            stored[name] = value
    return stored


def row(
    stored: Mapping[str, Any], *, leaves: Iterable[str], moments: Iterable[str]
) -> dict[str, Any]:
    """Neo4j properties as a plain JSON row; the inverse of `properties`."""
    leaves, moments = frozenset(leaves), frozenset(moments)
    plain: dict[str, Any] = {}
    for name, value in stored.items():
        if value is None:
            continue
        if name in leaves:
            plain[name] = loads(value)
        elif name in moments:
            plain[name] = instant(value)
        else:
            plain[name] = value
    return plain


def instant(value: Any) -> str:
    """A moment as rows keep it (`iso`), from ISO text or a driver's temporal value."""
    if isinstance(value, str):
        return value if _PLAIN_MOMENT.fullmatch(value) else iso(moment(value))
    return iso(native(value))


def native(value: Any) -> datetime:
    """A driver's temporal value as a datetime in UTC."""
    found: datetime = value if isinstance(value, datetime) else value.to_native()
    return found.astimezone(UTC)


def build(record: type[R], values: Mapping[str, Any]) -> R:
    """A record from a plain row; members the row lacks take the record's defaults."""
    found = {}
    for name, read in _readers(cast(Hashable, record)):
        if (value := values.get(name)) is not None:
            found[name] = value if read is None else read(value)
    return record(**found)


#: Makes a member of a record from plain JSON.
_Reader = Callable[[Any], Any]


@cache
def _readers(record: Any) -> tuple[tuple[str, _Reader | None], ...]:
    """The members that a record is made of, with what reads them; None: as they are."""
    hints = get_type_hints(record)
    return tuple((f.name, _reader(hints[f.name])) for f in dataclasses.fields(record) if f.init)


def _reader(hint: Any) -> _Reader | None:
    """What reads a member with this annotation."""
    if get_origin(hint) in (Union, UnionType):
        hint = next(kind for kind in get_args(hint) if kind is not NoneType)
    if get_origin(hint) in (tuple, Sequence):
        return _many(_reader(get_args(hint)[0]))
    if not isinstance(hint, type):
        return None
    if hint is datetime:
        return moment
    if hint is Decimal:
        return Decimal
    if dataclasses.is_dataclass(hint):
        return partial(build, hint)
    return hint if issubclass(hint, Enum) else None


def _many(read: _Reader | None) -> _Reader:
    return tuple if read is None else lambda items: tuple(map(read, items))


def plain(record: Any) -> dict[str, Any]:
    """A record as a plain row: enums by value, moments and decimals as text, nothing absent."""
    return {
        field.name: _plain(value)
        for field in dataclasses.fields(record)
        if (value := getattr(record, field.name)) is not None
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain(value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(item) for item in value]
    return value
