"""What a task is given to work with, and the prompt that a model is asked (decisions, Merging)."""

from collections.abc import Mapping, Sequence
from typing import Any

from gotn import shapes

Row = dict[str, Any]


def resolved(
    row: Row, parent: Row | None, variables: Mapping[str, Any]
) -> tuple[list[Row], list[str]]:
    """The parts of a task's context, {source, text} or {source, file}, and what is missing."""
    context = row.get("context") or {}
    source = context.get("source")
    if context.get("type") == "none":
        return [], []
    found: list[Row] = []
    missing: list[str] = []
    if source == "parent_result":
        output = ((parent or {}).get("result") or {}).get("output")
        _add(found, missing, source, output, "the parent has no output")
    elif isinstance(source, str) and source.startswith("variable:"):
        name = source.removeprefix("variable:")
        _add(found, missing, source, _text(variables.get(name)), "no state has this variable")
    elif isinstance(source, str) and source.startswith("file:"):
        found.append({"source": source, "file": source.removeprefix("file:")})
    for one in row.get("documents", ()):
        said = one.get("excerpt")
        part = {"source": one["source"], "document": one["doc_id"]}
        found.append(part | ({"text": said} if said else {}))
    return found, missing


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
    said = [f"[{part['source']}]\n{part['text']}" for part in parts if part.get("text")]
    named = [part["source"] for part in parts if not part.get("text")]
    if named:
        said.append("Read: " + ", ".join(named))
    return "\n\n".join([*said, row["prompt"]])
