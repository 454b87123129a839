"""Canonical JSON (RFC 8785), fast where that is easy.

orjson with sorted keys writes the same bytes as RFC 8785, except that it keeps `5.0`, sorts
keys by code points instead of UTF-16 units, and takes numbers beyond 2^53. A value without
floats, large integers and keys outside ASCII goes that way, anything else by the library.
"""

from typing import Any

import orjson
import rfc8785

_LARGEST = 2**53 - 1


def canonical(value: Any) -> bytes:
    """The RFC 8785 bytes of a JSON value."""
    if _is_easy(value):
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    return rfc8785.dumps(value)


def _is_easy(value: Any) -> bool:
    todo = [value]
    while todo:
        item = todo.pop()
        kind = type(item)
        if kind is dict:
            if not "".join(item).isascii():
                return False
            todo.extend(item.values())
        elif kind is list or kind is tuple:
            todo.extend(item)
        elif kind is float or (kind is int and not -_LARGEST <= item <= _LARGEST):
            return False
    return True
