"""JSON answers outside GraphQL, errors in the shape that the command line prints too."""

from typing import Any

import orjson
from starlette.responses import Response


class Json(Response):
    """A body in JSON."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The body's bytes."""
        return orjson.dumps(content)


def refused(status: int, code: str, message: str, **facts: Any) -> Json:
    """An error with its stable code."""
    return Json({"code": code, "message": message, **facts}, status_code=status)
