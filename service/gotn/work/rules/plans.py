"""From the open part of a graph to a plan: scope, layers, order inside them, critical path.

Pure and deterministic: the same graph gives the same plan (decisions, Plan).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

import rustworkx as rx

from gotn.work.records import (
    BlockedNode,
    CriticalPath,
    NodeStatus,
    PlannedStep,
)

#: Groups named in an ordering reason.
NAMED_GROUPS = 5
_CAUSES = (NodeStatus.FAILED.value, NodeStatus.BLOCKED.value)


@dataclass
class Open:
    """The nodes that are not satisfied, as columns, and edges as positions among them."""

    ids: list[str]
    statuses: list[str]
    kinds: list[str]
    summaries: list[str]
    estimates: list[float | None]
    has_children: list[bool]
    #: (src, dst) of every hard edge between open nodes, flagged ones included.
    hard: list[tuple[int, int]]
    #: (a, b, score) of every soft edge between open nodes.
    soft: list[tuple[int, int, float]] = field(default_factory=list)
    #: Median minutes of a kind, from steps that were completed.
    kind_minutes: dict[str, float] = field(default_factory=dict)


@dataclass
class Layout:
    """A computed plan, in positions."""

    layers: list[list[int]] = field(default_factory=list)
    blocked: list[BlockedNode] = field(default_factory=list)
    waiting_on: list[int] = field(default_factory=list)
    #: Positions that wait for a running node, directly.
    waiting: set[int] = field(default_factory=set)
    #: Groups put together inside a layer: positions and the strongest score.
    groups: list[tuple[list[int], float]] = field(default_factory=list)
    weights: dict[int, float] = field(default_factory=dict)
    unit: str = "steps"
    #: Steps, and nodes that are only passed through, in a topological order.
    order: list[int] = field(default_factory=list)


def scope(found: Open, targets: Iterable[int] | None, *, leaves: bool) -> list[int]:
    """Positions in the plan's scope: all, or the targets and all they transitively need."""
    chosen = set(range(len(found.ids)))
    if targets is not None:
        net = _graph(len(found.ids), found.hard)
        chosen = set()
        for target in targets:
            chosen |= {target} | set(rx.ancestors(net, target))
    if leaves:
        chosen = {i for i in chosen if not found.has_children[i]}
    return sorted(chosen)


def cycles(found: Open, inside: Sequence[int]) -> list[list[int]]:
    """One shortest closed path for each component of the scope that goes round."""
    member = set(inside)
    pairs = [(a, b) for a, b in found.hard if a in member and b in member]
    net = _graph(len(found.ids), pairs)
    parts = [part for part in rx.strongly_connected_components(net) if len(part) > 1]
    ways = [_shortest_round(net, sorted(part, key=found.ids.__getitem__)) for part in parts]
    return sorted(ways, key=lambda way: found.ids[way[0]])


def _shortest_round(net: "rx.PyDiGraph[int | None, None]", part: list[int]) -> list[int]:
    """A shortest closed path among these, starting from the first of them that has one.

    A node that was looked at goes away, with all that goes round only through it, so that
    one large ring costs no more than its length.
    """
    member = set(part)
    after = {i: set(net.successor_indices(i)) & member for i in part}
    before = {i: set(net.predecessor_indices(i)) & member for i in part}
    best: list[int] = []
    for start in part:
        if start in after:
            best = _round(after, start, len(best) or len(part) + 2) or best
            _peel(after, before, start)
        if len(best) == 3:
            break
    return best


def _peel(after: dict[int, set[int]], before: dict[int, set[int]], start: int) -> None:
    """Take a node away, and every node that then has none before it or none after it."""
    todo = [start]
    while todo:
        gone = todo.pop()
        for to, back in ((after, before), (before, after)):
            for near in to.pop(gone, ()):
                back[near].discard(gone)
                if not back[near]:
                    todo.append(near)


def _round(after: dict[int, set[int]], start: int, below: int) -> list[int]:
    """Breadth first from a node back to itself, in fewer than `below` nodes; it counts twice."""
    came: dict[int, int] = {}
    edge = [start]
    for _ in range(below - 2):
        following: list[int] = []
        for at in edge:
            for then in sorted(after[at]):
                if then == start:
                    return _traced(came, at, start)
                if then not in came:
                    came[then] = at
                    following.append(then)
        edge = following
    return []


def _traced(came: dict[int, int], last: int, start: int) -> list[int]:
    path = [start]
    while last != start:
        path.append(last)
        last = came[last]
    return [*path[:1], *reversed(path[1:]), start]


def arrange(found: Open, inside: Sequence[int], through: Iterable[int] = ()) -> Layout:
    """Layers of what can be done, what is blocked, and what waits for running nodes.

    Nodes passed `through` are no steps and take no time, but what they need still comes
    before what needs them.
    """
    passed = set(through)
    member = set(inside) | passed
    after: dict[int, list[int]] = {}
    for a, b in found.hard:
        if a in member and b in member:
            after.setdefault(a, []).append(b)
    result = Layout()
    running = {i for i in member if found.statuses[i] == NodeStatus.RUNNING.value}
    blocked, held = _blocked(found, sorted(member), after)
    result.blocked = [node for node, at in blocked if at not in passed]
    open_ = member - running - held
    for a in running:
        if waits := _waiting(after, a, passed) & (open_ - passed):
            result.waiting |= waits
            result.waiting_on.append(a)
    result.waiting_on.sort(key=found.ids.__getitem__)
    result.order = _sorted(open_, after)
    for layer in _layers(result.order, after, open_, passed):
        ordered, groups = together(found, layer)
        result.layers.append(ordered)
        result.groups += groups
    result.weights, result.unit = weights(found, open_ - passed)
    return result


def _waiting(after: dict[int, list[int]], start: int, passed: set[int]) -> set[int]:
    """What comes next after a node, looking through those that are passed through."""
    found: set[int] = set()
    todo = list(after.get(start, ()))
    while todo:
        at = todo.pop()
        if at not in found:
            found.add(at)
            todo += after.get(at, ()) if at in passed else ()
    return found


def _sorted(open_: set[int], after: dict[int, list[int]]) -> list[int]:
    """A topological order of the open nodes."""
    order = sorted(open_)
    place = {i: at for at, i in enumerate(order)}
    pairs = [(place[a], place[b]) for a in order for b in after.get(a, ()) if b in open_]
    return [order[at] for at in rx.topological_sort(_graph(len(order), pairs))]


def _layers(
    order: list[int], after: dict[int, list[int]], open_: set[int], passed: set[int]
) -> list[list[int]]:
    """Steps by the number of steps on the longest way to them."""
    level = dict.fromkeys(order, 0)
    for a in order:
        beyond = level[a] + (a not in passed)
        for b in after.get(a, ()):
            if b in open_ and level[b] < beyond:
                level[b] = beyond
    found: dict[int, list[int]] = {}
    for i in order:
        if i not in passed:
            found.setdefault(level[i], []).append(i)
    return [found[number] for number in sorted(found)]


def _blocked(
    found: Open, inside: Sequence[int], after: dict[int, list[int]]
) -> tuple[list[tuple[BlockedNode, int]], set[int]]:
    """Nodes held by a failed or blocked one, each with the shortest path from it."""
    came: dict[int, int | None] = {}
    for cause in _CAUSES:  # what a failed node blocked is held by that node, not by itself
        edge = [i for i in inside if found.statuses[i] == cause and i not in came]
        edge.sort(key=found.ids.__getitem__)
        came |= dict.fromkeys(edge)
        while edge:
            following = []
            for at in edge:
                for then in sorted(after.get(at, ()), key=found.ids.__getitem__):
                    if then not in came:
                        came[then] = at
                        following.append(then)
            edge = following
    blocked = []
    for i in came:
        if found.statuses[i] == NodeStatus.FAILED.value:
            continue
        path: list[int] = [i]
        while (before := came[path[-1]]) is not None:
            path.append(before)
        names = tuple(found.ids[at] for at in reversed(path))
        blocked.append((BlockedNode(id=found.ids[i], path=names), i))
    return sorted(blocked, key=lambda pair: pair[0].id), set(came)


def together(found: Open, layer: Sequence[int]) -> tuple[list[int], list[tuple[list[int], float]]]:
    """A layer in order: softly linked nodes side by side, strongest first, then by id."""
    name = found.ids.__getitem__
    member = set(layer)
    group: dict[int, list[int]] = {i: [i] for i in layer}
    strength: dict[int, float] = {}
    links = [(a, b, s) for a, b, s in found.soft if a in member and b in member]
    for a, b, score in sorted(links, key=lambda e: (-e[2], *sorted((name(e[0]), name(e[1]))))):
        left, right = sorted((group[a], group[b]), key=lambda g: min(map(name, g)))
        if left is right:
            continue
        joined = left + right
        strongest = max(score, strength.pop(id(left), 0.0), strength.pop(id(right), 0.0))
        strength[id(joined)] = strongest
        for i in joined:
            group[i] = joined
    groups = list({id(g): g for g in group.values()}.values())
    groups.sort(key=lambda g: (-strength.get(id(g), 0.0), min(map(name, g))))
    named = [(g, strength[id(g)]) for g in groups if len(g) > 1]
    return [i for g in groups for i in g], named


def weights(found: Open, steps: Iterable[int]) -> tuple[dict[int, float], str]:
    """How long each step takes: estimated minutes, else its kind's median, else one step each."""
    steps = list(steps)
    known = [e for i in steps if (e := found.estimates[i]) is not None]
    if not known:
        return dict.fromkeys(steps, 1.0), "steps"
    usual = float(median(known))
    result: dict[int, float] = {}
    for i in steps:
        estimate = found.estimates[i]
        kind = found.kind_minutes.get(found.kinds[i], usual)
        result[i] = float(estimate if estimate is not None else kind)
    return result, "minutes"


def timed(found: Open, result: Layout) -> tuple[list[PlannedStep], CriticalPath]:
    """Every step with its slack, and the longest chain."""
    order, weight = result.order, result.weights
    member = set(order)
    before: dict[int, list[int]] = {i: [] for i in order}
    after: dict[int, list[int]] = {i: [] for i in order}
    for a, b in found.hard:
        if a in member and b in member:
            before[b].append(a)
            after[a].append(b)
    ends: dict[int, float] = {}
    for i in order:
        ends[i] = weight.get(i, 0.0) + max((ends[a] for a in before[i]), default=0.0)
    length = max(ends.values(), default=0.0)
    latest: dict[int, float] = {}
    for i in reversed(order):
        latest[i] = min((latest[b] - weight.get(b, 0.0) for b in after[i]), default=length)
    placed = [(i, n) for n, layer in enumerate(result.layers) for i in layer]
    steps = [
        PlannedStep(
            id=found.ids[i],
            summary=found.summaries[i],
            position=position,
            layer=layer,
            slack=round(latest[i] - ends[i], 6),
            weight=weight[i],
            ready=layer == 0 and i not in result.waiting,
        )
        for position, (i, layer) in enumerate(placed)
    ]
    chain = [found.ids[i] for i in _longest(found, order, before, ends) if i in weight]
    return steps, CriticalPath(node_ids=tuple(chain), length=length, unit=result.unit)


def _longest(
    found: Open,
    order: list[int],
    before: dict[int, list[int]],
    ends: dict[int, float],
) -> list[int]:
    """The chain that ends last, traced back; the smaller id where two are as long."""
    if not order:
        return []
    name = found.ids.__getitem__
    path = [min(order, key=lambda i: (-ends[i], name(i)))]
    while earlier := before[path[-1]]:
        path.append(min(earlier, key=lambda i: (-ends[i], name(i))))
    return path[::-1]


def reason(found: Open, result: Layout, satisfied: int, derived: int, explicit: int) -> str:
    """Why the steps stand in this order, for people."""
    steps = sum(map(len, result.layers))
    if not steps:
        return "Nothing is left to do: no open node can be started."
    parts = [
        (
            f"{_count(steps, 'step')} in {_count(len(result.layers), 'layer')}: topological sort "
            f"on {derived + explicit} hard dependencies ({derived} from tags, {explicit} "
            "explicit); the steps of a layer do not need each other and can run in parallel."
        )
    ]
    if result.groups:
        said = [
            f"{', '.join(sorted(found.ids[i] for i in group))} ({score:.2f})"
            for group, score in result.groups[:NAMED_GROUPS]
        ]
        more = len(result.groups) - len(said)
        parts.append(
            f"Put together because their texts are alike: {'; '.join(said)}"
            f"{f'; and {more} more' if more else ''}."
        )
    else:
        parts.append("Inside a layer, by id.")
    if satisfied:
        parts.append(f"Left out: {_count(satisfied, 'node')} completed or skipped.")
    if result.blocked:
        parts.append(f"Held back by a failed or blocked node: {len(result.blocked)}.")
    return " ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _graph(count: int, pairs: Iterable[tuple[int, int]]) -> "rx.PyDiGraph[int | None, None]":
    net: rx.PyDiGraph[int | None, None] = rx.PyDiGraph()
    net.add_nodes_from(range(count))
    net.extend_from_edge_list(list(pairs))
    return net
