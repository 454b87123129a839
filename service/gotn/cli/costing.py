"""What work cost, for people and programs."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from gotn.cli import protocol
from gotn.cli.call import Call
from gotn.cli.show import parts
from gotn.trees.records import CostTotal, Grouping
from gotn.trees.rules import money, totals
from gotn.trees.usecases import costing

if TYPE_CHECKING:
    from rich.console import Console

Row = dict[str, Any]


def show(call: Call, scope: dict[str, str | None], by: str | None) -> None:
    """Own and inclusive tokens and money of a scope; amounts are texts in JSON."""
    wanted = costing.Scope(**scope)
    grouping = Grouping(by) if by else None
    found = call.run(lambda database: costing.show(database, call.project, wanted, grouping))
    data = {
        "own": plain(found.own),
        "inclusive": plain(found.inclusive),
        "groups": [{"name": one.name} | plain(one.total) for one in found.groups],
        "stated": list(found.stated),
        "by": by,
    }
    call.answer(data, _shown)


def plain(total: CostTotal) -> Row:
    """A total as plain data: money as text with twelve decimals."""
    return {k: f"{v:.12f}" if isinstance(v, Decimal) else v for k, v in vars(total).items()}


def _shown(data: Row, console: "Console") -> None:
    numbers = ("tasks", "input", "output", "tokens", "USD", "saved", "effective")
    grid = parts.table("", *numbers, right=numbers)
    for name in ("own", "inclusive"):
        grid.add_row(parts.text(name, "bold"), *_cells(data[name]))
    console.print(grid)
    if data["groups"]:
        parts.heading(console, f"By {data['by']}", "each task alone")
        grid = parts.table(data["by"], *numbers, right=numbers)
        for one in data["groups"]:
            grid.add_row(parts.text(one["name"] or "–", "bold"), *_cells(one))
        console.print(grid)
    if unknown := data["inclusive"]["unpriced"]:
        used = "of these tasks used tokens whose cost nobody stated: unknown, not zero."
        console.print(f"{unknown:,} {used}")
    if data["stated"]:
        parts.heading(console, "Stated otherwise", str(len(data["stated"])))
        for line in data["stated"][:20]:
            console.print(f"  {line}", markup=False)
        parts.more(console, min(len(data["stated"]), 20), len(data["stated"]), "--json")


def _cells(total: Row) -> list[str]:
    counts = ("tasks", "input_tokens", "output_tokens", "total_tokens")
    amounts = ("total_cost_usd", "cache_savings_usd", "effective_cost_usd")
    whole = total_of(total)
    return [f"{total[name]:,}" for name in counts] + [
        totals.priced(whole, money.pico(total[name])) for name in amounts
    ]


def total_of(row: Row) -> totals.Total:
    """What a plain answer says of tasks, tokens and cost, as a total."""
    counts = {name: row[name] for name in ("tasks", "total_tokens", "unpriced")}
    return totals.Total(**counts, cost=money.pico(row["total_cost_usd"]))


def short(amount: str) -> str:
    """At least two decimals, no more than there are."""
    return money.read(money.pico(amount))


def record(
    call: Call, tree: str, task: str, tokens: int | None, cost: str | None, *, add: bool
) -> None:
    """Set or add what a task alone cost; shows the task with all below it."""
    given = protocol.cost_of(tokens, cost) or {}
    found = call.run(
        lambda database: costing.spend(database, call.request(), tree, task, given, add=add)
    )
    data = {"tree_id": tree, "task_id": task, "inclusive": plain(found)}
    call.answer(data, _recorded)


def _recorded(data: Row, console: "Console") -> None:
    total = data["inclusive"]
    line = f"{data['task_id']} with all below it: {total['total_tokens']:,} tokens, "
    line += f"{totals.said(total_of(total))}."
    console.print(line, markup=False)
