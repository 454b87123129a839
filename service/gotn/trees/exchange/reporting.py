"""A tree as report.md (004, Storage paths): cost, confidence, slowest and dearest path."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gotn.trees.rules import fold, money, paths, totals

Row = dict[str, Any]
#: Names of a path that are shown from its beginning and from its end.
ENDS = 10
#: Groups of a table, and names of a list, that are shown.
SHOWN = 100


def report(tree: Row, tasks: Sequence[Row], executed: Sequence[str] = ()) -> str:
    """The report's text; tasks stand with parents first. `executed` tells of work nodes."""
    return "\n".join(_lines(tree, tasks, executed)) + "\n"


def _lines(tree: Row, tasks: Sequence[Row], executed: Sequence[str]) -> Iterator[str]:
    whole = totals.inclusive(tasks)[tasks[0]["id"]]
    root = totals.own(tasks[0])
    prompt = (tree.get("metadata") or {}).get("root_prompt") or tasks[0].get("prompt") or ""
    yield f"# Task tree {_cell(tree['id'])}"
    yield ""
    if _cell(prompt):
        yield f"> {_cell(prompt)}"
        yield ""
    if executed:
        yield f"Executed: {', '.join(_cell(one) for one in executed[:SHOWN])}"
        yield ""
    yield "## Cost"
    yield ""
    yield "| | tasks | input tokens | output tokens | tokens | USD | saved USD | effective USD |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    yield _row("own (root)", root)
    yield _row("inclusive", whole)
    if whole.unpriced:
        yield ""
        used = "task used" if whole.unpriced == 1 else "tasks used"
        yield f"{whole.unpriced:,} {used} tokens whose cost nobody stated: it is unknown, not zero."
    for title, key in _GROUPS.items():
        yield from _group(title, key, tasks)
    yield from _ways(tasks)
    yield from _sure(tasks)
    if tree.get("stated"):
        yield ""
        yield "## Stated otherwise"
        yield ""
        yield from (f"- {_cell(line)}" for line in tree["stated"])


_GROUPS: dict[str, Callable[[Row], str]] = {
    "By model": lambda row: fold.model_of(row) or "–",
    "By depth": lambda row: str(row["depth"]),
    "By status": lambda row: str(row["status"]),
}


def _row(name: str, total: totals.Total) -> str:
    numbers = (total.tasks, total.input_tokens, total.output_tokens, total.total_tokens)
    amounts = (total.cost, total.savings, total.effective)
    said = [totals.priced(total, one) for one in amounts]
    cells = [f"{number:,}" for number in numbers] + said
    return f"| {_cell(name)} | {' | '.join(cells)} |"


def _group(title: str, key: Callable[[Row], str], tasks: Sequence[Row]) -> Iterator[str]:
    found: dict[str, totals.Total] = {}
    for row in tasks:
        found.setdefault(key(row), totals.Total()).add(totals.own(row))
    yield ""
    yield f"### {title}"
    yield ""
    yield "| | tasks | input tokens | output tokens | tokens | USD | saved USD | effective USD |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    names = sorted(found, key=lambda name: (len(name), name) if name.isdigit() else (0, name))
    for name in names[:SHOWN]:
        yield _row(name, found[name])
    if len(names) > SHOWN:
        yield ""
        yield f"The first {SHOWN} of {len(names):,} groups."


def _ways(tasks: Sequence[Row]) -> Iterator[str]:
    slow, dear = paths.longest(tasks, paths.duration), paths.longest(tasks, paths.cost)
    yield ""
    yield "## Paths"
    yield ""
    if slow.length:
        yield f"- Slowest: {slow.length:,} ms: {_names(slow.tasks)}"
    else:
        yield "- Slowest: no task says how long it took."
    if dear.length:
        yield f"- Dearest: {money.read(dear.length)} USD: {_names(dear.tasks)}"
    else:
        yield "- Dearest: no task states a cost."


def _names(names: Sequence[str]) -> str:
    shown = [_cell(name) for name in names]
    if len(shown) > 2 * ENDS:
        shown = [*shown[:ENDS], f"… {len(shown) - 2 * ENDS} more …", *shown[-ENDS:]]
    return " → ".join(shown)


def _sure(tasks: Sequence[Row]) -> Iterator[str]:
    found = paths.confidences(tasks)
    yield ""
    yield "## Confidence"
    yield ""
    if not found:
        yield "No task says how sure it is."
        return
    mean = sum(found) / len(found)
    between = f"{min(found):.2f} at least, {max(found):.2f} at most"
    yield f"{mean:.2f} on average of {len(found)}, {between}."


def _cell(text: str) -> str:
    """A text on one line that no table or heading ends in."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")
