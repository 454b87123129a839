"""What a member of a document or an input may hold; Invalid names it, expected and found."""

from typing import Any

from gotn import shapes
from gotn.errors import Invalid

#: Bytes of an id, a tag, a keyword or a kind: what Neo4j's indexes take with room to spare.
ID_BYTES = 1000
#: Bytes of a text or of a leaf kept as JSON.
TEXT_BYTES = 1024 * 1024


def text(value: Any, name: str) -> str:
    """A text of at most 1 MiB."""
    if not isinstance(value, str):
        raise Invalid(f"{name}: expected text, found {shapes.shown(value)}", field=name)
    shapes.check_text(value, name)
    if len(value) > TEXT_BYTES or len(value.encode()) > TEXT_BYTES:
        raise Invalid(
            f"{name}: expected at most {TEXT_BYTES} bytes, found {len(value.encode())}", field=name
        )
    return value


def reason(value: Any) -> str:
    """Why somebody did something, for people: a text that is not blank."""
    found = text(value, "reason")
    if not found.strip():
        raise Invalid("reason: expected text that is not blank, found none", field="reason")
    return found


def identifier(value: Any, name: str) -> str:
    """A name that an index can hold: any text of 1 to 1,000 bytes that is not blank."""
    found = text(value, name)
    size = len(found.encode())
    if not found.strip() or size > ID_BYTES:
        raise Invalid(
            f"{name}: expected 1 to {ID_BYTES} bytes that are not all blank, "
            f"found {size} bytes: {shapes.shown(found)}",
            field=name,
        )
    return found


def leaf(value: Any, name: str) -> Any:
    """Any JSON of at most 1 MiB that every reader keeps."""
    shapes.portable(value, name)
    try:
        size = len(shapes.dumps(value).encode())
    except TypeError as error:
        raise Invalid(f"{name}: expected JSON, found {error}", field=name) from None
    if size > TEXT_BYTES:
        raise Invalid(f"{name}: expected at most {TEXT_BYTES} bytes of JSON", field=name)
    return value


def mapping(value: Any, name: str) -> Any:
    """A JSON object."""
    if not isinstance(value, dict):
        raise Invalid(f"{name}: expected an object, found {shapes.shown(value)}", field=name)
    return leaf(value, name)


def one_of(value: Any, name: str, known: list[str]) -> str:
    """One of a few words."""
    if value not in known:
        raise Invalid(
            f"{name}: expected one of {', '.join(known)}, found {shapes.shown(value)}", field=name
        )
    return str(value)


def time(value: Any, name: str) -> str:
    """ISO 8601 in UTC, from any time with an offset."""
    return shapes.iso(shapes.moment(value, name))
