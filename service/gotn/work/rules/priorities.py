"""Which step of a run is given out first: the one with the longest chain of work behind it."""

from collections.abc import Iterable, Mapping
from statistics import median


def longest(
    minutes: Mapping[int, float | None], pairs: Iterable[tuple[int, int]]
) -> dict[int, float]:
    """For each position the length of the longest chain that begins with it.

    In minutes where any step has an estimate (the others count the median), else in steps.
    `pairs` are (before, after) positions. Positions that go round count their own length.
    """
    known = [value for value in minutes.values() if value is not None]
    usual = median(known) if known else 1.0
    weight = {at: usual if own is None else own for at, own in minutes.items()}
    before: dict[int, list[int]] = {}
    open_after = dict.fromkeys(weight, 0)
    for src, dst in pairs:
        if src in weight and dst in weight and src != dst:
            before.setdefault(dst, []).append(src)
            open_after[src] += 1
    length = dict(weight)
    todo = [at for at, count in open_after.items() if not count]
    while todo:
        at = todo.pop()
        for src in before.get(at, ()):
            length[src] = max(length[src], weight[src] + length[at])
            open_after[src] -= 1
            if not open_after[src]:
                todo.append(src)
    return length
