"""Whether what is stored agrees with what callers were told. It looks at nothing itself."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from chaos.history import Deed, History, Lease

#: Violations that are named; the rest is counted.
SHOWN = 20


@dataclass
class Seen:
    """What the journal and the graph hold, read past the service."""

    #: Token -> the journal's seqs that did it: summaries, ends of edges, goals of runs.
    journal: dict[str, list[int]] = field(default_factory=dict)
    #: Node -> its summary.
    nodes: dict[str, str] = field(default_factory=dict)
    #: Ends of edges as `src>dst`, once for each stored edge.
    edges: Counter[str] = field(default_factory=Counter)
    #: Goals of runs, once for each stored run.
    runs: Counter[str] = field(default_factory=Counter)
    #: Step (`run/node`) -> its status, and the token of whoever completed it.
    steps: dict[str, tuple[str, str]] = field(default_factory=dict)
    #: Run -> its status.
    ends: dict[str, str] = field(default_factory=dict)
    #: What the service's own checks found wrong: chain, replay, order, seq.
    broken: list[str] = field(default_factory=list)


def judged(history: History, seen: Seen) -> list[str]:
    """Every disagreement, in a sentence; nothing acknowledged lost, nothing done twice."""
    found = [*history.wrong, *seen.broken]
    found += _counted(history.deeds, seen)
    found += _stored(history.deeds, seen)
    found += _last_words(history.deeds, seen)
    found += _answers(history.deeds)
    found += _order(history.deeds, seen)
    found += _leases(history.leases)
    found += _completed(history.deeds, seen)
    found += _ended(history.runs, seen)
    return found


def _counted(deeds: Iterable[Deed], seen: Seen) -> Iterator[str]:
    """Each deed stands in the journal once, or not at all where nobody was told that it does."""
    for deed in deeds:
        times = len(seen.journal.get(deed.token, ()))
        if times > 1:
            yield f"done twice: {deed.kind} {deed.token} stands at seq {seen.journal[deed.token]}"
        elif deed.acknowledged and not times:
            yield f"lost: {deed.kind} {deed.token} was acknowledged and is not in the journal"
        elif deed.refused and times:
            yield f"refused and done: {deed.kind} {deed.token}, seq {seen.journal[deed.token]}"


def _stored(deeds: Iterable[Deed], seen: Seen) -> Iterator[str]:
    """Each acknowledged deed shows in the graph, once."""
    for deed in deeds:
        if not deed.acknowledged:
            continue
        if deed.node and deed.kind != "complete" and deed.node not in seen.nodes:
            yield f"lost: node {deed.node} was acknowledged and is not in the graph"
        stored = {"edge": seen.edges, "plan": seen.runs}.get(deed.kind)
        if stored is not None and (times := stored[deed.token]) != 1:
            yield f"{deed.kind} {deed.token} was acknowledged and is stored {times} times"


def _last_words(deeds: Iterable[Deed], seen: Seen) -> Iterator[str]:
    """A node says what its owner wrote last, or a later word that nobody acknowledged yet."""
    words: dict[str, list[Deed]] = {}
    for deed in deeds:
        if deed.kind in {"add", "update"}:
            words.setdefault(deed.node, []).append(deed)
    for node, said in words.items():
        known = max((at for at, deed in enumerate(said) if deed.acknowledged), default=None)
        allowed = {deed.token for deed in said[known or 0 :]}
        if known is not None and node in seen.nodes and seen.nodes[node] not in allowed:
            told = said[known].token
            yield f"lost: {node} says {seen.nodes[node]!r}, its owner was told {told!r}"


def _answers(deeds: Iterable[Deed]) -> Iterator[str]:
    """The same key was given the same answer, however often it was asked."""
    for deed in deeds:
        if any(answer != deed.answers[0] for answer in deed.answers):
            yield f"two answers to one key: {deed.kind} {deed.token}: {deed.answers[:2]}"


def _order(deeds: Iterable[Deed], seen: Seen) -> Iterator[str]:
    """What was acknowledged before another was first sent stands before it in the journal."""
    stored = [deed for deed in deeds if seen.journal.get(deed.token)]
    latest: Deed | None = None
    for deed in sorted(stored, key=lambda one: seen.journal[one.token][0]):
        if latest and deed.answered is not None and latest.sent > deed.answered:
            yield f"out of order: {latest.token} stands before {deed.token} in the journal"
        if latest is None or deed.sent > latest.sent:
            latest = deed


def _leases(leases: Iterable[Lease]) -> Iterator[str]:
    """No attempt is two workers', and none begins while the one before it certainly lives.

    A lease lives until its worker tries to end it, and `until` at least: the server counts from
    a later moment than the worker does.
    """
    steps: dict[str, list[Lease]] = {}
    for lease in leases:
        steps.setdefault(lease.step, []).append(lease)
    for step, some in steps.items():
        some.sort(key=lambda one: (one.attempt, one.answered))
        for first, then in pairwise(some):
            if first.attempt == then.attempt:
                workers = f"{first.worker}, {then.worker}"
                yield f"handed out twice: {step} attempt {then.attempt}: {workers}"
            elif then.answered < min(first.until, first.ended or first.until):
                left = first.until - then.answered
                yield (
                    f"two live leases: {step}: {then.worker} got attempt {then.attempt} while "
                    f"{first.worker} had {left:.2f} s left of attempt {first.attempt}"
                )


def _completed(deeds: Iterable[Deed], seen: Seen) -> Iterator[str]:
    """A step is completed by one worker, whose outputs it keeps."""
    by: dict[str, list[Deed]] = {}
    for deed in deeds:
        if deed.kind == "complete" and (deed.acknowledged or seen.journal.get(deed.token)):
            by.setdefault(deed.node, []).append(deed)
    for step, some in by.items():
        if len(some) > 1:
            yield f"completed twice: {step} by {', '.join(deed.token for deed in some)}"
        if (found := seen.steps.get(step)) != ("completed", some[0].token):
            yield f"completed by {some[0].token}, stored otherwise: {step} is {found}"


def _ended(runs: Mapping[str, str], seen: Seen) -> Iterator[str]:
    """A run that ended stays so, and a completed one has no step that is not."""
    for run, status in runs.items():
        if seen.ends.get(run, "").upper() != status:
            yield f"run {run} ended {status} and is {seen.ends.get(run)}"
        own = {s: at for s, (at, _) in seen.steps.items() if s.startswith(f"{run}/")}
        left = [step for step, at in own.items() if at != "completed"]
        if status == "COMPLETED" and left:
            yield f"run {run} is completed, but {left[:3]} are not"


def shown(found: list[str]) -> list[str]:
    """The first violations, and how many more there are."""
    more = len(found) - SHOWN
    return found[:SHOWN] + ([f"… and {more} more"] if more > 0 else [])
