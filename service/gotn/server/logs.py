"""Log lines as JSON objects, one a line, on stderr; never a secret, never a body."""

import logging
from datetime import UTC, datetime
from typing import Any

import orjson

from gotn import shapes

log = logging.getLogger("gotn.server")
#: Attributes of a record that are ours, put on the line under their own names.
OURS = (
    "request_id",
    "actor",
    # The project that a request wrote, and the journal's seq after it.
    "project",
    "seq",
    "method",
    "route",
    "status",
    "ms",
    "operation",
    "codes",
    "error_id",
    "reason",
)


class Lines(logging.Formatter):
    """A record as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        line: dict[str, Any] = {
            "time": shapes.iso(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        line |= {name: vars(record)[name] for name in OURS if vars(record).get(name) is not None}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode("utf-8", "replace")


def setup(level: str) -> None:
    """Send what gotn logs, and the driver's warnings, to stderr as JSON; again: only the level."""
    for name, least in (("gotn", level.upper()), ("neo4j", "WARNING")):
        logger = logging.getLogger(name)
        logger.setLevel(least)
        logger.propagate = False
        if not any(isinstance(handler.formatter, Lines) for handler in logger.handlers):
            handler = logging.StreamHandler()
            handler.setFormatter(Lines())
            logger.addHandler(handler)
