"""Questions: cycles, why, impact, prerequisites, dependants, unmet, orphans, tree-of, graph."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from gotn.cli import drawing
from gotn.cli.call import Call
from gotn.cli.verb import verb
from gotn.cli.verbs.planning import Limit

Id = Annotated[str, typer.Argument(help="Id of a node.", show_default=False)]

#: Exit code of a check that found a cycle.
CYCLE = 5


class Status(StrEnum):
    """Where a node stands."""

    ready = "ready"
    running = "running"
    blocked = "blocked"
    completed = "completed"
    skipped = "skipped"
    failed = "failed"


def register(app: typer.Typer) -> None:
    """Add these verbs."""
    verb(app, "cycles", "gotn cycles --check")(cycles)
    verb(app, "why", "gotn why release -p demo")(why)
    verb(app, "impact", "gotn impact run_migrations -p demo")(impact)
    verb(app, "prerequisites", "gotn prerequisites release -p demo")(prerequisites)
    verb(app, "dependants", "gotn dependants run_migrations -p demo")(dependants)
    verb(app, "unmet", "gotn unmet -p demo")(unmet)
    verb(app, "orphans", "gotn orphans -p demo")(orphans)
    verb(
        app,
        "tree-of",
        "gotn tree-of build_gotn -p demo",
        "gotn tree-of build_gotn --format mermaid -o tree.mmd",
        options=drawing.OPTIONS,
    )(tree_of)
    verb(
        app,
        "graph",
        "gotn graph -p demo",
        "gotn graph --around release --depth 2 --format mermaid -o release.mmd",
        "gotn graph --status ready --format dot | dot -Tsvg -o ready.svg",
        options=drawing.OPTIONS,
    )(graph)


def cycles(
    call: Call,
    check: Annotated[bool, typer.Option("--check", help="Exit with 5 if there is any.")] = False,
) -> int:
    """Find every cycle of hard edges, one shortest way round each."""
    from gotn.cli.show import work  # noqa: PLC0415

    data = _whole("components", call.ask("Cycles"))
    call.answer(data, work.show_cycles)
    return CYCLE if check and data["components"] else 0


def _whole(name: str, rows: list[Any]) -> dict[str, Any]:
    """The rows, and for programs whether the list may have been cut."""
    from gotn.cli.show import work  # noqa: PLC0415

    return {name: rows, "truncated": len(rows) >= work.LISTED}


def why(call: Call, id: Id) -> None:
    """Show what keeps a node from starting: the paths from the first causes to it."""
    from gotn.cli.show import work  # noqa: PLC0415

    paths = call.ask("Why", id=id)
    status = call.ask("NodeShow", id=id)["status"]
    call.answer({"id": id, "status": status, "paths": paths}, work.show_why)


def impact(call: Call, id: Id) -> None:
    """Show what depends on a node: nodes, tags only it produces, open runs."""
    from gotn.cli.show import work  # noqa: PLC0415

    call.answer(call.ask("Impact", id=id), work.show_impact)


def prerequisites(call: Call, id: Id, limit: Limit = 50) -> None:
    """List everything a node needs, nearest first."""
    from gotn.cli.show import work  # noqa: PLC0415

    call.answer(call.pages("Prerequisites", limit, "nodes", id=id), work.show_nodes)


def dependants(call: Call, id: Id, limit: Limit = 50) -> None:
    """List everything that needs a node, nearest first."""
    from gotn.cli.show import work  # noqa: PLC0415

    call.answer(call.pages("Dependants", limit, "nodes", id=id), work.show_nodes)


def unmet(call: Call) -> None:
    """List required tags that nobody produces, with who asks."""
    from gotn.cli.show import work  # noqa: PLC0415

    call.answer(_whole("unmet", call.ask("Unmet")), work.show_unmet)


def orphans(call: Call, limit: Limit = 50) -> None:
    """List nodes that nothing connects to others."""
    from gotn.cli.show import work  # noqa: PLC0415

    call.answer(call.pages("Orphans", limit, "nodes"), work.show_nodes)


def tree_of(call: Call, id: Id, **fields: Any) -> None:
    """Draw what a node was broken into. A terminal's tree is whole, a diagram has --limit nodes."""
    from gotn.cli.show import work  # noqa: PLC0415
    from gotn.cli.views import answers, picture  # noqa: PLC0415

    rows = call.ask("TreeOf", id=id)
    if not drawing.is_diagram(call, fields):
        drawing.answer(call, {"id": id, "rows": rows}, work.show_tree, fields["output"])
        return
    shown = rows[: fields["limit"]]  # parents come first, so what is cut off are the deepest
    cut = picture.cut(len(shown), len(rows), "nodes")
    drawing.draw(call, answers.tree(shown, cut), fields)
    drawing.left_out(call, len(shown), len(rows))


def graph(
    call: Call,
    around: Annotated[
        str | None, typer.Option("--around", metavar="ID", help="Only what is near this node.")
    ] = None,
    depth: Annotated[
        int, typer.Option("--depth", min=0, max=20, help="Edges away from it, either way.")
    ] = 2,
    status: Annotated[
        list[Status] | None, typer.Option("--status", help="Only these; repeatable.")
    ] = None,
    **fields: Any,
) -> None:
    """Draw nodes and every edge between them: the first --limit by id, or what is near one.

    Mermaid draws up to 500 lines and 50,000 characters; a larger diagram is said to be one.
    """
    from gotn.cli.show import graph as terminal  # noqa: PLC0415
    from gotn.cli.views import answers, picture  # noqa: PLC0415

    statuses = [one.name.upper() for one in status] if status else None
    scope = {"around": around, "depth": depth, "status": statuses, "first": fields["limit"]}
    data = drawing.part(call, **scope)
    shown = len(data["nodes"])
    total = None if around else _count(call, data, statuses)
    cut = picture.cut(shown, total, "nodes") if data["more"] else ""
    if drawing.is_diagram(call, fields):
        drawing.draw(call, answers.graph(data, around or call.project, cut), fields)
    else:
        drawing.answer(call, data, terminal.show, fields["output"])
    if cut:
        drawing.left_out(call, shown, total, "; --around ID shows what is near a node")
    elif data["more"]:
        call.note("Some edges are not shown: there are too many between these nodes.")


def _count(call: Call, data: dict[str, Any], statuses: list[str] | None) -> int:
    """How many nodes there are, of these statuses if any are given, where not all are shown."""
    if call.as_json or not data["more"]:
        return len(data["nodes"])
    wanted = {"status": statuses} if statuses else {}
    return int(call.pages("NodeList", 1, "nodes", filter=wanted)["total"])
