"""How each member of a record is stored, from its annotation, and records made from rows."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import datetime
from enum import Enum
from functools import cache
from inspect import get_annotations
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin

from strawberry.scalars import JSON

from gotn import shapes

T = TypeVar("T")


@dataclass(frozen=True)
class Form:
    """How a stored value becomes the record's."""

    value: Callable[[Any], Any] = lambda stored: stored


PLAIN = Form()
MOMENT = Form(shapes.native)
LEAF = Form(shapes.loads)
SEVERAL = Form(tuple)


@cache
def form_of(cls: type, name: str) -> Form:
    """The form of a member: what its annotation tells."""
    hint = _hint(cls, name)
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if get_origin(hint) in (Union, UnionType):
        hint = next(kind for kind in get_args(hint) if kind is not NoneType)
    if hint is JSON or hint is Any:
        return LEAF
    if get_origin(hint) is tuple:
        return SEVERAL
    if hint is datetime:
        return MOMENT
    if isinstance(hint, type) and issubclass(hint, Enum):
        return Form(hint)
    return PLAIN


def _hint(cls: type, name: str) -> Any:
    """A member's annotation; others may still wait for their module."""
    found = (get_annotations(base) for base in cls.__mro__)
    return next((known[name] for known in found if name in known), str)


@cache
def defaults(cls: Any) -> dict[str, Any]:
    """What a member is where nothing is stored."""
    return {
        field.name: None if field.default is MISSING else field.default for field in fields(cls)
    }


def build(cls: type[T], stored: Mapping[str, Any], forms: Mapping[str, Form], **more: Any) -> T:
    """A record, or the GraphQL type that inherits it, from what a statement returned.

    Only what was asked for is set; `__post_init__` is not run, as stored rows passed it.
    """
    record = cls.__new__(cls)
    usual = defaults(cast(Hashable, cls))
    for name, value in stored.items():
        made = usual.get(name) if value is None else forms[name].value(value)
        setattr(record, name, made)
    for name, value in more.items():
        setattr(record, name, value)
    return record


def adopt(cls: type[T], record: Any) -> T:
    """The GraphQL type that inherits a record's class, with that record's members."""
    face = cls.__new__(cls)
    face.__dict__.update(vars(record))
    return face
