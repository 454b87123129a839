"""Columns of stored values as GraphQL shows them, whole columns at a time.

A column holds the values of one field in all rows of a level. What is out of the ordinary, a
null or a type that the schema does not allow, is a Surprise: normal execution knows what to say.
"""

from collections.abc import Callable, Iterable
from itertools import chain, islice
from typing import Any

from graphql import GraphQLEnumType, is_enum_type, is_list_type, is_non_null_type

from gotn import shapes
from gotn.graph.forms import LEAF, Form

Convert = Callable[[list[Any]], list[Any]]
#: GraphQL's Int.
_LOWEST, _HIGHEST = -(2**31), 2**31 - 1
#: "2025-01-27T10:30:00.123456Z": a finer moment is cut to microseconds.
_LONGEST_MOMENT = 27


class Surprise(Exception):
    """A compiled answer cannot be trusted; the field is executed normally. Holds the reason."""


class NotCompilable(Exception):
    """Something in a selection is not declared as a read of the graph. Holds which."""


def column(kind: Any, form: Form, usual: Any) -> Convert:
    """How a member's stored values are shown; `usual` stands where nothing is stored."""
    required = is_non_null_type(kind)
    convert = _converter(kind.of_type if required else kind, form, required)
    instead = None if usual is None else complete(kind, usual)

    def show(values: list[Any]) -> list[Any]:
        if None not in values:
            return convert(values)
        if instead is None and required:
            raise Surprise("null")
        kept = [value for value in values if value is not None]
        shown = iter(convert(kept) if kept else ())
        return [instead if value is None else next(shown) for value in values]

    return show


def complete(kind: Any, value: Any) -> Any:
    """A Python value as GraphQL shows it, one at a time: for what Python has computed."""
    if is_non_null_type(kind):
        kind = kind.of_type
        if value is None:
            raise Surprise("null")
    if value is None:
        return None
    if not is_list_type(kind):
        return kind.coerce_output_value(value)
    if not isinstance(value, list | tuple):
        raise Surprise("type")
    return [complete(kind.of_type, item) for item in value]


def is_temporal(kind: Any) -> bool:
    """Whether a field shows a moment, which Cypher prints."""
    return str(kind).rstrip("!") == "DateTime"


def split(flat: Iterable[Any], sizes: list[int]) -> list[list[Any]]:
    """A flat column as the lists that it was made of."""
    rest = iter(flat)
    return [list(islice(rest, size)) for size in sizes]


def _converter(kind: Any, form: Form, required: bool) -> Convert:
    if form is LEAF:
        return _leaf(kind, required)
    if is_list_type(kind):
        return _several(column(kind.of_type, form, None))
    if is_enum_type(kind):
        return _enum(kind)
    try:
        return _SCALARS[kind.name]
    except KeyError:
        raise NotCompilable(f"a column of {kind}") from None


def _several(inner: Convert) -> Convert:
    def show(values: list[Any]) -> list[Any]:
        if set(map(type, values)) != {list}:
            raise Surprise("type")
        flat = list(chain.from_iterable(values))
        return split(inner(flat) if flat else (), [len(value) for value in values])

    return show


def _enum(kind: GraphQLEnumType) -> Convert:
    names = {getattr(one.value, "value", one.value): name for name, one in kind.values.items()}

    def show(values: list[Any]) -> list[Any]:
        try:
            return [names[value] for value in values]
        except (KeyError, TypeError):
            raise Surprise("enum") from None

    return show


def _leaf(kind: Any, required: bool) -> Convert:
    """JSON text; parsed, since text that is no JSON would make the whole answer none."""
    plain = getattr(kind, "name", "") == "JSON"

    def show(values: list[Any]) -> list[Any]:
        try:
            found = [shapes.loads(value) for value in values]
        except ValueError:
            raise Surprise("json") from None
        if required and None in found:
            raise Surprise("null")
        return found if plain else [complete(kind, value) for value in found]

    return show


def _text(values: list[Any]) -> list[Any]:
    if set(map(type, values)) != {str}:
        raise Surprise("type")
    return values


def _integer(values: list[Any]) -> list[Any]:
    if set(map(type, values)) != {int} or min(values) < _LOWEST or max(values) > _HIGHEST:
        raise Surprise("type")
    return values


def _number(values: list[Any]) -> list[Any]:
    if not set(map(type, values)) <= {int, float}:
        raise Surprise("type")
    numbers = [float(value) for value in values]
    if not all(abs(number) < float("inf") for number in numbers):
        raise Surprise("type")  # NaN is not smaller than anything
    return numbers


def _boolean(values: list[Any]) -> list[Any]:
    if set(map(type, values)) != {bool}:
        raise Surprise("type")
    return values


def _moment(values: list[Any]) -> list[Any]:
    """Cypher prints them as `shapes.iso` does, but for nanoseconds and other zones."""
    _text(values)
    usual = min(values) >= "0" and max(map(len, values)) <= _LONGEST_MOMENT
    if usual and all(value[-1] == "Z" for value in values):
        return values
    return [shapes.iso(shapes.moment(value)) for value in values]


_SCALARS: dict[str, Convert] = {
    "String": _text,
    "ID": _text,
    "Int": _integer,
    "Float": _number,
    "Boolean": _boolean,
    "DateTime": _moment,
}
