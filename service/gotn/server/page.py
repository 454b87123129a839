"""GraphiQL at /graphiql: a page of files that are known by name, and nothing from elsewhere.

`make graphiql` builds the folder. The page may be read without the key; it asks for it, and
sends it with each operation.
"""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from gotn.server.answers import refused

#: Where the page is, and what a guard must let through besides.
PATH = "/graphiql"
FOLDER = Path(__file__).parent / "graphiql"
#: Not the system's table: a wrong type there would keep a browser from running a script.
_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".txt": "text/plain",
}
#: Scripts, workers and answers come from here alone. The editor writes styles into its own
#: elements, and its icons are data in the style sheet.
_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "worker-src": "'self'",
    "connect-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",
    "font-src": "data:",
    "img-src": "'self' data:",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
_FOREVER = "public, max-age=31536000, immutable"
_HEADERS = {
    "content-security-policy": "; ".join(f"{what} {whence}" for what, whence in _POLICY.items()),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


def routes() -> list[Route]:
    """The page, its files, and the ways people look for it."""
    known = {path.name: path for path in FOLDER.iterdir() if path.suffix in _TYPES}

    async def page(_: Request) -> Response:
        return _file(known["index.html"])

    async def file(request: Request) -> Response:
        """A file by its exact name, so that no path leads anywhere else."""
        found = known.get(request.path_params["name"])
        return _file(found) if found else refused(404, "NOT_FOUND", "GraphiQL has no such file.")

    async def without_slash(_: Request) -> Response:
        """Relative, so that a prefix of a proxy stays."""
        return RedirectResponse("../graphiql", status_code=308)

    async def root(_: Request) -> Response:
        """Who opens the bare address in a browser wants the page."""
        return RedirectResponse("graphiql", status_code=307)

    return [
        Route("/", root, methods=["GET"]),
        Route(PATH, page, methods=["GET"]),
        Route(f"{PATH}/", without_slash, methods=["GET"]),
        Route(f"{PATH}/{{name}}", file, methods=["GET"]),
    ]


def open_to_all(path: str) -> bool:
    """Whether a path is the page's, which holds nothing of anybody's."""
    return path in ("/", PATH) or path.startswith(f"{PATH}/")


def _file(path: Path) -> Response:
    # The others carry the hash of what is in them in their names.
    kept = "no-cache" if path.suffix in (".html", ".json", ".txt") else _FOREVER
    return FileResponse(
        path, media_type=_TYPES[path.suffix], headers=_HEADERS | {"cache-control": kept}
    )
