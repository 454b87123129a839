"""Documents and journals in and out, straight on the use cases: they stream, unlike GraphQL."""

import contextlib
import io
import math
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gotn import journal, shapes
from gotn.cli import drawing
from gotn.cli.call import Call
from gotn.cli.output import opened
from gotn.cli.show import parts
from gotn.cli.storing import write, written
from gotn.cli.views import answers
from gotn.database.connection import Database
from gotn.errors import BadDocument, CycleRefused, Invalid
from gotn.violations import MOST
from gotn.work import exchange
from gotn.work.records import Replayed, Verification
from gotn.work.usecases import bulk, exporting, projects, staging
from gotn.work.usecases import replay as replaying

if TYPE_CHECKING:
    from rich.console import Console

#: Lines of skipped things and warnings that people are shown.
SHOWN = 20
#: From so many on, those that differ in their names alone are one line.
ALIKE = 3
#: Lines of a file that such a line names.
LINES = 8
_NAMES = re.compile(r'"(?:[^"\\]|\\.)*"|\S+ → \S+')
#: Styles of an export that are drawn, not read in again.
DIAGRAMS = ("dot", "mermaid")


def import_file(
    call: Call, file: str, format_: str, *, dry_run: bool, flag_cycles: bool, derive: bool
) -> None:
    """Read a document, take it in, say what happened; a dry run lists all that is wrong."""
    try:
        draft = exchange.read(file, format_)
    except BadDocument as error:
        _tell(call, error, dry_run=dry_run)
        raise

    async def work(database: Database) -> dict[str, Any]:
        done = await bulk.import_graph(
            database, call.request(), draft, flag_cycles=flag_cycles, derive=derive, dry_run=dry_run
        )
        held = None if dry_run else (await projects.show(database, call.project)).pending
        return _whole(done) | {"pending_in_all": held}

    try:
        data = call.run(work) | {"dry_run": dry_run, "project": call.project}
    except CycleRefused as error:
        name = "standard input" if file == "-" else Path(file).name
        error.message = f"{name}: {error.message}"
        error.facts["file"] = name
        if every := exchange.closed(draft):
            every.sort(key=lambda one: one.line or math.inf)
            error.facts["violations"] = [_whole(one) for one in every[:MOST]]
            error.facts["truncated"] = len(every) > MOST
        _tell(call, error, dry_run=dry_run)
        raise
    call.answer(data, _show_imported)


def _tell(call: Call, error: Invalid, *, dry_run: bool) -> None:
    """Say with what is wrong what helps: all of it in a dry run, the option that keeps cycles."""
    found = error.facts.get("violations", [])
    if dry_run:
        _list_violations(call, error)
    closes = any(exchange.is_cycle(one["reason"]) for one in found)
    if closes or isinstance(error, CycleRefused):
        said = error.message.rstrip(".")
        error.message = f"{said}; --flag-cycles keeps edges that close a cycle, flagged."
    if not call.as_json:
        error.facts.pop("lines", None)  # the message has them


def _list_violations(call: Call, error: Invalid) -> None:
    """Show people everything that is wrong, not the first few of it; programs get it anyway."""
    found = error.facts.get("violations", [])
    if call.as_json or len(found) <= 1:
        return
    _list(call.console, "Violations", found, len(found))
    least = "at least " if error.facts.get("truncated") else ""
    error.message = (
        f"{error.facts['file']}: {least}{len(found):,} violations; nothing would be imported."
    )
    del error.facts["violations"]


def abort(call: Call) -> None:
    """Take away what an import that was cut short staged."""

    async def work(database: Database) -> dict[str, Any]:
        await staging.abort(database, call.project)
        return {"aborted": True, "project": call.project}

    call.answer(
        call.run(work),
        lambda data, console: console.print(
            f"The unfinished import of {data['project']} is taken away."
        ),
    )


def _whole(record: Any) -> dict[str, Any]:
    """A record as plain data in which nothing is left out."""
    return dict.fromkeys(record.__dataclass_fields__) | shapes.plain(record)


def _show_imported(data: dict[str, Any], console: "Console") -> None:
    from rich.text import Text  # noqa: PLC0415

    would = "Would import" if data["dry_run"] else "Imported"
    counts = [parts.count(data["nodes"], "node"), parts.count(data["edges"], "edge")]
    counts += [parts.count(data["runs"], "run")] if data["runs"] else []
    line = Text(f"{would} {', '.join(counts)} into {data['project']}", style="bold")
    console.print(line.append(f"; {data['changed']} new or different.", style="dim"))
    if data["resumed"]:
        whole = data["nodes"] + data["edges"]
        console.print(f"Resumed at {data['resumed']:,} of {whole:,}: it was cut short before.")
    if data["pending"]:
        refer = "references name nodes" if data["pending"] != 1 else "reference names a node"
        console.print(f"{data['pending']:,} {refer} not there yet; kept as pending.")
    if (held := data["pending_in_all"]) and held != data["pending"]:
        console.print(f"The project has {parts.count(held, 'pending reference')} in all.")
    _list(console, "Skipped", data["skipped"], alike=ALIKE)
    _list(console, "Warnings", data["warnings"], alike=ALIKE)


def _list(
    console: "Console",
    title: str,
    found: list[dict[str, Any]],
    most: int = SHOWN,
    alike: int | None = None,
) -> None:
    """What was found under its title; from `alike` on that say the same are one line."""
    if not found:
        return
    parts.heading(console, title, str(len(found)))
    lines = [_line(one) for one in found[:most]] if alike is None else _grouped(found, alike)
    for line in lines[:most]:
        console.print(f"  {line}", markup=False)
    of = len(found) if alike is None else len(lines)
    parts.more(console, min(of, most), of, "--json")


def _grouped(found: list[dict[str, Any]], alike: int) -> list[str]:
    """A line for each, but one for many that differ in their names alone."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for item in found:
        groups.setdefault(_NAMES.sub("…", item["reason"]), []).append(item)
    said: list[str] = []
    for some in groups.values():
        if len(some) < alike:
            said += map(_line, some)
            continue
        lines = [item["line"] for item in some[1:] if item.get("line")]
        at = f": lines {parts.ids(lines, LINES)}" if lines else ""
        said.append(f"{_line(some[0])}; {len(some) - 1:,} more alike{at}")
    return said


def _line(item: dict[str, Any]) -> str:
    line = f"line {item['line']}: " if item.get("line") else ""
    name = f"{item['id']}: " if item.get("id") else ""
    return f"{line}{name}{item['reason']}"


def export(call: Call, style: str, output: str, *, with_journal: bool) -> None:
    """Write a project's graph as a document, or as a diagram of all of it."""
    if style in DIAGRAMS:
        _export_diagram(call, style, output)
        return
    _streamed(
        call,
        output,
        lambda database: exporting.export_graph(
            database, call.project, style=style, with_journal=with_journal
        ),
        lines=style == "jsonl",
    )


def _export_diagram(call: Call, style: str, output: str) -> None:
    """The whole graph: what `gotn graph` bounds for the eye is not bounded here."""
    found = call.run(lambda database: exporting.whole(database, call.project))
    text = drawing.written(call, answers.graph(found, call.project), style)
    write(call, text, style, output)


def export_journal(call: Call, output: str) -> None:
    """Write every entry with every field, one a line."""
    _streamed(
        call,
        output,
        lambda database: exporting.export_journal(database, call.project),
        lines=True,
    )


def _streamed(
    call: Call, output: str, pieces: Callable[[Database], AsyncIterator[str]], *, lines: bool
) -> None:
    """Write pieces as they come; with --json and no file, the whole in an envelope."""
    enveloped = call.as_json and output == "-"

    async def work(database: Database) -> str:
        with contextlib.nullcontext(io.StringIO()) if enveloped else opened(output) as file:
            async for piece in pieces(database):
                file.write(piece)
            return file.getvalue() if isinstance(file, io.StringIO) else ""

    text = call.run(work)
    if enveloped:
        objects = [shapes.loads(line) for line in text.splitlines()] if lines else None
        print(call.envelope({"lines": objects} if lines else shapes.loads(text)))
    else:
        written(call, output)


def verify(call: Call) -> int:
    """Check the journal; 1 if it is not whole or differs from what is stored."""
    found: Verification = call.run(lambda database: replaying.verify(database, call.project))
    call.answer(_whole(found), _show_verified)
    return 0 if found.chain_ok and found.equal else 1


def _show_verified(data: dict[str, Any], console: "Console") -> None:
    from rich.text import Text  # noqa: PLC0415

    good, bad = Text("✓ ", style="green"), Text("✗ ", style="red")
    whole, equal = data["chain_ok"], data["equal"]
    entries = parts.count(data["entries"], "entry", "entries")
    said = "the chain of hashes is whole" if whole else "the chain of hashes is broken"
    console.print((good if whole else bad).copy().append(f"{entries}; {said}."))
    for problem in data["problems"] or ():
        console.print(f"    {problem}", markup=False)
    said = "Replaying gives what is stored" if equal else "Replaying gives another graph"
    console.print((good if equal else bad).copy().append(f"{said}."))
    parts.facts(console, {"  stored": data["live_digest"], "  replayed": data["replay_digest"]})
    for item in data["differing"] or ():
        console.print(f"    {shapes.dumps(item)}", markup=False)


def replay(call: Call, source: str | None, from_project: str | None, *, recover: bool) -> None:
    """Rebuild a project from another's journal, an exported one, or an original folder's."""

    async def work(database: Database) -> Replayed:
        request = call.request()
        if from_project is None:
            return await replaying.replay_file(
                database, request, Path(source or ""), recover=recover
            )
        await projects.show(database, from_project)
        return await replaying.replay(
            database, request, lambda: journal.entries(database, from_project), recover=recover
        )

    call.answer(_whole(call.run(work)) | {"project": call.project}, _show_replayed)


def _show_replayed(data: dict[str, Any], console: "Console") -> None:
    trees = f", {parts.count(data['trees'], 'task tree')}" if data["trees"] else ""
    console.print(
        f"{parts.count(data['entries'], 'entry', 'entries')} replayed into {data['project']}: "
        f"{parts.count(data['nodes'], 'node')}, {parts.count(data['edges'], 'edge')}, "
        f"{parts.count(data['runs'], 'run')}{trees}.",
        markup=False,
    )
    parts.facts(console, {"digest": data["digest"]})
    _list(console, "Could not be read", data["skipped"])
