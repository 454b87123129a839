"""What is about the same: similar, context, dedupe, disagreements."""

from enum import StrEnum
from functools import partial
from typing import Annotated, Any

import typer

from gotn.cli.call import Call
from gotn.cli.verb import verb
from gotn.cli.verbs.asking import Id, Status


class Way(StrEnum):
    """How what is similar is looked for."""

    hybrid = "hybrid"
    meaning = "meaning"
    words = "words"


class Kind(StrEnum):
    """Why two nodes seem to be one."""

    exact = "exact"
    fuzzy = "fuzzy"
    meaning = "meaning"


def register(app: typer.Typer) -> None:
    """Add these verbs."""
    verb(
        app,
        "similar",
        "gotn similar 'users cannot log in' -p demo",
        "gotn similar run_migrations --status completed --limit 5",
    )(similar)
    verb(app, "context", "gotn context release -p demo --budget 4000")(context)
    verb(
        app,
        "dedupe",
        "gotn dedupe -p demo",
        "gotn dedupe --by exact --by fuzzy --apply",
        "gotn dedupe --undo 42",
    )(dedupe)
    verb(app, "disagreements", "gotn disagreements -p demo")(disagreements)


def similar(
    call: Call,
    what: Annotated[str, typer.Argument(metavar="TEXT|ID", help="A text, or the id of a node.")],
    status: Annotated[
        list[Status] | None, typer.Option("--status", help="Only these; repeatable.")
    ] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="Only this kind.")] = None,
    tag: Annotated[str | None, typer.Option("--tag", help="Only with this keyword.")] = None,
    way: Annotated[Way, typer.Option("--by", help="How to look for it.")] = Way.hybrid,
    as_text: Annotated[
        bool, typer.Option("--text", help="It is a text, even if a node has this id.")
    ] = False,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=100, help="Rows to show at most.")
    ] = 10,
) -> None:
    """Find the nodes most similar to a text or to a node, by meaning and by words."""
    from gotn.cli.show import alike  # noqa: PLC0415
    from gotn.errors import NotFound  # noqa: PLC0415

    asked = {
        "status": [one.name.upper() for one in status] if status else None,
        "kind": kind,
        "tag": tag,
    }
    given: dict[str, Any] = {"first": limit, "way": way.name.upper()}
    given["filter"] = {name: value for name, value in asked.items() if value is not None}
    try:
        found = call.ask("Similar", **given, **({"text": what} if as_text else {"node": what}))
    except NotFound as error:
        if "id" not in error.facts:
            raise
        if not any(map(str.isspace, what)):
            call.note(f"No node has the id {what!r}: it is looked for as a text.")
        found = call.ask("Similar", **given, text=what)
    among = ", ".join(f"--{name} {value}" for name, value in _told(given["filter"]))
    call.answer({"hits": found}, partial(alike.show_similar, among=among))


def _told(asked: dict[str, Any]) -> list[tuple[str, str]]:
    """What was asked for, an option and its value each."""
    return [
        (name, str(one).lower() if name == "status" else str(one))
        for name, value in asked.items()
        for one in (value if isinstance(value, list) else [value])
    ]


def context(
    call: Call,
    id: Id,
    budget: Annotated[
        int, typer.Option("--budget", min=50, max=1_000_000, help="Tokens at most, about.")
    ] = 8000,
) -> None:
    """Print what an agent needs for a node: task, finished prerequisites, what solved the like."""
    from gotn.cli.show import alike  # noqa: PLC0415

    data = call.ask("Context", id=id, tokenBudget=budget)
    call.answer(data | {"parts": _in_words(data["parts"])}, alike.show_context)


def dedupe(
    call: Call,
    by: Annotated[
        list[Kind] | None,
        typer.Option("--by", help="Only of this kind, which --apply then merges; repeatable."),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", min=0, max=1, help="The least cosine of the same meaning."),
    ] = None,
    only: Annotated[str | None, typer.Option("--only", help="Only what doubles this node.")] = None,
    apply: Annotated[
        bool,
        typer.Option("--apply", help="Merge exact ones, or what --by names; else nothing changes."),
    ] = False,
    undo: Annotated[
        int | None,
        typer.Option("--undo", min=1, help="Take back the merge of this number; the last first."),
    ] = None,
) -> None:
    """Find nodes that seem to be there twice, each with its reason; merge them with --apply."""
    from gotn.cli.show import alike  # noqa: PLC0415

    if undo is not None:
        call.answer(call.change("UndoMerge", merge=undo), alike.show_undone)
        return
    kinds = [kind.name.upper() for kind in by] if by else None
    data = call.change("Dedupe", kinds=kinds, threshold=threshold, only=only, apply=apply)
    data["duplicates"] = _in_words(data["duplicates"])
    call.answer(data | {"applied": apply}, alike.show_duplicates)


def disagreements(
    call: Call,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=100, help="Rows to show at most.")
    ] = 50,
) -> None:
    """Find likely missing dependencies and doubtful hard edges, each with its evidence."""
    from gotn.cli.show import alike  # noqa: PLC0415

    found = call.ask("Disagreements", first=limit)
    call.answer({"disagreements": _in_words(found)}, alike.show_doubts)


def _in_words(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows whose kind is GraphQL's enum, with the documents' word for it."""
    return [row | {"kind": row["kind"].lower()} for row in rows]
