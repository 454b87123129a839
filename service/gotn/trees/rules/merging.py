"""Put the results of a task's children together (004, merge_results; decisions, Merging)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]
SEPARATOR = "\n\n"


@dataclass(frozen=True, kw_only=True)
class MergedResults:
    """What merging gave."""

    strategy: str
    #: The output; None where a model must write it from `prompt`.
    output: str | None
    #: The children whose results count, in their order.
    merged: tuple[str, ...]
    #: Children left out, each with the reason.
    left_out: tuple[str, ...]
    #: The child that was chosen, by vote or as the best.
    chosen: str | None = None
    #: For a summary: what a model is to be asked.
    prompt: str | None = None
    #: For a summary: the outputs that `prompt` has in it, as `merged` names them.
    inputs: tuple[str, ...] = ()
    #: For a summary: sentences of `inputs` that say most of them; no model wrote it.
    extract: str | None = None
    #: The local embeddings that chose those sentences.
    extracted_by: str | None = None
    #: Why there is no extract.
    note: str | None = None


def merge(strategy: str, parent: Row, children: Sequence[Row]) -> MergedResults:
    """The children's outputs by a strategy; failed, cancelled and open ones are named."""
    kept = [row for row in children if row["status"] == "completed" and _output(row) is not None]
    left = tuple(f"{row['id']}: {_why(row)}" for row in children if row not in kept)
    ids = tuple(row["id"] for row in kept)
    made = _STRATEGIES[strategy](parent, kept) if kept else {"output": None}
    return MergedResults(strategy=strategy, merged=ids, left_out=left, **made)


def _output(row: Row) -> str | None:
    found: str | None = (row.get("result") or {}).get("output")
    return found


def _why(row: Row) -> str:
    return "no output" if row["status"] == "completed" else str(row["status"])


def _concatenate(_: Row, kept: list[Row]) -> Row:
    return {"output": SEPARATOR.join(_output(row) or "" for row in kept)}


def _vote(_: Row, kept: list[Row]) -> Row:
    """The output that most give; ties by the most confident, then the first."""
    votes: dict[str, list[Row]] = {}
    for row in kept:
        votes.setdefault(_normal(_output(row) or ""), []).append(row)
    best = max(votes.values(), key=lambda rows: (len(rows), max(map(_confidence, rows))))
    chosen = max(best, key=_confidence)
    return {"output": _output(chosen), "chosen": chosen["id"]}


def _normal(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")


def _confidence(row: Row) -> float:
    found = (row.get("result") or {}).get("confidence")
    return -1.0 if found is None else float(found)


def _best(_: Row, kept: list[Row]) -> Row:
    chosen = max(kept, key=lambda row: (_quality(row), _confidence(row)))
    return {"output": _output(chosen), "chosen": chosen["id"]}


def _quality(row: Row) -> float:
    """The last score of the quality gate, or the one its result or document states."""
    history = (row.get("quality_gate") or {}).get("iteration_history") or ()
    scores = [one["score"] for one in history if one.get("score") is not None]
    stated = (row.get("result") or {}).get("quality_score")
    stated = (row.get("extra") or {}).get("quality_score") if stated is None else stated
    if scores:
        return float(scores[-1])
    return float(stated) if isinstance(stated, int | float) else -1.0


def _summarize(parent: Row, kept: list[Row]) -> Row:
    parts = [f"Result of {row['id']} ({row['prompt']}):\n{_output(row)}" for row in kept]
    asked = f"Summarize these results in answer to: {parent['prompt']}"
    inputs = tuple(_output(row) or "" for row in kept)
    return {"output": None, "prompt": SEPARATOR.join([asked, *parts]), "inputs": inputs}


_STRATEGIES = {
    "concatenate": _concatenate,
    "vote": _vote,
    "best-of-n": _best,
    "summarize": _summarize,
}
