"""What a worker records of a step: its command, its output, the answers to its conditions."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gotn.cli.working.commanding import Outcome
from gotn.cli.working.conditions import Finding

Row = dict[str, Any]

#: Bytes of JSON that outputs may have; the service takes 64 KiB.
MOST = 60_000
#: Conditions that are kept of each list, and characters of each of their texts.
CONDITIONS, TEXT = 100, 300


def row(
    command: str | None,
    outcome: Outcome | None,
    guards: Sequence[Finding],
    criteria: Sequence[Finding],
) -> Row:
    """The outputs of a step, within bounds whatever the command wrote."""
    found: Row = {}
    if outcome is not None:
        found["command"] = str(command)[:2000]
        found |= outcome.row()
    for name, findings in (("guards", guards), ("success_criteria", criteria)):
        if findings:
            found[name] = [_cut(one.row()) for one in findings[:CONDITIONS]]
        if len(findings) > CONDITIONS:
            found[f"{name}_total"] = len(findings)
    return _bounded(found)


def _cut(finding: Row) -> Row:
    return {k: v if len(v) <= TEXT else f"{v[: TEXT - 1]}…" for k, v in finding.items()}


def _bounded(found: Row) -> Row:
    """The same with less of the output, until it fits: control characters grow in JSON."""
    output = found.get("output")
    while isinstance(output, dict) and _size(found) > MOST:
        texts = {name: output[name] for name in ("text", "head", "tail") if output.get(name)}
        if not texts:
            break
        for name, text in texts.items():
            output[name] = text[len(text) // 2 + 1 :] if name == "tail" else text[: len(text) // 2]
        output["shortened"] = True
    if _size(found) > MOST:
        for name in ("guards", "success_criteria"):
            found[name] = found.get(name, [])[:10]
    return found


def _size(found: Row) -> int:
    return len(json.dumps(found))


def kept(folder: Path, run: str, node: str, attempt: int, found: Row) -> Path | None:
    """A file with the outputs of a step that somebody else will end; None where none can be."""
    name = hashlib.sha256(node.encode()).hexdigest()[:12]
    path = folder / f"{run}-{name}-{attempt}.json"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(json.dumps(found, ensure_ascii=False), "utf-8")
    except OSError:
        return None
    return path
