"""Whether a server answers: a handshake for a quick look, a transaction for certainty."""

import socket

from gotn.provision.ports import LOOPBACK

USER = "neo4j"
DATABASE = "neo4j"
#: Bolt's preamble and the versions we could speak: 5.8 down to 5.0, and 4.4.
_HELLO = bytes.fromhex("6060b017 00080805 00000404 00000000 00000000")


class WrongPassword(Exception):
    """The server runs and refuses the password we know."""


def listens(port: int, timeout: float = 1.0) -> bool:
    """Tell whether a Bolt server takes connections on this loopback port."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout) as connection:
            connection.settimeout(timeout)
            connection.sendall(_HELLO)
            answer = connection.recv(4)
    except OSError:
        return False
    return len(answer) == 4 and any(answer)


def answers(port: int, password: str) -> bool:
    """Tell whether the database takes a transaction from its user. Raises WrongPassword."""
    if not listens(port):
        return False
    from neo4j import GraphDatabase  # noqa: PLC0415  # a fifth of a second, only at a start
    from neo4j.exceptions import AuthError, DriverError, Neo4jError  # noqa: PLC0415

    driver = GraphDatabase.driver(
        f"bolt://{LOOPBACK}:{port}", auth=(USER, password), connection_timeout=5
    )
    with driver:
        try:
            with driver.session(database=DATABASE) as session, session.begin_transaction() as tx:
                tx.rollback()
        except AuthError as error:
            raise WrongPassword from error
        except (Neo4jError, DriverError, OSError):
            return False
    return True
