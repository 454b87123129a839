"""From the open part of a graph to a plan: scope, layers, order inside them, critical path.

Pure and deterministic: the same graph gives the same plan (decisions, Plan). Nodes are
positions in the order of their ids, everything about them is an array; nothing is made for
each node before somebody asks for it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

import numpy as np

from gotn.work.records import BlockedNode, CriticalPath
from gotn.work.rules.nets import Floats, Generations, Mask, Net, generations
from gotn.work.rules.ranks import Edges, Ints

#: Groups named in an ordering reason.
NAMED_GROUPS = 5
#: Members of such a group that are.
NAMED_MEMBERS = 8
NONE: Ints = np.zeros(0, dtype=np.int64)


@dataclass
class Open:
    """The nodes that are not satisfied, and the edges among them."""

    #: Sorted: positions are in the order of ids.
    ids: list[str]
    #: Every hard edge between open nodes, flagged ones included.
    hard: Edges
    #: Every soft edge between open nodes, and how alike its ends are.
    soft: Edges = field(default_factory=lambda: Edges(NONE, NONE))
    scores: list[float] = field(default_factory=list)
    running: Ints = field(default_factory=lambda: NONE)
    failed: Ints = field(default_factory=lambda: NONE)
    blocked: Ints = field(default_factory=lambda: NONE)
    #: Nodes that have children.
    parents: Ints = field(default_factory=lambda: NONE)
    #: Estimated minutes of the nodes that have them; only then are kinds needed.
    estimates: dict[int, float] = field(default_factory=dict)
    kinds: Sequence[str] = ()
    #: Median minutes of a kind, from steps that were completed.
    kind_minutes: dict[str, float] = field(default_factory=dict)

    def mask(self, at: Ints) -> Mask:
        """Positions as a mask of all nodes."""
        found = np.zeros(len(self.ids), dtype=np.bool_)
        found[at] = True
        return found


@dataclass
class Layout:
    """A computed plan, in positions."""

    #: The steps in their order, layer after layer, and where each layer begins and ends.
    order: Ints
    bounds: list[int]
    #: What is planned, and what is only passed through, in generations.
    open: Generations
    #: The steps as a mask.
    steps: Mask
    blocked: list[BlockedNode] = field(default_factory=list)
    waiting_on: list[int] = field(default_factory=list)
    #: Positions that wait for a running node, directly.
    waiting: set[int] = field(default_factory=set)
    #: Groups put together inside a layer: positions and the strongest score.
    groups: list[tuple[list[int], float]] = field(default_factory=list)
    #: How long each step takes, 0 for every other node; None: one each.
    minutes: Floats | None = None

    @property
    def layers(self) -> list[list[int]]:
        """The steps of each layer."""
        order = self.order.tolist()
        return [order[start:end] for start, end in pairwise(self.bounds)]

    @property
    def weights(self) -> Floats:
        """How long each node takes, in the plan's unit."""
        return self.steps.astype(np.float64) if self.minutes is None else self.minutes

    @property
    def unit(self) -> str:
        """What weights are counted in."""
        return "steps" if self.minutes is None else "minutes"


@dataclass
class Timing:
    """When steps are done, in their order, and the longest chain."""

    slack: list[float]
    weights: list[float]
    critical: CriticalPath


def scope(found: Open, targets: Iterable[int] | None) -> Mask:
    """What is in the plan's scope: all, or the targets and all they transitively need."""
    if targets is None:
        return np.ones(len(found.ids), dtype=np.bool_)
    back = Net(len(found.ids), Edges(found.hard.dst, found.hard.src))
    return back.reached(list(targets))


def arrange(found: Open, inside: Mask, through: Mask | None = None) -> Layout | None:
    """Layers of what can be done, what is blocked, and what waits for running nodes.

    Nodes passed `through` are no steps and take no time, but what they need still comes
    before what needs them. None where nodes in scope need each other.
    """
    member = inside if through is None else inside | through
    net = Net(len(found.ids), among(found.hard, member))
    made = generations(net, member)
    if made.found < np.count_nonzero(member):
        return None
    came = _held(found, member, net)
    running = np.sort(found.running[member[found.running]])
    open_ = member & ~found.mask(running) & ~found.mask(np.array(list(came), dtype=np.int64))
    if not np.array_equal(open_, member):
        made = generations(Net(net.count, among(found.hard, open_)), open_)
    steps = open_ if through is None else open_ & ~through
    order, bounds, groups = _ordered(found, made, steps)
    result = Layout(order, bounds, made, steps, groups=groups)
    passed = set() if through is None else set(np.flatnonzero(through).tolist())
    result.blocked = _told(found, came, passed)
    for node in running.tolist():
        if waits := {i for i in _next(net, node, passed) if steps[i]}:
            result.waiting |= waits
            result.waiting_on.append(node)
    result.minutes = minutes(found, steps)
    return result


def among(edges: Edges, member: Mask) -> Edges:
    """The edges whose ends are both members."""
    if member.all():
        return edges
    keep = member[edges.src] & member[edges.dst]
    return Edges(edges.src[keep], edges.dst[keep])


def _next(net: Net, start: int, passed: set[int]) -> set[int]:
    """What comes next after a node, looking through those that are passed through."""
    found: set[int] = set()
    todo = net.after(start)
    while todo:
        at = todo.pop()
        if at not in found:
            found.add(at)
            todo += net.after(at) if at in passed else ()
    return found


def _held(found: Open, member: Mask, net: Net) -> dict[int, int | None]:
    """Nodes held by a failed or blocked one, each with the one before on its shortest path.

    What a failed node blocked is held by that node, not by itself.
    """
    came: dict[int, int | None] = {}
    for cause in (found.failed, found.blocked):
        edge = [i for i in sorted(cause.tolist()) if member[i] and i not in came]
        came |= dict.fromkeys(edge)
        while edge:
            following = []
            for at in edge:
                for then in sorted(net.after(at)):
                    if then not in came:
                        came[then] = at
                        following.append(then)
            edge = following
    return came


def _told(found: Open, came: dict[int, int | None], passed: set[int]) -> list[BlockedNode]:
    """The held nodes that did not fail themselves, by id, with their paths."""
    failed = set(found.failed.tolist())
    told = []
    for i in sorted(came):
        if i in failed or i in passed:
            continue
        path = [i]
        while (before := came[path[-1]]) is not None:
            path.append(before)
        names = tuple(found.ids[at] for at in reversed(path))
        told.append(BlockedNode(id=found.ids[i], path=names))
    return told


def _ordered(
    found: Open, made: Generations, steps: Mask
) -> tuple[Ints, list[int], list[tuple[list[int], float]]]:
    """Steps by the number of steps on the longest way to them, and by likeness inside a layer."""
    at = np.flatnonzero(steps)
    level = made.level
    if len(at) < made.found:  # what is passed through adds nothing to a way
        own = steps.astype(np.float64)
        level = (made.ends(own) - own).astype(np.int64)
    order = at[np.argsort(level[at], kind="stable")]
    bounds = [0, *np.cumsum(np.bincount(level[at])).tolist()] if len(at) else [0]
    a, b = found.soft.src, found.soft.dst
    near = np.flatnonzero(steps[a] & steps[b] & (level[a] == level[b]))
    links: dict[int, list[tuple[int, int, float]]] = {}
    for i in near.tolist():
        link = (int(a[i]), int(b[i]), found.scores[i])
        links.setdefault(int(level[a[i]]), []).append(link)
    groups: list[tuple[list[int], float]] = []
    for number in sorted(links):
        part = slice(bounds[number], bounds[number + 1])
        ordered, named = together(order[part].tolist(), links[number])
        order[part] = ordered
        groups += named
    return order, bounds, groups


def together(
    layer: Sequence[int], links: Iterable[tuple[int, int, float]]
) -> tuple[list[int], list[tuple[list[int], float]]]:
    """A layer in order: softly linked nodes side by side, strongest first, then by position."""
    group: dict[int, list[int]] = {}
    strength: dict[int, float] = {}
    for a, b, score in sorted(links, key=lambda e: (-e[2], *sorted((e[0], e[1])))):
        left, right = sorted((group.get(a, [a]), group.get(b, [b])), key=min)
        if left is right or a == b:
            continue
        joined = left + right
        strongest = max(score, strength.pop(id(left), 0.0), strength.pop(id(right), 0.0))
        strength[id(joined)] = strongest
        for i in joined:
            group[i] = joined
    groups = list({id(g): g for g in group.values()}.values())
    groups += [[i] for i in layer if i not in group]
    groups.sort(key=lambda g: (-strength.get(id(g), 0.0), min(g)))
    named = [(g, strength[id(g)]) for g in groups if len(g) > 1]
    return [i for g in groups for i in g], named


def _named(found: Open, group: Sequence[int]) -> str:
    """The ids of a group, as many as a sentence bears."""
    ids = sorted(found.ids[i] for i in group)
    more = len(ids) - NAMED_MEMBERS
    return ", ".join(ids[:NAMED_MEMBERS]) + (f" and {more} more" if more > 0 else "")


def minutes(found: Open, steps: Mask) -> Floats | None:
    """How long each step takes: estimated, else its kind's median; None: one step each."""
    known = {i: e for i, e in found.estimates.items() if steps[i]}
    if not known:
        return None
    usual = float(median(known.values()))
    result = np.zeros(len(found.ids))
    for i in np.flatnonzero(steps).tolist():
        kind = found.kind_minutes.get(found.kinds[i], usual)
        result[i] = known.get(i, kind)
    return result


def timed(found: Open, result: Layout) -> Timing:
    """Every node's slack, and the longest chain."""
    made, weights = result.open, result.weights
    if not made.found:
        return Timing([], [], CriticalPath(node_ids=(), length=0.0, unit=result.unit))
    alike = result.minutes is None and made.found == len(result.order)
    ends = made.level.astype(np.float64) + 1 if alike else made.ends(weights)
    known = made.level >= 0
    length = float(ends[known].max())
    latest = made.latest(weights, length)
    slack = (latest - ends)[result.order].tolist()
    if result.minutes is not None:
        slack = [round(free, 6) for free in slack]
    chain = [found.ids[i] for i in _longest(made, known, ends) if result.steps[i]]
    critical = CriticalPath(node_ids=tuple(chain), length=length, unit=result.unit)
    return Timing(slack, weights[result.order].tolist(), critical)


def _longest(made: Generations, known: Mask, ends: Floats) -> list[int]:
    """The chain that ends last, traced back; the smaller id where two are as long."""
    net = made.net
    last = np.full(net.count, -1.0)
    np.maximum.at(last, net.dst, ends[net.src])
    through = ends[net.src] == last[net.dst]
    before = np.full(net.count, net.count, dtype=np.int64)
    np.minimum.at(before, net.dst[through], net.src[through])
    path = [int(np.argmax(np.where(known, ends, -1.0)))]
    while (earlier := int(before[path[-1]])) < net.count:
        path.append(earlier)
    return path[::-1]


def reason(found: Open, result: Layout, satisfied: int, derived: int, explicit: int) -> str:
    """Why the steps stand in this order, for people."""
    steps = len(result.order)
    if not steps:
        return "Nothing is left to do: no open node can be started."
    parts = [
        (
            f"{_count(steps, 'step')} in {_count(len(result.bounds) - 1, 'layer')}: "
            f"topological sort on {_count(derived + explicit, 'hard dependency')} "
            f"({derived} from tags, {explicit} explicit); the steps of a layer do not need each "
            "other and can run in parallel."
        )
    ]
    if result.groups:
        said = [
            f"{_named(found, group)} "
            # Chains: the first and the last of three need not be as near as the nearest two.
            f"({'up to ' if len(group) > 2 else ''}{score:.2f}, "
            f"layer {_layer(result, group[0]) + 1})"
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


def _layer(result: Layout, step: int) -> int:
    """The layer that a step stands in."""
    at = int(np.flatnonzero(result.order == step)[0])
    return int(np.searchsorted(result.bounds, at, side="right")) - 1


def _count(number: int, noun: str) -> str:
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else many}"
