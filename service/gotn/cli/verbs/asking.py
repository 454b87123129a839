"""Questions to the graph: cycles, why, impact, prerequisites, dependants, unmet, orphans, tree."""

from typing import Annotated, Any

import typer

from gotn.cli.call import Call
from gotn.cli.verb import verb
from gotn.cli.verbs.planning import Limit

Id = Annotated[str, typer.Argument(help="Id of a node.", show_default=False)]

#: Exit code of a check that found a cycle.
CYCLE = 5


def register(app: typer.Typer) -> None:
    """Add these verbs."""
    verb(app, "cycles", "gotn cycles --check")(cycles)
    verb(app, "why", "gotn why release -p demo")(why)
    verb(app, "impact", "gotn impact run_migrations -p demo")(impact)
    verb(app, "prerequisites", "gotn prerequisites release -p demo")(prerequisites)
    verb(app, "dependants", "gotn dependants run_migrations -p demo")(dependants)
    verb(app, "unmet", "gotn unmet -p demo")(unmet)
    verb(app, "orphans", "gotn orphans -p demo")(orphans)
    verb(app, "tree-of", "gotn tree-of build_gotn -p demo")(tree_of)


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


def tree_of(call: Call, id: Id) -> None:
    """Draw what a node was broken into."""
    from gotn.cli.show import work  # noqa: PLC0415

    call.answer({"id": id, "rows": call.ask("TreeOf", id=id)}, work.show_tree)
