"""A task tree drawn: for a terminal, in Mermaid with 004's own classes, in DOT."""

from collections.abc import Iterator, Sequence
from typing import Any

from gotn.cli.show.parts import STATUS
from gotn.cli.views.dot import quoted
from gotn.cli.views.mermaid import escaped
from gotn.cli.views.picture import one_line
from gotn.trees.rules import totals

Row = dict[str, Any]
#: Colours by status: 004's own lines, and ours for what it leaves out.
CLASSES = {
    "completed": "#90EE90",
    "failed": "#FFB6C1",
    "running": "#87CEEB",
    "pending": "#D3D3D3",
    "cancelled": "#F5DEB3",
}
#: Levels whose branches are drawn; deeper tasks are told by their depth.
LEVELS = 40
#: Characters of an id and of a prompt.
_NAME, _PROMPT = 40, 60


def lines(tasks: Sequence[Row], sums: dict[str, totals.Total]) -> Iterator[tuple[str, str, str]]:
    """For each task the branches before it, its status, and what it is and costs."""
    last = _last_children(tasks)
    branches: dict[str, str] = {}
    for row in tasks:
        parent, id_ = row.get("parent"), row["id"]
        if row["depth"] > LEVELS:
            branches[id_] = ""
            yield f"{row['depth']}. level: ", row["status"], _told(row, sums[id_])
            continue
        own = "" if parent is None else ("└── " if id_ in last else "├── ")
        before = branches.get(parent or "", "")
        branches[id_] = before + ("" if parent is None else ("    " if id_ in last else "│   "))
        yield before + own, row["status"], _told(row, sums[id_])


def _last_children(tasks: Sequence[Row]) -> set[str]:
    last: dict[str | None, str] = {row.get("parent"): row["id"] for row in tasks}
    return set(last.values())


def _told(row: Row, total: totals.Total) -> str:
    text = one_line(row.get("prompt") or "", _PROMPT)
    told = f"{one_line(row['id'], _NAME)}  {text}  {_costs(row, total)}".rstrip()
    return f"{told}  {_why(row)}".rstrip()


def _why(row: Row) -> str:
    """Why a task failed or was cancelled, as it was told last."""
    errors = (row.get("result") or {}).get("errors") or ()
    if row["status"] not in ("failed", "cancelled") or not errors:
        return ""
    return one_line(str(errors[-1].get("message") or ""), _PROMPT)


def _costs(row: Row, total: totals.Total) -> str:
    """Own and inclusive, side by side; one of them where they are the same."""
    own = totals.own(row)
    if not (total.total_tokens or total.cost):
        return ""
    mine = f"{own.total_tokens:,} tokens {totals.said(own)}"
    if total.tasks == 1:
        return mine
    return f"{mine}, with all below {total.total_tokens:,} tokens {totals.said(total)}"


def ascii_tree(tasks: Sequence[Row], sums: dict[str, totals.Total]) -> str:
    """The tree in plain text."""
    return "".join(
        f"{branch}{STATUS.get(status, ('○', ''))[0]} {text}\n"
        for branch, status, text in lines(tasks, sums)
    )


def _label(row: Row, sums: dict[str, totals.Total]) -> tuple[str, str, str]:
    """A task's id, prompt, and what it cost, as a diagram has them."""
    name, prompt = one_line(row["id"], _NAME), one_line(row.get("prompt") or "", _PROMPT)
    return name, prompt, _costs(row, sums[row["id"]])


def mermaid(tasks: Sequence[Row], sums: dict[str, totals.Total]) -> str:
    """The tree by 004's template: nodes, edges, and a class for each status."""
    names = {row["id"]: f"n{i}" for i, row in enumerate(tasks)}
    found = ["graph TD"]
    for row in tasks:
        text = "<br/>".join(escaped(part) for part in _label(row, sums) if part)
        found.append(f'    {names[row["id"]]}["{text}"]:::{row["status"]}')
    joined = [row for row in tasks if row.get("parent") in names]
    found += [f"    {names[row['parent']]} --> {names[row['id']]}" for row in joined]
    found += [f"    classDef {status} fill:{colour}" for status, colour in CLASSES.items()]
    return "\n".join(found) + "\n"


def dot(tasks: Sequence[Row], sums: dict[str, totals.Total]) -> str:
    """The tree for Graphviz, in the same colours."""
    names = {row["id"]: f"n{i}" for i, row in enumerate(tasks)}
    found = ["digraph {", '  node [shape=box, style="rounded,filled", fontname="sans-serif"];']
    for row in tasks:
        text = "\\n".join(quoted(part)[1:-1] for part in _label(row, sums))
        fill = CLASSES.get(row["status"], CLASSES["pending"])
        found.append(f'  {names[row["id"]]} [label="{text}", fillcolor="{fill}"];')
    joined = [row for row in tasks if row.get("parent") in names]
    found += [f"  {names[row['parent']]} -> {names[row['id']]};" for row in joined]
    return "\n".join([*found, "}"]) + "\n"
