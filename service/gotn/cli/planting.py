"""Task trees in and out on the command line, straight on the use cases."""

import sys
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from gotn import shapes
from gotn.cli.call import Call
from gotn.cli.costing import total_of
from gotn.cli.output import opened
from gotn.cli.show import parts
from gotn.cli.storing import write, written
from gotn.cli.views import tasks as views
from gotn.database.connection import Database
from gotn.errors import GotnError
from gotn.trees import exchange
from gotn.trees.exchange import reporting
from gotn.trees.exchange.writing import node
from gotn.trees.records import Executed, Planted, StateDraft, TreeDraft
from gotn.trees.rules import money, totals
from gotn.trees.usecases import exporting, linking, planting
from gotn.trees.usecases.exporting import Part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from gotn.cli.show.terminal import Text

Row = dict[str, Any]
#: Warnings that people are shown.
SHOWN = 20


def import_file(
    call: Call, file: str, *, executes: str | None, as_id: str | None, dry_run: bool
) -> None:
    """Read a document, take it in, say what happened."""
    if file == "-":
        draft = exchange.read(sys.stdin.read(), name="standard input", as_id=as_id)
    else:
        draft = exchange.read_file(Path(file), as_id=as_id)

    async def work(database: Database) -> Planted:
        if isinstance(draft, StateDraft):
            return await planting.keep_state(database, call.request(), draft)
        return await planting.plant(
            database, call.request(), draft, executes=executes, dry_run=dry_run
        )

    _answer(call, call.run(work), dry_run=dry_run)


def begin(
    call: Call, prompt: str, as_id: str | None, executes: str | None, said: Row, limits: Row
) -> None:
    """Plant a tree of one pending task."""
    config = {name: said[name] for name in ("model", "seed") if said[name] is not None}
    root: Row = {"node_id": "root", "prompt": prompt, "status": "pending"}
    root |= {"execution_config": config} if config else {}
    root |= {"decomposition_strategy": said["strategy"]} if said["strategy"] else {}
    tree_id = as_id or f"tree-{token_hex(4)}"
    root["node_id"] = f"task-{sha256(tree_id.encode()).hexdigest()[:8]}"
    metadata = {"tree_id": tree_id, "root_prompt": prompt, "execution_mode": said["mode"]}
    metadata |= {"session_id": said["session"]} if said["session"] else {}
    document: Row = {"version": "1.0.0", "root_task": root, "metadata": metadata}
    if chosen := {name: value for name, value in limits.items() if value is not None}:
        document["limits"] = chosen
    draft = exchange.read(shapes.dumps(document), name="the tree")
    draft.warnings.clear()
    found = call.run(
        lambda database: planting.plant(database, call.request(), draft, executes=executes)
    )
    data = {"tree_id": tree_id, "root": root["node_id"], "executes": executes}
    call.answer(data | {"changed": found.changed}, _begun)


def _begun(data: Row, console: "Console") -> None:
    console.print(f"{data['tree_id']}: its root is {data['root']}.", markup=False)
    if data["executes"]:
        console.print(f"It executes {data['executes']}.", markup=False)


def _answer(call: Call, found: Planted, *, dry_run: bool) -> None:
    data = dict.fromkeys(Planted.__dataclass_fields__) | shapes.plain(found)
    call.answer(data | {"dry_run": dry_run, "project": call.project}, _imported)


def _imported(data: Row, console: "Console") -> None:
    would = "Would import" if data["dry_run"] else "Imported"
    if data["variables"]:
        names, tree = parts.ids(data["variables"]), data["tree_id"] or "no tree"
        console.print(f"{would} variables for {tree}: {names}", markup=False)
    else:
        read = parts.count(data["documents"], "document")
        line = f"{would} {data['tree_id']} into {data['project']}: "
        line += f"{parts.count(data['tasks'], 'task')}, {read}; "
        console.print(f"{line}{data['changed']} new or different.", markup=False)
    if data["executes"]:
        console.print(f"It executed {data['executes']}.", markup=False)
    if stated := data["disagreements"]:
        parts.heading(console, "Stated otherwise", str(len(stated)))
        for one in stated[:SHOWN]:
            place = f"{one['id']}: " if one.get("id") else ""
            said = f"{one['member']} says {one['stated']}, the tasks give {one['ours']}"
            console.print(f"  {place}{said}", markup=False)
    if warnings := data["warnings"]:
        parts.heading(console, "Warnings", str(len(warnings)))
        for one in warnings[:SHOWN]:
            console.print(f"  {one['reason']}", markup=False)
        parts.more(console, min(len(warnings), SHOWN), len(warnings), "--json")


def list_trees(call: Call, limit: int) -> None:
    """The trees of a project, the newest first."""
    call.answer(call.pages("TaskTreeList", limit, "trees"), _listed)


def _listed(data: Row, console: "Console") -> None:
    if not data["trees"]:
        console.print("No task trees.")
        return
    grid = parts.table("id", "tasks", "tokens", "USD", "prompt", right=("tasks", "tokens", "USD"))
    for row in data["trees"]:
        total = total_of(row)
        prompt = parts.text(parts.short(row["root_prompt"] or (row["root"] or {}).get("prompt")))
        numbers = (
            f"{row['tasks']:,}",
            f"{row['total_tokens']:,}",
            totals.priced(total, total.cost),
        )
        grid.add_row(parts.text(row["tree_id"], "bold"), *numbers, prompt)
    console.print(grid)
    parts.more(console, len(data["trees"]), data["total"])


def _whole(call: Call, tree_id: str) -> TreeDraft:
    return call.run(lambda database: exporting.whole(database, call.project, tree_id))


async def _with_nodes(
    database: Database, call: Call, tree_id: str
) -> tuple[TreeDraft, list[Executed]]:
    """A tree, and what it and its tasks executed."""
    found = await exporting.whole(database, call.project, tree_id)
    ids = [row["id"] for row in found.tasks]
    return found, await linking.executed(database, call.project, tree_id, ids)


async def _first(
    database: Database, call: Call, tree_id: str, limit: int
) -> tuple[Part, list[Executed]]:
    """The first tasks of a tree, and what it and they executed."""
    found = await exporting.first(database, call.project, tree_id, limit)
    ids = [row["id"] for row in found.tasks]
    return found, await linking.executed(database, call.project, tree_id, ids)


def show_tree(call: Call, tree_id: str, style: str, limit: int, output: str) -> None:
    """Draw a tree, at most so many of its tasks."""
    found, executed = call.run(lambda database: _first(database, call, tree_id, limit))
    if style == "tree" and output == "-":
        data = _data(found) | {"executed": [shapes.plain(one) for one in executed]}
        told = linking.told(executed)
        call.answer(data, lambda _, console: _drawn(found, console, told))
        return
    if style == "tree":
        text = views.ascii_tree(found.tasks, found.sums)
    else:
        mermaid = style == "mermaid"
        text = (
            views.mermaid(found.tasks, found.sums)
            if mermaid
            else views.dot(found.tasks, found.sums)
        )
    write(call, text, style, output)
    if len(found.tasks) < found.total:
        call.note(f"{len(found.tasks):,} of {found.total:,} tasks; --limit shows more.")


def _data(found: Part) -> Row:
    return {
        "tree": {key: value for key, value in found.tree.items() if key != "layout"},
        "tasks": [_task(row, found.sums[row["id"]]) for row in found.tasks],
        "total": found.total,
    }


def _task(row: Row, total: totals.Total) -> Row:
    own = totals.own(row)
    return {key: value for key, value in row.items() if key not in ("layout", "tree")} | {
        "own_total_tokens": own.total_tokens,
        "own_cost_usd": money.usd(own.cost),
        "inclusive_total_tokens": total.total_tokens,
        "inclusive_cost_usd": money.usd(total.cost),
    }


def drawn_lines(found: Part) -> "Iterator[Text]":
    """A tree's first tasks as coloured lines, and how many there are more."""
    from gotn.cli.show.terminal import Text  # noqa: PLC0415

    for branch, status, text in views.lines(found.tasks, found.sums):
        sign, style = parts.STATUS.get(status, ("○", "cyan"))
        yield Text(branch, style="dim").append(f"{sign} ", style=style).append(text, style="")
    if more := found.total - len(found.tasks):
        yield Text(f"… {more} more of {found.total}; --limit shows them.", style="dim")


def _drawn(found: Part, console: "Console", executed: list[str]) -> None:
    for line in drawn_lines(found):
        console.print(line, soft_wrap=True)
    if executed:
        names = ", ".join(executed[:SHOWN])
        more = f" and {len(executed) - SHOWN} more" if len(executed) > SHOWN else ""
        console.print(f"Executed: {names}{more}", markup=False, soft_wrap=True)


def report(call: Call, tree_id: str, output: str) -> None:
    """Write a tree's report."""
    found, executed = call.run(lambda database: _with_nodes(database, call, tree_id))
    text = reporting.report(found.tree, found.tasks, linking.told(executed))
    write(call, text, "markdown", output)


def _document(found: TreeDraft, *, strict: bool) -> tuple[Row, dict[str, str]]:
    document = exchange.document(found.tree, found.tasks)
    return exchange.strict(document) if strict else (document, {})


def export(call: Call, tree_id: str, style: str, output: str, *, strict: bool) -> None:
    """Write a tree as one document; replaced ids are told on standard error."""
    document, names = _document(_whole(call, tree_id), strict=strict)
    text = exchange.text(document, style)
    for old, new in names.items():
        call.note(f"{old} → {new}")
    if call.as_json and output == "-":
        print(call.envelope({"document": shapes.loads(exchange.text(document)), "names": names}))
        return
    with opened(output) as file:
        file.write(text)
    written(call, output, names=names)


def export_folder(call: Call, tree_id: str, output: str, *, strict: bool) -> None:
    """Write tree.json, nodes/{id}.json and report.md below a folder (004, Storage paths)."""
    found, executed = call.run(lambda database: _with_nodes(database, call, tree_id))
    document, names = _document(found, strict=strict)
    folder = Path(output) / _name(names.get(tree_id, tree_id))
    try:
        (folder / "nodes").mkdir(parents=True, exist_ok=True)
        _put(folder / "tree.json", exchange.text(document))
        for row in found.tasks:
            one = node(row)
            if strict:
                one = exchange.strict({"root_task": one})[0]["root_task"]
            _put(folder / "nodes" / f"{_name(one['node_id'])}.json", exchange.text(one))
        text = reporting.report(found.tree, found.tasks, linking.told(executed))
        _put(folder / "report.md", text)
    except OSError as error:
        message = f"{folder}: cannot be written: {error.strerror}"
        raise GotnError(message, file=str(folder)) from None
    written(call, str(folder), names=names)


def _put(path: Path, text: str) -> None:
    with opened(str(path)) as file:
        file.write(text)


def _name(id_: str) -> str:
    """An id as a file's name: nothing that leads elsewhere, or that a file system refuses."""
    kept = "".join(sign if sign.isalnum() or sign in "._-" else f"%{ord(sign):02X}" for sign in id_)
    return (
        kept
        if kept.strip(".") and len(kept.encode()) <= 200
        else f"%{sha256(id_.encode()).hexdigest()[:32]}"
    )
