"""A summary of a task's results in their own sentences, where no model writes one (decisions)."""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gotn.errors import EncoderUnavailable
from gotn.similarity.engine import Engine
from gotn.similarity.preparing import tokens
from gotn.trees.rules.merging import MergedResults

if TYPE_CHECKING:
    from gotn_embeddings.identity import Vectors

#: Tokens of an extract, at most.
BUDGET = 500
#: Sentences that are compared, of all children together, and characters of each: longer ones
#: are taken as several. Every one of them fits into an extract.
MOST, LONGEST = 2_000, 400
#: Cosine from which on a sentence says again what one that was taken says.
AGAIN = 0.9
#: Where a sentence ends: after its mark, or at the end of a line.
_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\s*\n\s*")


async def extracted(engine: Engine | None, found: MergedResults) -> MergedResults:
    """A summary's prompt and inputs with the extract beside them; other merges as they are.

    Without an encoder there is no extract, and `note` says how to install one.
    """
    children = _children(found.inputs)
    if not children:
        return found
    if engine is None:
        return replace(found, note=EncoderUnavailable().message)
    try:
        vectors = await engine.encode([one for child in children for one in child])
        identity = (await engine.encoder()).identity
    except EncoderUnavailable as error:
        return replace(found, note=error.message)
    text = extract(children, vectors)
    return replace(found, extract=text, extracted_by=identity.text)


def _children(outputs: Sequence[str]) -> list[list[str]]:
    """The sentences of each child that says something, the same number of each at most."""
    said = [sentences(output) for output in outputs[:MOST]]
    said = [child for child in said if child]
    return [child[: MOST // len(said)] for child in said]


def sentences(text: str) -> list[str]:
    """A text's sentences in their order, each with single spaces; long ones in pieces."""
    return [
        piece
        for sentence in _END.split(text[: MOST * LONGEST])
        for piece in textwrap.wrap(sentence, LONGEST)
        if any(map(str.isalnum, piece))
    ]


def extract(children: Sequence[Sequence[str]], vectors: "Vectors", budget: int = BUDGET) -> str:
    """The sentences nearest the children's mean, in their order, within a number of tokens.

    `vectors` has a row for each sentence. Each child counts the same, however much it says; what
    was said already is not said again.
    """
    said = [one for child in children for one in child]
    near = np.round(vectors @ _mean(children, vectors), 5)  # equal sentences are equally near
    taken: list[int] = []
    left = budget
    for row in np.argsort(-near, kind="stable").tolist():
        if np.any(vectors[taken] @ vectors[row] >= AGAIN):
            continue
        left -= tokens(said[row] + "\n")
        if left < 0:
            break  # a shorter one that still fits is farther from what matters
        taken.append(row)
    return "\n".join(said[row] for row in sorted(taken))


def _mean(children: Sequence[Sequence[str]], vectors: "Vectors") -> "Vectors":
    """The mean of the children's vectors, each the mean of its sentences, of length 1."""
    ends = np.cumsum([len(child) for child in children])[:-1]
    means = [part.mean(axis=0) for part in np.split(vectors, ends)]
    lengths = [max(float(np.linalg.norm(one)), 1e-12) for one in means]
    total = np.sum([one / length for one, length in zip(means, lengths, strict=True)], axis=0)
    return np.asarray(total, np.float32)
