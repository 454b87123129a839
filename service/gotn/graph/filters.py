"""Filters as callers give them: what each set member asks for, and its value as bound."""

import re
from dataclasses import fields
from enum import Enum
from typing import Any

import strawberry
from strawberry.types.base import get_object_definition

from gotn.errors import Invalid
from gotn.graph.reads import KEY, Predicate, Text

#: Characters and words of a text that is looked for.
LONGEST, WORDS = 1000, 20
#: Words that tell nothing of what a text is about, where any word is looked for.
_TELL_NOTHING = (
    "a about after all also an and any are as at be been but by can do does for from had has have "
    "how i if in into is it its of on or our so than that the their them then there these they "
    "this to up was we were what when where which who will with you your"
)
COMMON = frozenset(_TELL_NOTHING.split())
_LUCENE = re.compile(r'([+\-&|!(){}\[\]^"~*?:\\/<>=])')


def where(predicate: Predicate, description: str) -> Any:
    """A filter's member, with what it asks of a row; a member that is null asks nothing."""
    return strawberry.field(default=None, description=description, metadata={KEY: predicate})


def bound(given: Any) -> tuple[tuple[tuple[Predicate, str, bool], ...], dict[str, Any]]:
    """The set members of a filter input, and their parameters."""
    if given is None:
        return (), {}
    found: list[tuple[Predicate, str, bool]] = []
    values: dict[str, Any] = {}
    for one in get_object_definition(given, strict=True).fields:
        value = getattr(given, one.python_name)
        if value is None:
            continue
        predicate = one.metadata[KEY]
        name = f"f_{one.python_name}"
        if isinstance(predicate, Text):
            value = words(value)
        found.append((predicate, name, value is not False))
        values[name] = plain(value)
    return tuple(found), values


def plain(value: Any) -> Any:
    """An argument as the driver takes it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def words(text: str) -> str:
    """A full-text query that asks for every word, or what begins with it."""
    parts = text.split()
    if not parts or len(text) > LONGEST or len(parts) > WORDS:
        raise Invalid(
            f"text: expected 1 to {WORDS} words of {LONGEST} characters in all", field="text"
        )
    return " ".join(f'+("{_escaped(part)}" {_escaped(part.lower())}*)' for part in parts)


def any_word(text: str) -> str:
    """A full-text query that asks for any of the words, of a long text the first; "" for none.

    Words that every text has are left out, unless there are no others.
    """
    parts = [part for part in text[:LONGEST].lower().split() if any(map(str.isalnum, part))]
    telling = [part for part in parts if part not in COMMON] or parts
    return " ".join(f'"{_escaped(part)}"' for part in telling[:WORDS])


def _escaped(word: str) -> str:
    return _LUCENE.sub(r"\\\1", word)


def same(given: Any) -> tuple[Any, ...]:
    """A filter as part of a loader's key: equal ones are asked once."""
    if given is None:
        return ()
    return tuple((f.name, repr(getattr(given, f.name))) for f in fields(given))
