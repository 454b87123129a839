"""Neo4j and the API: up, down, status, browser, migrate, serve."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gotn.cli.call import Call
from gotn.cli.verb import verb

if TYPE_CHECKING:
    from rich.console import Console

    from gotn.provision import Server


def register(app: typer.Typer) -> None:
    """Add these verbs."""
    verb(app, "up", "gotn up")(up)
    verb(app, "down", "gotn down")(down)
    verb(app, "status", "gotn status --show-password")(status)
    verb(app, "browser", "gotn browser")(browser)
    verb(app, "migrate", "gotn migrate")(migrate)
    verb(app, "serve", "gotn serve --port 8500")(serve)


def up(call: Call) -> None:
    """Install and start the managed local Neo4j, and bring its schema up to date.

    What runs already stays as it is. With NEO4J_URI only that server's schema is touched.
    """
    from gotn.cli import migrating  # noqa: PLC0415

    target, server = migrating.bring_up(call)
    applied = migrating.migrate(target)
    data = {"bolt_uri": target.shown, "managed": target.managed, "migrations": applied}
    call.answer(data | _described(server), _show_up)


def _described(server: "Server | None") -> dict[str, Any]:
    if server is None:
        return {}
    return {
        "http_uri": server.http_uri,
        "browser_url": server.browser_url,
        "user": server.user,
        "version": server.version,
        "pid": server.pid,
        "started": server.started,
        "home": str(server.home),
        "log": str(server.log),
    }


def _show_up(data: dict[str, Any], console: "Console") -> None:
    from gotn.cli.show import parts  # noqa: PLC0415
    from gotn.cli.show.visible import hint  # noqa: PLC0415

    if not data["managed"]:
        console.print(f"Neo4j at {data['bolt_uri']} (NEO4J_URI) answers.", markup=False)
    else:
        what = "started" if data["started"] else "was running already"
        console.print(f"Neo4j {data['version']} {what}.", markup=False)
    parts.facts(
        console,
        {
            "Bolt": data["bolt_uri"],
            "Browser": data.get("browser_url"),
            "Password": hint("status --show-password") if data["managed"] else None,
            "Migrated": ", ".join(data["migrations"]),
        },
    )


def down(call: Call) -> None:
    """Stop the managed local Neo4j. Its data stays."""
    from gotn import provision  # noqa: PLC0415

    stopped = provision.down(call.settings.home, report=call.note)
    text = "Neo4j is stopped; its data stays." if stopped else "No managed Neo4j was running."
    call.answer({"stopped": stopped}, lambda _, console: console.print(text))


def status(
    call: Call,
    show_password: Annotated[
        bool, typer.Option("--show-password", help="Print the managed Neo4j's password.")
    ] = False,
) -> None:
    """Show where Neo4j is, whether it answers, and which migrations ran."""
    from gotn.cli import reporting  # noqa: PLC0415

    call.answer(reporting.status(call, show_password=show_password), reporting.show_status)


def browser(
    call: Call,
    open_it: Annotated[
        bool, typer.Option("--open/--no-open", help="Open it in the web browser, on a terminal.")
    ] = True,
) -> None:
    """Print the address of Neo4j Browser, and open it where there is a terminal."""
    import sys  # noqa: PLC0415

    from gotn.cli import reporting  # noqa: PLC0415

    data = reporting.browser(call)
    call.answer(data, reporting.show_browser)
    if open_it and not call.as_json and sys.stdout.isatty():
        import webbrowser  # noqa: PLC0415

        webbrowser.open(data["browser_url"])


def migrate(call: Call) -> None:
    """Apply pending migrations; repeating it changes nothing."""
    from gotn.cli import migrating  # noqa: PLC0415

    applied = migrating.migrate(call.target)
    text = f"Applied {', '.join(applied)}." if applied else "Nothing to do: the schema is current."
    call.answer({"applied": applied}, lambda _, console: console.print(text, markup=False))


def serve(
    call: Call,
    host: Annotated[
        str | None, typer.Option("--host", help="Address to bind; others than loopback need a key.")
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", help="Port; without it 8420 or the next free one.")
    ] = None,
) -> None:
    """Serve the GraphQL API until Ctrl-C.

    Neo4j may start later, or the managed one move to another port: the API follows it.
    """
    from gotn.cli import serving  # noqa: PLC0415

    call.options |= {"host": host, "port": port}
    serving.serve(call)
