"""The measurement: each graph's rankings, and the choice that all of them together make."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bench.quality import choosing, issues, ranking, words
from bench.quality.choosing import Choice
from bench.quality.issues import Issues
from bench.quality.ranking import FIRST, Ranks, Worth
from gotn_embeddings import Encoder
from gotn_embeddings.identity import Encoded
from gotn_embeddings.index import FaissIndex

#: How issues are ranked.
BM25, MEANING, GRAPH, BOTH = "BM25", "meaning", "meaning, by HNSW", "both, fused"


@dataclass(frozen=True)
class Found:
    """What was measured on one graph."""

    issues: Issues
    encoded: Encoded
    #: By relation, then by ranking.
    worth: dict[str, dict[str, Worth]]
    #: The share of the exact nearest ten that an HNSW graph finds.
    recall: float
    choices: list[Choice]


def measure(encoder: Encoder, tell: Callable[[str], None] = lambda _: None) -> list[Found]:
    """Every graph in turn."""
    found = []
    for name in issues.NAMES:
        graph = issues.load(name)
        tell(f"{name}: {graph.all} issues, {len(graph.texts)} different titles")
        found.append(_measured(graph, encoder.encode(graph.texts)))
    return found


def _measured(graph: Issues, encoded: Encoded) -> Found:
    vectors = encoded.vectors
    exact = ranking.ranks(vectors @ vectors.T)
    plain, near = ranking.ranks(words.scores(graph.texts)), _by_graph(encoded)
    rankings = {BM25: plain, MEANING: exact, GRAPH: near, BOTH: ranking.fused(exact, plain)}
    relations = {
        "parent and child": graph.family,
        "any edge": graph.linked,
        "edge or same parent": graph.together,
    }
    worth = {
        relation: {by: ranking.worth(ranks, partners) for by, ranks in rankings.items()}
        for relation, partners in relations.items()
    }
    recall = float(((near < FIRST) & (exact < FIRST)).sum() / (len(exact) * FIRST))
    choices = choosing.choices(vectors, exact, graph.together)
    return Found(graph, encoded, worth, recall, choices)


def _by_graph(encoded: Encoded) -> Ranks:
    """Ranks by an HNSW graph: those of the first ten, all others behind them in no order."""
    index, count = FaissIndex(encoded.identity, switch=1), len(encoded.vectors)
    index.put({f"{row:06}": vector for row, vector in enumerate(encoded.vectors)})
    assert index.grow(), "a graph that loses vectors is not what is measured"
    scores = np.full((count, count), -1.0)
    for row, hits in enumerate(index.search(encoded.vectors, FIRST + 1)):
        for hit in hits:
            scores[row, int(hit.id)] = hit.score
    np.fill_diagonal(scores, -1.0)
    return ranking.ranks(scores)
