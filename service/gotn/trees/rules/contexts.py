"""What a task is given to work with, and the prompt that a model is asked (decisions, Merging)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gotn import shapes

Row = dict[str, Any]
#: How a source begins that is a variable of the tree's states.
VARIABLE = "variable:"


@dataclass(frozen=True)
class Around:
    """The tasks that a task's context may come from."""

    parent: Row | None = None
    #: Those beside it whose results it works on.
    results: tuple[Row, ...] = ()


def works_on(parent: Row | None, place: int, count: int) -> range:
    """The places beside a task, one of so many, on whose results it works (004, strategies).

    For the last of a map-reduce all before it; for the next of a conditional order the one
    before, on whose result it depends.
    """
    strategy = (parent or {}).get("decomposition_strategy")
    if strategy == "map-reduce" and place == count - 1:
        return range(place)
    if strategy == "conditional" and place:
        return range(place - 1, place)
    return range(0)


def resolved(
    row: Row, around_: Around, variables: Mapping[str, Any]
) -> tuple[list[Row], list[str]]:
    """The parts of a task's context, {source, text} or {source, file}, and what is missing."""
    context = row.get("context") or {}
    source = context.get("source")
    if context.get("type") == "none":
        return [], []
    missing: list[str] = []
    found: list[Row] = [
        {"source": f"result:{one['id']}", "text": _output(one)}
        for one in around_.results
        if one["status"] == "completed" and _output(one) is not None
    ]
    if source == "parent_result":
        output = _output(around_.parent or {})
        if output is not None or not found:
            _add(found, missing, source, output, "the parent has no output")
    elif isinstance(source, str) and source.startswith(VARIABLE):
        name = source.removeprefix(VARIABLE)
        why = "its value is null" if name in variables else "no state has this variable"
        _add(found, missing, source, _text(variables.get(name)), why)
    elif isinstance(source, str) and source.startswith("file:"):
        found.append({"source": source, "file": source.removeprefix("file:")})
    for one in row.get("documents", ()):
        said = one.get("excerpt")
        part = {"source": one["source"], "document": one["doc_id"]}
        found.append(part | ({"text": said} if said else {}))
    return found, missing


def _output(row: Row) -> str | None:
    found: str | None = (row.get("result") or {}).get("output")
    return found


def _add(found: list[Row], missing: list[str], source: str, text: str | None, why: str) -> None:
    if text is None:
        missing.append(f"{source}: {why}")
    else:
        found.append({"source": source, "text": text})


def _text(variable: Any) -> str | None:
    """A variable's value as a model reads it."""
    if not isinstance(variable, dict) or variable.get("value") is None:
        return None
    value = variable["value"]
    return value if isinstance(value, str) else shapes.dumps(value)


def prompt(row: Row, parts: Sequence[Row]) -> str:
    """The task's prompt, under what it is given."""
    return given(parts) + str(row["prompt"])


def given(parts: Sequence[Row]) -> str:
    """What stands above a prompt: texts, then what is still to be read; none that was refused."""
    said = [f"[{part['source']}]\n{part['text']}" for part in parts if part.get("text")]
    named = [part["source"] for part in parts if not (part.get("text") or part.get("refused"))]
    if named:
        said.append("Read: " + ", ".join(named))
    return "".join(f"{one}\n\n" for one in said)
