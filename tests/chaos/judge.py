"""Whether what is stored agrees with what callers were told. It looks at nothing itself."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from chaos.history import Deed, History

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
    return found


def _counted(deeds: Iterable[Deed], seen: Seen) -> Iterator[str]:
    """Each deed stands in the journal once, or not at all where nobody was told that it does."""
    for deed in deeds:
        times = len(seen.journal.get(deed.token, ()))
        if times > 1:
            yield f"done twice: {deed.kind} {deed.token} stands at seq {seen.journal[deed.token]}"
        elif deed.acknowledged and not times:
            yield f"lost: {deed.kind} {deed.token} was acknowledged and is not in the journal"


def _stored(deeds: Iterable[Deed], seen: Seen) -> Iterator[str]:
    """Each acknowledged deed shows in the graph, once."""
    for deed in deeds:
        if not deed.acknowledged:
            continue
        if deed.node and deed.node not in seen.nodes:
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


def shown(found: list[str]) -> list[str]:
    """The first violations, and how many more there are."""
    more = len(found) - SHOWN
    return found[:SHOWN] + ([f"… and {more} more"] if more > 0 else [])
