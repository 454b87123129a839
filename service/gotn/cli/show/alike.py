"""What is about the same: links, hits, contexts, duplicates, disagreements."""

from typing import Any

from rich.console import Console

from gotn.cli.show import parts, work
from gotn.cli.show.terminal import Text

Row = dict[str, Any]


def show_linked(data: Row, console: Console) -> None:
    """What deriving soft edges changed."""
    changed = f"{data['added']} added, {data['removed']} removed, {data['updated']} updated"
    console.print(Text(f"Edges derived from meaning: {changed}.", style="bold"))
    some = "" if data["whole"] else f"{data['compared']:,} of "
    how = (
        f"{some}{parts.count(data['vectors'], 'node')} compared by {data['model']}: mutual "
        f"{data['k']} nearest, cosine {data['threshold']:g} or more."
    )
    console.print(Text(how, style="dim"))
    if data["stated"]:
        console.print(Text(f"{data['stated']} stated by others stay as they are.", style="dim"))


def show_similar(data: Row, console: Console, among: str = "") -> None:
    """What is similar, best first; `among`: what was asked of it."""
    if not data["hits"]:
        said = f"Nothing similar among the nodes of {among}." if among else "Nothing similar."
        console.print(Text(said))
        return
    ranks = {"cosine": "cosine", "by_meaning": "meaning", "by_words": "words"}
    ranks = {n: title for n, title in ranks.items() if any(r[n] is not None for r in data["hits"])}
    grid = parts.table(*ranks.values(), "id", "status", "kind", "summary", right=[*ranks.values()])
    for row in data["hits"]:
        node = row["node"] or {}
        grid.add_row(
            *(_rank(row[name]) for name in ranks),
            parts.text(row["id"], "bold"),
            parts.status(node.get("status")),
            parts.text(node.get("kind"), "dim"),
            parts.text(parts.short(node.get("summary"))),
        )
    console.print(grid)


def _rank(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def show_context(data: Row, console: Console) -> None:
    """What an agent needs for a node, as the text that it is given."""
    console.print(data["text"].rstrip("\n"), markup=False, highlight=False, soft_wrap=True)
    said = f"about {data['tokens']:,} of {data['budget']:,} tokens"
    if data["left_out"]:
        said += f"; left out: {parts.ids(data['left_out'])}"
    console.print()
    console.print(Text(said, style="dim"))
    if data["note"]:
        console.print(Text(f"Nothing by meaning: {data['note']}", style="yellow"))


def show_duplicates(data: Row, console: Console) -> None:
    """What is there twice, with reasons, and what was merged of it."""
    if not data["duplicates"]:
        console.print("Nothing is there twice.")
    for row in data["duplicates"]:
        console.print(Text(row["keep"], style="bold").append(f"  ←  {row['gone']}", style=""))
        for word, name in (("stays", "keep"), ("goes", "gone")):
            line = Text(f"    {word:5}  ").append(parts.status(row[f"{name}_status"]))
            console.print(line.append(f"  {parts.short(row[f'{name}_summary'])}"))
        console.print(Text(f"    {row['kind']}: {row['reason']}", style="dim"))
        console.print(Text(f"    {row['keep']} stays: {row['stays']}.", style="dim"))
        if row["refused"]:
            console.print(Text(f"    not merged: {row['refused']}", style="yellow"))
        elif row["merge"]:
            console.print(Text(f"    merged; take it back with --undo {row['merge']}"))
    if data["more"]:
        console.print(Text("… and more; merge these first.", style="yellow"))
    for note in data["notes"]:
        console.print(Text(note, style="yellow"))
    if data["duplicates"] and not data["applied"]:
        console.print(
            Text("Nothing was changed; --apply merges exact ones, --by KIND others.", style="dim")
        )


def show_undone(data: Row, console: Console) -> None:
    """A merge that was taken back."""
    text = f"{data['gone']} is back beside {data['keep']}; merge {data['merge']} is undone."
    console.print(Text(text, style="bold"))


def show_doubts(data: Row, console: Console) -> None:
    """Where edges and texts disagree, with the evidence."""
    titles = {
        "missing_dependency": ("Likely missing", "nothing joins these; add an edge or a tag"),
        "suspicious_edge": ("In doubt", "these edges join what is about different things"),
    }
    rows = data["disagreements"]
    if not rows:
        console.print(Text("Edges and texts agree.", style="green"))
    for kind, (title, said) in titles.items():
        found = [row for row in rows if row["kind"] == kind]
        if found:
            parts.heading(console, title, said)
        for row in found:
            console.print(Text(f"  {row['src']} → {row['dst']}", style="bold"))
            console.print(Text(f"    {row['evidence']}", style="dim"))


def show_both(data: Row, console: Console) -> None:
    """What deriving both kinds changed."""
    work.show_linked(data, console)
    show_linked(data["soft"], console)
