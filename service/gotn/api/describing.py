"""Descriptions for what records declare: types, fields and enum values get one each."""

from enum import Enum
from typing import Any, TypeVar

import strawberry
from strawberry.types.base import get_object_definition

T = TypeVar("T")


def described(cls: type[T], **fields: str) -> type[T]:
    """Describe the fields that a GraphQL type inherits from its record, by Python name."""
    known = {field.python_name: field for field in get_object_definition(cls, strict=True).fields}
    for name, text in fields.items():
        known[name].description = text
    return cls


def value(cls: type[T], **fields: str) -> type[T]:
    """A record that is a GraphQL type as it stands; its docstring is the description."""
    strawberry.type(cls, description=_summary(cls))
    return described(cls, **fields)


def choices(enum: type[Enum], **members: str) -> None:
    """An enum of the records as a GraphQL enum, each value described."""
    strawberry.enum(enum, description=_summary(enum))
    definition: Any = enum.__strawberry_definition__  # type: ignore[attr-defined]
    for found in definition.values:
        found.description = members[found.name]


def _summary(cls: type) -> str:
    return (cls.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ")
