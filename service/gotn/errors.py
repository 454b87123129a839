"""Every error this service raises on purpose, in one tree.

    GotnError
    ├── NotFound                 nothing has this name in this project
    ├── Invalid                  the input cannot be taken as it is
    │   ├── BadDocument          a file or document, with every violation listed
    │   ├── CycleRefused         a hard edge would close a cycle; carries the path
    │   ├── IllegalMove          a status may not move that way
    │   └── LimitExceeded        more than is allowed; names the limit
    ├── Conflict                 it clashes with what is stored
    │   ├── StaleRevision        somebody changed it first
    │   └── LeaseLost            the step is not this worker's any more
    ├── Forbidden                the caller may not do this
    ├── Unavailable              something this needs is not there now
    │   ├── DatabaseUnavailable  Neo4j does not answer
    │   ├── SetupFailed          the managed Neo4j could not be installed or started
    │   ├── SchemaPending        migrations are missing, or the database is newer
    │   └── EncoderUnavailable   no encoder of texts is installed, or not its model
    └── ProgrammingError         our own mistake; masked from users
        ├── UnknownQuery
        └── WrongParameters

A class's docstring is its default message, `code` is stable for programs, `exit_code`
is the command line's, and `facts` are what a program needs beside the message.
"""

from typing import Any, ClassVar


class GotnError(Exception):
    """The request could not be carried out."""

    code: ClassVar[str] = "ERROR"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str | None = None, **facts: Any) -> None:
        self.message = message or (type(self).__doc__ or "").strip().splitlines()[0]
        self.facts = facts
        super().__init__(self.message)

    @property
    def extensions(self) -> dict[str, Any]:
        """The stable code and the facts, as GraphQL and `--json` print them."""
        return {"code": self.code, **self.facts}


class NotFound(GotnError):
    """There is nothing of this name in this project."""

    code = "NOT_FOUND"
    exit_code = 3


class Invalid(GotnError):
    """The input cannot be taken as it is."""

    code = "INVALID"


class BadDocument(Invalid):
    """The document cannot be read; every violation is listed."""

    code = "BAD_DOCUMENT"


class CycleRefused(Invalid):
    """This edge would close a cycle of hard dependencies."""

    code = "CYCLE"
    exit_code = 5


class IllegalMove(Invalid):
    """The status may not move that way."""

    code = "ILLEGAL_MOVE"


class LimitExceeded(Invalid):
    """This is more than is allowed."""

    code = "LIMIT"
    exit_code = 7


class Conflict(GotnError):
    """This clashes with what is stored."""

    code = "CONFLICT"
    exit_code = 4


class StaleRevision(Conflict):
    """Somebody changed this since you read it."""

    code = "STALE_REVISION"


class LeaseLost(Conflict):
    """This step is not yours any more."""

    code = "LEASE_LOST"


class Forbidden(GotnError):
    """You may not do this."""

    code = "FORBIDDEN"


class Unavailable(GotnError):
    """Something this needs is not available now."""

    code = "UNAVAILABLE"


class DatabaseUnavailable(Unavailable):
    """Neo4j does not answer."""

    code = "DATABASE_UNAVAILABLE"
    exit_code = 8


class SetupFailed(Unavailable):
    """The managed Neo4j could not be installed or started."""

    code = "SETUP_FAILED"
    exit_code = 8


class SchemaPending(Unavailable):
    """The database's schema is not the one this version needs."""

    code = "SCHEMA_PENDING"
    exit_code = 8


class EncoderUnavailable(Unavailable):
    """No encoder is installed that could compare texts."""

    code = "ENCODER_UNAVAILABLE"


class ProgrammingError(GotnError):
    """This is a mistake in GoTN itself."""

    code = "INTERNAL"


class UnknownQuery(ProgrammingError):
    """No file of this name is in cypher/."""


class WrongParameters(ProgrammingError):
    """The parameters of a query are not those its file declares."""
