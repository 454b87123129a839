"""What the tasks of a tree cost, alone and with all below them, and where documents disagree."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gotn.trees.records import Disagreement
from gotn.trees.rules import money

Row = dict[str, Any]
#: What is summed: the names of a task's own properties, and of what is kept of its subtree.
COUNTS = ("tasks", "input_tokens", "output_tokens", "total_tokens", "cache_hits", "unpriced")
AMOUNTS = ("cost", "savings")
#: Counts that a task states.
COUNTED = ("input_tokens", "output_tokens", "total_tokens", "cache_hits")


@dataclass
class Total:
    """Sums over tasks; money in pico-dollars."""

    tasks: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cache_hits: int = 0
    #: Tasks that used tokens whose cost nobody stated: never taken for free.
    unpriced: int = 0
    cost: int = 0
    savings: int = 0

    def add(self, other: "Total") -> None:
        """Count another's in."""
        for name in (*COUNTS, *AMOUNTS):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def effective(self) -> int:
        """Cost less what caching saved (decisions, Costs)."""
        return self.cost - self.savings


def own(row: Row) -> Total:
    """A task's own tokens and money: what it states, added up only where it states no total."""
    cost = row.get("cost") or {}
    tokens, amount = own_tokens(cost), own_cost(cost)
    return Total(
        tasks=1,
        input_tokens=cost.get("input_tokens") or 0,
        output_tokens=cost.get("output_tokens") or 0,
        total_tokens=tokens,
        cache_hits=cost.get("cache_hits") or 0,
        unpriced=1 if tokens and (amount is None or cost.get("unpriced_tokens")) else 0,
        cost=amount or 0,
        savings=_pico(cost.get("cache_savings_usd")) or 0,
    )


def own_tokens(cost: Row) -> int:
    """Tokens of a task alone: its input and output where both are stated, else the stated total."""
    into, out = cost.get("input_tokens"), cost.get("output_tokens")
    stated: int | None = cost.get("total_tokens")
    if stated is not None and (into is None or out is None):
        return stated
    return (into or 0) + (out or 0)


def own_cost(cost: Row) -> int | None:
    """Pico-dollars of a task alone; None where nothing is stated."""
    stated = _pico(cost.get("total_cost_usd"))
    if stated is not None:
        return stated
    parts = [_pico(cost.get(name)) for name in ("input_cost_usd", "output_cost_usd")]
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


def _pico(stated: str | None) -> int | None:
    return None if stated is None else money.pico(stated)


def inclusive(tasks: Sequence[Row]) -> dict[str, Total]:
    """Each task's total with all below it; parents stand before their children."""
    found = {row["id"]: own(row) for row in tasks}
    for row in reversed(tasks):
        if row.get("parent") in found:
            found[row["parent"]].add(found[row["id"]])
    return found


#: How an amount is shown that nobody stated.
UNKNOWN = "–"


def priced(total: Total, amount: int) -> str:
    """One of a total's amounts as people read it; unknown where no task states a cost."""
    silent = total.unpriced or unused(total)
    return UNKNOWN if silent and not amount else money.read(amount)


def unused(total: Total) -> bool:
    """Whether there are tasks, of which none states tokens or money: they may not have begun."""
    return total.tasks > 0 and not (total.total_tokens or total.cost)


def said(total: Total) -> str:
    """What a total cost, in words: what is unknown is not taken for nothing."""
    if unused(total) or (total.unpriced and not total.cost):
        return "cost unknown"
    if not total.unpriced:
        return f"{money.read(total.cost)} USD"
    return f"{money.read(total.cost)} USD and {total.unpriced:,} unknown"


def kept(total: Total) -> Row:
    """A subtree's total as properties of its task; money in two parts."""
    found = {f"sub_{name}": getattr(total, name) for name in COUNTS}
    for name in AMOUNTS:
        found[f"sub_{name}_micro"], found[f"sub_{name}_rest"] = money.parted(getattr(total, name))
    return found


def disagreements(tree: Row, tasks: Sequence[Row], totals: dict[str, Total]) -> list[Disagreement]:
    """Every stated total that is not what the tasks give."""
    found = [one for row in tasks for one in _of_task(row, totals[row["id"]])]
    stated = tree.get("metadata") or {}
    whole = totals[tasks[0]["id"]]
    ours = {
        "max_depth": max(row["depth"] for row in tasks),
        "total_nodes": len(tasks),
        "completed_nodes": sum(row["status"] == "completed" for row in tasks),
        "failed_nodes": sum(row["status"] == "failed" for row in tasks),
        "total_tokens": whole.total_tokens,
    }
    for name, value in ours.items():
        if stated.get(name) is not None and stated[name] != value:
            found.append(_said(None, f"metadata.{name}", str(stated[name]), str(value)))
    found += _amount(None, "metadata.total_cost_usd", stated.get("total_cost_usd"), whole.cost)
    return found


def _of_task(row: Row, total: Total) -> Iterable[Disagreement]:
    cost = row.get("cost") or {}
    into, out = cost.get("input_tokens"), cost.get("output_tokens")
    stated = cost.get("total_tokens")
    if into is not None and out is not None and stated not in (None, into + out):
        yield _said(row["id"], "cost.total_tokens", str(stated), str(into + out))
    parts = [cost.get(name) for name in ("input_cost_usd", "output_cost_usd")]
    if None not in parts:
        whole = sum(money.pico(str(part)) for part in parts)
        yield from _amount(row["id"], "cost.total_cost_usd", cost.get("total_cost_usd"), whole)
    yield from _amount(
        row["id"], "cost.subtree_total_cost_usd", cost.get("subtree_total_cost_usd"), total.cost
    )


def _amount(id_: str | None, member: str, stated: str | None, ours: int) -> list[Disagreement]:
    if stated is None or money.pico(stated) == ours:
        return []
    return [_said(id_, member, stated, money.short(ours))]


def _said(id_: str | None, member: str, stated: str, ours: str) -> Disagreement:
    return Disagreement(id=id_, member=member, stated=stated, ours=ours)
