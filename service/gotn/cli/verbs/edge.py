"""gotn edge: add, update, remove, show, list, check."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from gotn.cli.call import Call
from gotn.cli.verb import group, verb
from gotn.cli.verbs.asking import CYCLE
from gotn.cli.verbs.planning import Limit

app = group("edge", "Relationships between nodes.")


class Field(StrEnum):
    """What can be emptied on an edge."""

    score = "score"
    evidence = "evidence"
    provenance = "provenance"
    extra = "extra"


class Type(StrEnum):
    """What an edge means."""

    hard_requires = "hard_requires"
    soft_semantic = "soft_semantic"
    derived_from = "derived_from"
    related = "related"


Src = Annotated[str, typer.Argument(help="Id of the node it starts from: done first.")]
Dst = Annotated[str, typer.Argument(help="Id of the node it leads to: needs the other.")]
Kind = Annotated[
    Type, typer.Option("--type", help="What it means; derived_from: SRC is the parent.")
]
Relation = Annotated[
    str | None, typer.Option("--kind", help="Name of the relation, for --type related.")
]

Score = Annotated[float | None, typer.Option("--score", min=0, max=1, help="For soft_semantic.")]
Evidence = Annotated[str | None, typer.Option("--evidence", help="Why it holds.")]


def _edge(src: str, dst: str, type: Type, kind: str | None, **more: Any) -> dict[str, Any]:
    found = {"src": src, "dst": dst, "type": type.name.upper(), "kind": kind, **more}
    return {name: value for name, value in found.items() if value is not None}


@verb(
    app,
    "add",
    "gotn edge add write_api write_docs",
    "gotn edge add write_api write_docs --type related --kind see-also",
)
def add(
    call: Call,
    src: Src,
    dst: Dst,
    type: Kind = Type.hard_requires,
    kind: Relation = None,
    score: Score = None,
    evidence: Evidence = None,
) -> None:
    """Join two nodes; a hard edge that would close a cycle is refused, with the way round."""
    from gotn.cli.show import things  # noqa: PLC0415

    edge = _edge(src, dst, type, kind, score=score, evidence=evidence)
    call.answer(call.change("EdgeAdd", edge=edge), things.show_edge)


@verb(
    app,
    "update",
    "gotn edge update write_api write_docs --evidence 'the guide quotes the API'",
    "gotn edge update write_api write_docs --clear evidence",
)
def update(
    call: Call,
    src: Src,
    dst: Dst,
    type: Kind = Type.hard_requires,
    kind: Relation = None,
    score: Score = None,
    evidence: Evidence = None,
    clear: Annotated[
        list[Field] | None, typer.Option("--clear", help="Field to empty; repeatable.")
    ] = None,
) -> None:
    """Change what an edge says of itself; one that tags alone give follows from the tags."""
    from gotn.cli.show import things  # noqa: PLC0415

    given = {"score": score, "evidence": evidence}
    changes: dict[str, Any] = {one.name: None for one in clear or ()}
    changes |= {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise typer.BadParameter("nothing to change; give a field, such as --evidence.")
    which = {"project": call.project, **_edge(src, dst, type, kind)}
    call.answer(call.ask("EdgeUpdate", input=which | changes), things.show_edge)


@verb(app, "show", "gotn edge show write_api write_docs")
def show(
    call: Call, src: Src, dst: Dst, type: Kind = Type.hard_requires, kind: Relation = None
) -> None:
    """Show an edge with everything it holds."""
    from gotn.cli.show import things  # noqa: PLC0415

    call.answer(call.ask("EdgeShow", **_edge(src, dst, type, kind)), things.show_edge)


@verb(app, "remove", "gotn edge remove write_api write_docs")
def remove(
    call: Call, src: Src, dst: Dst, type: Kind = Type.hard_requires, kind: Relation = None
) -> None:
    """Take an edge away; what tags imply stays until the tags change."""
    from gotn.cli.show import things  # noqa: PLC0415

    call.answer(call.change("EdgeRemove", **_edge(src, dst, type, kind)), things.show_removed)


@verb(app, "list", "gotn edge list --dst write_docs", "gotn edge list --type related")
def list_(
    call: Call,
    src: Annotated[str | None, typer.Option("--src", help="Only from this node.")] = None,
    dst: Annotated[str | None, typer.Option("--dst", help="Only to this node.")] = None,
    type: Annotated[
        list[Type] | None, typer.Option("--type", help="Only these types; repeatable.")
    ] = None,
    limit: Limit = 50,
) -> None:
    """List edges."""
    from gotn.cli.show import things  # noqa: PLC0415

    wanted: dict[str, Any] = {}
    wanted |= {name: id_ for name, id_ in (("src", src), ("dst", dst)) if id_ is not None}
    if type:
        wanted["type"] = [one.name.upper() for one in type]
    call.answer(call.pages("EdgeList", limit, "edges", filter=wanted), things.show_edges)


@verb(app, "check", "gotn edge check release write_docs")
def check(call: Call, src: Src, dst: Dst) -> int:
    """Ask whether a hard edge would close a cycle; exits with 5 if it would."""
    from gotn.cli.show import things  # noqa: PLC0415

    data = call.ask("EdgeCheck", src=src, dst=dst)
    call.answer(data, things.show_check)
    return CYCLE if data["closes"] else 0
