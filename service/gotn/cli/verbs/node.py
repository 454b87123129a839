"""gotn node: add, update, remove, show, list."""

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from gotn.cli.call import Call
from gotn.cli.verb import group, verb
from gotn.cli.verbs.asking import Id
from gotn.cli.verbs.planning import Limit

app = group("node", "Units of work: add, change, remove, look at them.")


class Status(str, Enum):
    """Where a node stands."""

    ready = "ready"
    running = "running"
    blocked = "blocked"
    completed = "completed"
    skipped = "skipped"
    failed = "failed"


class Order(str, Enum):
    """What a list of nodes is sorted by."""

    id = "id"
    created = "created"
    updated = "updated"
    status = "status"
    kind = "kind"


def _option(name: str, text: str, **more: Any) -> Any:
    return typer.Option(name, help=text, show_default=False, **more)


Kind = Annotated[str | None, _option("--kind", "micro_prompt, code_symbol, or any other text.")]
Summary = Annotated[str | None, _option("--summary", "One line.")]
Prompt = Annotated[str | None, _option("--prompt", "Instructions for whoever executes.")]
PromptFile = Annotated[
    Path | None, _option("--prompt-file", "File with the instructions.", exists=True, dir_okay=False)
]
ExecTarget = Annotated[str | None, _option("--exec-target", "File or resource it works on.")]
Parent = Annotated[str | None, _option("--parent", "The node it was broken out of.")]
Children = Annotated[list[str] | None, _option("--child", "A node it is broken into; repeatable.")]
Requires = Annotated[list[str] | None, _option("--requires", "Tag it needs; repeatable.")]
Produces = Annotated[list[str] | None, _option("--produces", "Tag it gives; repeatable.")]
Tags = Annotated[list[str] | None, _option("--tag", "Keyword for search; repeatable.")]
Success = Annotated[
    list[str] | None, _option("--success", "How to verify completion; repeatable.")
]
Guards = Annotated[list[str] | None, _option("--guard", "What must hold before; repeatable.")]
NodeState = Annotated[Status | None, _option("--status", "Where it stands.")]
Reason = Annotated[str | None, _option("--reason", "Why it has this status.")]
Minutes = Annotated[
    float | None, _option("--minutes", "How long it is expected to take.", min=0)
]
Revision = Annotated[
    int | None, _option("--expected-revision", "Refuse if somebody changed it since.", min=1)
]


def _draft(given: dict[str, Any]) -> dict[str, Any]:
    """The fields that were given, under the API's names."""
    path = given.pop("prompt_file")
    if path is not None:
        given["prompt"] = path.read_text(encoding="utf-8")
    minutes = given.pop("minutes")
    names = {
        "kind": "kind",
        "summary": "summary",
        "prompt": "promptText",
        "exec_target": "execTarget",
        "parent": "parent",
        "child": "children",
        "requires": "requires",
        "produces": "produces",
        "tag": "tags",
        "success": "successCriteria",
        "guard": "guards",
        "reason": "statusReason",
    }
    found = {names[name]: value for name, value in given.items() if name in names}
    kept = {name: value for name, value in found.items() if value not in (None, [])}
    if given.get("status") is not None:
        kept["status"] = given["status"].name.upper()
    if minutes is not None:
        kept["extra"] = {"estimate_minutes": minutes}
    return kept


@verb(
    app,
    "add",
    "gotn node add write_docs --kind micro_prompt --summary 'Write the guide' "
    "--prompt 'Write it for beginners.' --requires api_done --produces docs_done",
)
def add(
    call: Call,
    id: Annotated[str, typer.Argument(help="Its id, unique in the project.")],
    kind: Kind = None,
    summary: Summary = None,
    prompt: Prompt = None,
    prompt_file: PromptFile = None,
    exec_target: ExecTarget = None,
    parent: Parent = None,
    child: Children = None,
    requires: Requires = None,
    produces: Produces = None,
    tag: Tags = None,
    success: Success = None,
    guard: Guards = None,
    status: NodeState = None,
    reason: Reason = None,
    minutes: Minutes = None,
) -> None:
    """Add a node; it needs a kind, a summary and instructions. The same again changes nothing."""
    from gotn.cli.show import things  # noqa: PLC0415

    given = dict(locals())
    call.answer(call.ask("CliNodeAdd", node={"id": id, **_draft(given)}), things.show_node)


@verb(
    app,
    "update",
    "gotn node update write_docs --status completed",
    "gotn node update write_docs --clear exec_target",
)
def update(
    call: Call,
    id: Id,
    kind: Kind = None,
    summary: Summary = None,
    prompt: Prompt = None,
    prompt_file: PromptFile = None,
    exec_target: ExecTarget = None,
    parent: Parent = None,
    child: Children = None,
    requires: Requires = None,
    produces: Produces = None,
    tag: Tags = None,
    success: Success = None,
    guard: Guards = None,
    status: NodeState = None,
    reason: Reason = None,
    minutes: Minutes = None,
    clear: Annotated[list[str] | None, _option("--clear", "Field to empty; repeatable.")] = None,
    expected_revision: Revision = None,
) -> None:
    """Change fields of a node; lists given replace those stored."""
    from gotn.cli.show import things  # noqa: PLC0415

    changes: dict[str, Any] = {_camel(name): None for name in clear or ()}
    changes |= _draft(dict(locals()))
    if not changes:
        raise typer.BadParameter("nothing to change; give a field, such as --status.")
    data = call.ask("CliNodeUpdate", id=id, changes=changes, expectedRevision=expected_revision)
    call.answer(data, things.show_node)


def _camel(name: str) -> str:
    first, *rest = name.replace("-", "_").split("_")
    return first + "".join(part.title() for part in rest)


@verb(app, "remove", "gotn node remove write_docs --cascade")
def remove(
    call: Call,
    id: Id,
    cascade: Annotated[
        bool, typer.Option("--cascade", help="Also its edges and steps; children stay.")
    ] = False,
    expected_revision: Revision = None,
) -> None:
    """Remove a node; what hangs on it goes only with --cascade."""
    from gotn.cli.show import things  # noqa: PLC0415

    data = call.ask(
        "CliNodeRemove", id=id, cascade=cascade, expectedRevision=expected_revision
    )
    call.answer(data, things.show_removed)


@verb(app, "show", "gotn node show write_docs")
def show(call: Call, id: Id) -> None:
    """Show a node with everything it holds."""
    from gotn.cli.show import things  # noqa: PLC0415

    call.answer(call.ask("CliNode", id=id), things.show_node)


@verb(
    app,
    "list",
    "gotn node list --status ready --tag neo4j",
    "gotn node list --text migrations --order updated",
)
def list_(
    call: Call,
    status: Annotated[list[Status] | None, _option("--status", "Only these; repeatable.")] = None,
    kind: Annotated[list[str] | None, _option("--kind", "Only these kinds; repeatable.")] = None,
    tag: Annotated[list[str] | None, _option("--tag", "Only with this keyword; repeatable.")] = None,
    text: Annotated[str | None, _option("--text", "Words in id, summary or instructions.")] = None,
    order: Annotated[Order, typer.Option("--order", help="What to sort by.")] = Order.id,
    descending: Annotated[bool, typer.Option("--desc", help="Last first.")] = False,
    limit: Limit = 50,
) -> None:
    """List nodes."""
    from gotn.cli.show import work  # noqa: PLC0415

    wanted: dict[str, Any] = {}
    if status:
        wanted["status"] = [one.name.upper() for one in status]
    if kind:
        wanted["kind"] = kind
    if tag:
        wanted["tags"] = tag
    if text:
        wanted["text"] = text
    ordering = f"{order.name.upper()}_{'DESC' if descending else 'ASC'}"
    data = call.pages("CliNodes", limit, "nodes", filter=wanted, orderBy=ordering)
    call.answer(data, work.show_nodes)
