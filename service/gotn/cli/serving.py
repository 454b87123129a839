"""Serving the API: a free port, the addresses, uvicorn until Ctrl-C."""

import contextlib
import ipaddress
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from gotn.cli import garbage, migrating
from gotn.cli.call import Call
from gotn.cli.connecting import Target
from gotn.errors import Conflict, DatabaseUnavailable, Forbidden
from gotn.settings import DEFAULT_PORT, Settings

if TYPE_CHECKING:
    from rich.console import Console

#: Ports tried after the default one.
_TRIES = 50


@dataclass(frozen=True)
class Bound:
    """A port that is ours, and the address people use."""

    socket: socket.socket
    url: str


def serve(call: Call) -> None:
    """Migrate, say where the API is, serve until Ctrl-C; Neo4j may come later than the API."""
    target: Target | None = None
    try:
        target = call.target
        migrating.migrate(target)
    except DatabaseUnavailable as error:
        call.note(f"{error.message} The API starts all the same and is ready once Neo4j answers.")
    with contextlib.closing((bound := bind(call.settings)).socket):
        call.answer(addresses(call, target, bound.url), show)
        listen(call.settings, target, bound)


def resolved(settings: Settings, target: Target) -> Settings:
    """The settings with the Neo4j that was found, whatever it came from."""
    return settings.model_copy(
        update={
            "neo4j_uri": target.uri,
            "neo4j_username": target.username,
            "neo4j_password": SecretStr(target.password) if target.password else None,
            "neo4j_database": target.database,
        }
    )


def bind(settings: Settings) -> Bound:
    """Take the port that is set, or the default one, or the next that is free."""
    if not _loopback(settings.host) and settings.api_key is None:
        raise Forbidden(
            f"GOTN_HOST: {settings.host} is not a loopback address; "
            "set GOTN_API_KEY to serve there."
        )
    wished = settings.port
    ports = [wished] if wished is not None else range(DEFAULT_PORT, DEFAULT_PORT + _TRIES)
    for port in ports:
        with contextlib.suppress(OSError):
            return _bound(settings.host, port)
    said = f"port {wished}" if wished is not None else f"ports {ports[0]} to {ports[-1]}"
    raise Conflict(
        f"GOTN_PORT: {said} of {settings.host} cannot be used; another program may have it.",
        host=settings.host,
    )


def _bound(host: str, port: int) -> Bound:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, or asyncio leaves Nagle on: then each answer would wait 40 ms for an ACK.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(128)
    except OSError:
        made.close()
        raise
    shown = f"[{host}]" if ":" in host else host
    return Bound(made, f"http://{shown}:{made.getsockname()[1]}")


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def addresses(call: Call, target: Target | None, url: str) -> dict[str, Any]:
    """Every address worth knowing."""
    from gotn.cli import reporting  # noqa: PLC0415

    managed = target is None or target.managed
    return {
        "api": f"{url}/graphql",
        "graphiql": f"{url}/graphiql",
        "ready": f"{url}/readyz",
        "bolt_uri": target.shown if target else None,
        "browser_url": reporting.browser_url(call) if target and managed else None,
        "password_command": "gotn status --show-password" if managed else None,
    }


def show(data: dict[str, Any], console: "Console") -> None:
    """The addresses, for people."""
    from gotn.cli.show import parts  # noqa: PLC0415
    from gotn.cli.show.visible import hint  # noqa: PLC0415

    parts.heading(console, "The API is served; Ctrl-C ends it")
    parts.facts(
        console,
        {
            "GraphQL": data["api"],
            "GraphiQL": data["graphiql"],
            "Neo4j": data["bolt_uri"] or f"does not run yet; start it with: {hint('up')}",
            "Neo4j Browser": data["browser_url"],
            "Its password": hint("status --show-password") if data["password_command"] else None,
        },
    )


def application(settings: Settings, target: Target | None) -> Any:
    """The app over a Neo4j that was named, or over the managed one wherever it is."""
    from gotn.cli.following import Following  # noqa: PLC0415
    from gotn.server.app import create_app  # noqa: PLC0415

    if target is not None and not target.managed:
        return create_app(resolved(settings, target))
    return Following(settings, lambda found: create_app(resolved(settings, found)))


def listen(settings: Settings, target: Target | None, bound: Bound) -> None:
    """Run uvicorn on the socket until it is told to stop."""
    import uvicorn  # noqa: PLC0415

    config = uvicorn.Config(
        application(settings, target),
        log_level=settings.log_level if settings.log_level == "debug" else "warning",
        access_log=False,
        timeout_graceful_shutdown=5,
        server_header=False,
        ws="websockets-sansio",
        ws_max_size=settings.max_request_bytes,
        # An event is encoded once for all who follow; compressed, it would be so for each anew.
        ws_per_message_deflate=False,
    )
    garbage.working()
    uvicorn.Server(config).run(sockets=[bound.socket])
