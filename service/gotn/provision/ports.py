"""Two free ports on the loopback address, remembered from start to start."""

import os
import random
import socket
from dataclasses import dataclass

from gotn.errors import Invalid, SetupFailed

LOOPBACK = "127.0.0.1"
#: Below the range that systems hand out to outgoing connections, so a remembered port stays free.
_RANGE = range(20000, 30000)
_TRIES = 200
_NAMES = {"Bolt": "GOTN_BOLT_PORT", "HTTP": "GOTN_HTTP_PORT"}


@dataclass(frozen=True)
class Ports:
    """The ports of one server."""

    bolt: int
    http: int


def wished(name: str, argument: int | None) -> int | None:
    """Answer the port the user fixed for "Bolt" or "HTTP" by argument or environment, if any."""
    variable = _NAMES[name]
    text = str(argument) if argument is not None else os.environ.get(variable, "").strip()
    if not text:
        return None
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise Invalid(f"{variable} must be a port from 1 to 65535, not {text!r}.")
    return int(text)


def choose(remembered: Ports, bolt: int | None, http: int | None) -> Ports:
    """Choose the ports for a start.

    A fixed port that another program has is an error; a remembered one is replaced.
    """
    chosen_bolt = _one("Bolt", remembered.bolt, bolt, avoid=http or 0)
    return Ports(chosen_bolt, _one("HTTP", remembered.http, http, avoid=chosen_bolt))


def is_free(port: int) -> bool:
    """Tell whether a server could listen on this loopback port now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def _one(name: str, remembered: int, fixed: int | None, avoid: int) -> int:
    if fixed is not None:
        if fixed == avoid or not is_free(fixed):
            raise SetupFailed(
                f"Port {fixed}, fixed for {name} by {_NAMES[name]} or an argument, is taken by "
                "another program. Stop that program, choose another port, or fix none."
            )
        return fixed
    if remembered and remembered != avoid and is_free(remembered):
        return remembered
    for port in random.sample(_RANGE, _TRIES):
        if port != avoid and is_free(port):
            return port
    raise SetupFailed(f"No free port for {name} was found; fix one with {_NAMES[name]}.")
