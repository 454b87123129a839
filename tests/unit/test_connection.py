"""The driver's errors in our words."""

import pytest
from neo4j import exceptions

from gotn.database import connection
from gotn.database.connection import Database
from gotn.errors import (
    Conflict,
    DatabaseUnavailable,
    GotnError,
    LimitExceeded,
    ProgrammingError,
)


def server_error(code: str) -> exceptions.Neo4jError:
    """What the driver raises for a code of the server."""
    return exceptions.Neo4jError._hydrate_neo4j(code=code, message="said the server")


@pytest.mark.parametrize(
    ("theirs", "ours", "said"),
    [
        (server_error("Neo.ClientError.Security.Unauthorized"), DatabaseUnavailable, "password"),
        (
            server_error("Neo.ClientError.Schema.ConstraintValidationFailed"),
            Conflict,
            "stored already",
        ),
        (
            server_error("Neo.TransientError.Transaction.DeadlockDetected"),
            DatabaseUnavailable,
            "could not finish this now",
        ),
        (
            server_error("Neo.TransientError.General.MemoryPoolOutOfMemoryError"),
            LimitExceeded,
            "memory",
        ),
        (
            server_error("Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration"),
            LimitExceeded,
            "longer than it may",
        ),
        (server_error("Neo.ClientError.Transaction.TransactionTimedOut"), LimitExceeded, "undone"),
        (
            server_error("Neo.TransientError.Transaction.LockAcquisitionTimeout"),
            DatabaseUnavailable,
            "nother writer",
        ),
        (
            server_error("Neo.TransientError.Transaction.LockClientStopped"),
            DatabaseUnavailable,
            "nother writer",
        ),
        (
            server_error("Neo.TransientError.Transaction.Terminated"),
            DatabaseUnavailable,
            "nothing of it was stored",
        ),
        (server_error("Neo.ClientError.Statement.SyntaxError"), ProgrammingError, "statement"),
        (exceptions.ServiceUnavailable("no"), DatabaseUnavailable, "does not answer: no"),
        (exceptions.SessionExpired("no"), DatabaseUnavailable, "was lost"),
        (exceptions.IncompleteCommit("no"), DatabaseUnavailable, "not known whether"),
        (
            server_error("Neo.DatabaseError.Transaction.TransactionLogError"),
            DatabaseUnavailable,
            "disk is full; make room and start it again: said the server",
        ),
        (
            server_error("Neo.DatabaseError.Transaction.TransactionStartFailed"),
            DatabaseUnavailable,
            "start it again",
        ),
        (ValueError("odd"), ProgrammingError, "odd"),
    ],
)
def test_translation(theirs: Exception, ours: type[GotnError], said: str) -> None:
    """Each error has the class that says who can act, and a message for people."""
    found = connection.translate(theirs)
    assert type(found) is ours
    assert said in found.message


def test_cause_is_kept() -> None:
    """The driver's own error is what ours was caused by."""
    theirs = exceptions.ServiceUnavailable("gone")
    with pytest.raises(DatabaseUnavailable) as caught, connection.translated():
        raise theirs
    assert caught.value.__cause__ is theirs


def test_our_errors_pass() -> None:
    """A refusal of ours inside a transaction stays what it is."""
    with pytest.raises(Conflict, match="mine"), connection.translated():
        raise Conflict("mine")


@pytest.mark.parametrize("uri", ["http://localhost", "localhost:7687", ""])
async def test_bad_address_is_told(uri: str) -> None:
    """An address that is none is refused before anything is sent."""
    with pytest.raises(DatabaseUnavailable, match="NEO4J_URI"):
        Database.open(uri, None, None)
