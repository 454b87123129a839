"""gotn node: add, update, remove, show, list."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from gotn.cli import lengths
from gotn.cli.call import Call
from gotn.cli.failing import Misused
from gotn.cli.verb import group, verb
from gotn.cli.verbs.asking import Id, Status
from gotn.cli.verbs.planning import Limit
from gotn.errors import Conflict, Invalid

app = group("node", "Units of work: add, change, remove, look at them.")


class Order(StrEnum):
    """What a list of nodes is sorted by."""

    id = "id"
    newest = "newest"
    oldest = "oldest"
    updated = "updated"
    status = "status"
    kind = "kind"


def _option(name: str, text: str, **more: Any) -> Any:
    return typer.Option(name, help=text, show_default=False, **more)


def _text(name: str, text: str) -> Any:
    return Annotated[str | None, _option(name, text)]


def _list(name: str, text: str) -> Any:
    return Annotated[list[str] | None, _option(name, text)]


#: Options that set a node's fields, with the API's names for those fields.
FIELDS: dict[str, tuple[str, Any]] = {
    "kind": ("kind", _text("--kind", "micro_prompt, code_symbol, or any other text.")),
    "summary": ("summary", _text("--summary", "One line.")),
    "prompt": ("promptText", _text("--prompt", "Instructions for whoever executes.")),
    "exec_target": ("execTarget", _text("--exec-target", "File or resource it works on.")),
    "parent": ("parent", _text("--parent", "The node it was broken out of.")),
    "child": ("children", _list("--child", "A node it is broken into; repeatable.")),
    "requires": ("requires", _list("--requires", "Tag it needs; repeatable.")),
    "produces": ("produces", _list("--produces", "Tag it gives; repeatable.")),
    "tag": ("tags", _list("--tag", "Keyword for search; repeatable.")),
    "success": ("successCriteria", _list("--success", "How to verify completion; repeatable.")),
    "guard": ("guards", _list("--guard", "What must hold before; repeatable.")),
    "reason": ("statusReason", _text("--reason", "Why it has this status.")),
}
OPTIONS = {name: (annotation, None) for name, (_, annotation) in FIELDS.items()} | {
    "prompt_file": (
        Annotated[Path | None, _option("--prompt-file", "File of the instructions.")],
        None,
    ),
    "status": (Annotated[Status | None, _option("--status", "Where it stands.")], None),
    "minutes": (
        Annotated[float | None, _option("--minutes", "How long it should take.", min=0)],
        None,
    ),
    "command": (
        _text("--command", "What `gotn run work` runs where gotn.toml lists it."),
        None,
    ),
    "attempts": (
        Annotated[int | None, _option("--attempts", "Tries of its step in a run.", min=1, max=100)],
        None,
    ),
    "backoff": (_text("--backoff", "Time before the second try, doubled for each more: 5s."), None),
    "time_limit": (_text("--time-limit", "Time that one try may take: 90s, 10m."), None),
}
#: What a new node needs: the API's name -> the option.
NEEDED = {"kind": "--kind", "summary": "--summary", "promptText": "--prompt (or --prompt-file)"}
#: The same options as the help of `node add` shows them.
REQUIRED = {
    "kind": (_text("--kind", "Required: micro_prompt, code_symbol, or any other text."), None),
    "summary": (_text("--summary", "Required: one line."), None),
    "prompt": (
        _text("--prompt", "Required, or --prompt-file: instructions for whoever executes."),
        None,
    ),
}
Revision = Annotated[
    int | None, _option("--expected-revision", "Refuse if somebody changed it since.", min=1)
]


def _draft(given: dict[str, Any]) -> dict[str, Any]:
    """The fields that were given, under the API's names."""
    found = {FIELDS[name][0]: value for name, value in given.items() if name in FIELDS}
    kept = {name: value for name, value in found.items() if value not in (None, [])}
    if given["prompt_file"] is not None:
        kept["promptText"] = given["prompt_file"].read_text(encoding="utf-8")
    if given["status"] is not None:
        kept["status"] = given["status"].name.upper()
    known = {"estimate_minutes": given["minutes"], "command": given["command"]}
    known |= {"retry": _retry(given)}
    if extra := {name: value for name, value in known.items() if value is not None}:
        kept["extra"] = extra
    return kept


def _retry(given: dict[str, Any]) -> dict[str, int] | None:
    """The members of a retry policy that were given (decisions, Runs)."""
    lasting = {"backoff_ms": "backoff", "time_limit_ms": "time_limit"}
    found = {"attempts": given["attempts"]} | {
        name: lengths.milliseconds(given[option], f"--{option.replace('_', '-')}")
        for name, option in lasting.items()
        if given[option] is not None
    }
    return {name: value for name, value in found.items() if value is not None} or None


@verb(
    app,
    "add",
    "gotn node add write_docs --kind micro_prompt --summary 'Write the guide' "
    "--prompt 'Write it for beginners.' --requires api_done --produces docs_done",
    options=OPTIONS | REQUIRED,
)
def add(
    call: Call,
    id: Annotated[str, typer.Argument(help="Its id, unique in the project.")],
    **fields: Any,
) -> None:
    """Add a node; it needs a kind, a summary and instructions. The same again changes nothing."""
    from gotn.cli.show import things  # noqa: PLC0415

    node = {"id": id, **_draft(fields)}
    if missing := [option for name, option in NEEDED.items() if name not in node]:
        raise Misused(f"Missing option {', '.join(missing)}.")
    try:
        data = call.change("NodeAdd", node=node)
    except Invalid as error:
        raise _unplaced(error) from None
    call.answer(data, things.show_node)


def _unplaced(error: Invalid) -> Invalid:
    """The error without the place in a list that nobody typed: `nodes[0]: `."""
    place = "nodes[0]: "
    error.message = error.message.replace(place, "")
    if isinstance(found := error.facts.get("violations"), list):
        error.facts["violations"] = [str(one).removeprefix(place) for one in found]
    return error


@verb(
    app,
    "update",
    "gotn node update write_docs --status completed",
    "gotn node update write_docs --clear exec_target",
    options=OPTIONS,
)
def update(
    call: Call,
    id: Id,
    clear: Annotated[list[str] | None, _option("--clear", "Field to empty; repeatable.")] = None,
    expected_revision: Revision = None,
    **fields: Any,
) -> None:
    """Change fields of a node; lists given replace those stored."""
    from gotn.cli.show import things  # noqa: PLC0415

    changes: dict[str, Any] = {_camel(name): None for name in clear or ()} | _draft(fields)
    if not changes:
        raise typer.BadParameter("nothing to change; give a field, such as --status.")
    if "extra" in changes:
        stored = call.ask("NodeShow", id=id)
        changes["extra"] = _over(stored["extra"] or {}, changes["extra"])
        expected_revision = expected_revision or stored["revision"]  # what it is laid over
    which = {"project": call.project, "id": id, "expectedRevision": expected_revision}
    call.answer(call.ask("NodeUpdate", input=which | changes), things.show_node)


def _over(stored: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """The stored extra with the members that were given, those of the retry policy one by one."""
    found = stored | given
    if "retry" in given and isinstance(stored.get("retry"), dict):
        found["retry"] = stored["retry"] | given["retry"]
    return found


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

    try:
        data = call.change("NodeRemove", id=id, cascade=cascade, expectedRevision=expected_revision)
    except Conflict as error:
        error.message = error.message.replace("ask for cascade", "give --cascade")
        raise
    call.answer(data, things.show_removed)


@verb(app, "show", "gotn node show write_docs")
def show(call: Call, id: Id) -> None:
    """Show a node with everything it holds."""
    from gotn.cli.show import things  # noqa: PLC0415

    call.answer(call.ask("NodeShow", id=id), things.show_node)


@verb(
    app,
    "list",
    "gotn node list --status ready --tag neo4j",
    "gotn node list --text migrations --order updated",
)
def list_(
    call: Call,
    status: Annotated[list[Status] | None, _option("--status", "Only these; repeatable.")] = None,
    kind: Annotated[str | None, _option("--kind", "Only this kind.")] = None,
    tag: Annotated[str | None, _option("--tag", "Only with this keyword.")] = None,
    requires: Annotated[str | None, _option("--requires", "Only those that need this tag.")] = None,
    produces: Annotated[str | None, _option("--produces", "Only those that give this tag.")] = None,
    parent: Annotated[str | None, _option("--parent", "Only those broken out of this.")] = None,
    text: Annotated[str | None, _option("--text", "Words in id, summary or instructions.")] = None,
    order: Annotated[Order, typer.Option("--order", help="What to sort by.")] = Order.id,
    limit: Limit = 50,
) -> None:
    """List nodes."""
    from gotn.cli.show import work  # noqa: PLC0415

    asked = {
        "status": [one.name.upper() for one in status] if status else None,
        "kind": kind,
        "tag": tag,
        "requires": requires,
        "produces": produces,
        "parent": parent,
        "text": text,
    }
    wanted = {name: value for name, value in asked.items() if value is not None}
    data = call.pages("NodeList", limit, "nodes", filter=wanted, orderBy=order.name.upper())
    call.answer(data, work.show_nodes)
