"""The cycles that a document's own hard edges close, each with its path and lines."""

from itertools import pairwise

import numpy as np

from gotn.work.records import EdgeOrigin, EdgeType, GraphDraft, Unknown
from gotn.work.rules import plans, rounds, tags
from gotn.work.rules.ranks import Edges

#: Nodes of a path that a message names; more are told by their number.
NAMED = 20
#: How a violation that is a cycle begins; each interface says what keeps such edges.
_CLOSE = "these edges close a cycle: "


def is_cycle(reason: str) -> bool:
    """Whether a violation's reason tells of a cycle that could be kept, flagged."""
    return reason.startswith(_CLOSE)


def closed(draft: GraphDraft) -> list[Unknown]:
    """One shortest cycle for each component of explicit hard edges that goes round.

    What tags give may go round: such edges are flagged, never refused.
    """
    pairs = [
        (row["src"], row["dst"])
        for row in draft.edges
        if row["type"] == EdgeType.HARD_REQUIRES.value
        and row.get("origin") != EdgeOrigin.DERIVED.value
        and row.get("provenance") != tags.PROVENANCE
    ]
    ids = list(dict.fromkeys(end for pair in pairs for end in pair))
    place = {id_: at for at, id_ in enumerate(ids)}
    net = plans.Open(ids=ids, hard=Edges.of([(place[a], place[b]) for a, b in pairs]))
    every = np.ones(len(ids), dtype=np.bool_)
    return [_told([ids[at] for at in way], draft) for way in rounds.cycles(net, every)]


def _told(path: list[str], draft: GraphDraft) -> Unknown:
    found = [draft.lines.get(f"edge hard_requires {src} {dst}") for src, dst in pairwise(path)]
    lines = sorted({line for line in found if line})
    at = f" (line{'s' * (len(lines) > 1)} {', '.join(map(str, lines[:NAMED]))})" if lines else ""
    names = path if len(path) <= NAMED else [*path[: NAMED - 2], "…", path[-1]]
    reason = f"{_CLOSE}{' → '.join(names)}{at}"
    return Unknown(line=lines[0] if lines else None, id=path[0], reason=reason)
