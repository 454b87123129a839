"""Real texts and their vectors, for measuring: titles and sentences of real issues."""

import json
import os
import random
import re
from pathlib import Path

import numpy as np

from gotn_embeddings import encoder
from gotn_embeddings.identity import Vectors
from gotn_embeddings.samples import TEXTS

DATA = Path(os.environ.get("GOTN_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
#: Fields of an issue whose sentences are taken.
FIELDS = ("title", "description", "acceptance_criteria", "design", "notes")
#: Encoding more than these takes minutes; the others are copies with some noise.
ENCODED = 10_000
#: Deviation of a number of a copy; a copy's cosine to its original is about 0.85.
NOISE = 0.03
_KEPT: dict[int, Vectors] = {}


def real(count: int) -> list[str]:
    """So many different sentences of 20 to 160 characters; ours, numbered, without the data."""
    found: dict[str, None] = {}
    for path in sorted((DATA / "beads").glob("*.issues.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            issue = json.loads(line)
            text = "\n".join(str(issue.get(field) or "") for field in FIELDS)
            for sentence in re.split(r"\n+|(?<=[.!?]) ", text):
                if 20 <= len(cleaned := sentence.strip(" -*#`")) <= 160:
                    found[cleaned] = None
    texts = list(found)
    random.Random(0).shuffle(texts)
    texts += [f"{TEXTS[n % 4]} ({n})" for n in range(count - len(texts))]
    return texts[:count]


def vectors(count: int) -> Vectors:
    """Vectors of real sentences; beyond `ENCODED` perturbed copies of them, for time only."""
    base = min(count, ENCODED)
    if base not in _KEPT:
        _KEPT[base] = encoder("onnx").encode(real(base)).vectors
    rows, noise = _KEPT[base], np.random.default_rng(0)
    copies = -(-count // base)
    found = np.concatenate(
        [rows]
        + [rows + NOISE * noise.standard_normal(rows.shape, np.float32) for _ in range(copies - 1)]
    )[:count]
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    made: Vectors = np.ascontiguousarray(found / lengths, np.float32)
    return made
