"""What a task states after it spent more, and how much one task and one tree may come to."""

from collections.abc import Iterator, Sequence
from typing import Any

from gotn import shapes
from gotn.errors import LimitExceeded
from gotn.trees.rules import money, totals

Row = dict[str, Any]
#: The members that say one thing: the whole, and the parts it is split into.
_SPLIT = {
    "total_tokens": ("input_tokens", "output_tokens"),
    "total_cost_usd": ("input_cost_usd", "output_cost_usd"),
}
#: What is summed beside them.
_ALONE = ("cache_hits", "cache_savings_usd")


def added(before: Row | None, more: Row) -> Row:
    """What a task states after it spent more: the tries of a task add up.

    Tokens, and money, stay split into input and output as long as whoever states them splits
    them the same way; else only the whole is told. What one of them says nothing of stays. A
    subtree's total is what was stated last. LimitExceeded beyond what one task may come to.
    """
    if not before:
        return more
    found = before | {name: value for name, value in more.items() if value is not None}
    for name in _ALONE:
        if said := [one[name] for one in (before, more) if one.get(name) is not None]:
            found[name] = _plus(name, said)
    for whole, parts in _SPLIT.items():
        _join(found, before, more, whole, parts)
    left = _left(before, more)
    found.pop("unpriced_tokens", None)
    if left and totals.own_cost(found) is not None:
        found["unpriced_tokens"] = left
    if wrong := list(beyond(found)):
        raise LimitExceeded(f"cost.{wrong[0][0]}", limit=wrong[0][1], violations=[wrong[0][0]])
    return found


def _join(found: Row, before: Row, more: Row, whole: str, parts: Sequence[str]) -> None:
    """Add up a whole and its parts, where both sides say something of them."""
    sums = [_whole(one, whole, parts) for one in (before, more)]
    if None in sums:
        silent = before if sums[0] is None else more
        told = more if silent is before else before
        found |= {name: told[name] for name in (whole, *parts) if name in told}
        return
    known = [{name for name in parts if one.get(name) is not None} for one in (before, more)]
    for name in parts:
        if known[0] != known[1]:
            found.pop(name, None)
        elif name in known[0]:
            found[name] = _plus(name, [before[name], more[name]])
    if known[0] == known[1]:
        if found.get(whole) is None:
            return
        stated = [one.get(whole) for one in (before, more)]
        sums = [sums[i] if one is None else one for i, one in enumerate(stated)]
    found[whole] = _plus(whole, sums)


def _whole(cost: Row, whole: str, parts: Sequence[str]) -> Any:
    """What counts of a whole (`totals.own`): as stated, else what is stated of its parts."""
    said = [cost[name] for name in parts if cost.get(name) is not None]
    stated = cost.get(whole)
    if stated is not None and (whole.endswith("_usd") or len(said) < len(parts)):
        return stated
    return _plus(whole, said) if said else None


def _plus(name: str, said: Sequence[Any]) -> Any:
    return money.plus(said) if name.endswith("_usd") else sum(said)


def _left(before: Row, more: Row) -> int:
    """Tokens whose cost nobody stated: a bill without tokens prices what was used before."""
    bill = totals.own_cost(more) is not None and not totals.own_tokens(more)
    return sum(_unknown(one) for one in ((more,) if bill else (before, more)))


def _unknown(cost: Row) -> int:
    if totals.own_cost(cost) is None:
        return totals.own_tokens(cost)
    return cost.get("unpriced_tokens") or 0


def beyond(cost: Row) -> Iterator[tuple[str, int]]:
    """What of a task's own cost is more than one task may come to: a sentence and the bound.

    What is stored can be stated again: these are the bounds of a document's single numbers.
    """
    for name in (*totals.COUNTED, "unpriced_tokens"):
        if (cost.get(name) or 0) > money.TOKENS:
            yield (
                f"{name}: a task's is at most {money.TOKENS:,}, this would be {cost[name]:,}",
                money.TOKENS,
            )
    most = int(money.MOST)
    amounts = {n: money.pico(cost[n]) for n in _AMOUNTS if cost.get(n) is not None}
    amounts.setdefault("total_cost_usd", totals.own_cost(cost) or 0)
    for name, amount in amounts.items():
        if amount >= most * money.PICO:
            yield (
                f"{name}: a task's is less than {most:,} USD, this would be {money.read(amount)}",
                most,
            )


_AMOUNTS = ("input_cost_usd", "output_cost_usd", "total_cost_usd", "cache_savings_usd")


def beyond_tree(total: totals.Total) -> Iterator[tuple[str, int]]:
    """What of a tree's sums is more than one tree may come to: a sentence and the bound."""
    for name, number in (("tokens", total.total_tokens), ("cache hits", total.cache_hits)):
        if number > shapes.LARGEST_INTEGER:
            most = shapes.LARGEST_INTEGER
            yield f"the tasks of a tree have at most {most:,} {name}, these have {number:,}", most
    most = int(money.MOST_OF_TREE)
    for name, amount in (("cost", total.cost), ("save", total.savings)):
        if amount >= most * money.PICO:
            said = f"the tasks of a tree {name} less than {most:,} USD"
            yield f"{said}, these {money.read(amount)}", most
