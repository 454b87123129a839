"""What runs where: the data of `gotn status` and `gotn browser`, and how people see it."""

from typing import TYPE_CHECKING, Any

from gotn.cli import connecting
from gotn.cli.call import Call
from gotn.cli.connecting import Target
from gotn.database import schema
from gotn.database.connection import Database
from gotn.errors import DatabaseUnavailable, GotnError

if TYPE_CHECKING:
    from rich.console import Console


def status(call: Call, *, show_password: bool) -> dict[str, Any]:
    """Where Neo4j is and how it does; never an error because it does not run."""
    named = connecting.given(call.settings)
    data: dict[str, Any] = {"source": "NEO4J_URI", "bolt_uri": named.shown} if named else {}
    if named is None:
        data = {"source": "managed", **_managed(call, show_password=show_password)}
    data |= _asked(call)
    return data


def _managed(call: Call, *, show_password: bool) -> dict[str, Any]:
    from gotn import provision  # noqa: PLC0415

    found = provision.status(call.settings.home)
    data = {
        "installed": found.installed,
        "running": found.running,
        "pid": found.pid,
        "version": found.version,
        "bolt_uri": found.bolt_uri,
        "browser_url": found.browser_url,
        "heap_mb": found.heap_mb,
        "page_cache_mb": found.page_cache_mb,
        "home": str(found.home),
        "log": str(found.log),
        "password_file": str(found.password_file),
        "user": "neo4j",
    }
    if show_password:
        data["password"] = provision.read_password(call.settings.home)
    return data


def _asked(call: Call) -> dict[str, Any]:
    """Whether it answers, and its migrations."""
    try:
        return connecting.run(call.target, _migrations, migrations=False)
    except GotnError as error:
        return {"answers": False, "problem": error.message, "migrations": None, "pending": None}


async def _migrations(database: Database) -> dict[str, Any]:
    done = await schema.applied(database)
    pending = [m.name for m in schema.migrations() if m.name not in done]
    return {"answers": True, "migrations": done, "pending": pending}


def show_status(data: dict[str, Any], console: "Console") -> None:
    """The state in a few lines."""
    from gotn.cli.show import parts  # noqa: PLC0415
    from gotn.cli.show.terminal import Text  # noqa: PLC0415
    from gotn.cli.show.visible import told  # noqa: PLC0415

    good = data["answers"]
    line = Text("● " if good else "○ ", style="green" if good else "red")
    kind = "managed Neo4j" if data["source"] == "managed" else "Neo4j of NEO4J_URI"
    away = "does not answer" if data.get("running", True) else "does not run"
    console.print(line.append(f"{kind} {'answers' if good else away}", style="bold"))
    heap = data.get("heap_mb")
    parts.facts(
        console,
        {
            "Problem": told(data["problem"]) if data.get("problem") else None,
            "Version": data.get("version"),
            "Bolt": data.get("bolt_uri"),
            "Browser": data.get("browser_url"),
            "User": data.get("user"),
            "Password": data.get("password") or data.get("password_file"),
            "Memory": f"heap {heap} MiB, page cache {data['page_cache_mb']} MiB" if heap else None,
            "Process": data.get("pid"),
            "Home": data.get("home"),
            "Log": data.get("log"),
            "Migrations": ", ".join(data["migrations"] or ()) or None,
            "Pending": ", ".join(data["pending"] or ()) or None,
        },
    )


def browser_url(call: Call) -> str | None:
    """The managed server's Browser, or None before it has ports."""
    from gotn import provision  # noqa: PLC0415

    return provision.status(call.settings.home).browser_url


def browser(call: Call) -> dict[str, Any]:
    """The address of Neo4j Browser; DatabaseUnavailable where it is not ours to know."""
    target: Target = call.target
    if not target.managed:
        raise DatabaseUnavailable(
            f"NEO4J_URI names {target.shown}; its Browser is where its HTTP port is, "
            "usually http://HOST:7474/browser/."
        )
    return {"browser_url": browser_url(call), "user": "neo4j"}


def show_browser(data: dict[str, Any], console: "Console") -> None:
    """The address, and how to get in."""
    from gotn.cli.show.visible import hint  # noqa: PLC0415

    console.print(data["browser_url"], markup=False, soft_wrap=True)
    words = f"User neo4j; the password: {hint('status --show-password')}"
    console.print(words, style="dim", markup=False)
