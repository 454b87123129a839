"""The agent protocol of task trees on the command line, straight on the use cases."""

from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gotn import shapes
from gotn.cli.call import Call
from gotn.cli.show import parts
from gotn.errors import Invalid
from gotn.trees.exchange.parsing import parsed
from gotn.trees.exchange.report import Report
from gotn.trees.records import TaskClaimStatus
from gotn.trees.rules import contexts
from gotn.trees.usecases import claiming, executing, linking, queueing, retrying, spawning

if TYPE_CHECKING:
    from rich.console import Console

    from gotn.database.connection import Database
    from gotn.trees.rules.merging import MergedResults

Row = dict[str, Any]
#: Bytes of a file that goes into a prompt, at most.
FILE_BYTES = 1024 * 1024


def _object(text: str, name: str) -> Row:
    """A JSON object with exact decimals; BadDocument or Invalid for anything else."""
    report = Report(name)
    found = parsed(text, report)
    report.finish()
    if not isinstance(found, dict):
        raise Invalid(f"{name}: expected a JSON object, found {shapes.shown(text)}", field=name)
    return found


def _child(text: str) -> Row:
    return _object(text, "--child") if text.lstrip().startswith("{") else {"prompt": text}


def _whole(record: Any) -> Row:
    return dict.fromkeys(record.__dataclass_fields__) | shapes.plain(record)


def spawn(call: Call, tree: str, task: str, children: list[str]) -> None:
    """Add tasks below one."""
    rows = [_child(text) for text in children]
    found = call.run(lambda database: spawning.spawn(database, call.request(), tree, task, rows))
    call.answer(_whole(found), _spawned)


def _spawned(data: Row, console: "Console") -> None:
    many = parts.count(len(data["tasks"]), "task")
    console.print(f"{many} below {data['parent']}: {parts.ids(data['tasks'])}", markup=False)


def claim(call: Call, tree: str, worker: str, task: str | None, lease_ms: int | None) -> None:
    """Take a task; prints what a model is to be asked."""

    async def work(database: "Database") -> Row:
        request = call.request()
        return _whole(
            await claiming.claim(database, request, tree, worker, task=task, lease_ms=lease_ms)
        )

    data = call.run(work)
    _with_files(data)
    call.answer(data, _claimed)


def _with_files(data: Row) -> None:
    """Put the files that a context names before the prompt: only those below this folder."""
    data["warnings"] = list(data["warnings"] or ())
    if data["task_id"] is None:
        return
    here, context = Path.cwd().resolve(), data["context"] or []
    asked = data["prompt"].removeprefix(contexts.given(context))
    for part in context:
        if "file" not in part:
            continue
        try:
            part["text"] = _read(here, part["file"])
        except (OSError, ValueError, Invalid) as error:
            part["refused"] = (
                error.message if isinstance(error, Invalid) else "it cannot be read here"
            )
            data["warnings"].append(f"{part['source']}: {part['refused']}")
    data["prompt"] = contexts.given(context) + asked


def _read(here: Path, name: str) -> str:
    path = (here / name).resolve()
    if not path.is_relative_to(here):
        raise Invalid("it is outside this folder")
    if path.stat().st_size > FILE_BYTES:
        raise Invalid(f"it has more than {FILE_BYTES} bytes")
    return path.read_text("utf-8")


def _claimed(data: Row, console: "Console") -> None:
    if data["task_id"] is None:
        said = data["nothing"]
        if data["status"] == TaskClaimStatus.STUCK.value:
            said = stuck(data["tree_id"], said)
        console.print(said, markup=False, soft_wrap=True)
        return
    facts = {name: data[name] for name in ("task_id", "attempt", "lease_until", "token")}
    if data["quality_gate"]:
        facts["quality_gate"] = shapes.dumps(data["quality_gate"])
    parts.facts(console, facts)
    for warning in data["warnings"]:
        console.print(f"! {warning}", markup=False)
    console.print()
    console.print(data["prompt"], markup=False, soft_wrap=True)


def finish(
    call: Call,
    tree: str,
    task: str,
    token: str,
    said: Row,
    *,
    failed: bool,
    children: list[str],
) -> None:
    """End a task with its result and usage."""
    status, outcome = ("failed", "failed") if failed else ("completed", "success")
    if said["result"] is not None:
        result = _object(said["result"], "--result")
    else:
        result = {"status": outcome} | ({"output": said["output"]} if said["output"] else {})
    rows = tuple(_child(text) for text in children)
    cost = cost_of(said["tokens"], said["cost"])
    found = call.run(
        lambda database: executing.finish(
            *(database, call.request(), tree, task, token),
            status=status,
            result=result,
            cost=cost,
            children=rows,
        )
    )
    call.answer(_whole(found), _ended)


def cost_of(tokens: int | None, cost: str | None) -> Row | None:
    """What options say of a task's cost; Invalid for an amount that is none."""
    found: Row = {} if tokens is None else {"total_tokens": tokens}
    if cost is not None and cost.lstrip().startswith("{"):
        found |= _object(cost, "--cost")
    elif cost is not None:
        try:
            found["total_cost_usd"] = Decimal(cost)
        except InvalidOperation:
            raise Invalid(f"--cost: expected USD or JSON, found {shapes.shown(cost)}") from None
    return found or None


def _ended(data: Row, console: "Console") -> None:
    console.print(f"{data['task_id']} is {data['status']}.", markup=False)
    if data["spawned"]:
        console.print(f"Spawned: {parts.ids(data['spawned'])}", markup=False)
    if data["cancelled"]:
        console.print(f"Cancelled: {parts.ids(data['cancelled'])}", markup=False)


def merge(call: Call, tree: str, task: str, strategy: str | None) -> None:
    """Put the children's results together."""
    from gotn.similarity import summarising  # noqa: PLC0415  # numpy, which other verbs do without
    from gotn.similarity.engine import Engine  # noqa: PLC0415

    async def work(database: "Database") -> "MergedResults":
        found = await executing.merge(database, call.project, tree, task, strategy)
        return await summarising.extracted(Engine(database, call.similarity), found)

    call.answer(_whole(call.run(work)), _merged)


def _merged(data: Row, console: "Console") -> None:
    if data["chosen"]:
        console.print(f"By {data['strategy']}: {data['chosen']}", markup=False)
    for left in data["left_out"]:
        console.print(f"Left out: {left}", markup=False)
    text = data["output"] if data["output"] is not None else data["prompt"]
    console.print(text or "Nothing to merge.", markup=False, soft_wrap=True)
    if data["extract"]:
        parts.heading(console, "Extract", f"sentences chosen by {data['extracted_by']}")
        console.print(data["extract"], markup=False, soft_wrap=True)
    if data["note"]:
        console.print(f"\nNo extract: {data['note']}", markup=False, soft_wrap=True)


def cancel(call: Call, tree: str, task: str, reason: str) -> None:
    """Cancel a task and what is below it."""
    found = call.run(
        lambda database: executing.cancel(database, call.request(), tree, task, reason)
    )
    call.answer(_whole(found), _ended)


def retry(call: Call, tree: str, task: str) -> None:
    """Make a failed task pending again."""
    found = call.run(lambda database: retrying.retry(database, call.request(), tree, task))
    call.answer(_whole(found), _ended)


def ready(call: Call, tree: str, limit: int) -> None:
    """List a tree's open tasks."""
    found = call.run(lambda database: queueing.queue(database, call.project, tree, first=limit))
    data = _whole(found)
    for name in ("ready", "running", "waiting"):
        data[name] = [_whole(one) for one in getattr(found, name)]
    call.answer(data, _queued)


def _queued(data: Row, console: "Console") -> None:
    if not data["total"]:
        console.print("Nothing is left: every task has ended.")
        return
    shown = 0
    for name, sign in (("ready", "○"), ("running", "◐"), ("waiting", "·")):
        if not data[name]:
            continue
        parts.heading(console, name.capitalize(), str(len(data[name])))
        shown += len(data[name])
        for one in data[name]:
            said = one["reason"] or ""
            if name == "running" and one["worker"]:
                said = f"{one['worker']}, until {one['lease_until']}{'; ' if said else ''}{said}"
            line = f"  {sign} {one['task_id']}  {parts.short(one['prompt'])}"
            console.print(f"{line}  {said}".rstrip(), markup=False, soft_wrap=True)
    parts.more(console, shown, data["total"])
    if data["stuck"]:
        console.print(f"\n{stuck(data['tree_id'], data['stuck'])}", markup=False, soft_wrap=True)


def stuck(tree: str, why: str) -> str:
    """Why a tree goes no further, and the verbs by which it does."""
    return f"{why}\n  gotn tree retry {tree} TASK\n  gotn tree cancel {tree} TASK"


def link(call: Call, tree: str, node: str, task: str | None) -> None:
    """Join a tree or task to the node that it executed."""
    found = call.run(lambda database: linking.link(database, call.request(), tree, node, task))
    call.answer(_whole(found), _linked)


def _linked(data: Row, console: "Console") -> None:
    what = f"{data['tree_id']} / {data['task_id']}" if data["task_id"] else data["tree_id"]
    again = "" if data["changed"] else " It was known."
    console.print(f"{what} executed {data['node']}.{again}", markup=False)
