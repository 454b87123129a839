"""gotn tree: new, import, show, report, export; what agents do with one stands in `tasks`."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from gotn.cli.call import Call
from gotn.cli.verb import group, verb
from gotn.cli.verbs import tasks
from gotn.cli.verbs.journal import Output

app = group("tree", "Recursive task trees: what agents were asked, what came of it, what it cost.")

Tree = Annotated[str, typer.Argument(help="Id of a task tree, such as tree-12345678.")]


class Shown(StrEnum):
    """How a tree is drawn."""

    tree = "tree"
    mermaid = "mermaid"
    dot = "dot"


class Written(StrEnum):
    """What a tree is written as."""

    json = "json"
    yaml = "yaml"


class Layout(StrEnum):
    """How a tree is spread over files."""

    file = "file"
    aiwg = "aiwg"


class Mode(StrEnum):
    """How far a tree can be executed again with the same outcome."""

    strict = "strict"
    seeded = "seeded"
    logged = "logged"
    default = "default"


class Strategy(StrEnum):
    """How tasks below one are executed."""

    parallel = "parallel"
    sequential = "sequential"
    conditional = "conditional"
    map_reduce = "map-reduce"


def _most(what: str) -> Any:
    return typer.Option(min=1, max=2_000_000, help=f"{what}, at most; none: as 004 has it.")


@verb(
    app,
    "new",
    "gotn tree new 'Find the security risks of the login' -p demo",
    "gotn tree new 'Summarize the docs' --strategy map-reduce --executes write_readme",
    "gotn tree new 'Answer' --mode seeded --seed 7 --max-nodes 500",
)
def new(
    call: Call,
    prompt: Annotated[str, typer.Argument(help="What the root task is asked.")],
    as_id: Annotated[str | None, typer.Option("--as", help="Its id; none: one is minted.")] = None,
    strategy: Annotated[
        Strategy | None, typer.Option("--strategy", help="How the tasks below are executed.")
    ] = None,
    mode: Annotated[Mode, typer.Option("--mode", help="How repeatable it is.")] = Mode.default,
    seed: Annotated[int | None, typer.Option("--seed", help="The root's random seed.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="The root's model.")] = None,
    session: Annotated[str | None, typer.Option("--session", help="The session it is of.")] = None,
    executes: Annotated[
        str | None, typer.Option("--executes", help="The work node that it executes.")
    ] = None,
    max_depth: Annotated[int | None, _most("Levels below the root")] = None,
    max_children: Annotated[int | None, _most("Tasks below one")] = None,
    max_nodes: Annotated[int | None, _most("Tasks in all")] = None,
) -> None:
    """Begin a tree: one pending task, which an agent claims and splits."""
    from gotn.cli import planting  # noqa: PLC0415

    if not prompt.strip():
        raise typer.BadParameter("expected a prompt that is not blank.")
    if mode in (Mode.strict, Mode.seeded) and seed is None:
        raise typer.BadParameter(f"--mode {mode.value} demands --seed.")
    limits: dict[str, Any] = {
        "max_depth": max_depth,
        "max_children_per_node": max_children,
        "max_total_nodes": max_nodes,
    }
    said: dict[str, Any] = {
        "mode": mode.value,
        "session": session,
        "strategy": strategy and strategy.value,
    }
    said |= {"seed": seed, "model": model}
    planting.begin(call, prompt, as_id, executes, said, limits)


@verb(
    app,
    "import",
    "gotn tree import tree.json -p demo",
    "gotn tree import tree.yaml --executes serve_graphql -p demo",
    "gotn tree import costs.json --as tree-costs",
)
def import_(
    call: Call,
    file: Annotated[
        str, typer.Argument(help="A tree, costs, a trajectory or a state; a folder; - for stdin.")
    ],
    executes: Annotated[
        str | None, typer.Option("--executes", help="The work node that this tree executed.")
    ] = None,
    as_id: Annotated[
        str | None, typer.Option("--as", help="Another id for it; of a state, its tree's.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would happen; change nothing.")
    ] = False,
) -> None:
    """Take in a document, JSON or YAML: all of it or nothing. The same again changes nothing."""
    from gotn.cli import planting  # noqa: PLC0415

    planting.import_file(call, file, executes=executes, as_id=as_id, dry_run=dry_run)


@verb(
    app,
    "show",
    "gotn tree show tree-12345678 -p demo",
    "gotn tree show tree-12345678 --format mermaid -o tree.mmd",
    "gotn tree show tree-12345678 --follow",
    "gotn tree show -p demo",
)
def show(
    call: Call,
    id: Annotated[
        str | None, typer.Argument(help="Id of a task tree; none: list the trees.")
    ] = None,
    format: Annotated[
        Shown, typer.Option("--format", help="For a terminal, or as a diagram.")
    ] = Shown.tree,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=100_000, help="Tasks that are shown.")
    ] = 200,
    output: Output = "-",
    follow: Annotated[
        bool,
        typer.Option("--follow", help="Draw it anew at each change, while any can come."),
    ] = False,
) -> None:
    """Draw a tree with what each task cost alone and with all below it; or list the trees."""
    if follow:
        if id is None or call.as_json or output != "-" or format is not Shown.tree:
            raise typer.BadParameter("--follow draws one tree in the terminal.")
        from gotn.cli import growing  # noqa: PLC0415

        growing.follow(call, id, limit)
        return
    from gotn.cli import planting  # noqa: PLC0415

    if id is None:
        planting.list_trees(call, limit)
        return
    planting.show_tree(call, id, format.value, limit, output)


@verb(app, "report", "gotn tree report tree-12345678 -p demo -o report.md")
def report(call: Call, id: Tree, output: Output = "-") -> None:
    """Write what a tree cost, by model, depth and status, how sure it is, and its paths."""
    from gotn.cli import planting  # noqa: PLC0415

    planting.report(call, id, output)


@verb(
    app,
    "export",
    "gotn tree export tree-12345678 -p demo -o tree.json",
    "gotn tree export tree-12345678 --format yaml --strict",
    "gotn tree export tree-12345678 --layout aiwg -o .aiwg/rlm/trees",
)
def export(
    call: Call,
    id: Tree,
    format: Annotated[Written, typer.Option("--format", help="How to write it.")] = Written.json,
    strict: Annotated[
        bool, typer.Option("--strict", help="As the published schema wants it; ids may change.")
    ] = False,
    layout: Annotated[
        Layout, typer.Option("--layout", help="One file, or the folder of a tree as 004 has it.")
    ] = Layout.file,
    output: Output = "-",
) -> None:
    """Write a tree as its document: an untouched import comes out as it went in."""
    if layout is Layout.aiwg and output == "-":
        raise typer.BadParameter("--layout aiwg writes a folder: name it with -o.")
    if layout is Layout.aiwg and format is Written.yaml:
        raise typer.BadParameter("--layout aiwg is JSON: leave out --format yaml.")
    from gotn.cli import planting  # noqa: PLC0415

    if layout is Layout.aiwg:
        planting.export_folder(call, id, output, strict=strict)
    else:
        planting.export(call, id, format.value, output, strict=strict)


tasks.register(app)
