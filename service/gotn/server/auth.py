"""Who may call: the key, the loopback rule, and who acts (interfaces, HTTP).

With GOTN_API_KEY every call but the two health checks and the page of GraphiQL needs it as a
bearer token. Without it only this machine may call: the Host header must be a loopback name, so
that no web page reaches the API by a name of its own, and bodies must be JSON, which a page
cannot send here without asking first.
"""

import ipaddress
import secrets
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from gotn.server import page
from gotn.server.answers import Json, refused

#: What a probe may ask without a key.
OPEN = frozenset(("/healthz", "/readyz"))
#: Characters of an actor's name.
ACTOR = 200


class Guard:
    """Refuses calls that may not be made, before anything reads their body."""

    def __init__(self, app: ASGIApp, api_key: str | None) -> None:
        self.app = app
        self._key = api_key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the call on, or answer why not."""
        if scope["type"] == "http" and (answer := self._refusal(scope)) is not None:
            await answer(scope, receive, send)
            return
        if scope["type"] == "websocket" and not self._may_connect(scope):
            await receive()
            await send({"type": "websocket.close", "code": 1008})  # the handshake gets a 403
            return
        await self.app(scope, receive, send)

    def _may_connect(self, scope: Scope) -> bool:
        """Browsers send no key as they connect: it may come with the first message instead."""
        headers = Headers(scope=scope)
        if self._key is None:
            return _from_here(headers)
        token = headers.get("authorization", "")
        scope.setdefault("state", {})["authorized"] = is_key(token, self._key)
        return not token or scope["state"]["authorized"]

    def _refusal(self, scope: Scope) -> Json | None:
        headers = Headers(scope=scope)
        if self._key is None:
            return _not_local(scope, headers)
        if scope["path"] in OPEN or page.open_to_all(scope["path"]) or _preflight(scope, headers):
            return None
        if is_key(headers.get("authorization", ""), self._key):
            return None
        answer = refused(401, "UNAUTHORIZED", "Send the key as Authorization: Bearer …")
        answer.headers["www-authenticate"] = 'Bearer realm="gotn"'
        return answer


def is_key(authorization: str, key: str) -> bool:
    """Whether an Authorization value carries the key."""
    kind, _, token = authorization.partition(" ")
    given = token.strip().encode("latin-1", "replace")
    return kind.lower() == "bearer" and secrets.compare_digest(given, key.encode())


def _preflight(scope: Scope, headers: Headers) -> bool:
    """A browser asks without credentials whether it may ask; it changes nothing."""
    return scope["method"] == "OPTIONS" and "access-control-request-method" in headers


def _not_local(scope: Scope, headers: Headers) -> Json | None:
    if not _from_here(headers):
        return refused(
            403,
            "FORBIDDEN",
            "Without GOTN_API_KEY only this machine is answered, by a loopback address.",
        )
    has_body = scope["method"] in ("POST", "PUT", "PATCH", "DELETE")
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if has_body and kind != "application/json":
        return refused(415, "UNSUPPORTED_MEDIA_TYPE", "Send application/json.")
    return None


def _from_here(headers: Headers) -> bool:
    hosts = headers.getlist("host")
    return len(hosts) == 1 and loopback(hosts[0])


def loopback(host: str) -> bool:
    """Whether a Host header names this machine."""
    name = host.strip()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") == 1:
        name = name.partition(":")[0]
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def actor_of(headers: Headers, usual: str) -> str:
    """Who acts: X-Gotn-Actor (UTF-8, or percent-encoded), else the usual one."""
    given = headers.get("x-gotn-actor", "")
    name = unquote(given.encode("latin-1", "replace").decode("utf-8", "replace")).strip()
    cleaned = "".join(sign for sign in name if sign.isprintable())[:ACTOR]
    return cleaned or usual
