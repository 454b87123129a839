"""From the open part of a graph to a plan: scope, layers, order inside them, critical path.

Pure and deterministic: the same graph gives the same plan (decisions, Plan).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median

import numpy as np
import rustworkx as rx

from gotn.errors import ProgrammingError
from gotn.work.records import (
    BlockedNode,
    CriticalPath,
    NodeStatus,
    PlannedStep,
)
from gotn.work.rules.levels import Neighbours, levels
from gotn.work.rules.ranks import Ints

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
    #: (src, dst) of every hard edge between open nodes, flagged ones included: N rows of two.
    hard: Ints | Sequence[tuple[int, int]]
    #: (a, b, score) of every soft edge between open nodes.
    soft: list[tuple[int, int, float]] = field(default_factory=list)
    #: Median minutes of a kind, from steps that were completed.
    kind_minutes: dict[str, float] = field(default_factory=dict)

    @cached_property
    def pairs(self) -> Ints:
        """The hard edges as an array of N rows."""
        return np.asarray(self.hard, dtype=np.int64).reshape(-1, 2)

    @cached_property
    def listed(self) -> list[tuple[int, int]]:
        """The same as plain pairs, for what is looked at one by one."""
        return [(a, b) for a, b in self.pairs.tolist()]

    def among(self, inside: Sequence[int]) -> tuple[Ints, Ints]:
        """The ends of the hard edges between these positions."""
        member = np.zeros(len(self.ids), dtype=bool)
        member[np.asarray(inside, dtype=np.int64)] = True
        src, dst = self.pairs[:, 0], self.pairs[:, 1]
        kept = member[src] & member[dst]
        return src[kept], dst[kept]


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
    #: Each position's level, and the edges between the steps, where every open node is a step.
    level: Ints | None = None
    among: tuple[Ints, Ints] | None = None


def scope(found: Open, targets: Iterable[int] | None, *, leaves: bool) -> list[int]:
    """Positions in the plan's scope: all, or the targets and all they transitively need."""
    chosen = set(range(len(found.ids)))
    if targets is not None:
        net = _graph(len(found.ids), found.listed)
        chosen = set()
        for target in targets:
            chosen |= {target} | set(rx.ancestors(net, target))
    if leaves:
        chosen = {i for i in chosen if not found.has_children[i]}
    return sorted(chosen)


def arrange(found: Open, inside: Sequence[int], through: Iterable[int] = ()) -> Layout:
    """Layers of what can be done, what is blocked, and what waits for running nodes.

    Nodes passed `through` are no steps and take no time, but what they need still comes
    before what needs them.
    """
    passed = set(through)
    if not passed and all(found.statuses[i] == NodeStatus.READY.value for i in inside):
        return _arrange_ready(found, inside)
    return _arrange_mixed(found, inside, passed)


def _arrange_mixed(found: Open, inside: Sequence[int], passed: set[int]) -> Layout:
    """`arrange` of nodes in any status."""
    member = set(inside) | passed
    after: dict[int, list[int]] = {}
    for a, b in found.listed:
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


def _arrange_ready(found: Open, inside: Sequence[int]) -> Layout:
    """`arrange` where every node is ready and a step, which arrays do at once."""
    among = found.among(inside)
    level = levels(len(found.ids), *among)
    if level is None:
        raise ProgrammingError("a plan of nodes that need each other")
    by_id = np.array(sorted(inside, key=found.ids.__getitem__), dtype=np.int64)
    order = by_id[np.argsort(level[by_id], kind="stable")] if by_id.size else by_id
    result = Layout(level=level, among=among, order=order.tolist())
    ends = np.flatnonzero(np.diff(level[order])) + 1 if order.size else order
    linked = {i for a, b, _ in found.soft for i in (a, b)}
    for part in np.split(order, ends) if order.size else ():
        layer = part.tolist()
        if linked and not linked.isdisjoint(layer):
            layer, groups = together(found, layer)
            result.groups += groups
        result.layers.append(layer)
    result.weights, result.unit = weights(found, inside)
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
    if result.level is not None and result.unit == "steps":
        return _timed_evenly(found, result)
    return _timed_by_weight(found, result)


def _timed_by_weight(found: Open, result: Layout) -> tuple[list[PlannedStep], CriticalPath]:
    """`timed` where steps take their own time."""
    order, weight = result.order, result.weights
    member = set(order)
    before: dict[int, list[int]] = {i: [] for i in order}
    after: dict[int, list[int]] = {i: [] for i in order}
    for a, b in found.listed:
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
    steps = _steps(found, result, {i: round(latest[i] - ends[i], 6) for i in order})
    chain = [found.ids[i] for i in _longest(found, order, before, ends) if i in weight]
    return steps, CriticalPath(node_ids=tuple(chain), length=length, unit=result.unit)


def _steps(found: Open, result: Layout, slack: Mapping[int, float]) -> list[PlannedStep]:
    placed = [(i, n) for n, layer in enumerate(result.layers) for i in layer]
    return [
        PlannedStep(
            id=found.ids[i],
            summary=found.summaries[i],
            position=position,
            layer=layer,
            slack=slack[i],
            weight=result.weights[i],
            ready=layer == 0 and i not in result.waiting,
        )
        for position, (i, layer) in enumerate(placed)
    ]


def _timed_evenly(found: Open, result: Layout) -> tuple[list[PlannedStep], CriticalPath]:
    """`timed` where every step counts one: levels from both ends tell it all."""
    if result.level is None or result.among is None:
        raise ProgrammingError("levels were not computed")
    src, dst = result.among
    count = len(found.ids)
    rest = levels(count, dst, src)
    if rest is None:
        raise ProgrammingError("a plan of nodes that need each other")
    length = len(result.layers)
    slack = (length - 1 - rest - result.level).astype(float).tolist()
    steps = _steps(found, result, dict(enumerate(slack)))
    chain: list[int] = []
    if result.layers:
        before = Neighbours(count, dst, src)
        level, name = result.level, found.ids.__getitem__
        chain = [min(result.layers[-1], key=name)]
        while earlier := before.at(chain[-1]):
            highest = max(level[i] for i in earlier)
            chain.append(min((i for i in earlier if level[i] == highest), key=name))
    ids = tuple(found.ids[i] for i in reversed(chain))
    return steps, CriticalPath(node_ids=ids, length=float(length), unit=result.unit)


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
